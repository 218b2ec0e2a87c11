"""A chat template tried with every shape of conversation: what it refuses, where it breaks, who reads the clock.

Every shape is a growing conversation. A server keeps the tokens of request n; request n+1 can use them as far as its
text is the same from the first character on.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from promptlint.model.common import common_prefix
from promptlint.model.source import Span
from promptlint.render.failures import Failure
from promptlint.render.trials.branches import Branch, branches, switches
from promptlint.render.trials.conversations import SHORT, TOOL_MARK, Length, Shape, lead, requests, shapes
from promptlint.render.trials.trace import FORMS, Form, TemplateFailed, Trace, TracedTemplate

MORNING = datetime(2026, 3, 11, 9, 12, 27)
LATER = MORNING + timedelta(hours=4, minutes=31, seconds=14)  # the same day
NEXT_DAY = MORNING + timedelta(days=1)

_MOST_SECONDS = 5  # of this thread's processor time; a usual template takes a fifth of a second

# Special tokens of a template without a tokenizer beside it: some add them to other text, which nothing cannot be.
STAND_INS = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}


@dataclass(frozen=True, slots=True)
class Break:
    """Two requests of one conversation that part at character `char`; `later` has `messages` messages.

    `cause` printed what the earlier one has there, `other` what the later one has. `tools`: the tools have moved.
    """

    shape: Shape
    earlier: str
    later: str
    body: Mapping[str, Any]
    char: int
    cause: Span
    other: Span
    tools: bool


@dataclass(frozen=True, slots=True)
class Clock:
    """A tag that asks the clock for `form`, and what it answers changes what is printed. `fine`: within a day."""

    shape: Shape
    span: Span
    form: str
    fine: bool


@dataclass(frozen=True, slots=True)
class Trial:
    """`tried`: shapes that the template takes, each in its form. `refused`: the others, with the reason of each."""

    tried: Mapping[Shape, Form]
    refused: Mapping[Shape, TemplateFailed]
    breaks: tuple[Break, ...]
    clocks: tuple[Clock, ...]
    branches: tuple[tuple[Branch, Span, frozenset[Span]], ...]


def try_template(template: TracedTemplate, tools: bool | None = None) -> Trial:
    """Tries all shapes; `tools`: only those with (True) or without (False). Raises TemplateFailed for a stopped run."""
    tried: dict[Shape, Form] = {}
    refused: dict[Shape, TemplateFailed] = {}
    breaks: list[Break] = []
    clocks: list[Clock] = []
    try:
        read, found = switches(template.tree), branches(template.tree)
    except RecursionError:
        raise TemplateFailed(Failure.STOPPED, "it nests too deeply", None) from None
    deadline = time.thread_time() + _MOST_SECONDS
    for shape in shapes(read, tools):
        if time.thread_time() > deadline:
            reason = f"it takes more than {_MOST_SECONDS} seconds to render short conversations"
            raise TemplateFailed(Failure.STOPPED, reason, None)
        bodies = list(requests(shape, SHORT))
        traces = _traces(template, bodies)
        if isinstance(traces, TemplateFailed):
            refused[shape] = traces
            continue
        tried[shape] = template.form
        breaks += _breaks(shape, bodies, traces)
        clocks += _clocks(template, shape, bodies[0], traces[0])
    decided = [(each, template.span(each.line), frozenset(map(template.span, each.decides))) for each in found]
    return Trial(tried, refused, tuple(breaks), tuple(clocks), tuple(decided))


def _traces(template: TracedTemplate, bodies: Sequence[Mapping[str, Any]]) -> list[Trace] | TemplateFailed:
    """The outputs in the form that worked last, else in the first that works. Raises TemplateFailed where stopped."""
    usual = template.form
    first: TemplateFailed | None = None
    for form in (usual, *(each for each in FORMS if each != usual)):
        template.form = form
        try:
            return [template.run(body, MORNING) for body in bodies]
        except TemplateFailed as failed:
            if failed.kind in (Failure.STOPPED, Failure.FORBIDDEN):
                raise
            first = first or failed
            if failed.kind is Failure.REFUSED:
                break
    template.form = usual
    assert first is not None
    return first


def _breaks(shape: Shape, bodies: Sequence[Mapping[str, Any]], traces: Sequence[Trace]) -> Iterator[Break]:
    for (earlier, later), body in zip(pairwise(traces), bodies[1:], strict=True):
        char = common_prefix(earlier.text, later.text)
        if char == len(earlier.text):
            continue
        moved = earlier.text.find(TOOL_MARK) != later.text.find(TOOL_MARK)
        yield Break(
            shape=shape,
            earlier=earlier.text,
            later=later.text,
            body=body,
            char=char,
            cause=earlier.printed_at(char),
            other=later.printed_at(char),
            tools=moved and _late(later.text, body["messages"]),
        )


def _late(text: str, messages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the tools stand behind the last user message, or between it and what was said before."""
    tools = text.find(TOOL_MARK)
    last = max(index for index, message in enumerate(messages) if message["role"] == "user")
    before = [lead(message) for message in messages[:last] if message["role"] != "system"]
    places = [text.find(words) for words in (*filter(None, before[-1:]), lead(messages[last])) if words in text]
    return any(tools > place for place in places)


def _clocks(template: TracedTemplate, shape: Shape, body: Mapping[str, Any], trace: Trace) -> Iterator[Clock]:
    if not trace.clock:
        return
    for moment, fine in ((LATER, True), (NEXT_DAY, False)):
        if template.run(body, moment).text == trace.text:
            continue
        for form, span in dict.fromkeys(trace.clock):
            if moment.strftime(form) != MORNING.strftime(form):
                yield Clock(shape, span, form, fine)
        return


def replay(template: TracedTemplate, shape: Shape, length: Length, pace: timedelta) -> Iterator[tuple[str, str, str]]:
    """A whole conversation: each request's text, the next one's, and how its newest message begins.

    `pace` passes between two requests. Raises TemplateFailed.
    """
    bodies = list(requests(shape, length))
    texts = [template.run(body, MORNING + pace * index).text for index, body in enumerate(bodies)]
    for (earlier, later), body in zip(pairwise(texts), bodies[1:], strict=True):
        yield earlier, later, lead(body["messages"][-1])


def closing(template: TracedTemplate, shape: Shape, length: Length, later: datetime) -> tuple[str, str]:
    """The last request of a conversation in the morning of the first day, and as it is at another time."""
    *_, body = requests(shape, length)
    return template.run(body, MORNING).text, template.run(body, later).text
