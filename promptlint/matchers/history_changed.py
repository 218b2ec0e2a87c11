"""An earlier message of the conversation is not what it was."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.matchers._edits import Spans, match_of, middle, sides
from promptlint.matchers._repairs import all_mark, message_region
from promptlint.model.alignment import Alignment, Edit, alignment
from promptlint.model.finding import Scope
from promptlint.model.history import alike, newest_input
from promptlint.model.matching import Change, Match
from promptlint.model.prompt import Section
from promptlint.model.source import Span

FACTS = frozenset({"message", "role", "count"})

_ASKED_ANEW = "the newest question of the earlier request was replaced by another one"


@dataclass(frozen=True, slots=True)
class Params:
    """No parameters."""


def match(change: Change, params: Params) -> Match | None:
    component = change.component_after
    if component is None or component.section is not Section.MESSAGES or change.scope is Scope.NEW_CONVERSATION:
        return None
    facts = {"message": str(component.message), "role": component.role}
    aligned = alignment(change)
    if aligned.first < len(aligned.edits):
        harmless = _ASKED_ANEW if _asked_anew(change, aligned) else ""
        found = match_of(change, _claims(change, aligned), facts=facts, harmless=harmless)
        if found is not None:
            return found
    return Match(
        after=all_mark(change.at_after, component),
        before=all_mark(change.at_before, change.before[change.at_before]) if change.component_before else None,
        repair=message_region(change),
        facts={"count": "1", **facts},
    )


def _asked_anew(change: Change, aligned: Alignment) -> bool:
    """Whether the earlier prompt's newest question was replaced by another one: what follows is new in any case."""
    pair = aligned.edits[aligned.first].pair
    before, after = aligned.pairs[pair]
    if before is None or after is None or before.role != "user" or before.is_result:
        return False
    return before.start >= newest_input(change.before) and _exchanged(aligned, pair)


def _claims(change: Change, aligned: Alignment) -> dict[int, Spans]:
    """The differing words of one text; where the texts are no versions of each other, all that was exchanged."""
    first = aligned.edits[aligned.first]
    if _exchanged(aligned, first.pair):
        stop = first.pair
        while stop < len(aligned.pairs) and _exchanged(aligned, stop):
            stop += 1
        return {
            index: () for index, edit in enumerate(aligned.edits) if first.pair <= edit.pair < stop and not edit.same
        }
    if first.before is not None and first.after is not None:
        return {aligned.first: (_words(change, first),) if _is_text(change, first) else ()}
    claims: dict[int, Spans] = {}
    for index in range(aligned.first, len(aligned.edits)):
        edit = aligned.edits[index]
        if edit.pair != first.pair or edit.same or (edit.before is not None and edit.after is not None):
            break
        claims[index] = ()
    return claims


def _exchanged(aligned: Alignment, pair: int) -> bool:
    """Whether a message came or went, or has nothing to do with the one that stood in its place."""
    before, after = aligned.pairs[pair]
    if before is None or after is None:
        return True
    return len(before.parts) == len(after.parts) == 2 and not before.equal(after) and not alike(before, after)


def _is_text(change: Change, edit: Edit) -> bool:
    both = sides(change, edit)
    return both.before is not None and both.after is not None and not both.before.opaque and not both.after.opaque


def _words(change: Change, edit: Edit) -> tuple[Span, Span]:
    """(of the later text, of the earlier one): the first differing words."""
    if change.hunk is not None and (edit.before, edit.after) == (change.at_before, change.at_after):
        return change.hunk.after, change.hunk.before
    both = sides(change, edit)
    assert both.before is not None and both.after is not None
    old, new = middle(both.before.text, both.after.text)
    return new, old
