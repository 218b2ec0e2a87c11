"""OpenAI chat completions and Responses bodies."""

from __future__ import annotations

from typing import Any

from .emitting import Body, Paths, b64, control, define
from .request import Message, Part, Request, visible

# OpenAI chat completions


def _openai_tools(request: Request, paths: Paths) -> list[Body]:
    for index, tool in enumerate(request.tools):
        paths.note(tool.uid, f"tools[{index}]")
    return [{"type": "function", "function": define(tool, "parameters")} for tool in request.tools]


def openai_chat(request: Request, paths: Paths) -> Body:
    body: Body = {"model": request.model, **request.settings}
    if request.tools:
        body["tools"] = _openai_tools(request, paths)
    messages: list[Body] = []
    body["messages"] = messages
    for part in request.system:
        where = f"messages[{len(messages)}]"
        messages.append({"role": "system", "content": _chat_content([part], where, request.plain_system, paths)})
    for message in request.messages:
        paths.note(message.uid, f"messages[{len(messages)}]")
        if message.role == "tool":
            for part in message.parts:
                paths.note(part.uid, f"messages[{len(messages)}]", "content")
                messages.append({"role": "tool", "tool_call_id": part.call_id, "content": part.text})
        else:
            messages.append(_chat_message(message, f"messages[{len(messages)}]", paths))
    return body


def _chat_message(message: Message, where: str, paths: Paths) -> Body:
    calls = [part for part in message.parts if part.kind == "call"]
    content = [part for part in message.parts if part.kind in ("text", "image", "document")]
    body: Body = {"role": message.role, "content": _chat_content(content, where, message.plain, paths)}
    for part in message.parts:
        if part.kind == "reasoning":
            body["reasoning_content"] = part.text
            paths.note(part.uid, where, "reasoning_content")
    for index, part in enumerate(calls):
        paths.note(part.uid, f"{where}.tool_calls[{index}]", "function.arguments")
    if calls:
        body["tool_calls"] = [
            {
                "id": part.call_id,
                "type": "function",
                "function": {"name": part.name, "arguments": part.argument_text()},
            }
            for part in calls
        ]
    return body


def _chat_content(parts: list[Part], where: str, plain: bool, paths: Paths) -> Any:
    if not parts:
        return None
    if plain and len(parts) == 1 and parts[0].kind == "text" and parts[0].mark is None:
        paths.note(parts[0].uid, where, "content")
        return visible(parts[0].text)
    blocks = []
    for index, part in enumerate(parts):
        block: Body = {"type": "text", "text": visible(part.text)}
        value = "text"
        if part.kind == "image":
            block = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{b64(part.data)}"}}
            value = "image_url.url"
        elif part.kind == "document":
            data = f"data:application/pdf;base64,{b64(part.data)}"
            block = {"type": "file", "file": {"filename": "form.pdf", "file_data": data}}
            value = "file.file_data"
        paths.note(part.uid, f"{where}.content[{index}]", value)
        blocks.append({**block, **control(part.mark)})
    return blocks


# OpenAI Responses


def openai_responses(request: Request, paths: Paths) -> Body:
    body: Body = {"model": request.model, **request.settings}
    if request.tools:
        body["tools"] = [{"type": "function", **define(tool, "parameters")} for tool in request.tools]
        for index, tool in enumerate(request.tools):
            paths.note(tool.uid, f"tools[{index}]")
    items: list[Body] = []
    for number, part in enumerate(request.system):
        if number == 0 and request.plain_system:
            body["instructions"] = visible(part.text)
            paths.note(part.uid, "instructions")
        else:
            paths.note(part.uid, f"input[{len(items)}].content[0]", "text")
            content = [{"type": "input_text", "text": visible(part.text)}]
            items.append({"type": "message", "role": "developer", "content": content})
    for message in request.messages:
        paths.note(message.uid, f"input[{len(items)}]")
        _response_items(message, items, paths)
    body["input"] = items
    return body


def _response_items(message: Message, items: list[Body], paths: Paths) -> None:
    content: list[Body] = []
    for part in message.parts:
        if part.kind in ("text", "image", "document"):
            if not content:
                items.append({"type": "message", "role": message.role, "content": content})
            block, value = _response_part(part, message.role)
            paths.note(part.uid, f"input[{len(items) - 1}].content[{len(content)}]", value)
            content.append(block)
            continue
        content = []
        where = f"input[{len(items)}]"
        if part.kind == "reasoning":
            paths.note(part.uid, where, "summary[0].text")
            summary = [{"type": "summary_text", "text": part.text}]
            items.append({"type": "reasoning", "id": f"rs_{part.uid}", "summary": summary})
        elif part.kind == "call":
            paths.note(part.uid, where, "arguments")
            call = {"call_id": part.call_id, "name": part.name, "arguments": part.argument_text()}
            items.append({"type": "function_call", **call})
        else:
            paths.note(part.uid, where, "output")
            items.append({"type": "function_call_output", "call_id": part.call_id, "output": part.text})


def _response_part(part: Part, role: str) -> tuple[Body, str]:
    if part.kind == "image":
        url = f"data:image/png;base64,{b64(part.data)}"
        return {"type": "input_image", "image_url": url, "detail": "auto"}, "image_url"
    if part.kind == "document":
        data = f"data:application/pdf;base64,{b64(part.data)}"
        return {"type": "input_file", "filename": "form.pdf", "file_data": data}, "file_data"
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": kind, "text": visible(part.text)}, "text"
