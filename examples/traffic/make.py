"""Writes `desk.jsonl.gz` beside this file: half an hour of the desk's traffic, with its cache broken three ways.

Two clerks hold six conversations through one program, which puts the clock and the clerk's name in front of the
instructions and lists its tools in another order now and then. What the provider reports follows from Anthropic's
rules with four characters to a token.
"""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DESK = json.loads((HERE.parent / "clock" / "fixed" / "before.json").read_text("utf-8"))
START = datetime(2026, 6, 17, 9, 0, 12, tzinfo=UTC)
LIFETIME = timedelta(minutes=5)
MARKER = {"cache_control": {"type": "ephemeral"}}

# Clerk, requests, seconds between two of them.
CONVERSATIONS = (("Ada", 8, 19), ("Ben", 7, 41), ("Ada", 7, 27), ("Ben", 6, 23), ("Ada", 6, 33), ("Ben", 6, 21))
QUESTIONS = (
    "The boat at {hour} from pier {pier}: are there places for {number} bicycles?",
    "And the one after it? We would rather not hurry.",
    "What does that cost with {number} blue cards?",
    "Please book it under Morrow-{number}, and one dog comes along.",
    "Can we board from pier {pier} with a wheelchair?",
    "What happens to the fare if the boat is cancelled?",
    "We are {number} minutes late. Does the boat wait?",
    "Thank you. Please send the confirmation again.",
)
ANSWERS = (
    "There are {number} places left on that boat; boarding at pier {pier} closes ten minutes before it leaves.",
    "The next one leaves at {hour} and is nearly empty, so that is the calmer choice.",
    "With the cards it is {number}0.50 crowns, paid at the pier or online.",
    "Done: the booking stands under that name, and the dog travels free on a lead.",
    "Yes. The ramp at pier {pier} is level at that hour; the crew helps if you tell them on arrival.",
    "You get the whole fare back within three days, or another boat on the same day.",
    "It waits for no one, but your ticket holds for the boat at {hour} as well.",
)


def request(conversation: int, turn: int, now: datetime, number: int) -> dict[str, Any]:
    """The body of a conversation's request: every turn before it is sent again, word for word."""
    clerk = CONVERSATIONS[conversation][0]
    clock = f"Current time: {now:%Y-%m-%d %H:%M}. You work for {clerk} at this hour."
    heading, text = DESK["system"][0]["text"].split("\n", 1)
    texts = [said(conversation, index) for index in range(2 * turn + 1)]
    messages = [
        {"role": ("user", "assistant")[index % 2], "content": [{"type": "text", "text": each}]}
        for index, each in enumerate(texts)
    ]
    messages[-1]["content"] = [{"type": "text", "text": texts[-1], **MARKER}]
    tools = list(DESK["tools"])
    return {
        "model": "claude-sonnet-4-6",
        "max_tokens": 1024,
        "tools": tools[3:] + tools[:3] if number % 11 == 5 else tools,  # a set that came out in another order
        "system": [{"type": "text", "text": f"{heading}\n\n{clock}\n{text}", **MARKER}],
        "messages": messages,
    }


def said(conversation: int, index: int) -> str:
    texts, turn = (QUESTIONS, ANSWERS)[index % 2], index // 2
    number = (3 * conversation + turn) % 5 + 2
    return texts[turn % len(texts)].format(hour=f"{9 + number}:50", pier="ABC"[number % 3], number=number)


def usage(body: dict[str, Any], now: datetime, written: dict[str, datetime]) -> dict[str, int]:
    """What the provider would report: it reads the longest prefix that was written at a marker and still lives."""
    blocks = [json.dumps(body["tools"]) + body["system"][0]["text"]]
    blocks += [each["content"][0]["text"] for each in body["messages"]]
    prefixes = ["".join(blocks[: end + 1]) for end in range(len(blocks))]
    warm = [each for each in prefixes if each in written and now - written[each] < LIFETIME]
    cached = max(map(len, warm), default=0)
    for each in (prefixes[0], prefixes[-1], *warm[-1:]):
        written[each] = now
    size = len(prefixes[-1])
    return {
        "input_tokens": 3,
        "cache_read_input_tokens": cached // 4,
        "cache_creation_input_tokens": (size - cached) // 4,
        "output_tokens": 40,
    }


def records() -> list[dict[str, Any]]:
    now, written, found = START, {}, []
    for conversation, (clerk, turns, pause) in enumerate(CONVERSATIONS):
        for turn in range(turns):
            body = request(conversation, turn, now, len(found))
            found.append(
                {
                    "ts": f"{now:%Y-%m-%dT%H:%M:%SZ}",
                    "session": f"desk-{conversation + 1}",
                    "user": clerk.lower(),
                    "request": body,
                    "response": {"usage": usage(body, now, written)},
                }
            )
            now += timedelta(seconds=pause)
        now += timedelta(minutes=1)
    return found


if __name__ == "__main__":
    lines = "".join(json.dumps(each) + "\n" for each in records())
    (HERE / "desk.jsonl.gz").write_bytes(gzip.compress(lines.encode(), mtime=0))
