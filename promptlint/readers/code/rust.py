"""Rust in the small form."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from promptlint.readers.code import ir
from promptlint.readers.code.rust_exprs import RustExpressions
from promptlint.readers.code.tree import grammar, parsed, span


def read(data: bytes, suffix: str) -> ir.Module:
    return Rust(data).module("rust", parsed(grammar("tree_sitter_rust"), data))


class Rust(RustExpressions):
    owner = ""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.methods: dict[str, dict[str, ir.Function]] = {}

    # Definitions

    def s_function_item(self, node: Node) -> Iterator[ir.Stmt]:
        name = self.text(node.child_by_field_name("name"))
        params: list[ir.Param] = []
        parameters = node.child_by_field_name("parameters")
        for child in parameters.named_children if parameters is not None else ():
            if child.type == "self_parameter":
                params.append(ir.Param(ir.Name(span(child), "self"), self.owner))
            elif child.type == "parameter":
                params.append(ir.Param(self.field(child, "pattern"), self.text(child.child_by_field_name("type"))))
        body = self._returning(node.child_by_field_name("body"))
        returns = self.text(node.child_by_field_name("return_type"))
        bound = bool(params) and params[0].name == "self"
        function = ir.Function(name, span(node), tuple(params), body, self.owner, returns, bound=bound)
        if self.owner:
            self.methods.setdefault(self.owner, {}).setdefault(name, function)
        elif not self._in_tests(node):
            self.functions.setdefault(name, function)
        if node.parent is not None and node.parent.type == "block":
            yield ir.Define(span(node), function)

    def _in_tests(self, node: Node) -> bool:
        before = node.prev_named_sibling
        return before is not None and before.type == "attribute_item" and "test" in self.text(before)

    def s_impl_item(self, node: Node) -> Iterator[ir.Stmt]:
        name = self.text(node.child_by_field_name("type")).partition("<")[0]
        outer, self.owner = self.owner, name
        methods = self.methods.setdefault(name, {})
        self.block(node.child_by_field_name("body"))
        self.owner = outer
        if name not in self.classes:
            self.classes[name] = ir.Class(name, span(node), {}, methods)
        yield from ()

    def s_struct_item(self, node: Node) -> Iterator[ir.Stmt]:
        name = self.text(node.child_by_field_name("name"))
        body = node.child_by_field_name("body")
        fields = {
            self.text(child.child_by_field_name("name")): (self.text(child.child_by_field_name("type")), span(child))
            for child in (body.named_children if body is not None else ())
            if child.type == "field_declaration"
        }
        before, attributes = node.prev_named_sibling, ""
        while before is not None and before.type in ("attribute_item", "line_comment"):
            attributes += self.text(before)
            before = before.prev_named_sibling
        methods = self.methods.setdefault(name, {})
        self.classes[name] = ir.Class(name, span(node), fields, methods, serialized="Serialize" in attributes)
        yield from ()

    def s_mod_item(self, node: Node) -> Iterator[ir.Stmt]:
        if not self._in_tests(node):
            yield from self.block(node.child_by_field_name("body"))

    def s_use_declaration(self, node: Node) -> Iterator[ir.Stmt]:
        self._use(node.child_by_field_name("argument"), "")
        yield from ()

    def _use(self, node: Node | None, prefix: str) -> None:
        if node is None:
            return
        if node.type in ("scoped_use_list", "use_list"):
            path = self.text(node.child_by_field_name("path"))
            inner = f"{prefix}{path}::" if path else prefix
            items = node.child_by_field_name("list") if node.type == "scoped_use_list" else node
            for child in items.named_children if items is not None else ():
                self._use(child, inner)
        elif node.type == "use_as_clause":
            module, _, name = (prefix + self.text(node.child_by_field_name("path"))).rpartition("::")
            self.imports[self.text(node.child_by_field_name("alias"))] = ir.Import(module, name)
        elif node.type in ("identifier", "scoped_identifier", "crate", "self"):
            module, _, name = (prefix + self.text(node)).rpartition("::")
            self.imports[name] = ir.Import(module, name) if module else ir.Import(name, None)

    # Statements

    def s_let_declaration(self, node: Node) -> Iterator[ir.Stmt]:
        value = node.child_by_field_name("value")
        declared = self.text(node.child_by_field_name("type"))
        target = self.field(node, "pattern")
        if declared.startswith("BTree") and value is not None:  # collected into an order
            ordered = ir.Call(span(value), ir.Attr(span(value), self.expr(value), "sorted"), ())
            yield ir.Assign(span(node), target, ordered)
            return
        lowered = self.expr(value) if value is not None else None
        if isinstance(lowered, ir.Call) and isinstance(lowered.func, ir.Attr) and lowered.func.name == "collect":
            lowered = ir.Call(lowered.span, lowered.func, lowered.args, types=lowered.types or declared)
            declared = "" if "Hash" in declared else declared
        yield ir.Assign(span(node), target, lowered, declared)

    def s_const_item(self, node: Node) -> Iterator[ir.Stmt]:
        name = node.child_by_field_name("name")
        yield ir.Assign(span(node), self.expr(name), self.field(node, "value"))

    s_static_item = s_const_item

    def s_expression_statement(self, node: Node) -> Iterator[ir.Stmt]:
        for child in node.named_children:
            yield from self.statement(child)

    def s_assignment_expression(self, node: Node) -> Iterator[ir.Stmt]:
        adds = node.type == "compound_assignment_expr"
        yield ir.Assign(span(node), self.field(node, "left"), self.field(node, "right"), adds=adds)

    s_compound_assignment_expr = s_assignment_expression

    def s_return_expression(self, node: Node) -> Iterator[ir.Stmt]:
        if node.named_children:
            yield ir.Return(span(node), self.expr(node.named_children[0]))

    def e_return_expression(self, node: Node) -> ir.Expr:
        return self._inner(node)

    def s_for_expression(self, node: Node) -> Iterator[ir.Stmt]:
        body = self.block(node.child_by_field_name("body"))
        yield ir.Loop(span(node), self.field(node, "pattern"), self.field(node, "value"), body)

    def s_while_expression(self, node: Node) -> Iterator[ir.Stmt]:
        bound = tuple(self.bound_in(node.child_by_field_name("condition")))
        yield ir.Loop(span(node), None, None, (*bound, *self.block(node.child_by_field_name("body"))))

    s_loop_expression = s_while_expression

    def s_if_expression(self, node: Node) -> Iterator[ir.Stmt]:
        yield from self.bound_in(node.child_by_field_name("condition"))
        arms = [self.block(node.child_by_field_name("consequence"))]
        otherwise = node.child_by_field_name("alternative")
        if otherwise is not None:
            arms.append(self.block(otherwise))
        yield ir.Branch(span(node), tuple(arms), exhaustive=otherwise is not None)

    def s_match_expression(self, node: Node) -> Iterator[ir.Stmt]:
        arms = [(*bound, *self.statement(value)) for bound, value in self.arms_of(node)]
        yield ir.Branch(span(node), tuple(arms), exhaustive=True)

    def s_block(self, node: Node) -> Iterator[ir.Stmt]:
        yield from self.block(node)

    def s_line_comment(self, node: Node) -> Iterator[ir.Stmt]:
        yield from ()

    s_block_comment = s_attribute_item = s_inner_attribute_item = s_macro_definition = s_enum_item = s_line_comment
