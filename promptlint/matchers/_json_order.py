"""JSON texts as trees: what stands around a character, and a tree put into another one's order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from promptlint import jsonspans
from promptlint.jsonspans import JsonKind, Node
from promptlint.model.errors import PromptlintError
from promptlint.model.source import Source, Span

# JSON Schema keywords whose lists are sets.
SET_KEYWORDS = frozenset({"required", "enum", "type", "anyOf", "oneOf", "allOf", "examples", "tags"})


def tree(text: str) -> Node | None:
    """The tree of a JSON text; None for anything else."""
    try:
        return jsonspans.parse(Source("", text))
    except (PromptlintError, RecursionError):
        return None


def data(node: Node) -> object:
    """A value that compares as JSON does: 1, 1.0 and true are three things; key order is nothing. Hashable."""
    if node.kind is JsonKind.OBJECT:
        return ("object", frozenset((key, data(value)) for key, _, _, value in node.members))
    if node.kind is JsonKind.ARRAY:
        return ("list", tuple(map(data, node.items)))
    return (node.kind.value, node.value)


def around(before: Node, after: Node, first: int) -> Iterator[tuple[str, Node, Node]]:
    """The containers that hold a character on both sides at the same path, the outermost first, each with its key."""
    key = ""
    while all(node.kind in (JsonKind.OBJECT, JsonKind.ARRAY) for node in (before, after)):
        if before.kind is not after.kind or not (before.start < first < before.end and after.start < first < after.end):
            return
        yield key, before, after
        inner = [
            (name, child)
            for node in (before, after)
            for name, child in _children(node)
            if child.start < first < child.end
        ]
        if len(inner) != 2 or inner[0][1].start != inner[1][1].start:
            return
        (key, before), (_, after) = inner


def _children(node: Node) -> Iterator[tuple[str, Node]]:
    for key, _, _, value in node.members:
        yield key, value
    for item in node.items:
        yield "", item


def keys_moved(before: Node, after: Node) -> bool:
    """Whether two objects have the same keys in another order."""
    old, new = [member[0] for member in before.members], [member[0] for member in after.members]
    return old != new and sorted(old) == sorted(new)


def items_moved(key: str, before: Node, after: Node) -> bool:
    """Whether two lists that are sets have the same members in another order."""
    if key not in SET_KEYWORDS or JsonKind.ARRAY not in (before.kind, after.kind):
        return False
    old, new = [data(item) for item in before.items], [data(item) for item in after.items]
    return old != new and Counter(old) == Counter(new)


class Arrangement:
    """The later tree's text as spans in the earlier one's order: of keys, or of the members of lists that are sets."""

    def __init__(self, before: Node, after: Node, *, keys: bool) -> None:
        self._keys = keys
        self.moved = 0
        self.spans: list[Span] = []
        self._write("", before, after)

    def _put(self, start: int, end: int) -> None:
        if self.spans and self.spans[-1].end == start:
            self.spans[-1] = Span(self.spans[-1].start, end)
        elif end > start:
            self.spans.append(Span(start, end))

    def _write(self, key: str, before: Node, after: Node) -> None:
        children = self._pairs(key, before, after)
        if not children:
            self._put(after.start, after.end)
            return
        # The marks between the children stay where they are; the children come in the order of the earlier side.
        places = sorted((start, child.end) for _, start, child, _ in children)
        position = after.start
        for (start, end), (name, own_start, child, other) in zip(places, children, strict=True):
            self._put(position, start)
            self._put(own_start, child.start)
            self._write(name, other, child)
            position = end
        self._put(position, after.end)

    def _pairs(self, key: str, before: Node, after: Node) -> list[tuple[str, int, Node, Node]]:
        """(key, start with the key, child, earlier child) in the earlier order; empty where the two do not match."""
        if before.kind is not after.kind:
            return []
        if before.kind is JsonKind.OBJECT:
            old, new = {member[0]: member for member in before.members}, {member[0]: member for member in after.members}
            if old.keys() != new.keys():
                order = [name for name in new if name in old]
            else:
                order = list(old) if self._keys else list(new)
            self.moved += old.keys() == new.keys() and order != list(new)
            return [(name, new[name][1], new[name][3], old[name][3]) for name in order]
        if before.kind is not JsonKind.ARRAY or len(before.items) != len(after.items):
            return []
        items = list(after.items)
        if not self._keys and items_moved(key, before, after):
            self.moved += 1
            left = [(data(item), item) for item in items]
            wanted = [data(other) for other in before.items]
            items = [left.pop(next(i for i, (value, _) in enumerate(left) if value == other))[1] for other in wanted]
        return [("", item.start, item, other) for item, other in zip(items, before.items, strict=True)]
