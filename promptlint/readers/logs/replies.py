"""What a response body says of its request: usage, the message that was answered, the id and the model.

A streamed response (server-sent events, or the list of its chunks) is folded: the last usage counts, and Anthropic's,
which is reported in two events, is put together. Field names of the API references as of 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from promptlint.model.traffic import Usage
from promptlint.readers.logs.stream import parsed
from promptlint.readers.logs.usage import usage

_USAGES = ("usage", "usageMetadata", "usage_metadata")


@dataclass(frozen=True, slots=True)
class Reply:
    """Of a response: `message` is what a following request would repeat of it, in the wire's own form."""

    usage: Usage | None = None
    message: Any = None
    request_id: str = ""
    model: str = ""
    sent_at: Any = None


def reply(response: Any) -> Reply:
    """What `response` says; a text is read as JSON or server-sent events, a list as the chunks of a stream."""
    if isinstance(response, str):
        value = parsed(response)
        response = events(response) if value is None else value
    if type(response) is list:
        response = folded(response)
    if type(response) is not dict:
        return Reply()
    inner = response.get("response")  # the final event of a Responses stream
    if type(inner) is dict and "usage" in inner:
        response = inner
    raw = next((response[name] for name in _USAGES if response.get(name) is not None), None)
    return Reply(
        usage(raw, response),
        message(response),
        _text(response, "id", "responseId"),
        _text(response, "model", "modelVersion"),
        response.get("created", response.get("created_at")),
    )


def message(response: dict[str, Any]) -> Any:
    """The answered message (chat, Anthropic, Gemini, Bedrock), items (Responses) or text (completions); else None."""
    choices = response.get("choices")
    if type(choices) is list and choices and type(choices[0]) is dict:
        return choices[0].get("message", choices[0].get("text"))
    candidates = response.get("candidates")
    if type(candidates) is list and candidates and type(candidates[0]) is dict:
        return candidates[0].get("content")
    content = response.get("content")
    if type(content) is list and response.get("role") == "assistant":
        return {"role": "assistant", "content": content}
    output = response.get("output")
    if type(output) is dict:
        return output.get("message")
    return output if type(output) is list else None


def events(stream: str) -> list[Any]:
    """The JSON values of the `data:` lines of a stream of server-sent events."""
    lines = (line[5:] for line in stream.splitlines() if line.startswith("data:"))
    return [value for line in lines if (value := parsed(line)) is not None]


def folded(chunks: Iterable[Any]) -> dict[str, Any]:
    """A response with the usage, id, model and diagnosis that the chunks of a stream report; the text is left out."""
    found: dict[str, Any] = {}
    numbers: dict[str, Any] = {}
    for chunk in chunks:
        if type(chunk) is not dict:
            continue
        for part in (chunk, chunk.get("message"), chunk.get("response"), chunk.get("metadata")):
            if type(part) is not dict:
                continue
            for name in _KEPT & part.keys():
                found[name] = part[name]
            for name in _USAGES:
                if type(part.get(name)) is dict:
                    numbers.update(part[name])
    return {**found, "usage": numbers} if numbers else found


_KEPT = {"id", "responseId", "model", "modelVersion", "created", "diagnostics", "prompt_cache_diagnostics"}


def _text(response: dict[str, Any], *names: str) -> str:
    return next((value for name in names if isinstance(value := response.get(name), str)), "")
