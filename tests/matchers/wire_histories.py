"""One agent conversation in the five wire formats, so that every history rule is tried on each."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

WIRES = ("anthropic", "openai-chat", "openai-responses", "gemini", "bedrock")
PROVIDERS = {
    "anthropic": "anthropic", "openai-chat": "vllm", "openai-responses": "openai", "gemini": "gemini",
    "bedrock": "bedrock",
}  # fmt: skip
MODELS = {
    "anthropic": "claude-sonnet-4-6", "openai-chat": "a-model", "openai-responses": "gpt-5.1",
    "gemini": "gemini-2.5-pro", "bedrock": "anthropic.claude-sonnet-4-6-v1:0",
}  # fmt: skip


@dataclass(frozen=True)
class Call:
    id: str
    name: str
    arguments: str  # JSON as the model wrote it
    result: str


@dataclass(frozen=True)
class Turn:
    """A question and its answer, with at most one round of tool calls; `answer` None for the newest question."""

    user: tuple[str, ...]
    answer: str | None = None
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    images: tuple[bytes, ...] = ()
    note: str = ""  # a late system message before the question


@dataclass(frozen=True)
class Talk:
    turns: tuple[Turn, ...]
    system: str = "You answer questions of a bicycle workshop. Be brief and name the page that you have read."
    model: str = ""
    settings: dict[str, Any] = field(default_factory=dict)

    def change(self, index: int, **fields: Any) -> Talk:
        turns = list(self.turns)
        turns[index] = replace(turns[index], **fields)
        return replace(self, turns=tuple(turns))

    def body(self, wire: str) -> dict[str, Any]:
        built: dict[str, Any] = _WRITERS[wire](self)
        return built | self.settings


def page(number: int, words: int = 60) -> str:
    """What a tool says: a record with a number, as long as asked for."""
    lines = [
        f"Page {number}, line {line}: part {number * 37 + line} of the gear is worn." for line in range(words // 9 + 1)
    ]
    return "\n".join(lines)


def talk(turns: int = 4) -> Talk:
    """A conversation of so many turns, the last of them only asked."""
    found = [
        Turn(
            user=(f"Which part of bicycle number {number} should we look at next?",),
            answer=f"On page {number} I read that part {number * 37} is worn, so look at that one.",
            reasoning=f"The question is about bicycle {number}; the manual has page {number} on it.",
            calls=(Call(f"call_{number}x7Qa", "read_page", json.dumps({"page": number, "zoom": 2}), page(number)),),
        )
        for number in range(1, turns)
    ]
    return Talk((*found, Turn(user=(f"And what does number {turns} need today?",))))


def grown(earlier: Talk, new: Talk | None = None) -> Talk:
    """The conversation one turn later: the open question answered, and another one asked."""
    base = new or earlier
    number = len(base.turns)
    last = replace(base.turns[-1], answer=f"Number {number} needs a new chain.", reasoning="The chain is old.")
    return replace(base, turns=(*base.turns[:-1], last, Turn(user=("Then please order the chain for me.",))))


def _image(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _anthropic(given: Talk) -> dict[str, Any]:
    messages: list[dict[str, Any]] = []
    for turn in given.turns:
        if turn.note:
            messages.append({"role": "system", "content": [{"type": "text", "text": turn.note}]})
        images = [
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": _image(data)}}
            for data in turn.images
        ]
        messages.append({"role": "user", "content": [*({"type": "text", "text": text} for text in turn.user), *images]})
        thought = [{"type": "thinking", "thinking": turn.reasoning, "signature": "c2ln"}] if turn.reasoning else []
        if turn.calls:
            uses = [
                {"type": "tool_use", "id": call.id, "name": call.name, "input": json.loads(call.arguments)}
                for call in turn.calls
            ]
            messages.append({"role": "assistant", "content": [*thought, *uses]})
            results = [
                {"type": "tool_result", "tool_use_id": call.id, "content": [{"type": "text", "text": call.result}]}
                for call in turn.calls
            ]
            messages.append({"role": "user", "content": results})
            thought = []
        if turn.answer is not None:
            messages.append({"role": "assistant", "content": [*thought, {"type": "text", "text": turn.answer}]})
    system = [{"type": "text", "text": given.system}]
    return {"model": given.model or MODELS["anthropic"], "max_tokens": 100, "system": system, "messages": messages}


def _chat(given: Talk) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": given.system}]
    for turn in given.turns:
        if turn.note:
            messages.append({"role": "system", "content": turn.note})
        urls = [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{_image(d)}"}} for d in turn.images]
        parts = [*({"type": "text", "text": text} for text in turn.user), *urls]
        messages.append({"role": "user", "content": parts if len(parts) > 1 else turn.user[0]})
        thought = {"reasoning_content": turn.reasoning} if turn.reasoning else {}
        if turn.calls:
            calls = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                for call in turn.calls
            ]
            messages.append({"role": "assistant", **thought, "content": None, "tool_calls": calls})
            messages += [{"role": "tool", "tool_call_id": call.id, "content": call.result} for call in turn.calls]
            thought = {}
        if turn.answer is not None:
            messages.append({"role": "assistant", **thought, "content": turn.answer})
    return {"model": given.model or MODELS["openai-chat"], "messages": messages}


def _responses(given: Talk) -> dict[str, Any]:
    items: list[dict[str, Any]] = []
    for turn in given.turns:
        if turn.note:
            items.append(
                {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": turn.note}]}
            )
        urls = [{"type": "input_image", "image_url": f"data:image/png;base64,{_image(data)}"} for data in turn.images]
        parts = [*({"type": "input_text", "text": text} for text in turn.user), *urls]
        items.append({"type": "message", "role": "user", "content": parts})
        if turn.reasoning:
            items.append({"type": "reasoning", "summary": [{"type": "summary_text", "text": turn.reasoning}]})
        items += [
            {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}
            for call in turn.calls
        ]
        items += [{"type": "function_call_output", "call_id": call.id, "output": call.result} for call in turn.calls]
        if turn.answer is not None:
            text = {"type": "output_text", "text": turn.answer}
            items.append({"type": "message", "role": "assistant", "content": [text]})
    return {"model": given.model or MODELS["openai-responses"], "instructions": given.system, "input": items}


def _gemini(given: Talk) -> dict[str, Any]:
    contents: list[dict[str, Any]] = []
    for turn in given.turns:
        images = [{"inlineData": {"mimeType": "image/png", "data": _image(data)}} for data in turn.images]
        contents.append({"role": "user", "parts": [*({"text": text} for text in turn.user), *images]})
        thought = [{"text": turn.reasoning, "thought": True}] if turn.reasoning else []
        if turn.calls:
            calls = [
                {"functionCall": {"id": call.id, "name": call.name, "args": json.loads(call.arguments)}}
                for call in turn.calls
            ]
            contents.append({"role": "model", "parts": [*thought, *calls]})
            results = [
                {"functionResponse": {"id": call.id, "name": call.name, "response": {"output": call.result}}}
                for call in turn.calls
            ]
            contents.append({"role": "user", "parts": results})
            thought = []
        if turn.answer is not None:
            contents.append({"role": "model", "parts": [*thought, {"text": turn.answer}]})
    return {
        "model": given.model or MODELS["gemini"],
        "systemInstruction": {"parts": [{"text": given.system}]},
        "contents": contents,
    }


def _bedrock(given: Talk) -> dict[str, Any]:
    messages: list[dict[str, Any]] = []
    for turn in given.turns:
        images = [{"image": {"format": "png", "source": {"bytes": _image(data)}}} for data in turn.images]
        messages.append({"role": "user", "content": [*({"text": text} for text in turn.user), *images]})
        thought: Sequence[dict[str, Any]] = (
            [{"reasoningContent": {"reasoningText": {"text": turn.reasoning, "signature": "c2ln"}}}]
            if turn.reasoning
            else []
        )
        if turn.calls:
            uses = [
                {"toolUse": {"toolUseId": call.id, "name": call.name, "input": json.loads(call.arguments)}}
                for call in turn.calls
            ]
            messages.append({"role": "assistant", "content": [*thought, *uses]})
            results = [
                {"toolResult": {"toolUseId": call.id, "content": [{"text": call.result}]}} for call in turn.calls
            ]
            messages.append({"role": "user", "content": results})
            thought = []
        if turn.answer is not None:
            messages.append({"role": "assistant", "content": [*thought, {"text": turn.answer}]})
    return {"modelId": given.model or MODELS["bedrock"], "system": [{"text": given.system}], "messages": messages}


_WRITERS = {
    "anthropic": _anthropic, "openai-chat": _chat, "openai-responses": _responses, "gemini": _gemini,
    "bedrock": _bedrock,
}  # fmt: skip
