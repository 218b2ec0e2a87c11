"""Changes that cost nothing: growth, new input, sampling, other conversations, values that only look volatile."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from . import words
from .bases import Base, png
from .mutation import insert, system_place
from .mutations import values
from .request import Message, Part, Request


@dataclass(frozen=True)
class Change:
    """A kind of harmless change, and the seed of its chances."""

    kind: str
    seed: str


Pair = tuple[Request, Request]
CHANGES: dict[str, Callable[[Base, Random], Pair | None]] = {}


def harmless(function: Callable[[Base, Random], Pair | None]) -> Callable[[Base, Random], Pair | None]:
    CHANGES[function.__name__.replace("_", " ")] = function
    return function


def _both(base: Base) -> Pair:
    return base.before.copy(), base.after.copy()


@harmless
def growth(base: Base, rng: Random) -> Pair | None:
    """A turn more; markers move with it."""
    return _both(base) if base.after.messages else None


@harmless
def same_bytes(base: Base, rng: Random) -> Pair | None:
    return base.after.copy(), base.after.copy()


@harmless
def newest_input_differs(base: Base, rng: Random) -> Pair | None:
    """The newest message was worded anew and sent again."""
    if not base.after.messages:
        return None
    before, after = base.after.copy(), base.after.copy()
    after.messages[-1].parts[-1].text = words.prose(rng, rng.randint(1, 4))
    return before, after


@harmless
def volatile_newest_input(base: Base, rng: Random) -> Pair | None:
    """A clock, an id or a passage rides on the newest message of each request, and is replayed as it was."""
    if not base.after.messages:
        return None
    before, after = _both(base)
    last = before.messages[-1].uid
    _, old, new = values.clock_texts(rng)
    if rng.random() < 0.5:
        old, new = (f"<context>\n{words.prose(rng, 3)}\n</context>" for _ in range(2))
    for request, uid, text in ((before, last, old), (after, last, old), (after, after.messages[-1].uid, new)):
        part = request.message(uid).parts[-1]
        part.text = f"{text}\n\n{part.text}"
    return before, after


SAMPLING: dict[str, tuple[tuple[str, object, object], ...]] = {
    "anthropic": (("temperature", 0.1, 0.9), ("max_tokens", 512, 8192), ("top_p", 0.8, 0.95), ("stream", True, False)),
    "openai-chat": (("temperature", 0, 1), ("max_completion_tokens", 9, 400), ("seed", 1, 2), ("stream", True, False)),
    "openai-responses": (("temperature", 0, 1), ("max_output_tokens", 100, 4000), ("stream", True, False)),
    "gemini": (("generationConfig", {"temperature": 0.1}, {"temperature": 0.9, "topK": 20}),),
    "bedrock": (("inferenceConfig", {"maxTokens": 300}, {"maxTokens": 3000, "temperature": 0.9}),),
    "openai-completions": (("temperature", 0, 1), ("max_tokens", 10, 900)),
}  # fmt: skip


@harmless
def sampling(base: Base, rng: Random) -> Pair | None:
    """Temperature, length, streaming: in no cache key."""
    choices = SAMPLING.get(base.profile.wire)
    if choices is None:
        return None
    before, after = _both(base)
    for name, old, new in rng.sample(choices, min(2, len(choices))):
        before.settings[name], after.settings[name] = old, new
    return before, after


@harmless
def body_key_order(base: Base, rng: Random) -> Pair | None:
    """The body's keys in another order, on a host that parses them."""
    if base.profile.provider == "vertex-anthropic" or base.profile.wire == "text":
        return None
    before, after = _both(base)
    keys = ["messages", "system", "tools", "model", "contents", "input", "instructions", "systemInstruction", "modelId"]
    after.key_order = tuple(rng.sample(keys, len(keys)))
    return before, after


@harmless
def pinned_values(base: Base, rng: Random) -> Pair | None:
    """A date, a clock, an id, a name and a count in the system text that stay as they are."""
    before, after = _both(base)
    _, clock, _ = values.clock_texts(rng)
    texts = [clock, f"The contract of {rng.randint(1, 28)} March 2024 is in force.", f"User name: {words.person(rng)}",
             f"Example id: {values.IDS['uuid'](rng)}", "Turn 1 of 40", "Working directory: /srv/desk"]  # fmt: skip
    for text in rng.sample(texts, 3):
        edit = insert(system_place(base, rng, paragraph=True), text)
        edit(before)
        edit(after)
    return before, after


