"""Messages and tools in the attributes of GenAI spans, as messages of chat completions.

The conventions' messages are `{"role", "parts": [{"type": "text", "content"}, {"type": "tool_call", "id", "name",
"arguments"}, {"type": "tool_call_response", "id", "response"}, {"type": "reasoning", "content"}, …]}`
(https://opentelemetry.io/docs/specs/semconv/gen-ai/ and its gen-ai-input-messages.json); OpenLLMetry numbers them,
`gen_ai.prompt.0.content`, `gen_ai.prompt.0.tool_calls.0.name`. Read 2026-11-30.
"""

from __future__ import annotations

from typing import Any

import orjson

from promptlint.readers.logs.values import array, table, text, unwrapped

_Object = dict[str, Any]


def messages(found: Any) -> list[_Object]:
    """Messages of the conventions, or of a provider where an instrumentation writes those; [] for anything else."""
    if type(found) is str and found:
        return [{"role": "user", "content": found}]
    return [message for entry in array(found) if type(entry) is dict for message in _messages(entry)]


def _messages(entry: _Object) -> list[_Object]:
    """One message, or one for each tool result in it, as chat completions have it."""
    role = text(entry, "role") or "user"
    parts = entry.get("parts")
    if type(parts) is not list:
        return [{name: value for name, value in entry.items() if name != "finish_reason"}]
    results, content, calls = [], [], []
    for part in map(table, parts):
        kind = part.get("type")
        if kind == "tool_call":
            calls.append(_call(part))
        elif kind == "tool_call_response":
            answer = part.get("response", part.get("result"))
            results.append({"role": "tool", "tool_call_id": text(part, "id"), "content": _as_text(answer)})
        elif kind in ("text", "reasoning", None):
            content.append({"type": "text", "text": _as_text(part.get("content", part.get("text")))})
        else:
            content.append(part)
    if not content and not calls:
        return results
    plain = content[0]["text"] if len(content) == 1 and content[0].get("type") == "text" else content or None
    return [*results, {"role": role, "content": plain, **({"tool_calls": calls} if calls else {})}]


def _call(part: _Object) -> _Object:
    function = {"name": text(part, "name"), "arguments": _as_text(part.get("arguments", {}))}
    return {"id": text(part, "id"), "type": "function", "function": function}


def _as_text(value: Any) -> str:
    return value if type(value) is str else orjson.dumps(value).decode()


def indexed(found: _Object, prefix: str) -> list[_Object]:
    """The messages of numbered attributes, in the order of their numbers."""
    numbered: dict[int, _Object] = {}
    for name, value in found.items():
        if name.startswith(prefix + "."):
            index, _, rest = name[len(prefix) + 1 :].partition(".")
            if index.isdecimal() and rest:
                numbered.setdefault(int(index), {})[rest] = value
    return [_numbered(numbered[index]) for index in sorted(numbered)]


def _numbered(parts: _Object) -> _Object:
    message: _Object = {"role": text(parts, "role") or "user", "content": unwrapped(parts.get("content"))}
    if type(message["content"]) is dict:
        message["content"] = parts["content"]  # a prompt that happens to be JSON
    calls = [call for call in _indexed_calls(parts) if call["name"]]
    if calls:
        message["tool_calls"] = [_call(call) for call in calls]
    if "tool_call_id" in parts:
        message["tool_call_id"] = text(parts, "tool_call_id")
    return message


def _indexed_calls(parts: _Object) -> list[_Object]:
    """`tool_calls.N.{id,name,arguments}` in order."""
    calls: dict[int, _Object] = {}
    for name, value in parts.items():
        head, _, rest = name.removeprefix("tool_calls.").partition(".")
        if name.startswith("tool_calls.") and head.isdecimal():
            calls.setdefault(int(head), {"name": ""})[rest] = value
    return [calls[index] for index in sorted(calls)]


def tools(found: _Object) -> list[Any]:
    """The tools that were offered: `gen_ai.tool.definitions`, or OpenLLMetry's `llm.request.functions.N.*`."""
    defined = array(unwrapped(found.get("gen_ai.tool.definitions")))
    if defined:
        return [tool if "function" in table(tool) else {"type": "function", "function": tool} for tool in defined]
    numbered: dict[int, _Object] = {}
    for name, value in found.items():
        if name.startswith("llm.request.functions."):
            index, _, rest = name.removeprefix("llm.request.functions.").partition(".")
            if index.isdecimal():
                numbered.setdefault(int(index), {})[rest] = unwrapped(value) if rest == "parameters" else value
    return [{"type": "function", "function": numbered[index]} for index in sorted(numbered)]
