"""Expressions of TypeScript and JavaScript in the small form, functions among them."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from promptlint.readers.code import ir
from promptlint.readers.code.tree import Lowering, lazily, span

_COMPARISONS = frozenset({"==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "instanceof"})


class JavaScriptExpressions(Lowering):
    def e_identifier(self, node: Node) -> ir.Expr:
        return ir.Name(span(node), self.text(node))

    e_this = e_super = e_shorthand_property_identifier = e_shorthand_property_identifier_pattern = e_identifier

    def e_member_expression(self, node: Node) -> ir.Expr:
        return ir.Attr(span(node), self.field(node, "object"), self.text(node.child_by_field_name("property")))

    def e_subscript_expression(self, node: Node) -> ir.Expr:
        return ir.Index(span(node), self.field(node, "object"), self.field(node, "index"))

    def e_number(self, node: Node) -> ir.Expr:
        return ir.Number(span(node))

    e_true = e_false = e_null = e_undefined = e_number

    def e_string(self, node: Node) -> ir.Expr:
        return ir.Lit(span(node), self.text(node)[1:-1])

    def e_template_string(self, node: Node) -> ir.Expr:
        parts: list[ir.Expr] = []
        seen = node.start_byte + 1
        for child in [*node.named_children, None]:
            if child is not None and child.type != "template_substitution":
                continue
            until = child.start_byte if child is not None else node.end_byte - 1
            if until > seen:
                parts.append(ir.Lit((seen, until), self.data[seen:until].decode("utf-8", "replace")))
            if child is not None:
                inner = child.named_children
                parts.append(ir.Hole(span(child), self.expr(inner[0]) if inner else ir.Expr(span(child))))
                seen = child.end_byte
        if len(parts) == 1 and isinstance(parts[0], ir.Lit):
            return ir.Lit(span(node), parts[0].text)
        return ir.Text(span(node), tuple(parts))

    def e_binary_expression(self, node: Node) -> ir.Expr:
        operands = self.chain(node, "binary_expression", ("+",))
        if operands:
            return self.added(operands)
        op = self.text(node.child_by_field_name("operator"))
        if op in _COMPARISONS:
            return ir.Expr(span(node))
        left, right = self.field(node, "left"), self.field(node, "right")
        if op in ("||", "??"):
            return ir.Either(span(node), (left, right))
        if op == "&&":
            return ir.Either(span(node), (right,))
        return ir.Binary(span(node), op, left, right)

    def e_ternary_expression(self, node: Node) -> ir.Expr:
        return ir.Either(span(node), (self.field(node, "consequence"), self.field(node, "alternative")))

    def e_unary_expression(self, node: Node) -> ir.Expr:
        quiet = self.text(node.child_by_field_name("operator")) in ("!", "typeof", "void")
        return ir.Expr(span(node)) if quiet else self.field(node, "argument")

    def e_call_expression(self, node: Node) -> ir.Expr:
        arguments = node.child_by_field_name("arguments")
        func = self.field(node, "function")
        if arguments is not None and arguments.type == "template_string":
            return self.expr(arguments)  # a tag such as dedent`…`
        return ir.Call(span(node), func, self.exprs(arguments.named_children) if arguments is not None else ())

    def e_new_expression(self, node: Node) -> ir.Expr:
        arguments = node.child_by_field_name("arguments")
        args = self.exprs(arguments.named_children) if arguments is not None else ()
        return ir.Call(span(node), self.field(node, "constructor"), args)

    def e_array(self, node: Node) -> ir.Expr:
        return ir.Sequence(span(node), self.exprs(node.named_children))

    e_array_pattern = e_array

    def e_spread_element(self, node: Node) -> ir.Expr:
        return ir.Spread(span(node), self.expr(node.named_children[0]))

    e_rest_pattern = e_spread_element

    def e_object(self, node: Node) -> ir.Expr:
        entries: list[tuple[str | None, ir.Expr]] = []
        for child in node.named_children:
            if child.type in ("pair", "pair_pattern"):
                entries.append((self._key(child.child_by_field_name("key")), self.field(child, "value")))
            elif child.type in ("shorthand_property_identifier", "shorthand_property_identifier_pattern"):
                entries.append((self.text(child), self.expr(child)))
            elif child.type == "object_assignment_pattern":
                entries.append((self.text(child.child_by_field_name("left")), self.field(child, "left")))
            elif child.type in ("spread_element", "rest_pattern"):
                entries.append((None, self.expr(child)))
            elif child.type == "method_definition":
                function = self._function(child, self._key(child.child_by_field_name("name")) or "")
                value: ir.Expr = ir.Closure(span(child), function)
                if child.children and child.children[0].type == "get":
                    value = ir.Call(span(child), value, ())
                entries.append((function.name, value))
        return ir.Table(span(node), tuple(entries))

    e_object_pattern = e_object

    def _key(self, node: Node | None) -> str | None:
        if node is None or node.type == "computed_property_name":
            return None
        return self.text(node).strip("\"'")

    def _inner(self, node: Node) -> ir.Expr:
        return self.expr(node.named_children[0]) if node.named_children else ir.Expr(span(node))

    e_parenthesized_expression = e_await_expression = e_as_expression = e_satisfies_expression = _inner
    e_non_null_expression = e_expression_statement = _inner

    def e_sequence_expression(self, node: Node) -> ir.Expr:
        return self.expr(node.named_children[-1])

    def e_type_assertion(self, node: Node) -> ir.Expr:
        return self.expr(node.named_children[-1])

    def e_assignment_expression(self, node: Node) -> ir.Expr:
        return self.field(node, "right")

    def e_assignment_pattern(self, node: Node) -> ir.Expr:
        return self.field(node, "left")

    def e_arrow_function(self, node: Node) -> ir.Expr:
        return ir.Closure(span(node), self._function(node, ""))

    e_function_expression = e_generator_function = e_arrow_function

    def e_jsx_element(self, node: Node) -> ir.Expr:
        return ir.Expr(span(node))

    e_jsx_self_closing_element = e_class = e_jsx_element

    def _function(self, node: Node, name: str, owner: str = "") -> ir.Function:
        params = self._params(node)
        if owner:
            params = (ir.Param(ir.Name(span(node), "this")), *params)
        body = node.child_by_field_name("body")
        make: Callable[[], tuple[ir.Stmt, ...]] = self.lazy_block(body)
        if body is not None and body.type != "statement_block":
            expression = body
            make = lazily(lambda: (ir.Return(span(expression), self.expr(expression)),))
        returns = self.text(node.child_by_field_name("return_type")).removeprefix(":").strip()
        return ir.Function(name, span(node), params, make, owner, returns, bound=bool(owner))

    def _params(self, node: Node) -> tuple[ir.Param, ...]:
        single = node.child_by_field_name("parameter")
        if single is not None:
            return (ir.Param(self.expr(single)),)
        found: list[ir.Param] = []
        parameters = node.child_by_field_name("parameters")
        for child in parameters.named_children if parameters is not None else ():
            if child.type == "comment":
                continue
            pattern = child.child_by_field_name("pattern") or child
            value = child.child_by_field_name("value")
            declared = self.text(child.child_by_field_name("type")).removeprefix(":").strip()
            found.append(ir.Param(self.expr(pattern), declared, self.expr(value) if value is not None else None))
        return tuple(found)
