"""Repairs that several matchers share."""

from __future__ import annotations

from promptlint.model.history import Message, messages
from promptlint.model.matching import Change, FromAfter, FromBefore, Mark, Part, Repair, Spliced
from promptlint.model.prompt import Component, Kind
from promptlint.model.source import Span


def splice(change: Change, before: Span, after: Span) -> Repair:
    """Sets one region of the divergent component equal."""
    part = Spliced(change.at_after, after, change.at_before, before)
    return Repair(change.at_after, change.at_after + 1, (part,))


def whole(change: Change) -> Repair:
    """Sets the divergent component equal."""
    return Repair(change.at_after, change.at_after + 1, (FromBefore(change.at_before),))


def all_mark(index: int, component: Component) -> Mark:
    """Marks the whole of a component: of a tool its name, which is what people look for."""
    if component.kind is Kind.TOOL and component.name:
        start = component.text.find(f'"{component.name}"')
        if start >= 0:
            return Mark(index, Span(start + 1, start + 1 + len(component.name)))
    return Mark(index, Span(0, len(component.text)))


def message_region(change: Change) -> Repair:
    """Sets the divergent message equal: up to the next message that stands on both sides."""
    old = [item for item in messages(change.before) if item.stop > change.at_before]
    new = [item for item in messages(change.after) if item.stop > change.at_after]
    if not old or not new:
        parts: tuple[Part, ...] = tuple(FromBefore(index) for index in range(change.at_before, len(change.before)))
        return Repair(change.at_after, len(change.after), parts)
    skip_old, skip_new = _next_common(_said(old), _said(new))
    start = new[0].start
    stop = new[skip_new].start if skip_new < len(new) else new[-1].stop
    old_stop = old[skip_old].start if skip_old < len(old) else old[-1].stop
    return Repair(start, stop, tuple(FromBefore(index) for index in range(old[0].start, old_stop)))


def _said(history: list[Message]) -> list[tuple[str, str]]:
    return [(item.role, item.text) for item in history]


def _next_common(old: list[tuple[str, str]], new: list[tuple[str, str]]) -> tuple[int, int]:
    """How many messages to step over on each side until two are equal (one on each where none are)."""
    best: tuple[int, int] | None = None
    for step, message in enumerate(old):
        if best is not None and step >= sum(best):
            break
        if message not in new:
            continue
        other = new.index(message)
        if step + other > 0 and (best is None or step + other < sum(best)):
            best = (step, other)
    return best if best is not None else (1, 1)


def keep(start: int, stop: int) -> tuple[Part, ...]:
    return tuple(FromAfter(index) for index in range(start, stop))