@harmless
def another_conversation(base: Base, rng: Random) -> Pair | None:
    """Another conversation with the same tools and system text."""
    return (base.after.copy(), base.fresh.copy()) if base.after.messages else None


@harmless
def another_user(base: Base, rng: Random) -> Pair | None:
    """Another user's conversation; the user stands in the request's metadata only."""
    if base.profile.wire not in ("anthropic", "openai-chat", "openai-responses") or base.profile.provider == "deepseek":
        return None
    before, after = base.before.copy(), base.fresh.copy()
    for request, user in ((before, "u-17"), (after, "u-29")):
        if base.profile.wire == "anthropic":
            request.settings["metadata"] = {"user_id": user}
        else:
            request.settings["safety_identifier"] = user
    return before, after


@harmless
def markers_within_reach(base: Base, rng: Random) -> Pair | None:
    """Only the newest message is marked; the last written place is a few blocks behind it."""
    if base.profile.marks is None:
        return None
    before, after = _both(base)
    for request in (before, after):
        for message in request.messages[:-1]:
            for part in message.parts:
                part.mark = None
    return before, after


@harmless
def tools_covered_by_system_marker(base: Base, rng: Random) -> Pair | None:
    """The marker on the system text covers the tools before it."""
    if base.profile.marks is None:
        return None
    before, after = _both(base)
    for request in (before, after):
        for tool in request.tools:
            tool.mark = None
    return before, after


@harmless
def metadata(base: Base, rng: Random) -> Pair | None:
    """Bookkeeping fields of a request."""
    names = {
        "openai-chat": "metadata",
        "openai-responses": "metadata",
        "bedrock": "requestMetadata",
        "gemini": "labels",
    }
    if base.profile.wire not in names:
        return None
    before, after = _both(base)
    before.settings[names[base.profile.wire]] = {"build": "41"}
    after.settings[names[base.profile.wire]] = {"build": "42"}
    return before, after


@harmless
def retry_of_an_earlier_turn(base: Base, rng: Random) -> Pair | None:
    """The conversation went back to where it was: the later request is the beginning of the earlier one."""
    return (base.after.copy(), base.before.copy()) if base.after.messages else None


@harmless
def new_picture(base: Base, rng: Random) -> Pair | None:
    """The newest message brings a picture along."""
    if not base.profile.images:
        return None
    before, after = _both(base)
    after.messages[-1].parts.insert(0, Part("newest.image", "image", data=png(rng)))
    return before, after


@harmless
def tool_loop(base: Base, rng: Random) -> Pair | None:
    """The request after a tool call: a call and its result were appended."""
    if not base.after.tools or not base.after.messages:
        return None
    before, after = base.after.copy(), base.after.copy()
    call_id = "call_7hG2kQ9mVx1LpZ4tRw8sYd"
    arguments = {"limit": rng.randint(1, 9)}
    call = Part("loop.0", "call", call_id=call_id, name=base.after.tools[0].name, arguments=arguments)
    text = json.dumps({"found": rng.randint(1, 99)}) if rng.random() < 0.5 else words.prose(rng, 3)
    result = Part("loop.1", "result", text, call_id=call_id, name=base.after.tools[0].name)
    after.messages += [Message("loop0", "assistant", [call]), Message("loop1", "tool", [result])]
    if base.profile.marks is not None:
        marked = [part for message in after.messages for part in message.parts if part.mark is not None]
        marked[0].mark, result.mark = None, base.profile.marks
    return before, after


@harmless
def text_appended(base: Base, rng: Random) -> Pair | None:
    """A prompt file that goes on where it ended."""
    if base.profile.wire not in ("text", "openai-completions"):
        return None
    before, after = _both(base)
    after.system[-1].text += "\n\n" + words.prose(rng, rng.randint(1, 5))
    return before, after


@harmless
def question_at_the_end(base: Base, rng: Random) -> Pair | None:
    """Two uses of a prompt file that differ in the input behind the instructions."""
    if base.profile.wire not in ("text", "openai-completions"):
        return None
    before, after = _both(base)
    for request in (before, after):
        request.system[-1].text += "\n\nInput: " + words.prose(rng, rng.randint(1, 5))
    return before, after
