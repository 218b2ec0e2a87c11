"""Request fields outside the prompt, calls beside the conversation, and token seams (PL601 to PL606, PL901)."""

from __future__ import annotations

import uuid
from random import Random
from typing import Any

from ..bases import Base
from ..mutation import Expected, Mutation, cause
from ..request import Message, Part, Request, visible
from ..truth import encoded

OTHER_MODELS = {
    "claude-opus-5": "claude-sonnet-5-5",
    "claude-sonnet-4-6": "claude-opus-4-8",
    "claude-opus-4-8": "claude-sonnet-4-6",
    "claude-sonnet-5": "claude-opus-5",
    "gpt-5.1": "gpt-5.2",
    "deepseek-v4-pro": "deepseek-v4-flash",
    "local-model": "local-model-lora-7",
    "qwen3-max": "qwen3-plus",
    "gemini-2.5-pro": "gemini-2.5-flash",
    "gemini-3.5-flash": "gemini-3.6-flash",
    "anthropic.claude-sonnet-4-6-20260101-v1:0": "anthropic.claude-opus-4-8-20260101-v1:0",
    "anthropic.claude-opus-5-20260301-v1:0": "anthropic.claude-sonnet-5-5-20260301-v1:0",
}


@cause("PL601")
def model(base: Base, rng: Random) -> Mutation | None:
    """The conversation goes on with another model."""
    if not base.after.messages:
        return None
    other = OTHER_MODELS[base.after.model]
    field = "modelId" if base.profile.wire == "bedrock" else "model"

    def bad(request: Request) -> None:
        request.model = other

    return Mutation("model", (Expected("PL601", field),), bad, zones=("setting model",))


_SCHEMA = {
    "type": "json_schema",
    "name": "answer",
    "schema": {"type": "object", "properties": {"a": {"type": "string"}}},
}
# Format or provider → (setting path, value before, value after) of parameters that split the cache there.
KEYED: dict[str, tuple[tuple[str, Any, Any], ...]] = {
    "anthropic": (
        ("thinking", {"type": "adaptive"}, {"type": "disabled"}),
        ("thinking", {"type": "enabled", "budget_tokens": 2048}, {"type": "enabled", "budget_tokens": 8192}),
        ("tool_choice", None, {"type": "any"}),
        ("tool_choice", {"type": "auto"}, {"type": "none"}),
        ("output_config.effort", {"effort": "low"}, {"effort": "medium"}),
        ("speed", "standard", "fast"),
    ),
    "openai-chat": (
        ("reasoning_effort", "low", "high"),
        ("response_format", None, {"type": "json_schema", "json_schema": _SCHEMA}),
        ("verbosity", "low", "high"),
        ("parallel_tool_calls", True, False),
    ),
    "openai-responses": (
        ("reasoning.effort", {"effort": "low"}, {"effort": "high"}),
        ("text.format", {"format": {"type": "text"}}, {"format": _SCHEMA}),
        ("text.verbosity", {"verbosity": "low"}, {"verbosity": "high"}),
        ("parallel_tool_calls", True, False),
    ),
    "gemini": (
        ("generationConfig.responseSchema", {}, {"responseSchema": {"type": "OBJECT"}}),
        ("generationConfig.responseSchema", {"responseSchema": {"type": "ARRAY"}}, {"responseSchema": {"enum": ["a"]}}),
    ),
    "bedrock": (
        ("toolConfig.toolChoice", {"toolChoice": {"auto": {}}}, {"toolChoice": {"any": {}}}),
        (
            "additionalModelRequestFields.thinking",
            {"thinking": {"type": "adaptive"}},
            {"thinking": {"type": "disabled"}},
        ),
    ),
    "vllm": (("cache_salt", "desk-1", "desk-2"),),
    "deepseek": (),
    "dashscope": (),
}  # fmt: skip


@cause("PL602")
def parameter(base: Base, rng: Random) -> Mutation | None:
    """A parameter that is part of the cache key."""
    choices = KEYED.get(base.profile.provider or "") if base.profile.provider in KEYED else KEYED.get(base.profile.wire)
    if not choices or not base.after.messages:
        return None
    path, old, new = rng.choice(choices)
    field, _, inner = path.partition(".")

    def put(value: Any, request: Request) -> None:
        if value is None:
            request.settings.pop(field, None)
        elif inner:
            request.settings[field] = {**request.settings.get(field, {}), **value}
        else:
            request.settings[field] = value

    return Mutation(
        f"parameter {path}",
        (Expected("PL602", path),),
        lambda request: put(new, request),
        lambda request: put(old, request),
        zones=(f"setting {field}",),
    )


