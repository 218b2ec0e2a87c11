"""A cache marker that a caller set and that is not on the wire, or with a shorter lifetime."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from promptlint.matchers._requests import Unit, units
from promptlint.matchers.markers import duration
from promptlint.model.matching import Note, Pair
from promptlint.model.policy import CachePolicy, Matching
from promptlint.model.prompt import Breakpoint, Section

FACTS = frozenset({"what", "declared", "wire"})

_GONE = "is not on the wire"


@dataclass(frozen=True, slots=True)
class Params:
    """No parameters."""


def notes(pair: Pair, params: Params) -> Iterator[Note]:
    policy = pair.policy
    if policy.matching is not Matching.BREAKPOINT:
        return
    written, sent = units(pair.components_before, pair.ends_before), units(pair.components_after, pair.ends_after)
    declared = [unit for unit in written if unit.marked and unit.section in policy.marker_sections]
    kept = sum(unit.marked is not None for unit in sent)
    facts = {"declared": str(len(declared)), "wire": str(kept)}
    places = _places(written, sent)
    for unit in declared:
        what = _lost(unit, places[id(unit)], sent, policy)
        full = kept >= policy.breakpoints_max  # the provider takes no more: some had to go
        if what and not (full and what.startswith(_GONE)):
            yield Note(component=unit.marked, span=None, setting=None, facts={"what": what, **facts})


def _places(written: Sequence[Unit], sent: Sequence[Unit]) -> dict[int, Unit | None]:
    """Where each block stands on the wire: the same text, in its section if it is there, as often as it occurs."""
    by_text: dict[str, list[Unit]] = defaultdict(list)
    for unit in sent:
        by_text[unit.text].append(unit)
    found: dict[int, Unit | None] = {}
    for unit in written:
        same = by_text[unit.text]
        at = next((index for index, other in enumerate(same) if other.section is unit.section), 0)
        found[id(unit)] = same.pop(at) if same else None
        if not same and found[id(unit)] is None and unit.marked and unit.text:
            found[id(unit)] = next((other for other in sent if unit.text in other.text), None)
    return found


def _lost(unit: Unit, place: Unit | None, sent: Sequence[Unit], policy: CachePolicy) -> str:
    """What the marker lost; empty where it arrived, on its block or behind it in the same message."""
    assert unit.marked is not None and unit.marked.breakpoint is not None
    if place is None:
        return f"{_GONE}, and neither is its block"
    arrived = place.marked or next(
        (
            other.marked
            for other in sent
            if other.section is place.section is Section.MESSAGES
            and other.message == place.message
            and other.end >= place.end
            and other.marked
        ),
        None,
    )
    if arrived is None or arrived.breakpoint is None:
        return _GONE
    old, new = _lifetime(unit.marked.breakpoint, policy), _lifetime(arrived.breakpoint, policy)
    return f"lasts {duration(new)} on the wire instead of {duration(old)}" if new < old else ""


def _lifetime(mark: Breakpoint, policy: CachePolicy) -> int:
    return mark.ttl_seconds if mark.ttl_seconds is not None else policy.ttl_default or 0
