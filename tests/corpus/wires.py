"""A request as the JSON body of its wire format, and the field path at which each of its parts ended up."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .emitting import Body, Paths, Sent, b64, control, define
from .openai_wires import openai_chat, openai_responses
from .request import Part, Request, visible

__all__ = ["Sent", "send"]


def send(request: Request, name: str) -> Sent:
    """The request as a file; `name` has no suffix yet."""
    if request.wire == "text":
        text = "\n\n".join(visible(part.text) for part in request.system)
        return Sent(f"{name}.txt", text, {part.uid: "" for part in request.system})
    paths = Paths()
    body = _EMITTERS[request.wire](request, paths)
    order = request.key_order or tuple(body)
    body = {key: body[key] for key in (*order, *(key for key in body if key not in order)) if key in body}
    text = json.dumps(body, ensure_ascii=False)
    return Sent(f"{name}.json", text, paths.values, paths.blocks)


# Anthropic Messages


def _anthropic(request: Request, paths: Paths) -> Body:
    body: Body = {"model": request.model, "max_tokens": 4096, **request.settings}
    if request.tools:
        body["tools"] = [{**define(tool, "input_schema"), **control(tool.mark)} for tool in request.tools]
        for index, tool in enumerate(request.tools):
            paths.note(tool.uid, f"tools[{index}]")
    if request.system:
        body["system"] = _anthropic_blocks(request.system, "system", request.plain_system, paths)
    body["messages"] = []
    for index, message in enumerate(request.messages):
        where = f"messages[{index}]"
        paths.note(message.uid, where)
        content = _anthropic_blocks(message.parts, f"{where}.content", message.plain, paths)
        role = "user" if message.role == "tool" else message.role
        body["messages"].append({"role": role, "content": content})
    return body


def _anthropic_blocks(parts: list[Part], where: str, plain: bool, paths: Paths) -> Any:
    if plain and len(parts) == 1 and parts[0].kind == "text" and parts[0].mark is None:
        paths.note(parts[0].uid, where)
        return visible(parts[0].text)
    blocks = []
    for index, part in enumerate(parts):
        block, value = _ANTHROPIC[part.kind](part)
        paths.note(part.uid, f"{where}[{index}]", value)
        blocks.append({**block, **control(part.mark)})
    return blocks


_ANTHROPIC: dict[str, Callable[[Part], tuple[Body, str]]] = {
    "text": lambda part: ({"type": "text", "text": visible(part.text)}, "text"),
    "reasoning": lambda part: (
        {"type": "thinking", "thinking": part.text, "signature": b64(part.uid.encode() * 6)},
        "thinking",
    ),
    "call": lambda part: (
        {"type": "tool_use", "id": part.call_id, "name": part.name, "input": part.arguments},
        "input",
    ),
    "result": lambda part: (
        {"type": "tool_result", "tool_use_id": part.call_id, "content": [{"type": "text", "text": part.text}]},
        "content[0].text",
    ),
    "image": lambda part: (
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": b64(part.data)}},
        "source.data",
    ),
    "document": lambda part: (
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": b64(part.data)}},
        "source.data",
    ),
}


# Gemini generateContent


def _gemini(request: Request, paths: Paths) -> Body:
    body: Body = {"model": request.model}
    if request.system:
        parts = [{"text": visible(part.text)} for part in request.system]
        body["systemInstruction"] = {"parts": parts}
        for index, part in enumerate(request.system):
            paths.note(part.uid, f"systemInstruction.parts[{index}]", "text")
    if request.tools:
        body["tools"] = [{"functionDeclarations": [define(tool, "parameters") for tool in request.tools]}]
        for index, tool in enumerate(request.tools):
            paths.note(tool.uid, f"tools[0].functionDeclarations[{index}]")
    body["contents"] = []
    for index, message in enumerate(request.messages):
        paths.note(message.uid, f"contents[{index}]")
        parts = []
        for place, part in enumerate(message.parts):
            block, value = _gemini_part(part)
            paths.note(part.uid, f"contents[{index}].parts[{place}]", value)
            parts.append(block)
        body["contents"].append({"role": "model" if message.role == "assistant" else "user", "parts": parts})
    return {**body, **request.settings}


def _gemini_part(part: Part) -> tuple[Body, str]:
    if part.kind == "call":
        call = {"id": part.call_id, "name": part.name, "args": part.arguments}
        return {"functionCall": call}, "functionCall.args"
    if part.kind == "result":
        response = {"id": part.call_id, "name": part.name, "response": {"output": part.text}}
        return {"functionResponse": response}, "functionResponse.response.output"
    if part.kind in ("image", "document"):
        kind = "image/png" if part.kind == "image" else "application/pdf"
        return {"inlineData": {"mimeType": kind, "data": b64(part.data)}}, "inlineData.data"
    thought: Body = {"thought": True} if part.kind == "reasoning" else {}
    return {"text": visible(part.text), **thought}, "text"


# Bedrock Converse


def _bedrock(request: Request, paths: Paths) -> Body:
    body: Body = {"modelId": request.model}
    if request.system:
        body["system"] = _bedrock_blocks(request.system, "system", paths)
    body["messages"] = []
    for index, message in enumerate(request.messages):
        where = f"messages[{index}]"
        paths.note(message.uid, where)
        role = "assistant" if message.role == "assistant" else "user"
        content = _bedrock_blocks(message.parts, f"{where}.content", paths)
        body["messages"].append({"role": role, "content": content})
    settings = dict(request.settings)
    if request.tools:
        tools: list[Body] = []
        for tool in request.tools:
            paths.note(tool.uid, f"toolConfig.tools[{len(tools)}]")
            schema = {"json": tool.schema}
            values = {"name": tool.name, "description": tool.description, "schema": schema}
            names = {"name": "name", "description": "description", "schema": "inputSchema"}
            tools.append({"toolSpec": {names[key]: values[key] for key in tool.keys}})
            tools += _cache_point(tool.mark)
        body["toolConfig"] = {"tools": tools, **settings.pop("toolConfig", {})}
    return {**body, **settings}


def _bedrock_blocks(parts: list[Part], where: str, paths: Paths) -> list[Body]:
    blocks: list[Body] = []
    for part in parts:
        block, value = _bedrock_part(part)
        paths.note(part.uid, f"{where}[{len(blocks)}]", value)
        blocks.append(block)
        if part.mark is not None:
            paths.note(f"{part.uid}@", f"{where}[{len(blocks)}]")
        blocks += _cache_point(part.mark)
    return blocks


def _cache_point(mark: str | None) -> list[Body]:
    if mark is None:
        return []
    return [{"cachePoint": {"type": "default", **({"ttl": mark} if mark else {})}}]


def _bedrock_part(part: Part) -> tuple[Body, str]:
    if part.kind == "call":
        return {"toolUse": {"toolUseId": part.call_id, "name": part.name, "input": part.arguments}}, "toolUse.input"
    if part.kind == "result":
        result = {"toolUseId": part.call_id, "content": [{"text": part.text}], "status": "success"}
        return {"toolResult": result}, "toolResult.content[0].text"
    if part.kind == "reasoning":
        text = {"text": part.text, "signature": b64(part.uid.encode() * 6)}
        return {"reasoningContent": {"reasoningText": text}}, "reasoningContent.reasoningText.text"
    if part.kind == "image":
        return {"image": {"format": "png", "source": {"bytes": b64(part.data)}}}, "image.source.bytes"
    if part.kind == "document":
        source = {"bytes": b64(part.data)}
        return {"document": {"format": "pdf", "name": "form", "source": source}}, "document.source.bytes"
    return {"text": visible(part.text)}, "text"


def _openai_completions(request: Request, paths: Paths) -> Body:
    for part in request.system:
        paths.note(part.uid, "prompt")
    prompt = "\n\n".join(visible(part.text) for part in request.system)
    return {"model": request.model, "prompt": prompt, **request.settings}


_EMITTERS: dict[str, Callable[[Request, Paths], Body]] = {
    "anthropic": _anthropic,
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "gemini": _gemini,
    "bedrock": _bedrock,
    "openai-completions": _openai_completions,
}
