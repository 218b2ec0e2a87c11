"""Logs made from a few settings: what is wrong with them is known, and so is the same log without it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

Body = dict[str, Any]
Record = tuple[float, str, str, Body]  # sent at, session, user, body

START = 1_780_000_000.0
WORDS: tuple[str, ...] = ("harbour", "pilot", "tide", "ferry", "ticket", "bicycle", "lantern", "deck", "purser")
WORDS += (
    "winter",
    "timetable",
    "fare",
    "gangway",
    "crew",
    "dog",
    "booking",
    "refund",
    "weather",
    "pier",
    "anchor",
    "rope",
    "cabin",
    "cargo",
)
CAUSES = ("clock", "order", "identity", "keys", "edited", "model", "thinking", "late", "window")
MARKER = {"cache_control": {"type": "ephemeral"}}


def words(seed: int, count: int) -> str:
    chosen = random.Random(seed)
    return " ".join(chosen.choice(WORDS) for _ in range(count))


INSTRUCTIONS = "\n".join(f"{number}. {words(number, 40)}." for number in range(30))


def tool(name: str, *, flipped: bool) -> Body:
    properties = {"place": {"type": "string"}, "day": {"type": "string", "description": words(len(name), 12)}}
    if flipped:
        properties = dict(reversed(properties.items()))
    description = words(sum(map(ord, name)), 40)
    return {"name": name, "description": description, "input_schema": {"type": "object", "properties": properties}}


NAMES = [f"{verb}_{thing}" for verb in ("find", "book") for thing in ("boat", "pier", "fare", "cabin")]


def records(
    *causes: str, sessions: int = 2, turns: int = 4, every: float = 40.0, pinned: bool = False, wire: str = "anthropic"
) -> Iterator[Record]:
    """Conversations one after another. `pinned`: every cause is repaired, its value is that of the first request."""
    number = 0
    now = START
    for session in range(sessions):
        said: list[str] = []
        for turn in range(turns):
            now += 400.0 if "late" in causes and turn else every
            number += 1
            shown = 1 if pinned else number
            said += [f"Question {session}.{turn}: {words(97 * session + turn, 50)}"]
            user = "Ada Quill" if pinned or session % 2 == 0 or "identity" not in causes else "Ben Marsh"
            name = f"user-{session % 2}"
            body = _anthropic(causes, shown, turn, session, user, said)
            yield now, f"s{session}", name, body if wire == "anthropic" else _openai(body)
            said += [f"Answer {session}.{turn}: {words(89 * session + turn, 30)}"]


def _anthropic(causes: Iterable[str], shown: int, turn: int, session: int, user: str, said: list[str]) -> Body:
    names = NAMES[:]
    if "order" in causes:
        random.Random(shown).shuffle(names)
    system = "You serve the ferry desk.\n"
    if "clock" in causes:
        system += f"Current time: 2026-06-01 {9 + shown // 3600:02}:{shown // 60 % 60:02}:{shown % 60:02}\n"
    system += INSTRUCTIONS + "\n"
    if "identity" in causes:
        system += f"user_full_name: {user}\n"
    system += INSTRUCTIONS[::-1]
    messages: list[Body] = [
        {"role": ("user", "assistant")[index % 2], "content": [{"type": "text", "text": text}]}
        for index, text in enumerate(_history(causes, said))
    ]
    messages[-1]["content"][-1].update(MARKER)
    body: Body = {"model": "claude-sonnet-4-5", "max_tokens": 500}
    if "model" in causes and turn >= 2:
        body["model"] = "claude-opus-4-5"
    if "thinking" in causes and turn % 2:
        body["thinking"] = {"type": "enabled", "budget_tokens": 4000}
    tools = [tool(name, flipped="keys" in causes and shown % 2 == 0) for name in names]
    return body | {"tools": tools, "system": [{"type": "text", "text": system, **MARKER}], "messages": messages}


def _history(causes: Iterable[str], said: list[str]) -> list[str]:
    last = len(said) - 1
    if "edited" in causes:
        return ["(left out)" if index % 2 == 0 and index < last - 1 else text for index, text in enumerate(said)]
    if "window" in causes:
        return said[-3:]
    return said


def _openai(body: Body) -> Body:
    messages = [{"role": each["role"], "content": each["content"][0]["text"]} for each in body["messages"]]
    tools = [
        {
            "type": "function",
            "function": {
                "name": each["name"],
                "description": each["description"],
                "parameters": each["input_schema"],
            },
        }
        for each in body["tools"]
    ]
    instructions = {"role": "system", "content": body["system"][0]["text"]}
    return {"model": "gpt-5.1", "tools": tools, "messages": [instructions, *messages]}


def written(path: Path, log: Iterable[Record]) -> Path:
    """The log as JSON Lines."""
    lines = [
        json.dumps({"ts": at, "session": session, "user": user, "request": body}) for at, session, user, body in log
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path
