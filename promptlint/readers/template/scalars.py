"""Where each character of a decoded YAML or JSON string stands in its file."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from itertools import pairwise

from promptlint.jsonspans import Node
from promptlint.model.source import Source
from promptlint.readers.template.nodes import Passage

_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|\r?\n[ \t]*|.)",
    re.DOTALL,
)


_UNIT = re.compile(rf"[^\\]+|{_ESCAPE.pattern}", re.DOTALL)
_INDENT = 400  # characters of white space before a line, at most


def passage(source: Source, node: Node) -> Passage:
    """The string that `node` holds, each of its characters with its place."""
    text = node.string or ""
    raw = source.text[node.start : node.end]
    if raw[:1] == '"':
        return Passage(text, source, _quoted(raw, node.start, text))
    if raw == text:
        return Passage(text, source, node.start)
    return Passage(text, source, _written(source.text, node.start + _header(raw), node.end, text, raw[:1]))


def _header(raw: str) -> int:
    """Length of what opens a block scalar (`|-`, `>2 # comment`) or a quoted one."""
    if raw[:1] in ("|", ">"):
        return raw.find("\n") + 1
    return 1 if raw[:1] == "'" else 0


def _written(full: str, start: int, end: int, text: str, style: str) -> Sequence[int]:
    """Outside of double quotes YAML alters white space only, and doubles single quotes."""
    offsets = array("l")
    pos = start
    for line in text.splitlines(keepends=True):
        plain = line.rstrip("\r\n")
        found = full.find(plain, pos, min(end, pos + len(plain) + _INDENT)) if style != "'" and plain else -1
        if found >= 0:
            offsets.extend(range(found, found + len(plain)))
            pos = found + len(plain)
            line = line[len(plain) :]
        pos = _by_character(full, pos, end, line, style, offsets)
    offsets.append(min(pos, end))
    return offsets


def _by_character(full: str, pos: int, end: int, text: str, style: str, offsets: array[int]) -> int:
    """Each character that is no white space is found by going on to the next one of its kind; returns where that is."""
    for char in text:
        if char.isspace():
            offsets.append(min(pos, end))
            if pos < end and full[pos] == char:
                pos += 1
            continue
        while pos < end and full[pos] != char:
            pos += 1
        offsets.append(min(pos, end))
        pos += 2 if style == "'" and char == "'" else 1
    return pos


def _quoted(raw: str, base: int, text: str) -> Sequence[int]:
    """Between double quotes: an escape is one character, and in YAML a fold across lines a blank."""
    offsets = array("l")
    if "\n" not in raw:
        for unit in _UNIT.finditer(raw, 1, len(raw) - 1):
            start, stop = unit.span()
            offsets.extend((base + start,) if raw[start] == "\\" else range(base + start, base + stop))
        offsets.append(base + len(raw) - 1)
        return offsets
    pos = 1
    for char in text:
        if raw.startswith("\\", pos) and (found := _ESCAPE.match(raw, pos)):
            while found is not None and "\n" in found[0]:  # a line that goes on
                pos = found.end()
                found = _ESCAPE.match(raw, pos)
            offsets.append(base + pos)
            pos = found.end() if found is not None else pos + 1
            continue
        if not char.isspace():
            while pos < len(raw) and raw[pos] != char:
                pos += 1
        offsets.append(base + min(pos, len(raw)))
        pos += 1 if raw[pos : pos + 1] == char else 0
    offsets.append(base + min(pos, len(raw)))
    return offsets


def contiguous(where: Passage) -> bool:
    """Whether the text stands in the file as it is."""
    return isinstance(where.at, int) or all(b - a == 1 for a, b in pairwise(where.at[:-1]))
