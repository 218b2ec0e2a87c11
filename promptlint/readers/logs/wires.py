"""The wire format of a parsed request body, decided once for all bodies of the same make."""

from __future__ import annotations

from typing import Any

import orjson

from promptlint.jsonspans import parse
from promptlint.model.source import Source
from promptlint.readers.detect import detect_wire

_REQUEST_FIELDS: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("messages", (list,)),
    ("input", (list, str)),
    ("contents", (list, str, dict)),
    ("prompt", (list, str)),
    ("instructions", (str,)),
    ("previous_response_id", (str,)),
)
_REQUEST_NAMES = frozenset(name for name, _ in _REQUEST_FIELDS)
# What the marks of a format stand in: a few messages and tools at both ends, and no long text.
_SHOWN_ITEMS = 8
_SHOWN_TEXT = 40


def is_request(value: Any) -> bool:
    """Whether a value looks like the body of a request."""
    if type(value) is not dict or _REQUEST_NAMES.isdisjoint(value):
        return False
    return any(type(value.get(name)) in kinds for name, kinds in _REQUEST_FIELDS)


class Wires:
    """Wire formats of the bodies of one log."""

    def __init__(self) -> None:
        self._known: dict[object, str] = {}

    def of(self, body: dict[str, Any], family: str = "") -> str:
        """The wire format of `body` (one of promptlint.readers.WIRES), or "" where it is none of them."""
        key = (*body, body.get("model"), family, _make(body.get("messages")))
        try:
            return self._known[key]
        except TypeError:  # a model that is a list or an object
            return _detected(body, family)
        except KeyError:
            wire = self._known[key] = _detected(body, family)
            return wire


def _make(messages: Any) -> object:
    """Of what form the last message is: a conversation may begin as plain text and show its format only later."""
    if type(messages) is not list or not messages or type(messages[-1]) is not dict:
        return None
    last = messages[-1]
    content = last.get("content")
    block = content[-1] if type(content) is list and content else None
    kind = block.get("type") or tuple(block)[:1] if type(block) is dict else None
    return len(messages) > 1, str(last.get("role")), type(content), str(kind)


def _detected(body: dict[str, Any], family: str) -> str:
    source = Source("log", orjson.dumps(_outline(body, 6)).decode())
    return detect_wire(parse(source), family or None) or ""


def _outline(value: Any, depth: int) -> Any:
    """`value` without its long texts, its inner items and whatever lies deeper than `depth`."""
    if type(value) is str:
        return value[:_SHOWN_TEXT]
    if depth == 0:
        return None
    if type(value) is list:
        shown = value if len(value) <= 2 * _SHOWN_ITEMS else value[:_SHOWN_ITEMS] + value[-_SHOWN_ITEMS:]
        return [_outline(item, depth - 1) for item in shown]
    if type(value) is dict:
        return {key: _outline(item, depth - 1) for key, item in value.items()}
    return value
