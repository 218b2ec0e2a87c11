"""Texts that say the same in other characters: white space and line ends, or Unicode form."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.matchers._drift import (
    differing,
    drift_spans,
    equal_but_for,
    equal_but_for_escaped_blanks,
    escaped_blanks,
)
from promptlint.matchers._edits import Marks, Spans, match_of, sides
from promptlint.matchers.call_arguments import equal_data
from promptlint.model.alignment import Edit, alignment
from promptlint.model.matching import Change, Mark, Match
from promptlint.model.prompt import Kind
from promptlint.model.source import Span

FACTS = frozenset({"what", "count"})

_MIN_CONTEXT = 12  # characters that must agree behind a local difference
_UNREAD = (Kind.ROLE, Kind.TOOL, Kind.ARGUMENTS)


@dataclass(frozen=True, slots=True)
class Params:
    """`ignoring`: `whitespace` or `unicode`."""

    ignoring: str


def match(change: Change, params: Params) -> Match | None:
    """This component and every later one that drifts in the same way: one cause, one finding."""
    before, after, hunk = change.component_before, change.component_after, change.hunk
    if before is None or after is None or hunk is None or after.kind in _UNREAD:
        return None
    aligned = alignment(change)
    if aligned.first == len(aligned.edits):
        return None
    first = aligned.edits[aligned.first]
    if (first.before, first.after) != (change.at_before, change.at_after):
        return None
    here = _spans(change, first, params.ignoring)
    if here is None or (here and not here[0][0].start <= hunk.first <= here[0][0].end):
        here = _local(before.text, after.text, hunk.first, params.ignoring)
    if here is None:
        return None
    claims = {aligned.first: here}
    for index in range(aligned.first + 1, len(aligned.edits)):
        spans = _spans(change, aligned.edits[index], params.ignoring)
        if spans is not None:
            claims[index] = spans

    def marks(change: Change, edit: Edit, spans: Spans) -> Marks:
        return _marks(change, edit, spans, params.ignoring)

    new, old = marks(change, first, here)
    assert old is not None and new is not None
    was, became = before.text[old.span.start : old.span.end], after.text[new.span.start : new.span.end]
    facts = {"what": f"{_shown(was)} became {_shown(became)}"}
    return match_of(change, claims, facts=facts, weight=1000, marks=marks)


def _spans(change: Change, edit: Edit, ignoring: str) -> Spans | None:
    """What drifted in an edit: nothing stands for all of it, None for no drift."""
    both = sides(change, edit)
    if edit.same or both.before is None or both.after is None:
        return None
    if both.before.opaque or both.after.opaque or both.after.kind in _UNREAD:
        return None
    if equal_but_for(both.before.text, both.after.text, ignoring):
        return None if _json_form(both.before.text.strip(), both.after.text.strip()) else ()
    if ignoring == "whitespace" and equal_but_for_escaped_blanks(both.before.text, both.after.text):
        return ()
    return drift_spans(both.before.text, both.after.text, ignoring) or None


def _json_form(before: str, after: str) -> bool:
    """Whether two texts are one JSON value in other separators or indentation, which is a cause of its own."""
    return before[:1] in ("{", "[") and before != after and equal_data(before, after)


def _local(before: str, after: str, first: int, ignoring: str) -> Spans | None:
    """One place that drifted on a line that also differs elsewhere."""
    old, new = _region(before, after, first, ignoring)
    left, right = before[old.start : old.end], after[new.start : new.end]
    if left == right or not equal_but_for(left, right, ignoring):
        return None
    behind = (before[old.end : old.end + _MIN_CONTEXT], after[new.end : new.end + _MIN_CONTEXT])
    if behind[0] != behind[1] or (ignoring == "whitespace" and not behind[0]):
        return None
    return ((new, old),)


def _marks(change: Change, edit: Edit, spans: Spans, ignoring: str) -> Marks:
    both = sides(change, edit)
    assert both.before is not None and both.after is not None and edit.before is not None and edit.after is not None
    if spans:
        new, old = spans[0]
    else:
        first = differing(both.before.text, both.after.text)
        old, new = _region(both.before.text, both.after.text, first, ignoring)
        if ignoring == "whitespace" and not old and not new:
            old, new = escaped_blanks(both.before.text, first), escaped_blanks(both.after.text, first)
    return Mark(edit.after, new), Mark(edit.before, old)


def _region(before: str, after: str, first: int, ignoring: str) -> tuple[Span, Span]:
    """The run of white space, or the word, that holds the first difference on each side."""

    def inside(char: str) -> bool:
        return char.isspace() if ignoring == "whitespace" else not char.isspace()

    start = first
    while start > 0 and inside(before[start - 1]):
        start -= 1
    ends = []
    for text in (before, after):
        end = first
        while end < len(text) and inside(text[end]):
            end += 1
        ends.append(end)
    return Span(start, ends[0]), Span(start, ends[1])


def _shown(text: str) -> str:
    if not text:
        return "nothing"
    if text[0] == "\\":
        text = text.replace(r"\r", "\r").replace(r"\n", "\n").replace(r"\t", "\t")
    names = {"\n": "LF", "\r\n": "CRLF", " ": "a space", "\t": "a tab", "\u00a0": "a no-break space", "\ufeff": "a BOM"}
    if text in names:
        return names[text]
    if text.isspace():
        return f"{len(text)} blanks ({ascii(text)[1:-1][:24]})"
    return ascii(text)[:40]
