"""Text that was put into a message and is gone, or stands elsewhere, when the message is sent again."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.matchers._edits import Sides, Spans, match_of, middle, sides
from promptlint.matchers._injections import Injections
from promptlint.model.alignment import Alignment, alignment
from promptlint.model.history import Message
from promptlint.model.matching import Change, Match
from promptlint.model.prompt import OPAQUE_KINDS, Component, Kind, Section
from promptlint.model.source import Span

FACTS = frozenset({"count", "what"})

_SPEAKERS = ("user", "system", "developer")
_WORTH = 8  # characters of a piece of text that is more than an edit


@dataclass(frozen=True, slots=True)
class Params:
    """`frames`: patterns of text that a program puts into messages, instead of the usual reminders and blocks."""

    frames: tuple[str, ...] = ()


def match(change: Change, params: Params) -> Match | None:
    aligned = alignment(change)
    if aligned.first == len(aligned.edits):
        return None
    look = _Look(change, aligned, Injections(change, params.frames))
    if aligned.first not in look.claims_of(aligned.first):
        return None
    claims: dict[int, Spans] = {}
    for index in range(aligned.first, len(aligned.edits)):
        if index not in claims:
            claims |= look.claims_of(index)
    both = sides(change, aligned.edits[aligned.first])
    spans = claims[aligned.first]
    gone = both.after is None or (bool(spans) and len(spans[0][1]) > len(spans[0][0]))
    what = "is gone or stands elsewhere" if gone else "stands in an old message only now"
    return match_of(change, claims, facts={"what": what}, weight=15)


class _Look:
    """Finds injected text among the edits of one change."""

    def __init__(self, change: Change, aligned: Alignment, injections: Injections) -> None:
        self.change, self.aligned, self.injections = change, aligned, injections
        self._with_media = {
            edit.pair
            for edit in aligned.edits
            if not edit.same and {part.kind for part in _parts(sides(change, edit))} & OPAQUE_KINDS
        }

    def claims_of(self, index: int) -> dict[int, Spans]:
        """The edits that make up one injection at this place; empty where there is none."""
        edit = self.aligned.edits[index]
        both = sides(self.change, edit)
        if edit.same or any(part.section is not Section.MESSAGES for part in _parts(both)):
            return {}
        before, after = self.aligned.pairs[edit.pair]
        if before is None or after is None:
            return self._message(index)
        if edit.pair in self._with_media or both.kind not in (Kind.TEXT, Kind.TOOL_RESULT):
            return {}
        if both.before is None or both.after is None:
            part = both.before or both.after
            assert part is not None
            return {index: ()} if self._is_injected(part.text, index, gone=both.after is None) else {}
        return self._inside(index, both.before.text, both.after.text)

    def _message(self, index: int) -> dict[int, Spans]:
        """A whole message that came or went."""
        edit = self.aligned.edits[index]
        before, after = self.aligned.pairs[edit.pair]
        message = before or after
        assert message is not None
        if message.role not in _SPEAKERS or any(part.kind not in (Kind.TEXT, Kind.ROLE) for part in message.parts):
            return {}
        if not self._is_injected(_said(message), index, gone=after is None):
            return {}
        return dict.fromkeys(self._beside(index), ())

    def _beside(self, index: int) -> range:
        """The edits of the same pair of messages, which stand together."""
        edits, pair = self.aligned.edits, self.aligned.edits[index].pair
        start, stop = index, index + 1
        while start and edits[start - 1].pair == pair:
            start -= 1
        while stop < len(edits) and edits[stop].pair == pair:
            stop += 1
        return range(start, stop)

    def _inside(self, index: int, before: str, after: str) -> dict[int, Spans]:
        """A piece of one text that came or went while the rest is equal."""
        old, new = middle(before, after)
        text, other = (before, after) if len(old) > len(new) else (after, before)
        mine, rest = (old, new) if len(old) > len(new) else (new, old)
        if other[rest.start : rest.end].strip():
            return {}
        if not len(rest):
            mine = _from_line_start(text, mine)
            rest = Span(mine.start, mine.start)
        if not self._is_injected(
            text[mine.start : mine.end], index, gone=len(old) > len(new), alone=_apart(text, mine)
        ):
            return {}
        return {index: ((rest, mine) if len(old) > len(new) else (mine, rest),)}

    def _is_injected(self, text: str, index: int, *, gone: bool, alone: bool = True) -> bool:
        """`alone`: the text is all of a block, or stands apart from the rest of it."""
        if not text.strip():
            return False
        if self.injections.framed(text):
            return True
        edit = self.aligned.edits[index]
        # A tool's result that is shorter than it was is a result that was cut.
        if not alone or sides(self.change, edit).kind is Kind.TOOL_RESULT:
            return False
        return self.injections.moved(text, gone=gone) or self.injections.in_newest(*self.aligned.pairs[edit.pair])


def _apart(text: str, span: Span) -> bool:
    """Whether a piece is the beginning or the end of a text, or lines of their own; a few words may be an edit."""
    if len(text[span.start : span.end].strip()) < _WORTH:
        return False
    begins = span.start == 0 or "\n" in text[span.start - 1 : span.start + 1]
    ends = span.end == len(text) or "\n" in text[span.end - 1 : span.end + 1]
    return (begins and ends) or (span.start == 0 and text[span.end - 1].isspace()) or span.end == len(text)


def _parts(both: Sides) -> list[Component]:
    return [part for part in (both.before, both.after) if part is not None]


def _said(message: Message) -> str:
    return "\n".join(part.text for part in message.parts if part.kind is Kind.TEXT)


def _from_line_start(text: str, span: Span) -> Span:
    """The same removal, moved as far as it goes to where a line or a tag begins (`b<x>a` from `a b<x>a b`)."""
    start, end = span.start, span.end
    while start > 0 and text[start - 1] == text[end - 1] and text[start] not in "<\n" and text[start - 1] not in ">\n":
        start, end = start - 1, end - 1
    return Span(start, end)
