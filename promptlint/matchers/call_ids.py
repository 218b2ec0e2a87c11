"""Tool calls that are sent again under other ids, with the same names and arguments."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.matchers._edits import Spans, match_of, sides
from promptlint.matchers.call_arguments import equal_data
from promptlint.model.alignment import Alignment, Edit, alignment
from promptlint.model.matching import Change, Match
from promptlint.model.prompt import Component, Kind

FACTS = frozenset({"count", "calls", "tool", "old", "new"})

_ABSENT = "none"


@dataclass(frozen=True, slots=True)
class Params:
    """No parameters."""


def match(change: Change, params: Params) -> Match | None:
    aligned = alignment(change)
    if aligned.first == len(aligned.edits) or not _is_id(change, aligned.edits[aligned.first]):
        return None
    claims: dict[int, Spans] = {}
    renamed: dict[str, set[str]] = {}
    calls = 0
    for index in range(aligned.first, len(aligned.edits)):
        edit = aligned.edits[index]
        if edit.same or not _is_id(change, edit) or None in aligned.pairs[edit.pair]:
            continue
        old, new = _ids(change, edit)
        if _answers(change, aligned, index):
            # An answer is part of it where its call is, or stands before what differs.
            if renamed and new not in renamed.get(old, {new}):
                continue
        elif _same_call(change, aligned, index):
            renamed.setdefault(old, set()).add(new)
            calls += 1
        else:
            continue
        claims[index] = ()
    if aligned.first not in claims:
        return None
    both = sides(change, aligned.edits[aligned.first])
    old, new = _ids(change, aligned.edits[aligned.first])
    named = both.after or both.before
    assert named is not None
    facts = {"calls": str(max(calls, 1)), "tool": named.name or "a tool", "old": old or _ABSENT, "new": new or _ABSENT}
    return match_of(change, claims, facts=facts, weight=200)


def _is_id(change: Change, edit: Edit) -> bool:
    both = sides(change, edit)
    return all(part is None or part.kind is Kind.CALL_ID for part in (both.before, both.after))


def _ids(change: Change, edit: Edit) -> tuple[str, str]:
    both = sides(change, edit)
    return both.before.text if both.before else "", both.after.text if both.after else ""


def _answers(change: Change, aligned: Alignment, index: int) -> bool:
    """Whether the id is that of a result: no call's name or arguments stand beside it."""
    return not any(_kind(change, edit) is Kind.ARGUMENTS for edit in _beside(change, aligned, index))


def _same_call(change: Change, aligned: Alignment, index: int) -> bool:
    """Whether name and arguments behind the id are those of before (as data: their bytes are another rule's)."""
    for edit in _beside(change, aligned, index):
        both = sides(change, edit)
        if both.kind not in (Kind.CALL_NAME, Kind.ARGUMENTS) or edit.same:
            continue
        if both.before is None or both.after is None or not _equal_arguments(both.before, both.after):
            return False
    return True


def _beside(change: Change, aligned: Alignment, index: int) -> list[Edit]:
    """The edits behind an id up to the next id of the message."""
    found: list[Edit] = []
    for edit in aligned.edits[index + 1 :]:
        if edit.pair != aligned.edits[index].pair or _kind(change, edit) is Kind.CALL_ID:
            break
        found.append(edit)
    return found


def _kind(change: Change, edit: Edit) -> Kind:
    return sides(change, edit).kind


def _equal_arguments(before: Component, after: Component) -> bool:
    return before.kind is after.kind is Kind.ARGUMENTS and equal_data(before.text, after.text)
