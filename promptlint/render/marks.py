"""Marks in a request body: private-use characters that survive a chat template and tell where each text went.

A mark stands inside a word, so that trimming, splitting at tags and tests on the first characters work as before. The
marked output counts only if it is the plain output once the marks are taken out.
"""

from __future__ import annotations

import copy
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from promptlint.jsonspans.compact import quote
from promptlint.model.prompt import Component, Kind

# Planes 15 and 16, one character a mark. A body that holds them fails the comparison and is mapped by search.
_MARK = re.compile("[\U000f0000-\U000ffffd\U00100000-\U0010fffd]")

TEXT_KINDS = frozenset({Kind.TEXT, Kind.TOOL_RESULT, Kind.REASONING})
ALL_KINDS = TEXT_KINDS | {Kind.TOOL, Kind.CALL_NAME, Kind.ARGUMENTS}

_STEP = re.compile(r"\[(\d+)\]|\.?([^.\[\]]+)")
_WORD = re.compile(r"(?<!\S)\w\w")
_INSIDE_WORD = re.compile(r"\w\w")
_JSON_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?')
_JSON_WORD = re.compile(r"(?<![\\\w])\w\w")  # no letter of an escape
_TAIL = 2000  # the last word is looked for in this many characters


@dataclass(frozen=True, slots=True)
class Anchor:
    """Character `offset` of component `index` stands at `position` of the output."""

    position: int
    index: int
    offset: int


class Marks:
    """A copy of a body with marks in the texts of the components whose kind is in `kinds`."""

    def __init__(self, body: Mapping[str, Any], components: Sequence[Component], kinds: frozenset[Kind]) -> None:
        self.body = copy.deepcopy(dict(body))
        self._meaning: dict[str, tuple[int, int]] = {}
        self._free: Iterator[int] = chain(range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE))
        for index, component in enumerate(components):
            if component.kind in kinds and not component.opaque:
                self._mark(index, component)

    def read(self, marked: str, plain: str) -> tuple[Anchor, ...] | None:
        """Where the marks came out; None where they changed what the template printed."""
        if _MARK.sub("", marked) != plain:
            return None
        found = _MARK.finditer(marked)
        return tuple(
            Anchor(match.start() - number, *self._meaning[match.group()])
            for number, match in enumerate(found)
            if match.group() in self._meaning
        )

    def _mark(self, index: int, component: Component) -> None:
        place = _resolve(self.body, component.location.path)
        if place is None:
            return
        holder, key = place
        value = holder[key]
        if component.kind is Kind.TOOL:
            self._mark_tool(index, component.text, value, 0)
        elif isinstance(value, str) and value == component.text:
            spots = _json_spots(value) if component.kind is Kind.ARGUMENTS else _spots(value)
            holder[key] = self._insert(value, index, spots)

    def _mark_tool(self, index: int, text: str, value: Any, cursor: int) -> int:
        """Marks every name and description in a tool; `text` is its compact JSON, looked through from `cursor`."""
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, item in list(items):
            if isinstance(item, (dict, list)):
                cursor = self._mark_tool(index, text, item, cursor)
            elif key in ("name", "description") and isinstance(item, str) and item.strip():
                spot = _spots(item)[0]
                before = f"{quote(key)}:"
                found = text.find(before + quote(item), cursor)
                if found >= 0:
                    cursor = found + len(before) + len(quote(item[:spot])) - 1
                    value[key] = self._insert(item, index, [spot], cursor - spot)
        return cursor

    def _insert(self, text: str, index: int, spots: Sequence[int], shift: int = 0) -> str:
        parts: list[str] = []
        last = 0
        for spot in spots:
            code = next(self._free, None)
            if code is None:
                break
            self._meaning[chr(code)] = (index, spot + shift)
            parts += [text[last:spot], chr(code)]
            last = spot
        return "".join([*parts, text[last:]])


def _resolve(body: Any, path: str) -> tuple[Any, Any] | None:
    """The object or list that holds the value at a field path, and its key there."""
    steps: list[Any] = [int(number) if number else name for number, name in _STEP.findall(path)]
    holder = body
    try:
        for step in steps[:-1]:
            holder = holder[step]
        holder[steps[-1]]
    except (LookupError, TypeError):
        return None
    return holder, steps[-1]


def _spots(text: str) -> list[int]:
    """Up to two places inside words, in the first and in the last one."""
    if not text.strip():
        return []
    tail = max(0, len(text) - _TAIL)
    first = _WORD.search(text) or _INSIDE_WORD.search(text)
    if first is None:
        return [len(text) - len(text.lstrip()) + 1]
    last = _last(_WORD.finditer(text, tail)) or first
    return sorted({first.start() + 1, last.start() + 1})


def _last(matches: Iterable[re.Match[str]]) -> re.Match[str] | None:
    return next(iter(deque(matches, maxlen=1)), None)


def _json_spots(text: str) -> list[int]:
    """Up to two places inside the strings of JSON text, in values where there are any, else in keys."""
    places: dict[bool, list[int]] = {True: [], False: []}
    for string in _JSON_STRING.finditer(text):
        word = _JSON_WORD.search(text, string.start(1), string.end(1))
        if word is not None:
            places[string.group(2) is not None].append(word.start() + 1)
    found = places[False] or places[True]
    return sorted({found[0], found[-1]}) if found else []
