"""Where keys and values stand in a TOML text; Python's own reader gives none."""

from __future__ import annotations

import contextlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field

Path = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t]|\r?\n|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_KEY = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")
# Multi-line strings may end with up to two quotes of their own before the closing three.
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|'
    r"'''.*?'{3,5}|"
    r'"(?:[^"\\\n]|\\.)*"|'
    r"'[^'\n]*'",
    re.DOTALL,
)
_BARE = re.compile(r"[^,\]}\n#]+")


@dataclass(slots=True)
class Positions:
    """Offsets (code points) of keys and of values, by path; items of lists by their index."""

    keys: dict[Path, int] = field(default_factory=dict)
    values: dict[Path, int] = field(default_factory=dict)


def positions(text: str) -> Positions:
    """For a text that `tomllib` accepts; what follows something unexpected is left out."""
    scan = _Scan(text)
    with contextlib.suppress(_Lost):
        scan.document()
    return scan.found


class _Lost(Exception):
    """The scanner met something that it does not know."""


class _Scan:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found = Positions()
        self._tables: dict[Path, int] = {}

    def document(self) -> None:
        table: Path = ()
        while True:
            self._skip(_BLANK)
            if self.at >= len(self.text):
                return
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> Path:
        many = self.text.startswith("[[", self.at)
        start = self.at
        self.at += 2 if many else 1
        path = self._resolved(self._dotted())
        self._take("]]" if many else "]")
        if many:
            self._tables[path] = self._tables.get(path, -1) + 1
            self.found.keys.setdefault(path, start)
            path = (*path, self._tables[path])
        self.found.keys.setdefault(path, start)
        self.found.values.setdefault(path, start)
        return path

    def _resolved(self, steps: list[tuple[str, int]]) -> Path:
        """A header's path; below a list of tables it means the last of them."""
        path: Path = ()
        for index, (step, offset) in enumerate(steps):
            path = (*path, step)
            self.found.keys.setdefault(path, offset)
            if path in self._tables and index < len(steps) - 1:
                path = (*path, self._tables[path])
        return path

    def _pair(self, table: Path) -> None:
        path = table
        for step, offset in self._dotted():
            path = (*path, step)
            self.found.keys.setdefault(path, offset)
        self._take("=")
        self._skip(_SPACE)
        self._value(path)

    def _dotted(self) -> list[tuple[str, int]]:
        steps = []
        while True:
            self._skip(_SPACE)
            match = _KEY.match(self.text, self.at)
            if match is None:
                raise _Lost
            steps.append((_plain(match[0]), self.at))
            self.at = match.end()
            self._skip(_SPACE)
            if not self.text.startswith(".", self.at):
                return steps
            self.at += 1

    def _value(self, path: Path) -> None:
        self.found.values.setdefault(path, self.at)
        opening = self.text[self.at : self.at + 1]
        if opening == "[":
            self._items(path)
        elif opening == "{":
            self._inline(path)
        else:
            match = (_STRING if opening in ('"', "'") else _BARE).match(self.text, self.at)
            if match is None:
                raise _Lost
            self.at = match.end()

    def _items(self, path: Path) -> None:
        self.at += 1
        index = 0
        while True:
            self._skip(_BLANK)
            if self.text.startswith("]", self.at):
                self.at += 1
                return
            self._value((*path, index))
            index += 1
            self._skip(_BLANK)
            if self.text.startswith(",", self.at):
                self.at += 1

    def _inline(self, path: Path) -> None:
        self.at += 1
        while True:
            self._skip(_BLANK)
            if self.text.startswith("}", self.at):
                self.at += 1
                return
            self._pair(path)
            self._skip(_BLANK)
            if self.text.startswith(",", self.at):
                self.at += 1

    def _take(self, expected: str) -> None:
        self._skip(_SPACE)
        if not self.text.startswith(expected, self.at):
            raise _Lost
        self.at += len(expected)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.at)
        assert match is not None  # both patterns match nothing, too
        self.at = match.end()


def _plain(token: str) -> str:
    if token[0] not in "\"'":
        return token
    decoded: Mapping[str, str] = tomllib.loads(f"k = {token}")
    return decoded["k"]
