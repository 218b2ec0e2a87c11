"""Amazon Bedrock Converse requests."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.jsonspans import JsonKind, Node, child_path
from promptlint.model.prompt import Kind, Prompt, Section
from promptlint.model.source import Source
from promptlint.readers.build import Builder, Spot

WIRE = "bedrock"
_CONTENT_KEYS = frozenset({"toolConfig", "system", "messages"})
_MEDIA = {"image": Kind.IMAGE, "document": Kind.DOCUMENT, "video": Kind.DOCUMENT, "audio": Kind.AUDIO}
MARKER = "cachePoint"


def read(source: Source, body: Node) -> Prompt:
    """The prompt of one request body. Raises InputError or Problems for fields of the wrong type."""
    builder = Builder(source, WIRE, "anthropic")
    config = builder.object(body.get("toolConfig"), "toolConfig")
    if config is not None:
        for index, path, tool in _unmarked(builder, config.get("tools"), "toolConfig.tools"):
            only = tool.members[0][3] if tool.members else tool  # toolSpec, systemTool
            builder.tool(index, tool, path, only.get("name"))
    for index, path, block in _unmarked(builder, body.get("system"), "system"):
        _block(builder, Spot(Section.SYSTEM, block=index), block, path, Kind.TEXT)
    for index, path, message in builder.objects(body.get("messages"), "messages"):
        role = builder.role_of(message, path)
        spot = Spot(Section.MESSAGES, role, index)
        builder.role(spot, message.get("role"), f"{path}.role", role, message)
        builder.rest(spot, message, path, {"role", "content"})
        for place, inner, block in _unmarked(builder, message.get("content"), f"{path}.content"):
            _block(builder, Spot(Section.MESSAGES, role, index, place), block, inner, Kind.TEXT)
    if config is not None:
        builder.settings_of(config, "toolConfig", {"tools"})
    return builder.finish(body, _CONTENT_KEYS, body.get("modelId", "model"))


def _unmarked(builder: Builder, node: Node | None, path: str) -> Iterator[tuple[int, str, Node]]:
    """The blocks of a list that are no cache markers; a marker goes to the component before it."""
    for index, inner, block in builder.objects(node, path):
        marker = builder.object(block.get(MARKER), child_path(inner, MARKER))
        if marker is None or len(block.members) > 1:
            yield index, inner, block
        if marker is None:
            continue
        if builder.components:
            builder.attach(len(builder.components) - 1, marker, child_path(inner, MARKER))
        else:
            builder.skip(child_path(inner, MARKER), "no content stands before this cache marker")


def _block(builder: Builder, spot: Spot, block: Node, path: str, kind: Kind, name: str = "", call_id: str = "") -> None:
    """One content block. Its only member says what it is; others are kept field by field."""
    known: set[str] = set()
    for key, _, _, value in block.members:
        where = child_path(path, key)
        known.add(key)
        if key == "text":
            builder.text(spot, kind, value, where, name=name, call_id=call_id)
        elif key == "json":
            builder.data(spot, kind, value, where, name=name, call_id=call_id)
        elif value.kind is JsonKind.OBJECT and key in _READERS:
            _READERS[key](builder, spot, value, where)
        elif value.kind is JsonKind.OBJECT and key in _MEDIA:
            _media(builder, spot, _MEDIA[key], value, where, call_id)
        elif key in _READERS or key in _MEDIA:
            builder.object(value, where)
        else:
            known.discard(key)
    builder.rest(spot, block, path, known)


def _call(builder: Builder, spot: Spot, call: Node, path: str) -> None:
    fields = ("toolUseId", "name", "input")
    builder.call(spot, *((call.get(key), child_path(path, key)) for key in fields))
    builder.rest(spot, call, path, fields)


def _result(builder: Builder, spot: Spot, result: Node, path: str) -> None:
    call_id, name = builder.answer(spot, result.get("toolUseId"), f"{path}.toolUseId")
    for _, inner, block in builder.objects(result.get("content"), f"{path}.content"):
        _block(builder, spot, block, inner, Kind.TOOL_RESULT, name, call_id)
    builder.rest(spot, result, path, {"toolUseId", "content"})


def _reasoning(builder: Builder, spot: Spot, reasoning: Node, path: str) -> None:
    where = f"{path}.reasoningText"
    text = builder.object(reasoning.get("reasoningText"), where)
    if text is not None:
        builder.text(spot, Kind.REASONING, text.get("text"), f"{where}.text")
        builder.rest(spot, text, where, {"text"})
    builder.opaque(spot, Kind.REASONING, reasoning.get("redactedContent"), f"{path}.redactedContent")
    builder.rest(spot, reasoning, path, {"reasoningText", "redactedContent"})


def _guarded(builder: Builder, spot: Spot, guarded: Node, path: str) -> None:
    where = f"{path}.text"
    text = builder.object(guarded.get("text"), where)
    if text is not None:
        builder.text(spot, Kind.TEXT, text.get("text"), f"{where}.text")
        builder.rest(spot, text, where, {"text"})
    builder.rest(spot, guarded, path, {"text"})


def _cited(builder: Builder, spot: Spot, cited: Node, path: str) -> None:
    for _, inner, block in builder.objects(cited.get("content"), f"{path}.content"):
        _block(builder, spot, block, inner, Kind.TEXT)
    builder.rest(spot, cited, path, {"content"})


def _media(builder: Builder, spot: Spot, kind: Kind, media: Node, path: str, call_id: str) -> None:
    """An image, document, video or audio by its bytes or its address; a document may also be text."""
    form = builder.string(media.get("format"), f"{path}.format")
    where = f"{path}.source"
    source = builder.object(media.get("source"), where)
    if source is not None:
        builder.opaque(spot, kind, source.get("bytes"), f"{where}.bytes", media_type=form, call_id=call_id)
        place = builder.object(source.get("s3Location"), f"{where}.s3Location")
        if place is not None:
            uri = f"{where}.s3Location.uri"
            builder.opaque(spot, kind, place.get("uri"), uri, media_type=form, call_id=call_id)
        builder.text(spot, Kind.TEXT, source.get("text"), f"{where}.text", call_id=call_id)
        for _, inner, block in builder.objects(source.get("content"), f"{where}.content"):
            _block(builder, spot, block, inner, Kind.TEXT)
        builder.rest(spot, source, where, {"bytes", "s3Location", "text", "content"})
    builder.rest(spot, media, path, {"format", "source"})


_READERS = {
    "toolUse": _call,
    "toolResult": _result,
    "reasoningContent": _reasoning,
    "guardContent": _guarded,
    "citationsContent": _cited,
}
