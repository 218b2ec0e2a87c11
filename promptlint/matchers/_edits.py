"""Edits of a history that have one cause: the repair that takes them back, and the places to point at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from promptlint.matchers._repairs import all_mark
from promptlint.model.alignment import Alignment, Edit, alignment
from promptlint.model.common import shared_ends
from promptlint.model.matching import Change, FromAfter, FromBefore, Mark, Match, Part, Repair, Spliced
from promptlint.model.prompt import Component, Kind
from promptlint.model.source import Span

MOST_PLACES = 20  # further places that a finding names; the message has the number of all
NOTHING = Span(0, 0)

Spans = tuple[tuple[Span, Span], ...]  # (of the later text, of the earlier one)
Marks = tuple[Mark | None, Mark | None]  # (after, before)


@dataclass(frozen=True, slots=True)
class Sides:
    """Both components of an edit; None where it has no partner."""

    before: Component | None
    after: Component | None

    @property
    def kind(self) -> Kind:
        component = self.after or self.before
        assert component is not None
        return component.kind


def sides(change: Change, edit: Edit) -> Sides:
    before = change.before[edit.before] if edit.before is not None else None
    after = change.after[edit.after] if edit.after is not None else None
    return Sides(before, after)


def match_of(
    change: Change,
    claims: Mapping[int, Spans],
    *,
    facts: Mapping[str, str],
    weight: int = 0,
    marks: Callable[[Change, Edit, Spans], Marks] | None = None,
    harmless: str = "",
) -> Match | None:
    """One cause for the claimed edits: index in the alignment and the spans to set equal (none: the whole component).

    None where the first difference is not among them: then something else comes first.
    """
    aligned = alignment(change)
    if aligned.first not in claims:
        return None
    marks = marks or marks_of
    places = _places(change, aligned, claims, marks)
    return Match(
        after=places[0][0],
        before=places[0][1],
        repair=repair(change, claims),
        facts={"count": str(len(places)), **facts},
        weight=weight,
        also=tuple(places[1 : MOST_PLACES + 1]),
        harmless=harmless,
    )


def _places(
    change: Change, aligned: Alignment, claims: Mapping[int, Spans], marks: Callable[[Change, Edit, Spans], Marks]
) -> list[Marks]:
    """Where to point: at every claimed component; of a message that came or went only at what it says first."""
    found: dict[tuple[int, int], Marks] = {}
    for index in sorted(claims):
        edit = aligned.edits[index]
        before, after = aligned.pairs[edit.pair]
        key = (edit.pair, -1 if before is None or after is None else index)
        held = found.get(key)
        if held is None or (
            sides(change, aligned.edits[index]).kind is not Kind.ROLE and _points_at_role(change, held)
        ):
            found[key] = marks(change, edit, claims[index])
    return [place for place in found.values() if place != (None, None)]


def _points_at_role(change: Change, marks: Marks) -> bool:
    after, before = marks
    if after is not None:
        return change.after[after.index].kind is Kind.ROLE
    return before is not None and change.before[before.index].kind is Kind.ROLE


def marks_of(change: Change, edit: Edit, spans: Spans) -> Marks:
    """The first of the spans on both sides; without any the whole of each component."""
    both = sides(change, edit)
    if spans and edit.before is not None and edit.after is not None:
        return Mark(edit.after, spans[0][0]), Mark(edit.before, spans[0][1])
    after = all_mark(edit.after, both.after) if edit.after is not None and both.after else None
    before = all_mark(edit.before, both.before) if edit.before is not None and both.before else None
    return after, before


def repair(change: Change, claims: Mapping[int, Spans]) -> Repair:
    """Takes the claimed edits back; all others stay, in the place that they have in the earlier prompt."""
    aligned = alignment(change)
    first = min(aligned.first, _first_behind(change, aligned.edits))
    last_pair = aligned.edits[max(claims)].pair
    start = 1 + max((edit.after for edit in aligned.edits[:first] if edit.after is not None), default=aligned.start - 1)
    stop = start
    parts: list[Part] = []
    for index in range(first, len(aligned.edits)):
        edit = aligned.edits[index]
        if edit.pair > last_pair:
            break
        stop = max(stop, edit.after + 1) if edit.after is not None else stop
        part = _part(edit, claims.get(index))
        if part is not None:
            parts.append(part)
    return Repair(start, stop, tuple(parts))


def _first_behind(change: Change, edits: Iterable[Edit]) -> int:
    """The first edit at the divergent slot or behind it: equal texts may stand in different frames there."""
    for index, edit in enumerate(edits):
        if (edit.before or 0) >= change.at_before or (edit.after or 0) >= change.at_after:
            return index
    return 0


def _part(edit: Edit, spans: Spans | None) -> Part | None:
    if edit.same:
        assert edit.before is not None
        return FromBefore(edit.before)
    if spans is not None and not spans:
        return FromBefore(edit.before) if edit.before is not None else None
    if edit.before is None:
        return FromAfter(edit.after) if edit.after is not None else None
    if edit.after is None:
        return None
    (ours, theirs), *more = spans or ((NOTHING, NOTHING),)
    return Spliced(edit.after, ours, edit.before, theirs, tuple(more))


def middle(before: str, after: str) -> tuple[Span, Span]:
    """(of the earlier text, of the later one): what stands between the common start and the common end."""
    start, end = shared_ends(before, after)
    return Span(start, len(before) - end), Span(start, len(after) - end)
