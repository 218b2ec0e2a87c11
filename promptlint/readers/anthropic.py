"""Anthropic Messages requests (Claude API, Google Cloud, Foundry, and hosts that took the format over)."""

from __future__ import annotations

import itertools

from promptlint.jsonspans import JsonKind, Node, child_path
from promptlint.model.prompt import Kind, Prompt, Section
from promptlint.model.source import Source
from promptlint.readers.build import Builder, Spot

WIRE = "anthropic"
_CONTENT_KEYS = frozenset({"tools", "system", "messages"})
_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})


def read(source: Source, body: Node) -> Prompt:
    """The prompt of one request body. Raises InputError or Problems for fields of the wrong type."""
    builder = Builder(source, WIRE, "anthropic")
    for index, path, tool in builder.objects(body.get("tools"), "tools"):
        builder.tool(index, tool, path, tool.get("name"))
    _content(builder, Spot(Section.SYSTEM), body.get("system"), "system")
    for index, path, message in builder.objects(body.get("messages"), "messages"):
        role = builder.role_of(message, path)
        spot = Spot(Section.MESSAGES, role, index)
        builder.role(spot, message.get("role"), f"{path}.role", role, message)
        builder.rest(spot, message, path, {"role", "content"})
        _content(builder, spot, message.get("content"), f"{path}.content")
    _automatic(builder, body)
    return builder.finish(body, _CONTENT_KEYS, body.get("model"))


def _content(builder: Builder, spot: Spot, node: Node | None, path: str) -> None:
    """A string, or a list of blocks."""
    if node is None or node.kind is JsonKind.NULL:
        return
    if node.kind is JsonKind.STRING:
        builder.text(Spot(spot.section, spot.role, spot.message, 0), Kind.TEXT, node, path)
        return
    if node.kind is not JsonKind.ARRAY:
        builder.wrong(node, path, "a string or a list of blocks")
        return
    for index, inner, block in builder.objects(node, path):
        _block(builder, Spot(spot.section, spot.role, spot.message, index), block, inner, Kind.TEXT)


def _block(builder: Builder, spot: Spot, block: Node, path: str, text_kind: Kind, call_id: str = "") -> None:
    """One content block; `text_kind` and `call_id` say whether it stands inside a tool result."""
    first = len(builder.components)
    kind = builder.string(block.get("type"), f"{path}.type")
    known = {"type"}
    if kind == "text":
        called = builder.called(call_id)
        builder.text(spot, text_kind, block.get("text"), f"{path}.text", name=called, call_id=call_id)
        known |= {"text"}
    elif kind == "thinking":
        builder.text(spot, Kind.REASONING, block.get("thinking"), f"{path}.thinking")
        known |= {"thinking"}
    elif kind == "redacted_thinking":
        builder.opaque(spot, Kind.REASONING, block.get("data"), f"{path}.data")
        known |= {"data"}
    elif kind in _CALLS:
        calls = ((block.get(key), child_path(path, key)) for key in ("id", "name", "input"))
        builder.call(spot, *calls)
        known |= {"id", "name", "input"}
    elif block.get("tool_use_id") is not None:
        _result(builder, spot, block, path)
        known |= {"tool_use_id", "content"}
    elif kind in ("image", "document"):
        _media(builder, spot, block, path, kind, call_id)
        known |= {"source"}
    elif kind == "search_result":
        for _, inner, part in builder.objects(block.get("content"), f"{path}.content"):
            _block(builder, spot, part, inner, text_kind, call_id)
        known |= {"content"}
    else:
        known = set()  # an unknown block's type is part of what it says
    builder.rest(spot, block, path, known)
    builder.mark(first, block, path)


def _result(builder: Builder, spot: Spot, block: Node, path: str) -> None:
    """A client's or a server tool's result: content is a string, blocks, or one object (an error, code output)."""
    call_id, name = builder.answer(spot, block.get("tool_use_id"), f"{path}.tool_use_id")
    content, inner = block.get("content"), f"{path}.content"
    if content is None or content.kind is JsonKind.NULL:
        return
    if content.kind is JsonKind.STRING:
        builder.text(spot, Kind.TOOL_RESULT, content, inner, name=name, call_id=call_id)
    elif content.kind is JsonKind.OBJECT:
        _block(builder, spot, content, inner, Kind.TOOL_RESULT, call_id)
    elif content.kind is JsonKind.ARRAY:
        for _, place, part in builder.objects(content, inner):
            _block(builder, spot, part, place, Kind.TOOL_RESULT, call_id)
    else:
        builder.wrong(content, inner, "a string or a list of blocks")


def _media(builder: Builder, spot: Spot, block: Node, path: str, kind: str, call_id: str) -> None:
    """An image or a document; a document's plain text is text."""
    path = f"{path}.source"
    source = builder.object(block.get("source"), path)
    if source is None:
        return
    form = builder.string(source.get("type"), f"{path}.type")
    media_type = builder.string(source.get("media_type"), f"{path}.media_type")
    known = {"type", "media_type"}
    if form == "text":
        builder.text(spot, Kind.TEXT, source.get("data"), f"{path}.data", name=media_type, call_id=call_id)
        known |= {"data"}
    elif form == "content":
        content = source.get("content")
        if content is not None and content.kind is JsonKind.STRING:
            builder.text(spot, Kind.TEXT, content, f"{path}.content", call_id=call_id)
        else:
            for _, inner, part in builder.objects(content, f"{path}.content"):
                _block(builder, spot, part, inner, Kind.TEXT, call_id)
        known |= {"content"}
    else:
        what = Kind.IMAGE if kind == "image" else Kind.DOCUMENT
        for key in ("data", "url", "file_id"):
            inner = child_path(path, key)
            builder.opaque(spot, what, source.get(key), inner, media_type=media_type, call_id=call_id)
            known |= {key}
    builder.rest(spot, source, path, known)


def _automatic(builder: Builder, body: Node) -> None:
    """The request-level switch: the provider marks the last block that can be cached.

    It walks back past thinking and empty text (prompt caching guide, "Automatic caching").
    """
    marker = builder.object(body.get("cache_control"), "cache_control")
    if marker is None:
        return
    backwards = list(enumerate(builder.components))[::-1]
    for (_, _, block), group in itertools.groupby(backwards, key=lambda pair: pair[1].unit):
        parts = list(group)
        if block >= 0 and any(part.text and part.kind is not Kind.REASONING for _, part in parts):
            index, last = parts[0]
            if last.breakpoint is None:  # the provider adds none where one stands
                builder.attach(index, marker, "cache_control", automatic=True)
            return
    builder.skip("cache_control", "the request has no block that can be cached")
