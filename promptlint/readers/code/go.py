"""Go in the small form."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from promptlint.readers.code import ir
from promptlint.readers.code.record import replace
from promptlint.readers.code.tree import Lowering, grammar, parsed, span

_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
_VERSION = re.compile(r"/v\d+$")


def read(data: bytes, suffix: str) -> ir.Module:
    return Go(data).module("go", parsed(grammar("tree_sitter_go"), data))


class Go(Lowering):
    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.methods: dict[str, dict[str, ir.Function]] = {}

    # Expressions

    def e_identifier(self, node: Node) -> ir.Expr:
        return ir.Name(span(node), self.text(node))

    def e_selector_expression(self, node: Node) -> ir.Expr:
        return ir.Attr(span(node), self.field(node, "operand"), self.text(node.child_by_field_name("field")))

    def e_index_expression(self, node: Node) -> ir.Expr:
        return ir.Index(span(node), self.field(node, "operand"), self.field(node, "index"))

    def e_slice_expression(self, node: Node) -> ir.Expr:
        bounds = (node.child_by_field_name("start"), node.child_by_field_name("end"))
        known = [bound for bound in bounds if bound is not None]
        operand = self.field(node, "operand")
        start = known[0].start_byte if bounds[0] is not None else operand.span[1] + 1
        end = known[-1].end_byte if known else start
        return ir.Index(span(node), operand, ir.Expr((start, end)))

    def e_int_literal(self, node: Node) -> ir.Expr:
        return ir.Number(span(node))

    e_float_literal = e_true = e_false = e_nil = e_rune_literal = e_int_literal

    def e_interpreted_string_literal(self, node: Node) -> ir.Expr:
        return ir.Lit(span(node), self.text(node)[1:-1])

    e_raw_string_literal = e_interpreted_string_literal

    def e_binary_expression(self, node: Node) -> ir.Expr:
        operands = self.chain(node, "binary_expression", ("+",))
        if operands:
            return self.added(operands)
        op = self.text(node.child_by_field_name("operator"))
        if op in _COMPARISONS:
            return ir.Expr(span(node))
        return ir.Binary(span(node), op, self.field(node, "left"), self.field(node, "right"))

    def e_unary_expression(self, node: Node) -> ir.Expr:
        return self.field(node, "operand")

    def e_type_assertion_expression(self, node: Node) -> ir.Expr:
        return self.field(node, "operand")

    def e_type_conversion_expression(self, node: Node) -> ir.Expr:
        return self.field(node, "operand")

    def e_parenthesized_expression(self, node: Node) -> ir.Expr:
        return self.expr(node.named_children[0]) if node.named_children else ir.Expr(span(node))

    def e_expression_list(self, node: Node) -> ir.Expr:
        items = self.exprs(node.named_children)
        return items[0] if len(items) == 1 else ir.Sequence(span(node), items)

    def e_variadic_argument(self, node: Node) -> ir.Expr:
        return ir.Spread(span(node), self.expr(node.named_children[0]))

    def e_call_expression(self, node: Node) -> ir.Expr:
        arguments = node.child_by_field_name("arguments")
        args = self.exprs(arguments.named_children) if arguments is not None else ()
        func = self.field(node, "function")
        if self.text(node.child_by_field_name("function")) in ("string", "[]byte", "any"):
            return args[0] if args else ir.Expr(span(node))
        return ir.Call(span(node), func, args)

    def e_composite_literal(self, node: Node) -> ir.Expr:
        body = node.child_by_field_name("body")
        return (
            self._literal(body, self.text(node.child_by_field_name("type")))
            if body is not None
            else ir.Expr(span(node))
        )

    def _literal(self, body: Node, declared: str) -> ir.Expr:
        entries: list[tuple[str | None, ir.Expr]] = []
        inner = declared.rpartition("]")[2].lstrip("*")
        for child in body.named_children:
            if child.type == "keyed_element":
                key, value = child.named_children[0], child.named_children[-1]
                name = (
                    self.text(key).strip('"`') if key.named_children and key.named_children[0].type in _KEYS else None
                )
                entries.append((name, self._element(value, inner)))
            elif child.type == "literal_element":
                entries.append(("", self._element(child, inner)))
        if any(key == "" for key, _ in entries) or (not entries and declared.startswith("[")):
            return ir.Sequence(span(body), tuple(value for _, value in entries))
        whole = (body.parent.start_byte if body.parent is not None else body.start_byte, body.end_byte)
        return ir.Table(whole, tuple(entries), declared)

    def _element(self, node: Node, declared: str) -> ir.Expr:
        inner = node.named_children[0] if node.named_children else node
        return self._literal(inner, declared) if inner.type == "literal_value" else self.expr(inner)

    def e_func_literal(self, node: Node) -> ir.Expr:
        return ir.Closure(span(node), self._function(node, ""))

    # Definitions

    def _function(self, node: Node, name: str, receiver: tuple[ir.Param, ...] = (), owner: str = "") -> ir.Function:
        params = (*receiver, *self._params(node.child_by_field_name("parameters")))
        body = self.lazy_block(node.child_by_field_name("body"))
        returns = self.text(node.child_by_field_name("result"))
        return ir.Function(name, span(node), params, body, owner, returns, bound=bool(receiver))

    def _params(self, node: Node | None) -> tuple[ir.Param, ...]:
        found: list[ir.Param] = []
        for child in node.named_children if node is not None else ():
            declared = self.text(child.child_by_field_name("type"))
            found += [ir.Param(self.expr(name), declared) for name in child.children_by_field_name("name")]
        return tuple(found)

    def s_function_declaration(self, node: Node) -> Iterator[ir.Stmt]:
        function = self._function(node, self.text(node.child_by_field_name("name")))
        self.functions.setdefault(function.name, function)
        yield from ()

    def s_method_declaration(self, node: Node) -> Iterator[ir.Stmt]:
        receiver = self._params(node.child_by_field_name("receiver"))
        owner = (receiver[0].type if receiver else self.text(node.child_by_field_name("receiver"))).strip("()* ")
        owner = owner.partition("[")[0]
        if not receiver:
            receiver = (ir.Param(ir.Name(span(node), "_"), owner),)
        name = self.text(node.child_by_field_name("name"))
        methods = self.methods.setdefault(owner, {})
        methods.setdefault(name, self._function(node, name, receiver, owner))
        if owner not in self.classes:
            self.classes[owner] = ir.Class(owner, span(node), {}, methods)
        yield from ()

    def s_type_spec(self, node: Node) -> Iterator[ir.Stmt]:
        name = self.text(node.child_by_field_name("name"))
        body = node.child_by_field_name("type")
        fields: dict[str, tuple[str, ir.Span]] = {}
        for child in body.named_children[0].named_children if body is not None and body.type == "struct_type" else ():
            for field in child.children_by_field_name("name"):
                fields[self.text(field)] = (self.text(child.child_by_field_name("type")), span(child))
        self.classes[name] = ir.Class(name, span(node), fields, self.methods.setdefault(name, {}))
        yield from ()

    def s_import_spec(self, node: Node) -> Iterator[ir.Stmt]:
        path = _VERSION.sub("", self.text(node.child_by_field_name("path")).strip('"'))
        name = self.text(node.child_by_field_name("name")) or path.rpartition("/")[2]
        self.imports[name] = ir.Import(path, None)
        yield from ()

    # Statements

    def s_short_var_declaration(self, node: Node) -> Iterator[ir.Stmt]:
        adds = self.text(node.child_by_field_name("operator")) not in ("", "=")
        left, right = self.field(node, "left"), self.field(node, "right")
        if isinstance(left, ir.Sequence) and isinstance(right, ir.Sequence) and len(left.items) == len(right.items):
            for target, value in zip(left.items, right.items, strict=True):
                yield ir.Assign(span(node), target, value)
        elif isinstance(left, ir.Sequence) and left.items and isinstance(right, ir.Call | ir.Index | ir.Attr):
            yield ir.Assign(span(node), left, right)
        else:
            yield ir.Assign(span(node), left, right, adds=adds)

    s_assignment_statement = s_short_var_declaration

    def s_var_spec(self, node: Node) -> Iterator[ir.Stmt]:
        value = node.child_by_field_name("value")
        declared = self.text(node.child_by_field_name("type"))
        for name in node.children_by_field_name("name"):
            if name.type == "identifier":
                yield ir.Assign(span(node), self.expr(name), self.expr(value) if value is not None else None, declared)

    s_const_spec = s_var_spec

    def s_return_statement(self, node: Node) -> Iterator[ir.Stmt]:
        if node.named_children:
            yield ir.Return(span(node), self.expr(node.named_children[0]))

    def s_for_statement(self, node: Node) -> Iterator[ir.Stmt]:
        clause = next((child for child in node.named_children if child.type == "range_clause"), None)
        body = self.block(node.child_by_field_name("body"))
        if clause is None:
            counted = next((child for child in node.named_children if child.type == "for_clause"), None)
            first = counted.child_by_field_name("initializer") if counted is not None else None
            name = first.child_by_field_name("left") if first is not None else None
            over = ir.counting(span(name)) if name is not None else None
            yield ir.Loop(span(node), self.expr(name) if name is not None else None, over, body)
            return
        left = clause.child_by_field_name("left")
        target = self.expr(left) if left is not None else ir.Name(span(clause), "_")
        yield ir.Loop(span(node), target, self.field(clause, "right"), body)

    def s_if_statement(self, node: Node) -> Iterator[ir.Stmt]:
        initializer = node.child_by_field_name("initializer")
        if initializer is not None:
            yield from self.statement(initializer)
        otherwise = node.child_by_field_name("alternative")
        arms = [self.block(node.child_by_field_name("consequence"))]
        if otherwise is not None:
            arms.append(tuple(self.statement(otherwise)) if otherwise.type == "if_statement" else self.block(otherwise))
        yield ir.Branch(span(node), tuple(arms), exhaustive=otherwise is not None)

    def s_expression_switch_statement(self, node: Node) -> Iterator[ir.Stmt]:
        cases = [child for child in node.named_children if child.type.endswith(("_case", "_clause"))]
        arms = tuple(self.block(case) for case in cases)
        yield ir.Branch(span(node), arms, exhaustive=any(case.type == "default_case" for case in cases))

    s_type_switch_statement = s_select_statement = s_expression_switch_statement

    def s_expression_statement(self, node: Node) -> Iterator[ir.Stmt]:
        for child in node.named_children:
            yield ir.Do(span(child), self.expr(child))

    s_defer_statement = s_expression_statement

    def s_inc_statement(self, node: Node) -> Iterator[ir.Stmt]:
        for child in node.named_children:
            yield ir.Assign(span(node), self.expr(child), ir.Number(span(node)), adds=True)

    def s_go_statement(self, node: Node) -> Iterator[ir.Stmt]:
        for child in node.named_children:
            call = self.expr(child)
            yield ir.Do(span(child), replace(call, types=ir.ASIDE) if isinstance(call, ir.Call) else call)

    def s_comment(self, node: Node) -> Iterator[ir.Stmt]:
        yield from ()

    s_package_clause = s_comment


_KEYS = frozenset({"identifier", "interpreted_string_literal", "raw_string_literal", "field_identifier"})
