"""The compact form of a JSON value: what promptlint compares, and what it looks up places in."""

from __future__ import annotations

from collections.abc import Callable
from json.encoder import JSONEncoder, encode_basestring

from promptlint.jsonspans.node import JsonKind, Node

# Cache markers of the wire formats. They are not content.
MARKERS = frozenset({"cache_control", "cachePoint", "prompt_cache_breakpoint"})

# Below these keys stands a JSON schema or the caller's own data, where the same words are content.
_DATA_KEYS = frozenset(
    {"args", "arguments", "input", "input_examples", "json", "response"}
    | {"inputSchema", "input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema"}
    | {"properties", "responseJsonSchema", "response_json_schema", "schema"}
)
_NOTHING: frozenset[str] = frozenset()
_ENCODE = JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode
_WORDS = {JsonKind.TRUE: "true", JsonKind.FALSE: "false", JsonKind.NULL: "null"}


def quote(text: str) -> str:
    """A JSON string with its quotes; only what must be escaped is."""
    return str(encode_basestring(text))


def dumps(node: Node, omit: frozenset[str] = _NOTHING) -> str:
    """Compact JSON: no blanks, keys in the order as sent, numbers as written, characters unescaped where JSON allows.

    Members named in `omit` (see MARKERS) are left out at every depth, except inside a JSON schema or the caller's
    own data.
    """
    if node.value is not None and node.kind in (JsonKind.OBJECT, JsonKind.ARRAY):  # it was parsed before
        text = _ENCODE(node.value)
        if not any(name in text for name in omit):
            return text
    parts: list[str] = []
    _write(node, omit, parts.append)
    return "".join(parts)


def dumps_member(key: str, node: Node, omit: frozenset[str] = _NOTHING) -> str:
    """`"key":value` as it would stand in the compact form of an object."""
    return f"{quote(key)}:{dumps(node, omit_below(key, omit))}"


def omit_below(key: str, omit: frozenset[str]) -> frozenset[str]:
    """What is left out in the value of `key`."""
    return _NOTHING if key in _DATA_KEYS else omit


def _write(node: Node, omit: frozenset[str], put: Callable[[str], None]) -> None:
    kind = node.kind
    if kind is JsonKind.STRING:
        put(encode_basestring(str(node.value)))
    elif kind is JsonKind.OBJECT:
        before = "{"
        for key, _, _, value in node.members:
            if key not in omit:
                put(before)
                put(encode_basestring(key))
                put(":")
                _write(value, omit_below(key, omit) if omit else omit, put)
                before = ","
        put("}" if before == "," else "{}")
    elif kind is JsonKind.ARRAY:
        before = "["
        for item in node.items:
            put(before)
            _write(item, omit, put)
            before = ","
        put("]" if before == "," else "[]")
    else:
        put(str(node.value) if kind is JsonKind.NUMBER else _WORDS[kind])
