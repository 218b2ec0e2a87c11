"""Rust's macros that build text and data: their arguments are tokens, which are read as expressions once more."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node, Parser, Range

from promptlint.readers.code import ir
from promptlint.readers.code.tree import Lowering, grammar, span

_PLACE = re.compile(r"\{(\w*)(?::([^{}]*))?\}")
_TEXTS = frozenset({"format", "anyhow", "bail", "formatdoc", "indoc", "panic", "concat", "format_args"})
_WRITES = frozenset({"write", "writeln"})
_LISTS = frozenset({"vec", "smallvec"})
_QUIET = frozenset(
    {"println", "eprintln", "print", "info", "debug", "warn", "error", "trace", "assert", "assert_eq", "dbg"}
)


class Macros(Lowering):
    def e_macro_invocation(self, node: Node) -> ir.Expr:
        name = self.text(node.child_by_field_name("macro")).rpartition("::")[2]
        tree = next((child for child in node.named_children if child.type == "token_tree"), None)
        if tree is None or name in _QUIET:
            return ir.Expr(span(node))
        if name == "json":
            return self._json(tree.children[1:-1], span(node))
        args = [self._tokens(each) for each in _split(tree.children[1:-1])]
        if name in _TEXTS and args:
            return self._formatted(node, args)
        if name in _WRITES and len(args) > 1:
            text = self._formatted(node, args[1:])
            return ir.Call(span(node), ir.Attr(span(node), args[0], "push_str"), (text,))
        if name in _LISTS:
            return ir.Sequence(span(node), tuple(args))
        return ir.Either(span(node), tuple(args))

    def _formatted(self, node: Node, args: Sequence[ir.Expr]) -> ir.Expr:
        """`format!("… {} {name}", value)` as its parts."""
        first = args[0]
        if not isinstance(first, ir.Lit):
            return ir.Text(span(node), tuple(args))
        rest = iter(args[1:])
        parts: list[ir.Expr] = []
        seen = 0
        for match in _PLACE.finditer(first.text.replace("{{", "\x00\x00").replace("}}", "\x00\x00")):
            parts.append(ir.Lit(first.span, first.text[seen : match.start()]))
            seen = match.end()
            if match[1] and not match[1].isdigit():
                value: ir.Expr = ir.Name(first.span, match[1])
            else:
                value = next(rest, ir.Expr(first.span))
            parts.append(ir.Hole(value.span, value, (match[2] or "") if "%" in (match[2] or "") else ""))
        parts.append(ir.Lit(first.span, first.text[seen:]))
        return ir.Text(span(node), tuple(parts))

    def _json(self, nodes: Sequence[Node], whole: ir.Span) -> ir.Expr:
        """`json!({ "key": value, … })`."""
        if len(nodes) != 1 or nodes[0].type != "token_tree":
            return self._tokens(nodes)
        inner = nodes[0].children
        if self.text(inner[0]) == "[":
            return ir.Sequence(span(nodes[0]), tuple(self._json(each, whole) for each in _split(inner[1:-1])))
        if self.text(inner[0]) != "{":
            return self._tokens(nodes)
        entries: list[tuple[str | None, ir.Expr]] = []
        for entry in _split(inner[1:-1]):
            if len(entry) < 3:
                continue
            key = self.text(entry[0]).strip('"') if entry[0].type == "string_literal" else None
            colon = next((index for index, node in enumerate(entry) if self.text(node) == ":"), 0)
            entries.append((key, self._json(entry[colon + 1 :], whole)))
        return ir.Table(span(nodes[0]), tuple(entries))

    def _tokens(self, nodes: Sequence[Node]) -> ir.Expr:
        """Tokens of a macro's argument as the expression that they are."""
        if not nodes:
            return ir.Expr((0, 0))
        first, last = nodes[0], nodes[-1]
        whole = (first.start_byte, last.end_byte)
        if len(nodes) == 1 and first.type in self._expressions and first.type != "token_tree":
            return self.expr(first)
        parser = Parser(
            grammar("tree_sitter_rust"),
            included_ranges=[Range(first.start_point, last.end_point, first.start_byte, last.end_byte)],
        )
        node: Node | None = parser.parse(self.data).root_node
        while node is not None and node.type in ("source_file", "expression_statement", "ERROR"):
            node = node.named_children[0] if node.named_children else None
        return self.expr(node) if node is not None else ir.Expr(whole)


def _split(nodes: Sequence[Node]) -> list[list[Node]]:
    """Tokens between commas; `name = value` arguments without their name."""
    found: list[list[Node]] = [[]]
    for node in nodes:
        if node.type == ",":
            found.append([])
        elif node.type not in ("line_comment", "block_comment"):
            found[-1].append(node)
    named = [
        each[2:] if len(each) > 2 and each[1].type == "=" and each[0].type == "identifier" else each for each in found
    ]
    return [each for each in named if each]
