"""One JSON value and where it stands in its source."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*").fullmatch


class JsonKind(enum.Enum):
    """Values are the words that error messages use."""

    OBJECT = "an object"
    ARRAY = "a list"
    STRING = "a string"
    NUMBER = "a number"
    TRUE = "true"
    FALSE = "false"
    NULL = "null"


class Node:
    """A JSON value. `start` and `end` are code-point offsets in the source's text, quotes and brackets included.

    `value` is the decoded string, True, False or None; of a number the text as written; of an object or a list what it
    was made from, where that was parsed before. `members` of an object are (key, start of the key, end of the key,
    value) with the key's quotes included; `items` are those of a list.
    """

    __slots__ = ("end", "items", "kind", "members", "start", "value")

    def __init__(self, kind: JsonKind, start: int, end: int, value: object = None) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.value = value
        self.members: Sequence[Member] = ()
        self.items: Sequence[Node] = ()

    def __repr__(self) -> str:
        return f"Node({self.kind.name}, {self.start}, {self.end})"

    @property
    def string(self) -> str | None:
        """The decoded text of a string, None for every other kind."""
        return self.value if self.kind is JsonKind.STRING and isinstance(self.value, str) else None

    def get(self, *keys: str) -> Node | None:
        """The value of the first of `keys` that this object has; None where it has none or is no object."""
        for wanted in keys:
            for key, _, _, node in self.members:
                if key == wanted:
                    return node
        return None

    def plain(self) -> object:
        """The value as Python's own json module would return it; not to be changed."""
        if self.value is not None and self.kind is not JsonKind.NUMBER:
            return self.value
        if self.kind is JsonKind.OBJECT:
            return {key: node.plain() for key, _, _, node in self.members}
        if self.kind is JsonKind.ARRAY:
            return [node.plain() for node in self.items]
        if self.kind is JsonKind.NUMBER:
            return _number(str(self.value))
        return self.value


# A plain tuple: one is made for every key of a file, and a named tuple takes ten times as long.
Member = tuple[str, int, int, Node]


def _number(raw: str) -> int | float:
    try:
        return int(raw)
    except ValueError:  # a fraction, an exponent, or more digits than Python converts
        return float(raw)


def child_path(path: str, key: str) -> str:
    """Path of an object's member: `a.b`, or `a["b c"]` where the key is no identifier."""
    if _IDENTIFIER(key):
        return f"{path}.{key}" if path else key
    quoted = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'{path}["{quoted}"]'


def item_path(path: str, index: int) -> str:
    """Path of a list's item: `a[3]`."""
    return f"{path}[{index}]"
