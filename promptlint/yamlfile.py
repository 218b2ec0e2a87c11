"""Strict YAML: YAML 1.2 scalars only, no duplicate keys, no anchors, aliases or tags; every error has a place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import yaml

from promptlint.model.errors import ConfigError, PromptlintError
from promptlint.model.source import Position

# libyaml reads ten times as fast. The base loaders resolve nothing: PyYAML's own resolver is YAML 1.1 (`on` is true).
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_WORDS = {"": None, "~": None, "true": True, "false": False} | dict.fromkeys(("null", "Null", "NULL"))
_WORDS |= {"True": True, "TRUE": True, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_NOT_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MAX_DEPTH = 100


def load(text: str, name: str, error: type[PromptlintError] = ConfigError) -> object:
    """The one document of a YAML file as dicts, lists, str, int, float, bool and None (None for an empty file).

    Stricter than YAML 1.2 where that prevents surprises: `on`, `yes`, `2026-11-30`, `1:30`, `007` and `0x1f` are
    strings. Raises `error` with `name`, line and column for anything else than one plain document.
    """
    unreadable = _NOT_YAML.search(text)
    if unreadable:
        place = _place(text, unreadable.start())
        message = f"character U+{ord(unreadable.group()):04X} is not allowed in YAML; escape it in double quotes"
        raise error(message, name=name, line=place.line, column=place.column)
    try:
        return _Builder(yaml.parse(text, Loader=_LOADER), name, error).document()
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (None, None)
        message = ", ".join(part for part in (problem.problem, problem.context) if part)
        raise error(f"not valid YAML: {message}", name=name, line=line, column=column) from None


def position_of(text: str, path: Sequence[str | int]) -> Position:
    """Where the value of a key path stands in a text that `load` accepts: its key, or the item of a list.

    A step that is not there ends the walk: the place of the last one that is (for "this key is missing here").
    """
    node = yaml.compose(text, Loader=_LOADER)
    mark = node.start_mark if node else None
    for step in path:
        if isinstance(node, yaml.MappingNode):
            found = next(((key, value) for key, value in node.value if key.value == str(step)), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and 0 <= step < len(node.value):
            found = (node.value[step], node.value[step])
        else:
            found = None
        if found is None:
            break
        mark, node = found[0].start_mark, found[1]
    return Position(mark.line + 1, mark.column + 1) if mark else Position(1, 1)


class _Builder:
    """Values from parse events. Events, not nodes: they tell an explicit `!!str` from none, and are the faster way."""

    def __init__(self, events: Iterator[yaml.Event], name: str, error: type[PromptlintError]) -> None:
        self._events = events
        self._name = name
        self._error = error

    def document(self) -> object:
        next(self._events)  # stream start
        if isinstance(next(self._events), yaml.StreamEndEvent):
            return None
        value = self._value(next(self._events), 0)
        next(self._events)  # document end
        event = next(self._events)
        if not isinstance(event, yaml.StreamEndEvent):
            self._refuse(event, "a second YAML document; keep one document in a file")
        return value

    def _value(self, event: Any, depth: int) -> object:
        if event.anchor is not None:  # an alias has one, too
            self._refuse(event, "YAML anchors and aliases are not allowed; write the value out")
        if event.tag is not None:
            self._refuse(event, f"YAML tags such as {event.tag} are not allowed")
        if isinstance(event, yaml.ScalarEvent):
            return self._plain(event) if event.implicit[0] else event.value
        if depth >= _MAX_DEPTH:
            self._refuse(event, f"nested more than {_MAX_DEPTH} levels deep")
        return self._mapping(depth) if isinstance(event, yaml.MappingStartEvent) else self._list(depth)

    def _plain(self, event: Any) -> object:
        text: str = event.value
        if text in _WORDS:
            return _WORDS[text]
        if text[0] in "+-.0123456789":
            if _FLOAT.match(text) is None:
                return text
            try:
                return int(text) if _INTEGER.match(text) else float(text)
            except ValueError:  # Python's own limit on the digits of an int
                self._refuse(event, "number with too many digits")
        return text

    def _list(self, depth: int) -> list[object]:
        items = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.append(self._value(event, depth + 1))
        return items

    def _mapping(self, depth: int) -> dict[object, object]:
        items: dict[object, object] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
                self._refuse(event, "a list or mapping cannot be a key")
            key = self._value(event, depth)
            if key in items:
                self._refuse(event, f"duplicate key {key!r}")
            items[key] = self._value(next(self._events), depth + 1)
        return items

    def _refuse(self, event: Any, message: str) -> NoReturn:
        mark = event.start_mark
        raise self._error(message, name=self._name, line=mark.line + 1, column=mark.column + 1)


def _place(text: str, offset: int) -> Position:
    start = text.rfind("\n", 0, offset) + 1
    return Position(text.count("\n", 0, offset) + 1, offset - start + 1)
