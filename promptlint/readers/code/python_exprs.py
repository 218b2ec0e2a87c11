"""Expressions of Python in the small form."""

from __future__ import annotations

from tree_sitter import Node

from promptlint.readers.code import ir
from promptlint.readers.code.tree import Lowering, span

_COMPREHENSIONS = {
    "list_comprehension": "list",
    "set_comprehension": "set",
    "dictionary_comprehension": "table",
    "generator_expression": "iter",
}


class PythonExpressions(Lowering):
    # Expressions

    def e_identifier(self, node: Node) -> ir.Expr:
        return ir.Name(span(node), self.text(node))

    def e_attribute(self, node: Node) -> ir.Expr:
        return ir.Attr(span(node), self.field(node, "object"), self.text(node.child_by_field_name("attribute")))

    def e_subscript(self, node: Node) -> ir.Expr:
        return ir.Index(span(node), self.field(node, "value"), self.field(node, "subscript"))

    def e_integer(self, node: Node) -> ir.Expr:
        return ir.Number(span(node))

    e_float = e_true = e_false = e_none = e_integer

    def e_comparison_operator(self, node: Node) -> ir.Expr:
        return ir.Expr(span(node))

    e_not_operator = e_comparison_operator

    def e_string(self, node: Node) -> ir.Expr:
        opening = self.text(node.children[0]) if node.children else ""
        formatted = "f" in opening.lower()
        parts: list[ir.Expr] = []
        for child in node.named_children:
            if child.type == "string_content":
                text = self.text(child)
                parts.append(ir.Lit(span(child), text.replace("{{", "{").replace("}}", "}") if formatted else text))
            elif child.type == "interpolation":
                spec = self.text(child.child_by_field_name("format_specifier")).removeprefix(":")
                parts.append(ir.Hole(span(child), self.field(child, "expression"), spec))
        if not parts:
            return ir.Lit(span(node), "")
        if len(parts) == 1 and isinstance(parts[0], ir.Lit):
            return ir.Lit(span(node), parts[0].text)
        return ir.Text(span(node), tuple(parts))

    def e_concatenated_string(self, node: Node) -> ir.Expr:
        return ir.Text(span(node), self.exprs(node.named_children))

    def e_binary_operator(self, node: Node) -> ir.Expr:
        operands = self.chain(node, "binary_operator", ("+",))
        if operands:
            return self.added(operands)
        op = self.text(node.child_by_field_name("operator"))
        left, right = self.field(node, "left"), self.field(node, "right")
        if op == "%" and isinstance(left, ir.Lit | ir.Text):
            return ir.Call(span(node), ir.Attr(span(node), left, "format"), (right,))
        return ir.Binary(span(node), op, left, right)

    def e_boolean_operator(self, node: Node) -> ir.Expr:
        return ir.Either(span(node), (self.field(node, "left"), self.field(node, "right")))

    def e_conditional_expression(self, node: Node) -> ir.Expr:
        children = self.exprs(node.named_children)
        return ir.Either(span(node), (children[0], *children[2:]))

    def e_call(self, node: Node) -> ir.Expr:
        func = self.field(node, "function")
        arguments = node.child_by_field_name("arguments")
        args: list[ir.Expr] = []
        named: list[tuple[str, ir.Expr]] = []
        if arguments is not None and arguments.type == "generator_expression":
            args.append(self.expr(arguments))
        elif arguments is not None:
            for child in arguments.named_children:
                if child.type == "keyword_argument":
                    named.append((self.text(child.child_by_field_name("name")), self.field(child, "value")))
                elif child.type == "dictionary_splat":
                    named.append(("**", self.expr(child.named_children[0])))
                elif child.type != "comment":
                    args.append(self.expr(child))
        return ir.Call(span(node), func, tuple(args), tuple(named))

    def e_list(self, node: Node) -> ir.Expr:
        return ir.Sequence(span(node), self.exprs(node.named_children))

    e_tuple = e_expression_list = e_pattern_list = e_tuple_pattern = e_list_pattern = e_list

    def e_set(self, node: Node) -> ir.Expr:
        return ir.Sequence(span(node), self.exprs(node.named_children), unordered=True)

    def e_list_splat(self, node: Node) -> ir.Expr:
        return ir.Spread(span(node), self.expr(node.named_children[0]))

    e_list_splat_pattern = e_list_splat

    def e_dictionary(self, node: Node) -> ir.Expr:
        entries: list[tuple[str | None, ir.Expr]] = []
        for child in node.named_children:
            if child.type == "pair":
                key = self.field(child, "key")
                entries.append((key.text if isinstance(key, ir.Lit) else None, self.field(child, "value")))
            elif child.type == "dictionary_splat":
                entries.append((None, ir.Spread(span(child), self.expr(child.named_children[0]))))
        return ir.Table(span(node), tuple(entries))

    def e_list_comprehension(self, node: Node) -> ir.Expr:
        body = node.child_by_field_name("body")
        key = None
        if body is not None and body.type == "pair":
            key, element = self.field(body, "key"), self.field(body, "value")
        else:
            element = self.expr(body)
        loops = tuple(
            (self.field(child, "left"), self.field(child, "right"))
            for child in node.named_children
            if child.type == "for_in_clause"
        )
        return ir.Comprehension(span(node), _COMPREHENSIONS[node.type], loops, key, element)

    e_set_comprehension = e_dictionary_comprehension = e_generator_expression = e_list_comprehension

    def e_lambda(self, node: Node) -> ir.Expr:
        body = node.child_by_field_name("body")

        def make() -> tuple[ir.Stmt, ...]:
            return (ir.Return(span(body), self.expr(body)),) if body is not None else ()

        return ir.Closure(
            span(node), ir.Function("", span(node), self._params(node.child_by_field_name("parameters")), make)
        )

    def e_await(self, node: Node) -> ir.Expr:
        return self.expr(node.named_children[0]) if node.named_children else ir.Expr(span(node))

    e_parenthesized_expression = e_await

    def e_named_expression(self, node: Node) -> ir.Expr:
        return self.field(node, "value")

    def e_yield(self, node: Node) -> ir.Expr:
        return self.either(node)

    def _params(self, node: Node | None) -> tuple[ir.Param, ...]:
        found: list[ir.Param] = []
        for child in node.named_children if node is not None else ():
            name = child.child_by_field_name("name")
            if name is None and child.type in ("typed_parameter", "list_splat_pattern", "dictionary_splat_pattern"):
                name = child.named_children[0]
            target = child if name is None else name
            if target.type != "identifier":
                continue
            value = child.child_by_field_name("value")
            declared = self.text(child.child_by_field_name("type"))
            default = None if value is None else self.expr(value)
            found.append(ir.Param(self.expr(target), declared, default))
        return tuple(found)
