"""The parts of a request body stand in an order that costs the prefix, on hosts that read the body as it is sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from promptlint.matchers._repairs import all_mark
from promptlint.model.finding import Scope
from promptlint.model.matching import Note, Single
from promptlint.model.prompt import Prompt, Section

FACTS = frozenset({"order", "why"})

_PARTS = {"tools": Section.TOOLS, "system": Section.SYSTEM, "messages": Section.MESSAGES}


@dataclass(frozen=True, slots=True)
class Params:
    """No parameters."""


def notes(single: Single, params: Params) -> Iterator[Note]:
    if not single.policy.key_order_matters:
        return
    order, pair = _order(single.prompt), single.pair
    late = order[order.index("messages") + 1 :] if "messages" in order else []
    if late:
        yield from _at(single, late[0], order, "what grows stands before what stays")
    elif pair and pair.scope is not Scope.GATEWAY:
        was = [key for key in _order(pair.before) if key in order]
        now = [key for key in order if key in was]
        moved = next((new for old, new in zip(was, now, strict=True) if old != new), None)
        if moved is not None:
            yield from _at(single, moved, order, f"in the earlier request it was {', '.join(was)}")


def _order(prompt: Prompt) -> list[str]:
    return [key for key in prompt.key_order if key in _PARTS]


def _at(single: Single, key: str, order: list[str], why: str) -> Iterator[Note]:
    component = next((c for c in single.components if c.section is _PARTS[key] and c.text), None)
    if component is not None:
        span = all_mark(0, component).span
        yield Note(component=component, span=span, setting=None, facts={"order": ", ".join(order), "why": why})
