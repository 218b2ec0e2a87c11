"""From a character of a component's text to the innermost field that holds it and its place in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from promptlint.jsonspans.compact import MARKERS, dumps, omit_below, quote
from promptlint.jsonspans.node import JsonKind, Node, child_path, item_path
from promptlint.jsonspans.parser import parse, parse_text
from promptlint.model.source import Form, Location, Source

# One decoded character each, or a run of characters that stand for themselves.
_UNITS = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]+", re.DOTALL
)


def locate(location: Location, text: str, char: int, omit: frozenset[str] = MARKERS) -> tuple[str, int, int]:
    """Place of character `char` of a component's `text`, as its `location` says the text stands in the source.

    Returns (path of the innermost field, offset in that field's decoded value, offset in the source's text). Inside
    a JSON value the path leads to the string, number or word that holds the character; in a key, or in the comma or
    colon beside it, to the member or item it belongs to with offset 0; on a bracket to the object or list itself.
    `char` may be the text's length: then the place is that of the closing quote, or the first one after the value.
    """
    source, span = location.source, location.span
    if location.form is Form.NONE:
        return location.path, char, span.start
    if location.form is Form.PLAIN:
        return location.path, char, span.start + char
    if location.form is Form.JSON_STRING:
        raw = source.text[span.start + 1 : span.end - 1]
        return location.path, char, span.start + 1 + _encoded_offset(raw, char)
    if location.form is Form.JSON_MEMBER:
        body = parse_text(source, "{" + source.text[span.start : span.end] + "}", span.start - 1)
        key, key_start, key_end, value = body.members[0]
        quoted = quote(key)
        if char < len(quoted):
            return location.path, 0, _in_string(source, key_start, key_end, quoted, char)[1]
        if char == len(quoted):
            return location.path, 0, source.text.index(":", key_end)
        return _in_value(source, value, location.path, char - len(quoted) - 1, omit_below(key, omit))
    node = parse(source, span)
    # Arguments keep what looks like a marker: they are the caller's data.
    omitted = frozenset[str]() if dumps(node) == text else omit
    return _in_value(source, node, location.path, char, omitted)


def _in_value(source: Source, node: Node, path: str, char: int, omit: frozenset[str]) -> tuple[str, int, int]:
    """As `locate`, for a character of dumps(node, omit)."""
    while True:
        if node.kind is JsonKind.STRING:
            value_char, offset = _in_string(source, node.start, node.end, quote(str(node.value)), char)
            return path, value_char, offset
        if node.kind not in (JsonKind.OBJECT, JsonKind.ARRAY):
            return path, char, node.start + char
        if char == 0:
            return path, 0, node.start
        position = 1
        for index, (key, key_start, key_end, child) in enumerate(_children(node, omit)):
            inner = item_path(path, index) if key is None else child_path(path, key)
            if index:
                if char == position:
                    return inner, 0, source.text.rindex(",", 0, key_start)
                position += 1
            quoted = "" if key is None else quote(key)
            if char < position + len(quoted):
                return inner, 0, _in_string(source, key_start, key_end, quoted, char - position)[1]
            position += len(quoted)
            if key is not None:
                if char == position:
                    return inner, 0, source.text.index(":", key_end)
                position += 1
            below = omit if key is None else omit_below(key, omit)
            length = len(dumps(child, below))
            if char < position + length:
                node, path, char, omit = child, inner, char - position, below
                break
            position += length
        else:
            return path, 0, min(node.end - 1 + char - position, node.end)


def _children(node: Node, omit: frozenset[str]) -> Iterator[tuple[str | None, int, int, Node]]:
    """Members that are not omitted, or items; an item's key is None and its place the item's own."""
    for member in node.members:
        if member[0] not in omit:
            yield member
    for item in node.items:
        yield None, item.start, item.start, item


def _in_string(source: Source, start: int, end: int, quoted: str, char: int) -> tuple[int, int]:
    """(offset in the decoded string, offset in the source) of character `char` of `quoted`, quotes counted."""
    if char == 0:
        return 0, start
    # In an escape, the decoded character it stands for.
    count = _decoded_length(quoted[1:-1], char - 1)
    return count, start + 1 + _encoded_offset(source.text[start + 1 : end - 1], count)


def _decoded_length(encoded: str, end: int) -> int:
    """Number of decoded characters that end at or before offset `end` of the encoded text."""
    count = 0
    for unit in _UNITS.finditer(encoded):
        if unit.end() > end:
            return count + (0 if unit.group().startswith("\\") else end - unit.start())
        count += 1 if unit.group().startswith("\\") else unit.end() - unit.start()
    return count


def _encoded_offset(encoded: str, count: int) -> int:
    """Offset in the encoded text at which decoded character number `count` begins."""
    for unit in _UNITS.finditer(encoded):
        length = 1 if unit.group().startswith("\\") else unit.end() - unit.start()
        if count < length:
            return unit.start() + count
        count -= length
    return len(encoded)
