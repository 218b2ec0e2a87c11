"""Parses lines of JSON that repeat long values: what stood in the line before, byte for byte, is not parsed again.

A system prompt of 100 KB makes nearly all of each line of a log. Where the bytes of such a value come again, a short
string takes their place, the rest is parsed, and the value that was made of those bytes before is put back.

Why this gives what parsing the whole line gives: the bytes are those of one whole JSON value. Where they stand as a
value, the string stands for it. Where they begin inside a string instead, the quote of the short string ends that
string, and its letters then stand bare, which is no JSON: the whole line is parsed. So it is where the short string
is not found at the place of the value.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

import orjson

_LONG = 2_048  # bytes of a value that are worth it
_MOST = 4  # values that are remembered
_HEAD = 64  # bytes by which a value is looked for
_WHOLE = frozenset({"tools", "functions", "system"})  # lists that mostly come again as a whole
_LEVELS = 5
_FEW = 4  # items of a list that are looked into

Path = tuple[str | int, ...]


@dataclass(slots=True)
class _Known:
    """A value, the JSON that it was made of, where in a record it stands, and where in the line it stood last."""

    path: Path
    value: Any
    written: bytes
    at: int


class Parser:
    """`loads` is that of orjson for lines, and raises what it does; equal long values of two records may be one."""

    def __init__(self) -> None:
        self._known: list[_Known] = []
        self._before: dict[Path, Any] = {}
        self._sign = token_hex(16)
        self._quoted = f'"{self._sign}"'.encode()

    def loads(self, line: bytes) -> Any:
        if len(line) < _LONG:
            return orjson.loads(line)
        found = self._with_known(line) if self._known else None
        if found is not None:
            return found
        record = orjson.loads(line)
        with suppress(RecursionError, orjson.JSONEncodeError):  # nested too deeply to be compared or written
            self._learn(line, record)
        return record

    def _with_known(self, line: bytes) -> Any:
        """The record; None where not every known value is in its place."""
        places = []
        for known in self._known:
            if not line.startswith(known.written, known.at):
                known.at = line.find(known.written[:_HEAD])
                if known.at < 0 or not line.startswith(known.written, known.at):
                    return None
            places.append((known.at, len(known.written)))
        pieces: list[bytes] = []
        end = 0
        for at, length in sorted(places):
            if at < end:
                return None
            pieces += (line[end:at], self._quoted)
            end = at + length
        pieces.append(line[end:])
        try:
            record = orjson.loads(b"".join(pieces))
        except orjson.JSONDecodeError:
            return None
        return record if all(self._put_back(record, known) for known in self._known) else None

    def _put_back(self, record: Any, known: _Known) -> bool:
        try:
            for step in known.path[:-1]:
                record = record[step]
            if record[known.path[-1]] != self._sign:
                return False
            record[known.path[-1]] = known.value
        except (KeyError, IndexError, TypeError):
            return False
        return True

    def _learn(self, line: bytes, record: Any) -> None:
        """Remembers the long values that the record before had as well."""
        values = dict(_long_values(record, (), _LEVELS, self._before))
        same = {path: value for path, value in values.items() if self._before.get(path) == value}
        self._before = values
        self._known = [known for path in list(same)[:_MOST] if (known := _written(line, path, same[path]))]


def _long_values(value: Any, path: Path, levels: int, before: dict[Path, Any]) -> Iterator[tuple[Path, Any]]:
    """With their places; what stands in a list that came again as a whole is not looked at."""
    if type(value) is str:
        if len(value) >= _LONG:
            yield path, value
    elif type(value) is dict and levels:
        for name, inner in value.items():
            here = (*path, name)
            if name in _WHOLE and type(inner) is list:
                yield here, inner
                if before.get(here) == inner:
                    continue
            if type(inner) in (str, dict, list):
                yield from _long_values(inner, here, levels - 1, before)
    elif type(value) is list and levels:
        for index, inner in enumerate(value[:_FEW]):
            yield from _long_values(inner, (*path, index), levels - 1, before)


def _written(line: bytes, path: Path, value: Any) -> _Known | None:
    """The value with its bytes in the line, where one of the usual ways to write it gives them."""
    for text in (orjson.dumps(value), json.dumps(value).encode(), json.dumps(value, ensure_ascii=False).encode()):
        if len(text) >= _LONG and (at := line.find(text)) >= 0:
            return _Known(path, value, text, at)
    return None
