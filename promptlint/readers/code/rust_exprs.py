"""Expressions and blocks of Rust in the small form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tree_sitter import Node

from promptlint.readers.code import ir
from promptlint.readers.code.macros import Macros
from promptlint.readers.code.tree import lazily, span

_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})


class RustExpressions(Macros):
    def e_identifier(self, node: Node) -> ir.Expr:
        return ir.Name(span(node), self.text(node))

    e_self = e_crate = e_super = e_type_identifier = e_identifier

    def e_scoped_identifier(self, node: Node) -> ir.Expr:
        path = node.child_by_field_name("path")
        name = self.text(node.child_by_field_name("name"))
        if path is None:
            return ir.Name(span(node), name)
        return ir.Attr(span(node), self.expr(path), name)

    e_scoped_type_identifier = e_scoped_identifier

    def e_generic_type(self, node: Node) -> ir.Expr:
        return self.field(node, "type")

    def e_field_expression(self, node: Node) -> ir.Expr:
        return ir.Attr(span(node), self.field(node, "value"), self.text(node.child_by_field_name("field")))

    def e_index_expression(self, node: Node) -> ir.Expr:
        children = self.exprs(node.named_children)
        return ir.Index(span(node), children[0], children[-1])

    def e_integer_literal(self, node: Node) -> ir.Expr:
        return ir.Number(span(node))

    e_float_literal = e_boolean_literal = e_char_literal = e_unit_expression = e_integer_literal

    def e_string_literal(self, node: Node) -> ir.Expr:
        content = next((child for child in node.named_children if child.type == "string_content"), None)
        if content is None:
            return ir.Lit(span(node), self.text(node).strip('"'))
        return ir.Lit(span(node), self.data[content.start_byte : node.end_byte].decode("utf-8", "replace").rstrip('"#'))

    e_raw_string_literal = e_string_literal

    def e_binary_expression(self, node: Node) -> ir.Expr:
        operands = self.chain(node, "binary_expression", ("+",))
        if operands:
            return self.added(operands)
        op = self.text(node.child_by_field_name("operator"))
        if op in _COMPARISONS:
            return ir.Expr(span(node))
        return ir.Binary(span(node), op, self.field(node, "left"), self.field(node, "right"))

    def _inner(self, node: Node) -> ir.Expr:
        return self.expr(node.named_children[0]) if node.named_children else ir.Expr(span(node))

    e_parenthesized_expression = e_try_expression = e_await_expression = e_type_cast_expression = _inner

    def e_reference_expression(self, node: Node) -> ir.Expr:
        return self.field(node, "value")

    def e_unary_expression(self, node: Node) -> ir.Expr:
        return ir.Expr(span(node)) if self.text(node).startswith("!") else self._inner(node)

    def e_range_expression(self, node: Node) -> ir.Expr:
        return ir.counting(span(node))

    def e_tuple_expression(self, node: Node) -> ir.Expr:
        return ir.Sequence(span(node), self.exprs(node.named_children))

    e_array_expression = e_tuple_pattern = e_tuple_expression

    def e_call_expression(self, node: Node) -> ir.Expr:
        function = node.child_by_field_name("function")
        types = ""
        if function is not None and function.type == "generic_function":
            types = self.text(function.child_by_field_name("type_arguments"))
            function = function.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        args = self.exprs(arguments.named_children) if arguments is not None else ()
        if self.text(function) in ("Some", "Ok", "Err", "Box::new", "Arc::new", "Rc::new", "Cow::Borrowed") and args:
            return args[0]
        return ir.Call(span(node), self.expr(function), args, types=types)

    def e_struct_expression(self, node: Node) -> ir.Expr:
        entries: list[tuple[str | None, ir.Expr]] = []
        body = node.child_by_field_name("body")
        for child in body.named_children if body is not None else ():
            if child.type == "field_initializer":
                entries.append((self.text(child.child_by_field_name("field")), self.field(child, "value")))
            elif child.type == "shorthand_field_initializer":
                entries.append((self.text(child), self._inner(child)))
        return ir.Table(span(node), tuple(entries), self.text(node.child_by_field_name("name")))

    def e_closure_expression(self, node: Node) -> ir.Expr:
        parameters = node.child_by_field_name("parameters")
        params = []
        for child in parameters.named_children if parameters is not None else ():
            pattern = child.child_by_field_name("pattern") or child
            declared = self.text(child.child_by_field_name("type")) if child.type == "parameter" else ""
            params.append(ir.Param(self.expr(pattern), declared))
        body = node.child_by_field_name("body")
        return ir.Closure(span(node), ir.Function("", span(node), tuple(params), self._returning(body)))

    def e_reference_pattern(self, node: Node) -> ir.Expr:
        return self.expr(node.named_children[-1]) if node.named_children else ir.Expr(span(node))

    e_mut_pattern = e_ref_pattern = e_captured_pattern = e_reference_pattern

    def e_block(self, node: Node) -> ir.Expr:
        function = ir.Function("", span(node), (), self._returning(node))
        return ir.Call(span(node), ir.Closure(span(node), function), ())

    def e_unsafe_block(self, node: Node) -> ir.Expr:
        return self.expr(node.named_children[-1]) if node.named_children else ir.Expr(span(node))

    e_async_block = e_else_clause = e_unsafe_block

    def e_if_expression(self, node: Node) -> ir.Expr:
        condition = node.child_by_field_name("condition")
        if condition is not None and condition.type.startswith("let_"):
            return self._run(node)
        otherwise = node.child_by_field_name("alternative")
        arms = [self.field(node, "consequence")]
        if otherwise is not None:
            arms.append(self.expr(otherwise))
        return ir.Either(span(node), tuple(arms))

    def e_match_expression(self, node: Node) -> ir.Expr:
        return self._run(node)

    def _run(self, node: Node) -> ir.Expr:
        """An expression that binds names, as a function that is called in place."""
        function = ir.Function("", span(node), (), lazily(lambda: tuple(self._tail(node))))
        return ir.Call(span(node), ir.Closure(span(node), function), ())

    # Patterns

    def bound_in(self, condition: Node | None) -> Iterator[ir.Stmt]:
        """The names that `if let` and `while let` bind."""
        for child in (condition, *(condition.named_children if condition is not None else ())):
            if child is not None and child.type == "let_condition":
                yield from self._bound(child.child_by_field_name("pattern"), self.field(child, "value"))

    def arms_of(self, node: Node) -> Iterator[tuple[tuple[ir.Stmt, ...], Node]]:
        """The arms of a `match`: the names that each binds, and its value."""
        subject, body = self.field(node, "value"), node.child_by_field_name("body")
        for arm in body.named_children if body is not None else ():
            value = arm.child_by_field_name("value")
            if arm.type == "match_arm" and value is not None:
                yield tuple(self._bound(arm.child_by_field_name("pattern"), subject)), value

    def _bound(self, pattern: Node | None, value: ir.Expr) -> Iterator[ir.Stmt]:
        for name in self._names_in(pattern):
            yield ir.Assign(span(name), self.expr(name), value)

    def _names_in(self, pattern: Node | None) -> Iterator[Node]:
        if pattern is None:
            return
        kind = pattern.child_by_field_name("type")
        for child in pattern.named_children:
            if child.type in ("identifier", "shorthand_field_identifier") and child != kind:
                yield child
            elif child.type.endswith("_pattern") or child.type == "match_pattern":
                yield from self._names_in(child)

    # Blocks: the last expression without a semicolon is their value

    def _returning(self, node: Node | None) -> Callable[[], tuple[ir.Stmt, ...]]:
        def make() -> tuple[ir.Stmt, ...]:
            if node is None:
                return ()
            if node.type != "block":
                return (ir.Return(span(node), self.expr(node)),)
            return self._valued(node)

        return lazily(make)

    def _valued(self, node: Node) -> tuple[ir.Stmt, ...]:
        children = [child for child in node.named_children if "comment" not in child.type]
        found = [stmt for child in children[:-1] for stmt in self.statement(child)]
        for last in children[-1:]:
            found += self._tail(last)
        return tuple(found)

    def _tail(self, node: Node) -> Sequence[ir.Stmt]:
        if node.type == "expression_statement" and node.named_children and not self.text(node).endswith(";"):
            node = node.named_children[0]
        if node.type == "if_expression":
            bound = tuple(self.bound_in(node.child_by_field_name("condition")))
            otherwise = node.child_by_field_name("alternative")
            arms = [self._arm(node.child_by_field_name("consequence"))]
            if otherwise is not None and otherwise.named_children:
                arms.append(tuple(self._tail(otherwise.named_children[0])))
            return (*bound, ir.Branch(span(node), tuple(arms), exhaustive=otherwise is not None))
        if node.type == "match_expression":
            arms = [(*bound, *self._tail(value)) for bound, value in self.arms_of(node)]
            return (ir.Branch(span(node), tuple(arms), exhaustive=True),)
        if node.type == "block":
            return self._valued(node)
        if node.type in self._statements or node.type not in self._expressions:
            return tuple(self.statement(node))
        return (ir.Return(span(node), self.expr(node)),)

    def _arm(self, node: Node | None) -> tuple[ir.Stmt, ...]:
        return self._valued(node) if node is not None else ()
