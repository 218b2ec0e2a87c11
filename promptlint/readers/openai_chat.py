"""OpenAI chat completions, and the bodies of all hosts and engines that took the format over."""

from __future__ import annotations

from promptlint.jsonspans import JsonKind, Node, child_path
from promptlint.model.prompt import Kind, Prompt, Section
from promptlint.model.source import Source
from promptlint.readers import openai_parts
from promptlint.readers.build import Builder, Spot

WIRE = "openai-chat"
_CONTENT_KEYS = frozenset({"tools", "functions", "messages"})
_SYSTEM_ROLES = frozenset({"system", "developer"})
_RESULT_ROLES = frozenset({"tool", "function"})
_REASONING = ("reasoning_content", "reasoning", "reasoning_details")
_READ = frozenset({"role", "content", "tool_calls", "function_call", *_REASONING})


def read(source: Source, body: Node) -> Prompt:
    """The prompt of one request body. Raises InputError or Problems for fields of the wrong type."""
    builder = Builder(source, WIRE, "openai")
    for index, path, tool in builder.objects(body.get("tools"), "tools"):
        builder.tool(index, tool, path, _tool_name(tool))
    for _, path, tool in builder.objects(body.get("functions"), "functions"):
        builder.tool(len(builder.components), tool, path, tool.get("name"))
    leading = True
    for index, path, message in builder.objects(body.get("messages"), "messages"):
        role = builder.role_of(message, path)
        leading = leading and role in _SYSTEM_ROLES
        add_message(builder, Spot(Section.SYSTEM if leading else Section.MESSAGES, role, index), message, path)
    return builder.finish(body, _CONTENT_KEYS, body.get("model"))


def _tool_name(tool: Node) -> Node | None:
    for key in ("function", "custom"):
        inner = tool.get(key)
        if inner is not None:
            return inner.get("name")
    return tool.get("name") or tool.get("type")


def add_message(builder: Builder, spot: Spot, message: Node, path: str) -> None:
    """Role, fields of the message, reasoning, content, calls: the order in which chat templates write them."""
    first = len(builder.components)
    builder.role(spot, message.get("role"), f"{path}.role", spot.role, message)
    is_result = spot.role in _RESULT_ROLES
    builder.rest(spot, message, path, _READ | {"tool_call_id"} if is_result else _READ)
    for key in _REASONING:
        builder.data(spot, Kind.REASONING, message.get(key), child_path(path, key))
    content_path = f"{path}.content"
    if is_result:
        inside = Spot(spot.section, spot.role, spot.message, 0)
        call_id, name = builder.answer(inside, message.get("tool_call_id"), f"{path}.tool_call_id")
        openai_parts.content(builder, inside, message.get("content"), content_path, Kind.TOOL_RESULT, name, call_id)
        blocks = 1
    else:
        blocks = openai_parts.content(builder, spot, message.get("content"), content_path)
    for index, inner, call in builder.objects(message.get("tool_calls"), f"{path}.tool_calls"):
        _call(builder, Spot(spot.section, spot.role, spot.message, blocks + index), call, inner)
    legacy = builder.object(message.get("function_call"), f"{path}.function_call")
    if legacy is not None:
        place = Spot(spot.section, spot.role, spot.message, blocks)
        _function(builder, place, (None, ""), legacy, f"{path}.function_call", "arguments")
    builder.mark(first, message, path)


def _call(builder: Builder, spot: Spot, call: Node, path: str) -> None:
    """A function call, or a custom tool's call with free text instead of arguments."""
    first = len(builder.components)
    call_id = (call.get("id"), f"{path}.id")
    custom = call.get("custom")
    if custom is not None and custom.kind is JsonKind.OBJECT:
        _function(builder, spot, call_id, custom, f"{path}.custom", "input")
    else:
        function = builder.object(call.get("function"), f"{path}.function")
        if function is not None:
            _function(builder, spot, call_id, function, f"{path}.function", "arguments")
    builder.rest(spot, call, path, {"id", "type", "index", "function", "custom"})
    builder.mark(first, call, path)


def _function(
    builder: Builder, spot: Spot, call_id: tuple[Node | None, str], function: Node, path: str, field: str
) -> None:
    arguments = (function.get(field), child_path(path, field))
    builder.call(spot, call_id, (function.get("name"), f"{path}.name"), arguments)
    builder.rest(spot, function, path, {"name", field})
