"""Cache markers of one request against what the provider takes: how many, in which order of lifetimes, and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from promptlint.matchers._repairs import all_mark
from promptlint.matchers._requests import Unit, units
from promptlint.model.finding import Severity
from promptlint.model.matching import Note, Single
from promptlint.model.policy import CachePolicy, Matching
from promptlint.model.prompt import Breakpoint, Component, Kind, Section
from promptlint.model.source import Span

FACTS = frozenset({"count", "allowed", "paths", "effect", "ttl", "earlier", "earlier_ttl", "what"})

_SHOWN = 8  # paths that a message lists at most
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))


@dataclass(frozen=True, slots=True)
class Params:
    """`problem`: `count` (more than allowed), `ttl-order` (a longer lifetime behind a shorter one), `place` (on a
    block that takes none), or `tools` (large tools that no marker covers on their own).
    """

    problem: str


def notes(single: Single, params: Params) -> Iterator[Note]:
    policy = single.policy
    if policy.matching is not Matching.BREAKPOINT or not policy.breakpoints_max:
        return
    if params.problem == "count":
        yield from _count(single)
    elif params.problem == "ttl-order" and policy.longer_ttl_first:
        yield from _ttl_order(_marked(single), policy)
    elif params.problem == "place":
        yield from _places(units(single.components, single.ends), policy)
    elif params.problem == "tools":
        yield from _tools(single)


def _marked(single: Single) -> list[tuple[Component, Breakpoint]]:
    """Components with a marker where the provider takes one, in cache order."""
    return [
        (component, component.breakpoint)
        for component in single.components
        if component.breakpoint and component.section in single.policy.marker_sections
    ]


def _count(single: Single) -> Iterator[Note]:
    policy, marked = single.policy, _marked(single)
    implicit = any(block.eligible for block in single.marks.blocks)  # the provider's own takes one of the places
    allowed = policy.breakpoints_max - implicit
    if len(marked) <= allowed:
        return
    refused = policy.breakpoints_overflow == "refused"
    paths = [mark.location.path for _, mark in marked]
    more = [f"and {len(paths) - _SHOWN} more"] if len(paths) > _SHOWN else []
    yield Note(
        component=marked[allowed if refused else 0][0],
        span=None,
        setting=None,
        facts={
            "count": str(len(marked)),
            "allowed": str(allowed),
            "paths": ", ".join([*paths[:_SHOWN], *more]),
            "effect": "it refuses the request" if refused else f"only the latest {allowed} are written",
        },
        severity=None if refused else Severity.WARNING,
    )


def _ttl_order(marked: Sequence[tuple[Component, Breakpoint]], policy: CachePolicy) -> Iterator[Note]:
    shortest: tuple[int, Breakpoint] | None = None
    for component, mark in marked:
        seconds = mark.ttl_seconds if mark.ttl_seconds is not None else policy.ttl_default or 0
        if shortest is not None and seconds > shortest[0]:
            earlier = {"earlier": shortest[1].location.path, "earlier_ttl": duration(shortest[0])}
            yield Note(component=component, span=None, setting=None, facts={"ttl": duration(seconds), **earlier})
        elif shortest is None or seconds < shortest[0]:
            shortest = (seconds, mark)


def _places(blocks: Sequence[Unit], policy: CachePolicy) -> Iterator[Note]:
    for index, unit in enumerate(blocks):
        if unit.marked is not None:
            what = _refused(unit, policy)
            if what:
                yield Note(component=unit.marked, span=None, setting=None, facts={"what": what})
        elif "blank" in policy.uncacheable and _left_blank(blocks, index):
            span = Span(0, len(unit.last.text))
            what = "a block without text, left behind by a split at the marker before it"
            yield Note(component=unit.last, span=span, setting=None, facts={"what": what})


def _refused(unit: Unit, policy: CachePolicy) -> str:
    """What a marked block is that takes no marker; empty where it takes one."""
    mark = unit.marked.breakpoint if unit.marked else None
    if mark is None or mark.automatic:
        return ""
    if unit.section not in policy.marker_sections:
        return f"in {unit.section.value}, where this provider takes no marker"
    kinds = {part.kind for part in unit.parts if part.kind is not Kind.FIELD}
    if "reasoning" in policy.uncacheable and kinds == {Kind.REASONING}:
        return "a block of reasoning"
    if "blank" in policy.uncacheable and _blank(unit):
        return "a block without text"
    if "nested" in policy.uncacheable and ".source.content[" in mark.location.path:
        return "a block inside another one"
    return ""


def _blank(unit: Unit) -> bool:
    texts = [part for part in unit.parts if part.kind is Kind.TEXT]
    return len(texts) == len(unit.parts) and all(not part.text.strip() for part in texts)


def _left_blank(blocks: Sequence[Unit], index: int) -> bool:
    """Whether a blank block stands directly behind a marked one of the same text."""
    unit, before = blocks[index], blocks[index - 1] if index else None
    if before is None or before.marked is None or not _blank(unit):
        return False
    return (before.section, before.message) == (unit.section, unit.message)


def _tools(single: Single) -> Iterator[Note]:
    """Tools that would be worth a marker: all markers stand behind what changes, or where each conversation differs."""
    policy, pair = single.policy, single.pair
    blocks = units(single.components, single.ends)
    tools = [unit for unit in blocks if unit.section is Section.TOOLS]
    marked = [unit for unit in blocks if unit.marked]
    if not tools or not marked or marked[0].section is Section.TOOLS or Section.TOOLS not in policy.marker_sections:
        return
    end = tools[-1].end
    alone = marked[0].section is Section.MESSAGES or (pair is not None and pair.shared < marked[0].end)
    if alone and end >= policy.min_tokens and (pair is None or end <= pair.shared):
        facts = {"count": f"{end:,}", "allowed": str(policy.breakpoints_max)}
        yield Note(component=tools[-1].last, span=all_mark(0, tools[-1].last).span, setting=None, facts=facts)


def duration(seconds: int) -> str:
    """`1 hour`, `5 minutes`: the largest unit that fits without a rest."""
    name, size = next(((name, size) for name, size in _UNITS if seconds and seconds % size == 0), ("second", 1))
    count = seconds // size
    return f"{count} {name}" if count == 1 else f"{count} {name}s"
