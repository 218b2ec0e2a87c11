"""A system or developer message from within the conversation stands in the system text of the later request."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.matchers._edits import Marks, Spans, marks_of, match_of, middle, sides
from promptlint.matchers._repairs import all_mark
from promptlint.model.alignment import Alignment, Edit, alignment
from promptlint.model.history import Message
from promptlint.model.matching import Change, Mark, Match
from promptlint.model.prompt import Kind, Section

FACTS = frozenset({"count", "role"})

_ROLES = ("system", "developer")
_WRAPPING = 64  # characters that a gateway may write around the text that it moves
_WORTH = 4  # characters of a text that is no coincidence


@dataclass(frozen=True, slots=True)
class Params:
    """No parameters."""


def match(change: Change, params: Params) -> Match | None:
    aligned = alignment(change)
    if aligned.first == len(aligned.edits) or not _in_system(change, aligned.edits[aligned.first]):
        return None
    late = {
        pair: "\n".join(part.text for part in before.parts if part.kind is Kind.TEXT).strip()
        for pair, (before, after) in enumerate(aligned.pairs)
        if before is not None and after is None and before.role in _ROLES
        if before.parts[0].section is Section.MESSAGES
    }
    claims: dict[int, Spans] = {}
    moved: set[int] = set()
    for index in range(aligned.first, len(aligned.edits)):
        edit = aligned.edits[index]
        if edit.same or not _in_system(change, edit):
            continue
        text, spans = _added(change, aligned, edit)
        found = {pair for pair, said in late.items() if len(said) >= _WORTH and said in text}
        if found and len(text.strip()) <= sum(len(late[pair]) for pair in found) + _WRAPPING:
            moved |= found
            claims[index] = spans
    if not moved:
        return None
    for index, edit in enumerate(aligned.edits):
        before, _ = aligned.pairs[edit.pair]
        if edit.pair in moved or (before is None and any(aligned.edits[at].pair == edit.pair for at in claims)):
            claims.setdefault(index, ())
    late_messages = [before for pair in sorted(moved) if (before := aligned.pairs[pair][0]) is not None]
    roles = " and ".join(sorted({message.role for message in late_messages}))
    was = _text_mark(late_messages[0])

    def marks(change: Change, edit: Edit, spans: Spans) -> Marks:
        after, _ = marks_of(change, edit, spans)
        return (after, was) if after else (None, None)

    return match_of(change, claims, facts={"count": str(len(moved)), "role": roles}, weight=500, marks=marks)


def _text_mark(message: Message) -> Mark:
    index = next(index for index, part in enumerate(message.parts) if part.kind is Kind.TEXT)
    return all_mark(message.start + index, message.parts[index])


def _in_system(change: Change, edit: Edit) -> bool:
    after = sides(change, edit).after
    return after is not None and after.section is Section.SYSTEM


def _added(change: Change, aligned: Alignment, edit: Edit) -> tuple[str, Spans]:
    """The text that system text has more than before, and the spans to set equal (none: all of it)."""
    both = sides(change, edit)
    if both.after is None or both.after.kind is not Kind.TEXT:
        return "", ()
    if both.before is None:
        return both.after.text, ()
    old, new = middle(both.before.text, both.after.text)
    if both.before.text[old.start : old.end].strip():
        return "", ()
    return both.after.text[new.start : new.end], ((new, old),)
