"""Base requests: agents, desks and prompt files as they are sent in earnest, each with the request that follows it."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

from . import words
from .request import Message, Part, Request, Tool, slotted


@dataclass(frozen=True)
class Profile:
    """What a base request is made of. `turns` counts user messages; `marks` is the lifetime of its cache markers."""

    name: str
    wire: str
    provider: str | None
    model: str
    tools: int
    turns: int
    paragraphs: int
    settings: dict[str, Any] = field(default_factory=dict)
    blocks: int = 1
    marks: str | None = None
    reasoning: bool = False
    images: bool = False


@dataclass(frozen=True)
class Base:
    """`before` and `after` are two requests of one conversation, `fresh` begins another one with the same head."""

    profile: Profile
    before: Request
    after: Request
    fresh: Request


_KEY = {"prompt_cache_key": "desk-agents"}
_GEMINI = {"generationConfig": {"temperature": 0.2, "maxOutputTokens": 2048}}
_BEDROCK = {"inferenceConfig": {"maxTokens": 2048, "temperature": 0.2}}

PROFILES = (
    Profile("code-agent", "anthropic", None, "claude-opus-5", 24, 40, 14, {"thinking": {"type": "adaptive"}}, 2, "",
            reasoning=True),
    Profile("support-desk", "anthropic", None, "claude-sonnet-4-6", 8, 12, 10, {"temperature": 0.3}, 2, "1h",
            images=True),
    Profile("contract-review", "anthropic", None, "claude-opus-4-8", 5, 8, 16, {"metadata": {"user_id": "u-1"}}, 3, "",
            reasoning=True, images=True),
    Profile("field-service", "anthropic", "vertex-anthropic", "claude-sonnet-5", 12, 20, 8, {"stream": True}, 2, "",
            reasoning=True),
    Profile("repository-agent", "openai-chat", None, "gpt-5.1", 40, 40, 14, {**_KEY, "reasoning_effort": "low"}),
    Profile("travel-desk", "openai-chat", "azure-openai", "gpt-5.1", 6, 14, 9, {**_KEY, "temperature": 1},
            images=True),
    Profile("tutor", "openai-chat", "deepseek", "deepseek-v4-pro", 10, 18, 8, {"max_tokens": 2048}, reasoning=True),
    Profile("warehouse", "openai-chat", "vllm", "local-model", 60, 40, 10, {"temperature": 0.1}),
    Profile("library", "openai-chat", "dashscope", "qwen3-max", 7, 12, 12, {"temperature": 0.4}, 1, ""),
    Profile("research", "openai-responses", None, "gpt-5.1", 30, 24, 12, {**_KEY, "store": False}, reasoning=True),
    Profile("clinic", "openai-responses", None, "gpt-5.1", 9, 16, 10, {**_KEY, "truncation": "disabled"}, 2,
            images=True),
    Profile("planner", "gemini", None, "gemini-2.5-pro", 15, 40, 12, _GEMINI, 2, reasoning=True),
    Profile("catalogue", "gemini", None, "gemini-3.5-flash", 6, 12, 22, _GEMINI, images=True),
    Profile("bank", "bedrock", None, "anthropic.claude-sonnet-4-6-20260101-v1:0", 20, 40, 10, _BEDROCK, 2, "",
            reasoning=True),
    Profile("insurer", "bedrock", None, "anthropic.claude-opus-5-20260301-v1:0", 55, 12, 8, _BEDROCK, 2, "1h",
            images=True),
    Profile("house-rules", "text", None, "", 0, 0, 14),
    Profile("grading", "text", None, "", 0, 0, 24),
    Profile("mail-sorter", "openai-completions", "vllm", "local-model", 0, 0, 12, {"temperature": 0}),
)  # fmt: skip


@cache
def base(name: str, seed: int) -> Base:
    """The base request of a profile. Mutations work on copies."""
    profile = next(profile for profile in PROFILES if profile.name == name)
    rng = Random(f"{seed} {name}")
    tools = _tools(rng, profile.tools)
    system = _system(rng, profile)
    history = _history(rng, profile, tools, "m", profile.turns + 1)
    turns = [index for index, message in enumerate(history) if message.role == "user"]

    def request(messages: list[Message]) -> Request:
        made = Request(profile.wire, profile.provider, profile.model, tools, system, messages, dict(profile.settings))
        made.plain_system = profile.marks is None
        made = made.copy()
        _mark(made, profile)
        return made

    if not turns:
        whole = request([])
        return Base(profile, whole, whole.copy(), whole.copy())
    before, after = request(history[: turns[-2] + 1]), request(history[: turns[-1] + 1])
    other = _history(Random(f"{seed} {name} fresh"), profile, tools, "n", 2)
    return Base(profile, before, after, request(other[:1]))


def _mark(request: Request, profile: Profile) -> None:
    """The markers that a careful client sets: tools, system text, the newest message and the one before it."""
    if profile.marks is None:
        return
    if request.tools and profile.provider != "dashscope":
        request.tools[-1].mark = profile.marks
    request.system[-1].mark = profile.marks
    for message in [message for message in request.messages if message.role == "user"][-2:]:
        message.parts[-1].mark = profile.marks


# Tools


def _tools(rng: Random, count: int) -> list[Tool]:
    names: dict[str, None] = {}
    while len(names) < count:
        names[f"{rng.choice(words.ACTS)}_{rng.choice(words.THINGS)}"] = None
    return [_tool(rng, f"t{index}", name) for index, name in enumerate(sorted(names))]


def new_tool(rng: Random, uid: str, taken: set[str]) -> Tool:
    """A tool whose name is not taken yet (and is, from now on)."""
    while (name := f"{rng.choice(words.ACTS)}_{rng.choice(words.THINGS)}") in taken:
        pass
    taken.add(name)
    return _tool(rng, uid, name)


def _tool(rng: Random, uid: str, name: str) -> Tool:
    act, thing = name.split("_")
    description = f"{act.capitalize()} one {thing}. {words.prose(rng, 2)}"
    properties: dict[str, Any] = {
        f"{thing}_id": {"type": "string", "description": f"The {thing} in question."},
        "place": {"type": "string", "enum": rng.sample(["yard", "counter", "depot", "desk", "archive", "queue"], 4)},
        "limit": {"type": "integer", "minimum": 1, "description": words.sentence(rng)},
        "options": {
            "type": "object",
            "properties": {
                "reason": {"type": "string", "description": words.sentence(rng)},
                "urgent": {"type": "boolean"},
                "labels": {"type": "array", "items": {"type": "string"}, "description": "Labels to set."},
            },
            "required": ["reason", "urgent"],
        },
    }
    keys = list(properties)[: rng.randint(2, 4)]
    if len(keys) < 4:
        keys[-1] = "options"
    schema = {
        "type": "object",
        "properties": {key: properties[key] for key in keys},
        "required": rng.sample(keys, len(keys)),
    }
    return Tool(uid, name, description, schema)


# System text


def _system(rng: Random, profile: Profile) -> list[Part]:
    """Blocks of paragraphs: an introduction, headed sections, lists."""
    share = max(3, profile.paragraphs // profile.blocks)
    return [Part(f"s{index}", "text", _text(rng, profile.name, share, index)) for index in range(profile.blocks)]


def _text(rng: Random, name: str, count: int, index: int) -> str:
    title = name.replace("-", " ")
    opening = f"You are the assistant of the {title}." if index == 0 else f"Further rules of the {title}."
    paragraphs = [[opening, *words.sentences(rng, 3)]]
    topics = rng.sample(words.TOPICS, len(words.TOPICS))
    for number in range(count - 1):
        heading = f"## {topics[number % len(topics)]}\n"
        if number % 4 == 1:
            paragraphs.append([heading, *(f"{line}\n" for line in words.bullets(rng, rng.randint(4, 7)))])
        elif number % 4 == 3:
            paragraphs.append(words.sentences(rng, rng.randint(5, 8)))
        else:
            paragraphs.append([heading + words.sentence(rng), *words.sentences(rng, rng.randint(4, 7))])
    return slotted(paragraphs)


# History


def _history(rng: Random, profile: Profile, tools: list[Tool], prefix: str, turns: int) -> list[Message]:
    """Turns of a user message, sometimes a tool call with its result, and an answer."""
    if profile.wire in ("text", "openai-completions"):
        return []
    messages: list[Message] = []

    def add(role: str, *parts: Part) -> None:
        uid = f"{prefix}{len(messages)}"
        for index, part in enumerate(parts):
            part.uid = f"{uid}.{index}"
        plain = not (role == "user" and profile.images)
        messages.append(Message(uid, role, list(parts), plain))

    for turn in range(turns):
        image = [Part("", "image", data=png(rng))] if profile.images and turn % 5 == 1 else []
        if profile.images and profile.name == "contract-review" and turn == 2:
            image = [Part("", "document", data=pdf(rng))]
        add("user", *image, Part("", "text", _paragraph(rng, rng.randint(2, 4))))
        thought = [Part("", "reasoning", words.prose(rng, 3))] if profile.reasoning else []
        if turn % 2 == 0 and tools:
            calls, results = _round(rng, profile, tools, 2 if turn % 6 == 4 else 1)
            add("assistant", *thought, *calls)
            add("tool", *results)
            thought = []
        add("assistant", *thought, Part("", "text", _paragraph(rng, rng.randint(2, 5))))
    return messages


def _paragraph(rng: Random, count: int) -> str:
    return slotted([words.sentences(rng, count)])


def _round(rng: Random, profile: Profile, tools: list[Tool], count: int) -> tuple[list[Part], list[Part]]:
    calls, results = [], []
    for tool in rng.sample(tools, count):
        call_id = _CALL_IDS[profile.wire](rng)
        arguments = {
            key: f"{rng.choice(words.QUALITIES)} {rng.choice(words.THINGS)}" for key in tool.schema["properties"]
        }
        arguments["note"] = f"caf\u00e9 {rng.choice(words.PLACES)}"
        calls.append(Part("", "call", call_id=call_id, name=tool.name, arguments=arguments))
        results.append(Part("", "result", _result(rng), call_id=call_id, name=tool.name))
    return calls, results


def _result(rng: Random) -> str:
    kind = rng.randrange(3)
    if kind == 0:
        rows = [
            {"thing": rng.choice(words.THINGS), "state": rng.choice(words.QUALITIES), "count": rng.randint(1, 90)}
            for _ in range(rng.randint(6, 10))
        ]
        return json.dumps({"rows": rows, "complete": True, "note": "caf\u00e9"}, ensure_ascii=False)
    if kind == 1:
        return "\n".join(words.bullets(rng, rng.randint(12, 18)))
    return words.prose(rng, rng.randint(10, 14))


def _alphabet(prefix: str, alphabet: str, length: int) -> Callable[[Random], str]:
    return lambda rng: prefix + "".join(rng.choice(alphabet) for _ in range(length))


_BASE62 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_CALL_IDS: dict[str, Callable[[Random], str]] = {
    "anthropic": _alphabet("toolu_01", _BASE62, 22),
    "openai-chat": _alphabet("call_", _BASE62, 24),
    "openai-responses": _alphabet("call_", _BASE62, 24),
    "gemini": _alphabet("", "0123456789abcdefghijklmnopqrstuvwxyz", 8),
    "bedrock": _alphabet("tooluse_", _BASE62, 22),
}


def new_call_id(rng: Random, wire: str) -> str:
    return _CALL_IDS[wire](rng)


# Attachments


def png(rng: Random, level: int = 6) -> bytes:
    """A small image of noise; `level` of compression gives other bytes of the same picture."""
    width, height = 24, 16
    rows = b"".join(b"\0" + bytes(rng.randrange(4) * 60 for _ in range(3 * width)) for _ in range(height))
    return picture(width, height, rows, level)


def picture(width: int, height: int, rows: bytes, level: int = 6) -> bytes:
    """The bytes of a PNG file."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, level)) + chunk(b"IEND", b"")
    )


def pdf(rng: Random) -> bytes:
    """A document of one page as far as a reader of its structure can tell."""
    return b"%PDF-1.7\n1 0 obj << /Type /Page >> endobj\n" + words.prose(rng, 6).encode() + b"\n%%EOF\n"
