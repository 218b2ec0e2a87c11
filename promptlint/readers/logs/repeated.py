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
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from operator import itemgetter
from secrets import token_hex
from typing import Any

import orjson

from promptlint.readers.logs.lines import Lines

_LONG = 2_048  # bytes of a value that are worth it
_MOST = 4  # values that are remembered
_HEAD = 64  # bytes by which a value is looked for
_WHOLE = frozenset({"tools", "functions", "system"})  # lists that mostly come again as a whole
_SHIFT = 512  # bytes by which the place of a value may move from line to line without a search of the whole line
_LEVELS = 5
_FEW = 4  # items of a list that are looked into

Path = tuple[str | int, ...]
Places = list[tuple[int, int]]  # where values begin and end


@dataclass(slots=True)
class _Known:
    """A value, the JSON that it was made of, where in a record it stands, and how far behind the known value before.

    `sign` takes its place; each has its own, as two values may have changed places.
    """

    path: Path
    value: Any
    written: bytes
    gap: int
    sign: str


class Parser:
    """Gives what orjson gives for lines, and raises what it does; equal long values of two records may be one."""

    def __init__(self) -> None:
        self._known: list[_Known] = []
        self._before: dict[Path, Any] = {}
        self._places: Places | None = None  # of the known values in the line that comes next

    def known_end(self, buffer: bytearray, start: int, end: int) -> int:
        """Where the last known value ends in the line that begins at `start`; `start` where not all are in place."""
        self._places = self._located(buffer, start, end, _SHIFT) if self._known else None
        behind = start
        for at, stop in self._places or ():
            if buffer.find(b"\n", behind, at) >= 0:  # they are of the next line
                self._places = None
                return start
            behind = stop
        return behind

    def parse(self, lines: Lines) -> Any:
        """The record in the line that `next` found with `known_end`."""
        if self._places is not None:
            record = self._with_known(lines.buffer, lines.start, lines.stop, self._places)
            if record is not None:
                return record
        if self._known:
            return self.loads(lines.line())
        with memoryview(lines.buffer)[lines.start : lines.stop] as line:
            record = orjson.loads(line)
        if lines.stop - lines.start >= _LONG:
            self._learn(lines.line, record)
        return record

    def loads(self, line: bytes) -> Any:
        """The record in a line."""
        if len(line) < _LONG:
            return orjson.loads(line)
        places = self._located(line, 0, len(line), len(line)) if self._known else None
        found = self._with_known(line, 0, len(line), places) if places else None
        if found is not None:
            return found
        record = orjson.loads(line)
        self._learn(lambda: line, record)
        return record

    def _located(self, text: bytes | bytearray, start: int, end: int, shift: int) -> Places | None:
        """Where the known values stand, each up to `shift` bytes behind its place in the line before."""
        places = []
        for known in self._known:
            at = start + known.gap
            if not text.startswith(known.written, at, end):
                at = text.find(known.written[:_HEAD], start, min(end, at + shift))
                if at < 0 or not text.startswith(known.written, at, end):
                    return None
                known.gap = at - start
            start = at + len(known.written)
            places.append((at, start))
        return places

    def _with_known(self, text: bytes | bytearray, start: int, end: int, places: Places) -> Any:
        """The record; None where it cannot be had so."""
        pieces: list[bytes | bytearray] = []
        for known, (at, stop) in zip(self._known, places, strict=True):
            pieces += (text[start:at], f'"{known.sign}"'.encode())
            start = stop
        pieces.append(text[start:end])
        try:
            record = orjson.loads(b"".join(pieces))
        except orjson.JSONDecodeError:
            return None
        return record if all(self._put_back(record, known) for known in self._known) else None

    def _put_back(self, record: Any, known: _Known) -> bool:
        try:
            for step in known.path[:-1]:
                record = record[step]
            if record[known.path[-1]] != known.sign:
                return False
            record[known.path[-1]] = known.value
        except (KeyError, IndexError, TypeError):
            return False
        return True

    def _learn(self, line: Callable[[], bytes], record: Any) -> None:
        """Remembers the long values that the record before had as well."""
        with suppress(RecursionError, orjson.JSONEncodeError):  # nested too deeply to be compared or written
            values = dict(_long_values(record, (), _LEVELS, self._before))
            same = {path: value for path, value in values.items() if self._before.get(path) == value}
            self._before = values
            self._known = list(_placed(line(), same)) if same else []


def _placed(line: bytes, values: Mapping[Path, Any]) -> Iterator[_Known]:
    """The first of these values as they stand in the line."""
    written = [found for path in list(values)[:_MOST] if (found := _written(line, path, values[path]))]
    end = 0
    for at, path, text in sorted(written, key=itemgetter(0)):
        if at >= end:  # not within another one, by chance
            yield _Known(path, values[path], text, at - end, token_hex(16))
            end = at + len(text)


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


def _written(line: bytes, path: Path, value: Any) -> tuple[int, Path, bytes] | None:
    """Where the value stands in the line, and its bytes there, where one of the usual ways to write it gives them."""
    for text in (orjson.dumps(value), json.dumps(value).encode(), json.dumps(value, ensure_ascii=False).encode()):
        if len(text) >= _LONG and (at := line.find(text)) >= 0:
            return at, path, text
    return None
