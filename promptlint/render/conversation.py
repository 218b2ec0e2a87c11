"""An OpenAI chat body as the variables a chat template is given, the way an inference server prepares them.

Follows vLLM's chat utilities (`_parse_chat_message_content`, `_postprocess_messages`; checked 2026-11-30): arguments of
tool calls are parsed, missing content is empty, text blocks are joined by newlines for a template that takes strings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from promptlint.model.errors import InputError
from promptlint.model.prompt import Prompt


def chat_body(prompt: Prompt) -> Mapping[str, Any]:
    """The request body where it is one that a chat template can take. Raises InputError."""
    body = prompt.request
    if prompt.wire != "openai-chat" or not isinstance(body, Mapping):
        raise InputError(
            f"a chat template needs an OpenAI-shaped chat body, and this is '{prompt.wire}'; leave the template out",
            name=prompt.source.name,
        )
    messages = body.get("messages")
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise InputError("'messages' must be a list of objects", name=prompt.source.name)
    return body


def variables(body: Mapping[str, Any], specials: Mapping[str, str], *, lists: bool, generate: bool) -> dict[str, Any]:
    """What the template sees. `lists`: it takes content as a list of blocks; `generate`: add the generation prompt."""
    extra = body.get("chat_template_kwargs")
    flag = body.get("add_generation_prompt")
    return {
        "documents": None,
        **specials,
        "add_generation_prompt": flag if isinstance(flag, bool) else generate,
        **(extra if isinstance(extra, dict) else {}),
        "messages": [_message(message, lists) for message in body["messages"]],
        "tools": body.get("tools") or None,
    }


def _message(message: Mapping[str, Any], lists: bool) -> dict[str, Any]:
    content = message.get("content")
    if content is None:
        content = ""
    elif isinstance(content, list) and not lists:
        content = "\n".join(_texts(content))
    found = {**message, "content": content}
    reasoning = message.get("reasoning", message.get("reasoning_content"))
    if isinstance(reasoning, str):
        found |= {"reasoning": reasoning, "reasoning_content": reasoning}
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls:
        found["tool_calls"] = [_call(call) for call in calls]
    else:
        found.pop("tool_calls", None)
    return found


def _texts(content: list[Any]) -> list[str]:
    found = (block.get("text") if isinstance(block, dict) else block for block in content)
    return [text for text in found if isinstance(text, str)]


def _call(call: Any) -> Any:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return call
    arguments = function.get("arguments")
    if isinstance(arguments, str) and arguments.strip():
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return call  # a server refuses it; the template still shows where the text goes
    return {**call, "function": {**function, "arguments": arguments or {}}}
