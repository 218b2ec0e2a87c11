"""Conversations of many shapes as request bodies: with and without system message, tools, tool loops, reasoning."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, product
from typing import Any

SYSTEM = ("with a system message", "without a system message")
TOOLS = ("with tools", "without tools")
LOOP = ("in plain turns", "in a tool loop")
REASONING = ("without reasoning", "with reasoning in assistant turns", "with reasoning in the text of assistant turns")

# The words that a tool is found by in an output.
TOOL_MARK = "Finds every free table"

_TEXT = """
We hold a table for fifteen minutes and give it to the next guest after that. Large groups leave a deposit when they
book, and the deposit is taken off the bill. Please ask for the garden when the weather is fine. The kitchen closes at
ten, drinks are served until midnight, and children eat at half price before seven. Tell us of any allergy early.
"""


@dataclass(frozen=True, slots=True)
class Shape:
    """One choice of SYSTEM, TOOLS, LOOP and REASONING each, and a switch of the template that is set (or None)."""

    system: str
    tools: str
    loop: str
    reasoning: str
    switch: tuple[str, bool] | None = None

    @property
    def traits(self) -> tuple[str, ...]:
        """What tells it from other shapes, in words."""
        return (self.system, self.tools, self.loop, self.reasoning, said(self.switch))


@dataclass(frozen=True, slots=True)
class Length:
    """How many user turns a conversation has, and the words of each text in it."""

    turns: int
    system: int
    user: int
    answer: int
    reasoning: int
    result: int


SHORT = Length(turns=3, system=12, user=6, answer=8, reasoning=6, result=6)
# Twenty turns as they are usual in support and coding chats: two or three sentences asked, a few paragraphs answered.
REALISTIC = Length(turns=20, system=250, user=40, answer=160, reasoning=200, result=120)


def said(switch: tuple[str, bool] | None) -> str:
    if switch is None:
        return "with no switch set"
    return f"with {switch[0]} {'on' if switch[1] else 'off'}"


def shapes(switches: Sequence[str], tools: bool | None = None) -> list[Shape]:
    """All shapes for a template that reads these switches; `tools`: only those with (True) or without (False)."""
    settings = [None, *((name, value) for name in switches for value in (True, False))]
    found = []
    for setting, system, offered, loop, reasoning in product(settings, SYSTEM, TOOLS, LOOP, REASONING):
        alone = loop == LOOP[1] and offered == TOOLS[1]
        silent = setting is not None and not setting[1] and reasoning != REASONING[0]
        if not alone and not silent and (tools is None or tools == (offered == TOOLS[0])):
            found.append(Shape(system, offered, loop, reasoning, setting))
    return found


def requests(shape: Shape, length: Length) -> Iterator[dict[str, Any]]:
    """The bodies of one conversation: each time the model is to answer, everything up to there."""
    body: dict[str, Any] = {"model": "a-model"}
    if shape.tools == TOOLS[0]:
        body["tools"] = [_tool(name, mark) for name, mark in _OFFERED]
    if shape.switch is not None:
        body["chat_template_kwargs"] = dict([shape.switch])
    messages: list[dict[str, Any]] = []
    if shape.system == SYSTEM[0]:
        messages.append({"role": "system", "content": _text("You serve the front desk.", length.system)})
    calls = 0
    for turn in range(1, length.turns + 1):
        messages.append({"role": "user", "content": _text(f"Question {turn}:", length.user)})
        yield {**body, "messages": list(messages)}
        for _ in range(1 + turn % 2 if shape.loop == LOOP[1] else 0):
            calls += 1
            messages += _round(shape, calls, length)
            yield {**body, "messages": list(messages)}
        messages.append(_spoken(shape, turn, _text(f"Answer {turn}:", length.answer), length))


def lead(message: Mapping[str, Any]) -> str:
    """The words that a message's text begins with (`Question 3:`), which no other text holds."""
    text: str = message["content"].rpartition("</think>")[2]
    return " ".join(text.split()[:2])


def _round(shape: Shape, number: int, length: Length) -> list[dict[str, Any]]:
    """One call of a tool and its result."""
    name = f"call{number:05}"  # some templates want nine letters or digits
    arguments = json.dumps({"day": f"day {number}", "guests": 2 + number % 5})
    call = {"id": name, "type": "function", "function": {"name": "find_table", "arguments": arguments}}
    return [
        {**_spoken(shape, 100 + number, "", length), "tool_calls": [call]},
        {
            "role": "tool",
            "tool_call_id": name,
            "name": "find_table",
            "content": _text(f"Result {number}:", length.result),
        },
    ]


def _spoken(shape: Shape, number: int, text: str, length: Length) -> dict[str, Any]:
    thought = _text(f"Thought {number}:", length.reasoning)
    if shape.reasoning == REASONING[1]:
        return {"role": "assistant", "content": text, "reasoning_content": thought}
    if shape.reasoning == REASONING[2]:
        return {"role": "assistant", "content": f"<think>\n{thought}\n</think>\n\n{text}"}
    return {"role": "assistant", "content": text}


_OFFERED = (("find_table", TOOL_MARK), ("book_table", "Books a table"), ("cancel_booking", "Cancels a booking"))


def _tool(name: str, mark: str) -> dict[str, Any]:
    properties = {
        "day": {"type": "string", "description": "The day in question"},
        "guests": {"type": "integer", "description": "How many people come"},
    }
    schema = {"type": "object", "properties": properties, "required": ["day"]}
    function = {"name": name, "description": f"{mark} for a day and a number of guests.", "parameters": schema}
    return {"type": "function", "function": function}


def _text(lead: str, words: int) -> str:
    return " ".join((lead, *islice(cycle(_TEXT.split()), words)))
