"""What every front end needs of tree-sitter: parsers, spans, texts, and a walk that cannot run too deep."""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from tree_sitter import Language, Node, Parser

from promptlint.readers.code import ir

_T = TypeVar("_T")

# Nested expressions below this depth are not followed; three stack frames each stay far from Python's limit.
_DEEPEST = 90

_DECLARED = re.compile(rb"^.*(?:#|//)\s*promptlint:\s*prompt\b.*$\n?.*$", re.MULTILINE)


@functools.cache
def grammar(package: str, function: str = "language") -> Language:
    """A grammar of PyPI, imported when the first file of its language comes."""
    return Language(getattr(importlib.import_module(package), function)())


def parsed(language: Language, data: bytes) -> Node:
    return Parser(language).parse(data).root_node


def lazily(make: Callable[[], _T]) -> Callable[[], _T]:
    """`make`, called once."""
    made: list[_T] = []

    def get() -> _T:
        if not made:
            made.append(make())
        return made[0]

    return get


def span(node: Node) -> ir.Span:
    return (node.start_byte, node.end_byte)


class Lowering:
    """Turns nodes into the small form by methods named after the node types: `e_call`, `s_if_statement`.

    An expression without a method is an `Either` of its children; a statement without one holds what its children hold.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.depth = 0
        self.functions: dict[str, ir.Function] = {}
        self.classes: dict[str, ir.Class] = {}
        self.imports: dict[str, ir.Import] = {}
        names = dir(self)
        self._expressions: dict[str, Callable[[Node], ir.Expr]] = {
            name[2:]: getattr(self, name) for name in names if name.startswith("e_")
        }
        self._statements: dict[str, Callable[[Node], Iterable[ir.Stmt]]] = {
            name[2:]: getattr(self, name) for name in names if name.startswith("s_")
        }

    def text(self, node: Node | None) -> str:
        return "" if node is None else self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def expr(self, node: Node | None) -> ir.Expr:
        if node is None:
            return ir.Expr((0, 0))
        if self.depth > _DEEPEST:
            return ir.Expr(span(node))
        self.depth += 1
        method = self._expressions.get(node.type)
        found = method(node) if method else self.either(node)
        self.depth -= 1
        return found

    def exprs(self, nodes: Iterable[Node]) -> tuple[ir.Expr, ...]:
        return tuple(self.expr(node) for node in nodes if node.type not in ("comment", "line_comment", "block_comment"))

    def either(self, node: Node) -> ir.Expr:
        children = self.exprs(node.named_children)
        return ir.Either(span(node), children) if children else ir.Expr(span(node))

    def field(self, node: Node, name: str) -> ir.Expr:
        return self.expr(node.child_by_field_name(name))

    def block(self, node: Node | None) -> tuple[ir.Stmt, ...]:
        if node is None or self.depth > _DEEPEST:
            return ()
        self.depth += 1
        found = tuple(stmt for child in node.named_children for stmt in self.statement(child))
        self.depth -= 1
        return found

    def statement(self, node: Node) -> Iterator[ir.Stmt]:
        method = self._statements.get(node.type)
        if method:
            yield from method(node)
        elif node.type in self._expressions:
            yield ir.Do(span(node), self.expr(node))
        elif node.named_child_count and self.depth <= _DEEPEST:
            yield from self.block(node)

    def lazy_block(self, node: Node | None) -> Callable[[], tuple[ir.Stmt, ...]]:
        def make() -> tuple[ir.Stmt, ...]:
            before, self.depth = self.depth, 0
            try:
                return self.block(node)
            finally:
                self.depth = before

        return lazily(make)

    def chain(self, node: Node, kind: str, operators: Sequence[str]) -> list[Node] | None:
        """The operands of `a + b + c`, without going deep; None where another operator joins them."""
        operands: list[Node] = []
        while node.type == kind and self.text(node.child_by_field_name("operator")) in operators:
            right, left = node.child_by_field_name("right"), node.child_by_field_name("left")
            if right is None or left is None:
                return None
            operands.append(right)
            node = left
        return [node, *reversed(operands)] if operands else None

    def added(self, nodes: Sequence[Node]) -> ir.Expr:
        """Left to right; long chains are split in halves, which keeps the tree flat."""
        if len(nodes) == 1:
            return self.expr(nodes[0])
        middle = (len(nodes) + 1) // 2 if len(nodes) > 8 else len(nodes) - 1
        whole = (nodes[0].start_byte, nodes[-1].end_byte)
        return ir.Binary(whole, "+", self.added(nodes[:middle]), self.added(nodes[middle:]))

    def module(self, language: str, root: Node) -> ir.Module:
        body = self.block(root)
        declared = b"promptlint:" in self.data
        marked = tuple(match.span() for match in _DECLARED.finditer(self.data)) if declared else ()
        return ir.Module(language, self.data, body, self.functions, self.classes, self.imports, marked, root.has_error)
