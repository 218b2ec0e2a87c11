"""YAML of others as JSON nodes: values with their places. Not strict: anchors, tags and dates are the author's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from promptlint.jsonspans import JsonKind, Member, Node
from promptlint.model.errors import InputError
from promptlint.model.source import Source

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_MAX_DEPTH = 60
_MOST_VALUES = 200_000


def parse(source: Source, start: int = 0, end: int | None = None) -> Node:
    """The first document of the text between the offsets; every scalar is a string. Raises InputError."""
    text = source.text[start:end]
    try:
        return _Builder(yaml.parse(text, Loader=_LOADER), start, text).document()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        offset = _offset(text, mark) if mark else 0
        place = source.position(start + offset)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
        raise InputError(f"not valid YAML: {problem}", name=source.name, line=place.line, column=place.column) from None
    except _TooMuch as error:
        raise InputError(f"YAML that is {error}", name=source.name, line=1, column=1) from None


class _TooMuch(Exception):
    pass


def _offset(text: str, mark: Any) -> int:
    start = 0
    for _ in range(mark.line):
        start = text.find("\n", start) + 1
    return start + int(mark.column)


class _Builder:
    def __init__(self, events: Iterator[yaml.Event], base: int, text: str) -> None:
        self._events = events
        self._base = base
        self._lines = [0]
        for index, char in enumerate(text):
            if char == "\n":
                self._lines.append(index + 1)
        self._anchors: dict[str, Node] = {}
        self._count = 0

    def document(self) -> Node:
        next(self._events)
        event = next(self._events)
        if isinstance(event, yaml.StreamEndEvent):
            return Node(JsonKind.NULL, self._base, self._base)
        return self._value(next(self._events), 0)

    def _at(self, mark: Any) -> int:
        line = int(mark.line)
        return self._base + self._lines[min(line, len(self._lines) - 1)] + int(mark.column)

    def _value(self, event: Any, depth: int) -> Node:
        self._count += 1
        if depth > _MAX_DEPTH:
            raise _TooMuch(f"nested more than {_MAX_DEPTH} levels deep")
        if self._count > _MOST_VALUES:
            raise _TooMuch(f"more than {_MOST_VALUES:,} values long")
        if isinstance(event, yaml.AliasEvent):
            return self._anchors.get(str(event.anchor), Node(JsonKind.NULL, self._base, self._base))
        node = Node(JsonKind.STRING, self._at(event.start_mark), self._at(event.end_mark))
        if isinstance(event, yaml.ScalarEvent):
            node.value = event.value
        elif isinstance(event, yaml.MappingStartEvent):
            node.kind = JsonKind.OBJECT
            node.members = self._members(depth)
        else:
            node.kind = JsonKind.ARRAY
            node.items = self._items(depth)
        if getattr(event, "anchor", None):
            self._anchors[event.anchor] = node
        return node

    def _members(self, depth: int) -> list[Member]:
        found: list[Member] = []
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._value(event, depth + 1)
            found.append((key.string or "", key.start, key.end, self._value(next(self._events), depth + 1)))
        return found

    def _items(self, depth: int) -> list[Node]:
        found: list[Node] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            found.append(self._value(event, depth + 1))
        return found
