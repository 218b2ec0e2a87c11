"""A cache marker on a block that is another one in each request: what is written there is never read."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

from promptlint.matchers._requests import Unit, one_conversation, units
from promptlint.model.finding import Scope
from promptlint.model.history import alike_texts
from promptlint.model.matching import Note, Pair
from promptlint.model.policy import Matching
from promptlint.model.prompt import Section

FACTS = frozenset({"stable", "better"})

_MARGIN = 1.15  # by which a count with another vocabulary than the model's may be too low


@dataclass(frozen=True, slots=True)
class Params:
    """`causes`: codes, or their beginnings, of the rules that find a value which is another one each time."""

    causes: tuple[str, ...] = ()


def notes(pair: Pair, params: Params) -> Iterator[Note]:
    if pair.policy.matching is not Matching.BREAKPOINT or pair.scope in (Scope.RELEASE, Scope.GATEWAY):
        return
    old, new = units(pair.components_before, pair.ends_before), units(pair.components_after, pair.ends_after)
    changing = {unit for code, unit in pair.explained if code.startswith(params.causes)}
    yield from _in_system(pair, _of(old, Section.SYSTEM), _of(new, Section.SYSTEM), changing)
    if one_conversation(pair):
        yield from _in_messages(pair, old, new)


def _of(blocks: list[Unit], section: Section) -> list[Unit]:
    return [unit for unit in blocks if unit.section is section]


def _in_system(pair: Pair, old: list[Unit], new: list[Unit], changing: Container[object]) -> Iterator[Note]:
    """A marked system block with a value that changes, behind a longer stable one without a marker."""
    for index, (left, right) in enumerate(zip(old, new, strict=False)):
        if index == 0 or not (left.marked and right.marked) or right.last.unit not in changing:
            continue
        # What stands before may have changes of its own; it is the same block still.
        before = new[index - 1]
        stable = before.marked is None and _alike(old[index - 1], before)
        if stable and _long_enough(pair, before) and right.end - before.end <= before.end:
            yield _note(right, before)


def _in_messages(pair: Pair, old: list[Unit], new: list[Unit]) -> Iterator[Note]:
    """A marked block at the end of the conversation that moves on with it instead of staying where it was sent."""
    index = max((index for index, unit in enumerate(old) if unit.marked), default=0)
    last = next((unit for unit in reversed(new) if unit.marked), None)
    if not index or last is None or old[index].section is not Section.MESSAGES:
        return
    volatile, before = old[index], old[index - 1]
    moved = volatile.end > pair.shared >= before.end and last.message > volatile.message
    if not moved or before.marked or not _long_enough(pair, before):
        return
    if _alike(volatile, last):
        yield _note(last, new[new.index(last) - 1])


def _alike(left: Unit, right: Unit) -> bool:
    return left.text == right.text or alike_texts(" ".join(left.text.split()), " ".join(right.text.split()))


def _long_enough(pair: Pair, unit: Unit) -> bool:
    """Whether a marker on the block would be of use; a count that is an estimate may be too low."""
    return unit.end * (1 if pair.marks_after.exact else _MARGIN) >= pair.policy.min_tokens


def _note(unit: Unit, stable: Unit) -> Note:
    facts = {"stable": f"{stable.end:,}", "better": stable.last.location.path}
    return Note(component=unit.marked, span=None, setting=None, facts=facts)