@cause("PL603")
def routing_key(base: Base, rng: Random) -> Mutation | None:
    """Another routing key on each request."""
    if "prompt_cache_key" not in base.after.settings:
        return None
    shape = rng.choice(("{}", "session-{}", "desk:{}"))
    old, new = (shape.format(uuid.UUID(int=rng.getrandbits(128), version=4)) for _ in range(2))

    def put(value: str, request: Request) -> None:
        request.settings["prompt_cache_key"] = value

    return Mutation(
        "routing key",
        (Expected("PL603", "prompt_cache_key", positional=False),),
        lambda request: put(new, request),
        lambda request: put(old, request),
        zones=("setting prompt_cache_key",),
    )


@cause("PL604")
def no_routing_key(base: Base, rng: Random) -> Mutation | None:
    """No routing key, where the provider has one."""
    if "prompt_cache_key" not in base.after.settings:
        return None

    def bad(request: Request) -> None:
        request.settings.pop("prompt_cache_key", None)

    return Mutation(
        "no routing key", (Expected("PL604", positional=False),), bad, early=bad,
        zones=("setting prompt_cache_key",), static=True,
    )  # fmt: skip


@cause("PL605")
def body_order(base: Base, rng: Random) -> Mutation | None:
    """Messages before system text and tools in the body, on a host that minds it."""
    if base.profile.provider != "vertex-anthropic":
        return None
    order = rng.choice((("max_tokens", "messages", "model"), ("model", "messages", "system"), ("messages",)))
    both = rng.random() < 0.5

    def bad(request: Request) -> None:
        request.key_order = order

    return Mutation(
        "messages first in the body", (Expected("PL605", positional=False),), bad, early=bad if both else None,
        zones=("body order",), static=both,
    )  # fmt: skip


SUMMARIES = (
    "Summarise the conversation above in five sentences.",
    "Write a hand-over note for the next agent: goals, state, open points.",
    "Condense everything so far so that work can go on from it.",
)


@cause("PL606")
def summary_call(base: Base, rng: Random) -> Mutation | None:
    """A summary call that re-sends the history as one text, or without system text and tools."""
    if not base.after.messages:
        return None
    task = rng.choice(SUMMARIES)
    flat = rng.random() < 0.5
    text = "\n\n".join(
        f"{message.role}: {visible(part.text)}"
        for message in base.before.messages
        for part in message.parts
        if part.kind in ("text", "result")
    )

    def bad(request: Request) -> None:
        mark = base.profile.marks
        request.tools = []
        request.system = [Part("sum", "text", "You condense conversations for colleagues.", mark=None)]
        if flat:
            parts = [Part("f0.0", "text", f"{text}\n\n{task}", mark=mark)]
            request.messages = [Message("f0", "user", parts)]
        else:
            for part in request.parts():
                part.mark = None
            request.messages[-1] = Message("f0", "user", [Part("f0.0", "text", task, mark=mark)])

    kind = "summary of a flat text" if flat else "summary without system text and tools"
    return Mutation(kind, (Expected("PL606"),), bad, alone=True)


@cause("PL901")
def seam(base: Base, rng: Random) -> Mutation | None:
    """Text that only grew, and whose tokens differ where the earlier one ended."""
    if base.profile.wire not in ("text", "openai-completions"):
        return None
    part = base.after.system[-1]
    text = visible(part.text)
    whole = encoded(text)
    for _ in range(50):
        cut = rng.randrange(len(text) // 2, len(text) - 20)
        begun = encoded(text[:cut])
        if whole[: len(begun)] != begun and text[cut - 1].isalpha():
            break

    def early(request: Request) -> None:
        request.part(part.uid).text = text[:cut]

    def bad(request: Request) -> None:
        request.part(part.uid).text = text

    return Mutation(
        "seam inside a word", (Expected("PL901", positional=False),), bad, early=early, static=True, alone=True
    )
