"""OpenAI Responses requests: `instructions`, and `input` as a string or a list of items."""

from __future__ import annotations

from promptlint.jsonspans import JsonKind, Node, child_path
from promptlint.model.prompt import Kind, Prompt, Section
from promptlint.model.source import Form, Location, Source, Span
from promptlint.readers import openai_parts
from promptlint.readers.build import Builder, Spot

WIRE = "openai-responses"
_CONTENT_KEYS = frozenset({"tools", "instructions", "input"})
_SYSTEM_ROLES = frozenset({"system", "developer"})
_CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
_RESULTS = frozenset({"function_call_output", "custom_tool_call_output"})
# Set by the server and sent back as they came: the host's own names for an item, and how it ended.
_BOOKKEEPING = frozenset({"type", "id", "status"})
_ELSEWHERE = {
    "previous_response_id": "the earlier turns are stored by the host and not in this request",
    "conversation": "the earlier turns are stored by the host and not in this request",
    "prompt": "the stored prompt's text is not in this request",
}


def read(source: Source, body: Node) -> Prompt:
    """The prompt of one request body. Raises InputError or Problems for fields of the wrong type."""
    builder = Builder(source, WIRE, "openai")
    for index, path, tool in builder.objects(body.get("tools"), "tools"):
        builder.tool(index, tool, path, tool.get("name") or tool.get("server_label") or tool.get("type"))
    builder.text(Spot(Section.SYSTEM, "developer", block=0), Kind.TEXT, body.get("instructions"), "instructions")
    for key, why in _ELSEWHERE.items():
        if builder.present(body.get(key)):
            builder.skip(key, why)
    given = body.get("input")
    if given is not None and given.kind is JsonKind.STRING:
        spot = Spot(Section.MESSAGES, "user", 0)
        here = Location(source, Span(given.start, given.start), "input", Form.NONE)
        builder.add(spot, Kind.ROLE, "user", here)
        builder.text(Spot(Section.MESSAGES, "user", 0, 0), Kind.TEXT, given, "input")
    elif given is not None and given.kind not in (JsonKind.ARRAY, JsonKind.NULL):
        builder.wrong(given, "input", "a string or a list of items")
    else:
        _items(builder, given)
    return builder.finish(body, _CONTENT_KEYS, body.get("model"))


def _items(builder: Builder, given: Node | None) -> None:
    leading = True
    for index, path, item in builder.objects(given, "input"):
        kind = builder.string(item.get("type"), f"{path}.type")
        role = builder.string(item.get("role"), f"{path}.role")
        leading = leading and role in _SYSTEM_ROLES
        section = Section.SYSTEM if leading else Section.MESSAGES
        if kind in ("", "message"):
            if not role:
                builder.error(item.start, f"{path} has neither a type nor a role; an item needs one of them")
            _message(builder, Spot(section, role, index), item, path)
        else:
            role = role or _role_of(kind)
            builder.role(Spot(section, role, index), item.get("type"), f"{path}.type", kind, item)
            _item(builder, Spot(section, role, index, 0), item, path, kind)


def _role_of(kind: str) -> str:
    """Who speaks in an item that carries no role; empty where the kind does not say."""
    if kind.endswith("_output"):
        return "tool"
    return "assistant" if kind == "reasoning" or kind.endswith("_call") else ""


def _message(builder: Builder, spot: Spot, item: Node, path: str) -> None:
    builder.role(spot, item.get("role"), f"{path}.role", spot.role, item)
    builder.rest(spot, item, path, _BOOKKEEPING | {"role", "content"})
    openai_parts.content(builder, spot, item.get("content"), f"{path}.content")


def _item(builder: Builder, spot: Spot, item: Node, path: str, kind: str) -> None:
    """An item that is no message: a call, its output, reasoning, or one that is kept field by field."""
    first = len(builder.components)
    known = set(_BOOKKEEPING)
    if kind in _CALLS:
        fields = ("call_id", "name", _CALLS[kind])
        builder.call(spot, *((item.get(key), child_path(path, key)) for key in fields))
        known.update(fields)
    elif kind in _RESULTS:
        call_id, name = builder.answer(spot, item.get("call_id"), f"{path}.call_id")
        openai_parts.content(builder, spot, item.get("output"), f"{path}.output", Kind.TOOL_RESULT, name, call_id)
        known |= {"call_id", "output"}
    elif kind == "reasoning":
        for key in ("summary", "content"):
            for _, inner, part in builder.objects(item.get(key), child_path(path, key)):
                builder.text(spot, Kind.REASONING, part.get("text"), f"{inner}.text")
                builder.rest(spot, part, inner, {"type", "text"})
            known.add(key)
    elif kind == "item_reference":
        known -= {"id"}
        builder.skip(path, "the item is stored by the host and not in this request")
    builder.rest(spot, item, path, known)
    builder.mark(first, item, path)
