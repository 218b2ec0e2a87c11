"""Content parts that OpenAI's two formats and their many followers share: text, images, audio and files."""

from __future__ import annotations

from promptlint.jsonspans import JsonKind, Node, child_path
from promptlint.model.prompt import Kind
from promptlint.readers.build import Builder, Spot

_TEXTS = {"text": "text", "input_text": "text", "output_text": "text", "summary_text": "text", "refusal": "refusal"}
_IMAGES = frozenset({"image_url", "input_image", "image"})
_SOUNDS = frozenset({"input_audio", "audio_url", "audio"})
_FILES = frozenset({"file", "input_file", "document_url", "video_url"})
# The fields that hold content, by URL, in base64 or by an id of the host.
_CONTENT = ("url", "image_url", "audio_url", "video_url", "document_url", "data", "file_data", "file_url", "file_id")


def content(
    builder: Builder,
    spot: Spot,
    node: Node | None,
    path: str,
    kind: Kind = Kind.TEXT,
    name: str = "",
    call_id: str = "",
) -> int:
    """Components of a message's content; returns how many blocks it has (a string is one).

    The blocks count from `spot.block`, or from 0. Inside a tool result (`call_id` given) all belong to one block.
    """
    if node is None or node.kind is JsonKind.NULL:
        return 0
    begin = max(0, spot.block)
    if node.kind is JsonKind.STRING:
        place = Spot(spot.section, spot.role, spot.message, begin)
        builder.text(place, kind, node, path, name=name, call_id=call_id)
        return 1
    if node.kind is not JsonKind.ARRAY:
        builder.wrong(node, path, "a string or a list of parts")
        return 0
    for index, inner, part_node in builder.objects(node, path):
        place = Spot(spot.section, spot.role, spot.message, begin if call_id else begin + index)
        part(builder, place, part_node, inner, kind, name, call_id)
    return len(node.items)


def part(builder: Builder, spot: Spot, node: Node, path: str, kind: Kind, name: str, call_id: str) -> None:
    """One content part, with its cache marker."""
    first = len(builder.components)
    type_ = builder.string(node.get("type"), f"{path}.type")
    known = {"type"}
    if type_ in _TEXTS:
        field = _TEXTS[type_]
        builder.text(spot, kind, node.get(field), child_path(path, field), name=name, call_id=call_id)
        known |= {field}
    elif type_ in ("reasoning_text", "thinking"):
        _thinking(builder, spot, node, path)
        known |= {"text", "thinking"}
    elif type_ in _IMAGES:
        known |= _media(builder, spot, Kind.IMAGE, node, path, type_, call_id)
    elif type_ in _SOUNDS:
        known |= _media(builder, spot, Kind.AUDIO, node, path, type_, call_id)
    elif type_ in _FILES:
        known |= _media(builder, spot, Kind.DOCUMENT, node, path, type_, call_id)
    else:
        known = set()  # an unknown part's type is part of what it says
    builder.rest(spot, node, path, known)
    builder.mark(first, node, path)


def _thinking(builder: Builder, spot: Spot, node: Node, path: str) -> None:
    builder.text(spot, Kind.REASONING, node.get("text"), f"{path}.text")
    thinking = node.get("thinking")  # a string, or Mistral's list of text parts
    if thinking is not None and thinking.kind is JsonKind.ARRAY:
        for _, inner, item in builder.objects(thinking, f"{path}.thinking"):
            builder.text(spot, Kind.REASONING, item.get("text"), f"{inner}.text")
            builder.rest(spot, item, inner, {"type", "text"})
    else:
        builder.text(spot, Kind.REASONING, thinking, f"{path}.thinking")


def _media(builder: Builder, spot: Spot, kind: Kind, node: Node, path: str, type_: str, call_id: str) -> set[str]:
    """The content that a part holds, in itself or in an object named as its type; returns the fields it has read."""
    inner = node.get(type_)
    if inner is not None and inner.kind is JsonKind.OBJECT:
        inner_path = child_path(path, type_)
        builder.rest(spot, inner, inner_path, _opaque(builder, spot, kind, inner, inner_path, call_id))
        return {type_}
    return _opaque(builder, spot, kind, node, path, call_id)


def _opaque(builder: Builder, spot: Spot, kind: Kind, node: Node, path: str, call_id: str) -> set[str]:
    detail = node.get("detail")
    low = detail is not None and detail.string == "low"
    for key in _CONTENT:
        builder.opaque(spot, kind, node.get(key), child_path(path, key), low_detail=low, call_id=call_id)
    return {"type", *_CONTENT}
