"""Gemini generateContent requests (Gemini API and Vertex AI), in camel case or snake case."""

from __future__ import annotations

from promptlint.jsonspans import Node, child_path
from promptlint.model.prompt import Kind, Prompt, Section
from promptlint.model.source import Source
from promptlint.readers.build import Builder, Spot

WIRE = "gemini"
_SYSTEM = ("systemInstruction", "system_instruction")
_CONTENT_KEYS = frozenset({*_SYSTEM, "tools", "contents"})
_DECLARATIONS = ("functionDeclarations", "function_declarations")
_MEDIA = (("inlineData", "data"), ("inline_data", "data"), ("fileData", "fileUri"), ("file_data", "file_uri"))
_MEDIA_FIELDS = frozenset({"data", "fileUri", "file_uri", "mimeType", "mime_type"})


def read(source: Source, body: Node) -> Prompt:
    """The prompt of one request body. Raises InputError or Problems for fields of the wrong type."""
    builder = Builder(source, WIRE, "gemini")
    _tools(builder, body)
    for key in _SYSTEM:
        system = body.get(key)
        if system is not None and system.string is not None:
            builder.text(Spot(Section.SYSTEM, block=0), Kind.TEXT, system, key)
        elif (instruction := builder.object(system, key)) is not None:
            _parts(builder, Spot(Section.SYSTEM), instruction, key)
            builder.rest(Spot(Section.SYSTEM), instruction, key, {"role", "parts"})
    for index, path, content in builder.objects(body.get("contents"), "contents"):
        role = builder.string(content.get("role"), f"{path}.role") or "user"  # the API's default
        spot = Spot(Section.MESSAGES, role, index)
        builder.role(spot, content.get("role"), f"{path}.role", role, content)
        builder.rest(spot, content, path, {"role", "parts"})
        _parts(builder, spot, content, path)
    for key in ("cachedContent", "cached_content"):
        if builder.present(body.get(key)):
            builder.skip(key, "the cached content stands before this prompt and is not in the request")
    return builder.finish(body, _CONTENT_KEYS, body.get("model"))


def _tools(builder: Builder, body: Node) -> None:
    """One component for each function declaration and for each other tool (search, code execution)."""
    count = 0
    for _, path, tool in builder.objects(body.get("tools"), "tools"):
        for member in tool.members:
            if member[0] in _DECLARATIONS:
                for _, inner, declaration in builder.objects(member[3], child_path(path, member[0])):
                    builder.tool(count, declaration, inner, declaration.get("name"))
                    count += 1
            else:
                builder.member(Spot(Section.TOOLS, block=count), Kind.TOOL, member, path, name=member[0])
                count += 1


def _parts(builder: Builder, spot: Spot, content: Node, path: str) -> None:
    for index, inner, part in builder.objects(content.get("parts"), f"{path}.parts"):
        _part(builder, Spot(spot.section, spot.role, spot.message, index), part, inner)


def _part(builder: Builder, spot: Spot, part: Node, path: str) -> None:
    """One part: text, a call, its response, or media; other kinds are kept field by field."""
    known = {"thought", "text"}
    thought = part.get("thought")
    kind = Kind.REASONING if thought is not None and thought.value is True else Kind.TEXT
    builder.text(spot, kind, part.get("text"), f"{path}.text")
    for key in ("functionCall", "function_call"):
        where = child_path(path, key)
        call = builder.object(part.get(key), where)
        if call is not None:
            builder.call(spot, *((call.get(field), f"{where}.{field}") for field in ("id", "name", "args")))
            builder.rest(spot, call, where, {"id", "name", "args"})
            known.add(key)
    for key in ("functionResponse", "function_response"):
        where = child_path(path, key)
        response = builder.object(part.get(key), where)
        if response is not None:
            _response(builder, spot, response, where)
            known.add(key)
    for key, field in _MEDIA:
        where = child_path(path, key)
        media = builder.object(part.get(key), where)
        if media is not None:
            type_ = media.get("mimeType", "mime_type")
            media_type = builder.string(type_, f"{where}.mimeType")
            builder.opaque(
                spot, _media_kind(media_type), media.get(field), child_path(where, field), media_type=media_type
            )
            builder.rest(spot, media, where, _MEDIA_FIELDS)
            known.add(key)
    builder.rest(spot, part, path, known)


def _response(builder: Builder, spot: Spot, response: Node, path: str) -> None:
    call_id, name = builder.answer(spot, response.get("id"), f"{path}.id")
    called = builder.string(response.get("name"), f"{path}.name") or name
    builder.text(spot, Kind.CALL_NAME, response.get("name"), f"{path}.name", name=called, call_id=call_id)
    builder.data(spot, Kind.TOOL_RESULT, response.get("response"), f"{path}.response", name=called, call_id=call_id)
    for _, inner, part in builder.objects(response.get("parts"), f"{path}.parts"):
        _part(builder, spot, part, inner)
    builder.rest(spot, response, path, {"id", "name", "response", "parts"})


def _media_kind(media_type: str) -> Kind:
    family = media_type.partition("/")[0]
    return {"image": Kind.IMAGE, "audio": Kind.AUDIO}.get(family, Kind.DOCUMENT)
