"""Reads JSON strictly and keeps the span of every value."""

from __future__ import annotations

import re
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]  # the C scanner; left out of the type stubs

from promptlint.jsonspans.node import JsonKind, Member, Node
from promptlint.model.errors import InputError
from promptlint.model.source import Source, Span

# Far above any request (protocol buffers, which read Gemini's, stop at 100) and low enough to recurse over a tree.
MAX_DEPTH = 200

_BLANK = re.compile(r"[ \t\n\r]*").match
_SCALAR = re.compile(
    r"(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![0-9A-Za-z.+_-])"
    r"|(?P<word>true|false|null)(?![0-9A-Za-z_])"
).match
_RUN = re.compile(r"[-+.\w]+").match
_WORDS = {"true": (JsonKind.TRUE, True), "false": (JsonKind.FALSE, False), "null": (JsonKind.NULL, None)}
_STRING_PROBLEMS = {
    "Unterminated string": "this string has no closing quote",
    "Invalid control character": r"a control character stands raw in a string; escape it (a newline as \n)",
    "Invalid \\escape": r"this escape does not exist in JSON; write a backslash as \\",
    "Invalid \\uXXXX": r"\u needs four hexadecimal digits",
}


class _Broken(Exception):
    """What is wrong at an offset of the text being parsed."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message


def parse(source: Source, span: Span | None = None) -> Node:
    """The JSON value in `source`, or in a span of it; offsets count in the source's text in both cases.

    A byte order mark before the value is accepted. Raises InputError with line and column for anything that is not
    one JSON value, for a key that an object holds twice, and for nesting deeper than MAX_DEPTH.
    """
    text, base = (source.text, 0) if span is None else (source.text[span.start : span.end], span.start)
    return parse_text(source, text, base)


def parse_text(source: Source, text: str, base: int) -> Node:
    """As `parse`, for a text whose first character stands at offset `base` of the source."""
    try:
        node, end = _tree(source, text, base, 1 if text.startswith("\ufeff") else 0)
        end = _skip(text, end)
        if end != len(text):
            raise _Broken(end, "the JSON value has ended before this; remove what follows, or put it into the value")
    except _Broken as broken:
        place = source.position(base + broken.offset)
        message = f"not valid JSON: {broken.message}"
        raise InputError(message, name=source.name, line=place.line, column=place.column) from None
    return node


def _tree(source: Source, text: str, base: int, pos: int) -> tuple[Node, int]:
    """The value that begins at or after `pos`, and where it ends in `text`. Iterative: no file overflows the stack."""
    root: Node | None = None
    stack: list[tuple[Node, list[Member], list[Node]]] = []
    key: tuple[str, int, int] = ("", 0, 0)
    while True:
        pos = _skip(text, pos)
        node, pos, opened = _begin(text, base, pos)
        if stack:
            _attach(stack[-1], key, node)
        else:
            root = node
        if opened:
            if len(stack) == MAX_DEPTH:
                raise _Broken(pos - 1, f"nested deeper than {MAX_DEPTH} levels, which no provider reads")
            stack.append(_containers(node))
            pos = _skip(text, pos)
            if text[pos : pos + 1] != _closer(node):
                if node.kind is JsonKind.OBJECT:
                    key, pos = _key(text, base, pos)
                continue
        while stack:
            pos = _skip(text, pos)
            parent = stack[-1][0]
            char = text[pos : pos + 1]
            if char == ",":
                key, pos = _after_comma(text, base, pos + 1, parent)
                break
            if char != _closer(parent):
                raise _Broken(pos, _between(parent, char))
            pos += 1
            parent.end = base + pos
            if parent.kind is JsonKind.OBJECT:
                _refuse_duplicates(source, parent.members)
            stack.pop()
        else:
            assert root is not None
            return root, pos


def _skip(text: str, pos: int) -> int:
    """The offset of the first character at or after `pos` that is no white space."""
    return _BLANK(text, pos).end()  # type: ignore[union-attr]  # matches the empty string


def _containers(node: Node) -> tuple[Node, list[Member], list[Node]]:
    members: list[Member] = []
    items: list[Node] = []
    if node.kind is JsonKind.OBJECT:
        node.members = members
    else:
        node.items = items
    return node, members, items


def _attach(parent: tuple[Node, list[Member], list[Node]], key: tuple[str, int, int], node: Node) -> None:
    if parent[0].kind is JsonKind.OBJECT:
        parent[1].append((*key, node))
    else:
        parent[2].append(node)


def _closer(node: Node) -> str:
    return "}" if node.kind is JsonKind.OBJECT else "]"


def _begin(text: str, base: int, pos: int) -> tuple[Node, int, bool]:
    """A whole scalar, or an object or list that has only been opened (the end is filled in later)."""
    char = text[pos : pos + 1]
    if char == '"':
        value, end = _string(text, pos)
        return Node(JsonKind.STRING, base + pos, base + end, value), end, False
    if char == "{":
        return Node(JsonKind.OBJECT, base + pos, -1), pos + 1, True
    if char == "[":
        return Node(JsonKind.ARRAY, base + pos, -1), pos + 1, True
    match = _SCALAR(text, pos)
    if match is None:
        raise _Broken(pos, _no_value(text, pos))
    end = match.end()
    raw = match.group()
    if match.lastgroup == "number":
        return Node(JsonKind.NUMBER, base + pos, base + end, raw), end, False
    kind, constant = _WORDS[raw]
    return Node(kind, base + pos, base + end, constant), end, False


def _string(text: str, pos: int) -> tuple[str, int]:
    """The decoded string whose opening quote is at `pos`, and the offset after its closing quote."""
    try:
        value, end = scanstring(text, pos + 1, True)
    except JSONDecodeError as error:
        message = next((words for start, words in _STRING_PROBLEMS.items() if error.msg.startswith(start)), error.msg)
        raise _Broken(error.pos, message) from None
    return value, end


def _key(text: str, base: int, pos: int) -> tuple[tuple[str, int, int], int]:
    """A member's key, and the offset after its colon."""
    if text[pos : pos + 1] != '"':
        raise _Broken(pos, f"expected a key in double quotes, found {_shown(text, pos)}")
    key, end = _string(text, pos)
    colon = end if text[end : end + 1] == ":" else _skip(text, end)
    if text[colon : colon + 1] != ":":
        raise _Broken(colon, f"expected a colon after the key, found {_shown(text, colon)}")
    return (key, base + pos, base + end), colon + 1


