"""A rule's examples made into real inputs: short forms expanded, `[|…|]` marks turned into places in the file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from promptlint.model.errors import RuleError
from promptlint.model.source import Source, Span
from promptlint.rulebook.rule import Example

_MARK = re.compile(r"\[\||\|\]")
_KEY_MARK = re.compile(r'"\[\|([^"|]+)\|\]"(\s*:\s*)')
_MOST_WORDS = 100_000
_FILLER = re.compile(r"<<(\d+) words>>")
_TEXT = """
Answer in short plain sentences and name the source of every figure that you give. Ask one question at a time and wait
for the reply. Never promise a delivery date that the planning system has not confirmed, and pass any request for a
refund to a colleague together with the order and the reason.
"""
_CLAUDE = ("anthropic", "vertex-anthropic")
_MODELS = {**dict.fromkeys(_CLAUDE, "claude-sonnet-4-5"), "openai": "gpt-5.1", "deepseek": "deepseek-chat"}


@dataclass(frozen=True, slots=True)
class Input:
    """One side of an example as a file, and the marked spans in it (code points)."""

    source: Source
    marked: tuple[Span, ...]


def inputs(example: Example) -> tuple[Input | None, Input]:
    """Both sides of an example; the earlier one is None for rules on a single request. Raises RuleError."""
    before = None if example.before is None else _input("before", example.before, example.provider)
    return before, _input("after", example.after, example.provider, example.file)


def _input(name: str, side: object, provider: str | None, file: str = "") -> Input:
    if isinstance(side, str):
        return _unmarked(file or f"{name}.txt", filled(side))
    if not isinstance(side, Mapping):
        raise RuleError("an example's side is a text or a request body")
    whole = body(side, provider or "anthropic")
    return _unmarked(f"{name}.json", filled(json.dumps(whole, ensure_ascii=False, indent=2)))


def filled(text: str) -> str:
    """`<<300 words>>` becomes that many words of running text."""

    def words(match: re.Match[str]) -> str:
        available = _TEXT.split()
        count = int(match[1])
        if count > _MOST_WORDS:
            raise RuleError(f"<<{count} words>> is more than an example may hold ({_MOST_WORDS:,})")
        return " ".join((available * (count // len(available) + 1))[:count])

    return _FILLER.sub(words, text)


def body(side: Mapping[str, Any], provider: str) -> dict[str, Any]:
    """A request from its short form: a model where none is named, tools by name, messages as `{user: text}`."""
    whole: dict[str, Any] = {}
    if not any(key in _bare(side) for key in ("model", "modelId", "contents")):
        whole["model"] = model_of(provider)
    if provider in _CLAUDE:
        whole["max_tokens"] = 1024
    whole |= side
    for key in ("tools", "messages"):
        if key in whole and not isinstance(whole[key], list):
            raise RuleError(f"{key!r} in an example must be a list")
    if "tools" in whole:
        whole["tools"] = [_tool(tool, provider) for tool in whole["tools"]]
    if "messages" in whole:
        whole["messages"] = [_message(message) for message in whole["messages"]]
    elif not any(key in whole for key in ("contents", "input", "instructions")):
        whole["messages"] = [{"role": "user", "content": "Is the workshop open today?"}]
    return whole


def model_of(provider: str) -> str:
    """The model of an example that names none."""
    return _MODELS.get(provider, "a-model")


def _bare(side: Mapping[str, Any]) -> list[str]:
    return [_MARK.sub("", key) for key in side]


def _tool(tool: Any, provider: str) -> Any:
    if not isinstance(tool, str):
        return tool
    schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    if provider in _CLAUDE:
        return {"name": tool, "description": "Looks one record up.", "input_schema": schema}
    function = {"name": tool, "description": "Looks one record up.", "parameters": schema}
    return {"type": "function", "function": function}


def _message(message: Any) -> Any:
    if isinstance(message, Mapping) and len(message) == 1:
        (role, content), *_ = message.items()
        return {"role": role, "content": content}
    return message


def _unmarked(name: str, text: str) -> Input:
    """The text without marks, and where they stood. A marked key marks the value behind it."""
    values: list[int] = []
    plain = ""
    seen = 0
    for match in _KEY_MARK.finditer(text):
        plain += text[seen : match.start()] + f'"{match[1]}"{match[2]}'
        values.append(len(plain))
        seen = match.end()
    plain += text[seen:]
    spans: list[Span] = []
    result = ""
    seen = 0
    start: int | None = None
    offsets: list[tuple[int, int]] = []  # (place in `plain` from which on, characters taken away)
    for match in _MARK.finditer(plain):
        result += plain[seen : match.start()]
        seen = match.end()
        offsets.append((match.end(), seen - len(result)))
        if match[0] == "[|":
            start = len(result)
        elif start is not None:
            spans.append(Span(start, len(result)))
            start = None
    result += plain[seen:]
    if start is not None:
        raise RuleError("a mark `[|` is not closed")
    for value in values:
        begin = value - max((taken for place, taken in offsets if place <= value), default=0)
        _, end = json.JSONDecoder().raw_decode(result, begin)
        spans.append(Span(begin, end))
    return Input(Source(name, result), tuple(sorted(spans, key=lambda span: span.start)))
