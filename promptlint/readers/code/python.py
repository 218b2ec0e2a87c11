"""Python in the small form."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from promptlint.readers.code import ir
from promptlint.readers.code.python_exprs import PythonExpressions
from promptlint.readers.code.tree import grammar, parsed, span


def read(data: bytes, suffix: str) -> ir.Module:
    return Python(data).module("python", parsed(grammar("tree_sitter_python"), data))


class Python(PythonExpressions):
    owner = ""

    # Statements

    def s_expression_statement(self, node: Node) -> Iterator[ir.Stmt]:
        for child in node.named_children:
            if child.type in ("assignment", "augmented_assignment"):
                yield from self._assignment(child)
            elif child.type == "yield":
                yield ir.Return(span(child), self.either(child), yields=True)
            else:
                yield ir.Do(span(child), self.expr(child))

    def _assignment(self, node: Node) -> Iterator[ir.Stmt]:
        right = node.child_by_field_name("right")
        declared = self.text(node.child_by_field_name("type"))
        target = self.field(node, "left")
        if right is not None and right.type == "assignment":  # a = b = value
            yield from self._assignment(right)
            yield ir.Assign(span(node), target, self.field(right, "left"))
            return
        value = self.expr(right) if right is not None else None
        yield ir.Assign(span(node), target, value, declared, adds=node.type == "augmented_assignment")

    def s_return_statement(self, node: Node) -> Iterator[ir.Stmt]:
        if node.named_children:
            yield ir.Return(span(node), self.expr(node.named_children[0]))

    def s_for_statement(self, node: Node) -> Iterator[ir.Stmt]:
        body = self.block(node.child_by_field_name("body"))
        yield ir.Loop(span(node), self.field(node, "left"), self.field(node, "right"), body)

    def s_while_statement(self, node: Node) -> Iterator[ir.Stmt]:
        yield ir.Loop(span(node), None, None, self.block(node.child_by_field_name("body")))

    def s_if_statement(self, node: Node) -> Iterator[ir.Stmt]:
        condition = node.child_by_field_name("condition")
        yield from self._named_in(condition)
        arms = [self.block(node.child_by_field_name("consequence"))]
        exhaustive = False
        for child in node.children_by_field_name("alternative"):
            exhaustive = child.type == "else_clause"
            if child.type == "elif_clause":
                yield from self._named_in(child.child_by_field_name("condition"))
            arms.append(self.block(child.child_by_field_name("body" if exhaustive else "consequence")))
        yield ir.Branch(span(node), tuple(arms), exhaustive, main="__main__" in self.text(condition))

    def _named_in(self, condition: Node | None) -> Iterator[ir.Stmt]:
        """`if (x := value):` assigns as well."""
        if condition is None:
            return
        for child in (condition, *condition.named_children):
            if child.type == "parenthesized_expression" and child.named_children:
                child = child.named_children[0]
            if child.type == "named_expression":
                yield ir.Assign(span(child), self.field(child, "name"), self.field(child, "value"))

    def s_try_statement(self, node: Node) -> Iterator[ir.Stmt]:
        yield from self.block(node.child_by_field_name("body"))
        rest = [child for child in node.named_children if child.type.endswith("_clause")]
        if rest:
            yield ir.Branch(span(node), tuple(self._clause(child) for child in rest))

    def _clause(self, node: Node) -> tuple[ir.Stmt, ...]:
        blocks = [child for child in node.named_children if child.type == "block"]
        return self.block(blocks[-1]) if blocks else ()

    def s_match_statement(self, node: Node) -> Iterator[ir.Stmt]:
        body = node.child_by_field_name("body")
        cases = [child for child in body.named_children if child.type == "case_clause"] if body is not None else []
        arms = tuple(self.block(case.child_by_field_name("consequence")) for case in cases)
        yield ir.Branch(span(node), arms, exhaustive=False)

    def s_with_statement(self, node: Node) -> Iterator[ir.Stmt]:
        clause = next((child for child in node.named_children if child.type == "with_clause"), None)
        for item in clause.named_children if clause is not None else ():
            value = item.child_by_field_name("value")
            if value is not None and value.type == "as_pattern":
                target = value.child_by_field_name("alias")
                inner = target.named_children[0] if target is not None and target.named_children else target
                yield ir.Assign(span(item), self.expr(inner), self.expr(value.named_children[0]))
            elif value is not None:
                yield ir.Do(span(item), self.expr(value))
        yield from self.block(node.child_by_field_name("body"))

    def s_comment(self, node: Node) -> Iterator[ir.Stmt]:
        yield from ()

    s_assert_statement = s_delete_statement = s_raise_statement = s_comment

    # Definitions

    def s_function_definition(self, node: Node, decorators: tuple[str, ...] = ()) -> Iterator[ir.Stmt]:
        params = self._params(node.child_by_field_name("parameters"))
        function = ir.Function(
            name=self.text(node.child_by_field_name("name")),
            span=span(node),
            params=params,
            body=self.lazy_block(node.child_by_field_name("body")),
            owner=self.owner,
            returns=self.text(node.child_by_field_name("return_type")),
            decorators=decorators,
            bound=bool(self.owner and params) and params[0].name in ("self", "cls"),
        )
        if node.parent is not None and self._is_top(node):
            self.functions.setdefault(function.name, function)
        yield ir.Define(span(node), function)

    def _is_top(self, node: Node) -> bool:
        parent = node.parent
        while parent is not None and parent.type in (
            "decorated_definition", "block", "if_statement", "try_statement", "else_clause", "except_clause",
        ):  # fmt: skip
            parent = parent.parent
        return parent is not None and parent.type == "module"

    def s_decorated_definition(self, node: Node) -> Iterator[ir.Stmt]:
        decorators = tuple(self.text(child)[1:] for child in node.named_children if child.type == "decorator")
        definition = node.child_by_field_name("definition")
        if definition is not None and definition.type == "function_definition":
            yield from self.s_function_definition(definition, decorators)
        elif definition is not None:
            yield from self.s_class_definition(definition)

    def s_class_definition(self, node: Node) -> Iterator[ir.Stmt]:
        name = self.text(node.child_by_field_name("name"))
        outer, self.owner = self.owner, name
        fields: dict[str, tuple[str, ir.Span]] = {}
        methods: dict[str, ir.Function] = {}
        defaults: dict[str, ir.Expr] = {}
        for stmt in self.block(node.child_by_field_name("body")):
            if isinstance(stmt, ir.Define):
                methods.setdefault(stmt.function.name, stmt.function)
            elif isinstance(stmt, ir.Assign) and isinstance(stmt.target, ir.Name):
                if stmt.type:
                    fields[stmt.target.name] = (stmt.type, stmt.span)
                if stmt.value is not None:
                    defaults[stmt.target.name] = stmt.value
        self.owner = outer
        bases = node.child_by_field_name("superclasses")
        names = tuple(self.text(child) for child in bases.named_children) if bases is not None else ()
        self.classes[name] = ir.Class(name, span(node), fields, methods, names, defaults)
        yield from ()

    def s_import_statement(self, node: Node) -> Iterator[ir.Stmt]:
        for child in node.named_children:
            if child.type == "aliased_import":
                path = self.text(child.child_by_field_name("name"))
                self.imports[self.text(child.child_by_field_name("alias"))] = ir.Import(path, None)
            else:
                path = self.text(child)
                self.imports[path.partition(".")[0]] = ir.Import(path.partition(".")[0], None)
        yield from ()

    def s_import_from_statement(self, node: Node) -> Iterator[ir.Stmt]:
        module = self.text(node.child_by_field_name("module_name"))
        for child in node.children_by_field_name("name"):
            if child.type == "aliased_import":
                name = self.text(child.child_by_field_name("name"))
                self.imports[self.text(child.child_by_field_name("alias"))] = ir.Import(module, name)
            else:
                self.imports[self.text(child)] = ir.Import(module, self.text(child))
        yield from ()
