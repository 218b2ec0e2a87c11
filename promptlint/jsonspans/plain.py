"""A tree of nodes from JSON that was parsed already, for readers that want nodes: no place in a source is known."""

from __future__ import annotations

from promptlint.jsonspans.node import JsonKind, Node
from promptlint.jsonspans.parser import MAX_DEPTH
from promptlint.model.errors import InputError


def from_plain(value: object, depth: int = 0) -> Node:
    """The node of a value as json or orjson return it; all spans are 0.

    A number's text is the one that json writes for it. Raises InputError for what nests deeper than MAX_DEPTH.
    """
    if isinstance(value, str):
        return Node(JsonKind.STRING, 0, 0, value)
    if isinstance(value, dict):
        node = Node(JsonKind.OBJECT, 0, 0, value)
        _check(depth)
        node.members = [(key, 0, 0, from_plain(inner, depth + 1)) for key, inner in value.items()]
        return node
    if isinstance(value, list):
        node = Node(JsonKind.ARRAY, 0, 0, value)
        _check(depth)
        node.items = [from_plain(item, depth + 1) for item in value]
        return node
    if value is None:
        return Node(JsonKind.NULL, 0, 0)
    if isinstance(value, bool):
        return Node(JsonKind.TRUE if value else JsonKind.FALSE, 0, 0, value)
    return Node(JsonKind.NUMBER, 0, 0, repr(value))


def _check(depth: int) -> None:
    if depth == MAX_DEPTH:
        raise InputError(f"nested deeper than {MAX_DEPTH} levels, which no provider reads")
