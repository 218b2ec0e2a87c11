"""System text in several blocks: whole blocks that came, went or moved."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.matchers._repairs import all_mark
from promptlint.model.matching import Change, FromBefore, Mark, Repair
from promptlint.model.prompt import Component, Kind, Section


@dataclass(frozen=True, slots=True)
class Blocks:
    """Components `at` to `stop_*` stand on one side only (or differ altogether); both sides go on alike behind them."""

    stop_before: int
    stop_after: int


def other_blocks(change: Change) -> Blocks | None:
    """The system blocks that only one side has at the divergence; None where the divergence is inside a block."""
    old, new = _rest(change.before, change.at_before), _rest(change.after, change.at_after)
    if not old and not new:
        return None
    if change.hunk is not None and not (_occurs(old[0], new[1:]) or _occurs(new[0], old[1:])):
        return None
    best: tuple[int, int] | None = None
    for step, component in enumerate(old):
        if best is not None and step >= sum(best):
            break
        for other, candidate in enumerate(new):
            if _same(component, candidate) and (best is None or step + other < sum(best)):
                best = (step, other)
                break
    skip_old, skip_new = best or (len(old), len(new))
    return Blocks(change.at_before + skip_old, change.at_after + skip_new)


def set_equal(change: Change, blocks: Blocks) -> Repair:
    parts = tuple(FromBefore(index) for index in range(change.at_before, blocks.stop_before))
    return Repair(change.at_after, blocks.stop_after, parts)


def marks(change: Change, blocks: Blocks) -> tuple[Mark | None, Mark | None]:
    """The first block with text on each side: (after, before)."""
    return (
        _mark(change.after, change.at_after, blocks.stop_after),
        _mark(change.before, change.at_before, blocks.stop_before),
    )


def _mark(components: tuple[Component, ...], start: int, stop: int) -> Mark | None:
    texts = [index for index in range(start, stop) if components[index].kind is not Kind.ROLE]
    return all_mark(texts[0], components[texts[0]]) if texts else None


def _rest(components: tuple[Component, ...], start: int) -> list[Component]:
    stop = start
    while stop < len(components) and components[stop].section is Section.SYSTEM:
        stop += 1
    return list(components[start:stop])


def _same(left: Component, right: Component) -> bool:
    return left.kind is right.kind and left.text == right.text and left.role == right.role


def _occurs(component: Component, others: list[Component]) -> bool:
    return component.kind is not Kind.ROLE and any(_same(component, other) for other in others)