def _after_comma(text: str, base: int, pos: int, parent: Node) -> tuple[tuple[str, int, int], int]:
    pos = _skip(text, pos)
    if text[pos : pos + 1] == _closer(parent):
        raise _Broken(pos, f"a comma stands before this {_closer(parent)}; JSON allows none there")
    return _key(text, base, pos) if parent.kind is JsonKind.OBJECT else (("", 0, 0), pos)


def _refuse_duplicates(source: Source, members: object) -> None:
    assert isinstance(members, list)
    if len({member[0] for member in members}) == len(members):
        return
    seen: dict[str, int] = {}
    for key, start, _, _ in members:
        if key in seen:
            first, again = source.position(seen[key]), source.position(start)
            message = (
                f"the key {key!r} stands here and at line {first.line}, column {first.column} of the same object; "
                "only one of them would be sent, remove the other"
            )
            raise InputError(message, name=source.name, line=again.line, column=again.column)
        seen[key] = start


def _between(parent: Node, char: str) -> str:
    if not char:
        return f"the text ends inside {parent.kind.value}; a {_closer(parent)} is missing"
    return f"expected a comma or {_closer(parent)} inside {parent.kind.value}, found {char}"


def _no_value(text: str, pos: int) -> str:
    shown = _shown(text, pos)
    if shown in ("NaN", "Infinity", "-Infinity", "+Infinity"):
        return f"{shown} is no JSON value; write a number or null"
    if shown == "'":
        return "JSON strings need double quotes"
    return f"expected a value, found {shown}"


def _shown(text: str, pos: int) -> str:
    if pos >= len(text):
        return "the end of the text"
    run = _RUN(text, pos)
    return run.group()[:20] if run else text[pos]
