"""A template as it is parsed: texts, placeholders and blocks, whatever its syntax."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from promptlint.model.errors import InputError
from promptlint.model.source import Source, Span

MAX_DEPTH = 100  # of blocks; no prompt needs more


@dataclass(frozen=True, slots=True)
class Passage:
    """The text of a template and where it stands: `at` is the offset of its first character in the source, or of each.

    A value of a YAML or JSON file is decoded, so each of its characters has an offset of its own.
    """

    text: str
    source: Source
    at: int | Sequence[int] = 0

    def span(self, start: int, end: int) -> Span:
        """The place in the file of a part of the text."""
        if isinstance(self.at, int):
            return Span(self.at + start, self.at + end)
        if start == end:
            return Span(self.at[start], self.at[start])
        return Span(self.at[start], self.at[end - 1] + 1)

    def error(self, message: str, offset: int) -> InputError:
        place = self.source.position(self.span(offset, offset).start)
        return InputError(message, name=self.source.name, line=place.line, column=place.column)


@dataclass(slots=True)
class Node:
    """`kind` says what the rest means. Offsets count in the passage; a block's are those of the tag that opens it.

    text: `text` stands in the prompt. hole: the value of the expression `text` does. loop: over `text`, into `names`,
    `mapping` where that is known to be one. if: on `text`; one branch after the other. block: a part with a name that
    another template may replace. macro: `names` are its own and its parameters. set: `names` become `text`.
    include, extends, import: the file `text`; of an import `names` are (alias,) or (name, as, name, as, …).
    role: a message of the role `text` begins. item: a hole or loop over what the block around it is about.
    """

    kind: str
    passage: Passage
    start: int
    end: int
    text: str = ""
    names: tuple[str, ...] = ()
    branches: list[list[Node]] = field(default_factory=list)
    mapping: bool = False


class Tree:
    """Builds nodes from the tags of a file; a stack of open blocks, no recursion."""

    def __init__(self, passage: Passage) -> None:
        self.passage = passage
        self.nodes: list[Node] = []
        self._open: list[tuple[str, Node, list[Node]]] = []

    def add(self, node: Node) -> None:
        self.nodes.append(node)

    def text(self, start: int, end: int) -> None:
        if start < end:
            self.add(Node("text", self.passage, start, end, self.passage.text[start:end]))

    def open(self, ends: str, node: Node) -> None:
        """A block whose closing tag is `ends`."""
        if len(self._open) == MAX_DEPTH:
            raise self.passage.error(f"blocks are nested more than {MAX_DEPTH} levels deep", node.start)
        self.add(node)
        self._open.append((ends, node, self.nodes))
        node.branches.append([])
        self.nodes = node.branches[0]

    def branch(self, what: str, start: int) -> None:
        """What follows is another branch of the innermost block."""
        if not self._open:
            raise self.passage.error(f"{what} without a block that it belongs to", start)
        node = self._open[-1][1]
        node.branches.append([])
        self.nodes = node.branches[-1]

    def close(self, what: str, start: int) -> Node:
        if not self._open:
            raise self.passage.error(f"{what} closes nothing", start)
        ends, node, outer = self._open.pop()
        if ends != what:
            raise self.passage.error(f"{what} where {ends} was expected", start)
        self.nodes = outer
        return node

    def inside(self) -> str:
        """The closing tag of the innermost block."""
        return self._open[-1][0] if self._open else ""

    def done(self) -> list[Node]:
        if self._open:
            ends, node, _ = self._open[-1]
            raise self.passage.error(f"the block that begins here is not closed ({ends} is missing)", node.start)
        return self.nodes
