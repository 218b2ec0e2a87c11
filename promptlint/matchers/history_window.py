"""The oldest messages were dropped and the rest moved up: a window that slides, or a summary in their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from promptlint.matchers._edits import match_of
from promptlint.matchers._injections import Injections
from promptlint.matchers._repairs import all_mark
from promptlint.model.alignment import Alignment, alignment
from promptlint.model.finding import Scope
from promptlint.model.history import Message, messages
from promptlint.model.matching import Change, Mark, Match
from promptlint.model.prompt import Kind, Section

FACTS = frozenset({"count", "kept", "instead"})

_AHEAD = 8  # messages behind the dropped ones that are looked at
_LONG = 40  # characters of a message that does not come back by coincidence


@dataclass(frozen=True, slots=True)
class Params:
    """`kept_first`: messages at the head that may survive when a single one is dropped (a pinned first question).

    `summaries`: the largest number of messages that may stand in the place of the dropped ones. `frames` are patterns
    of injected text, instead of the usual ones: a message that is nothing else is no part of the history.
    """

    kept_first: int = 2
    summaries: int = 2
    frames: tuple[str, ...] = ()


def match(change: Change, params: Params) -> Match | None:
    component = change.component_after
    if component is None or component.section is not Section.MESSAGES or change.scope is Scope.NEW_CONVERSATION:
        return None
    aligned = alignment(change)
    if aligned.first == len(aligned.edits):
        return None
    start = aligned.edits[aligned.first].pair
    stop = next((at for at in range(start, len(aligned.pairs)) if None not in aligned.pairs[at]), len(aligned.pairs))
    gone = [before for before, _ in aligned.pairs[start:stop] if before is not None]
    instead = [after for _, after in aligned.pairs[start:stop] if after is not None]
    if not gone or len(instead) > min(params.summaries, len(gone) - 1) or not _goes_on(aligned, stop):
        return None
    history = messages(change.before)
    if not _oldest(change, history, gone, params, instead=bool(instead)):
        return None
    first = (*instead, *(after for _, after in aligned.pairs[stop:] if after is not None))[0]
    return match_of(
        change,
        {index: () for index, edit in enumerate(aligned.edits) if start <= edit.pair < stop},
        marks=lambda *_: (_content_mark(first), None),
        facts={
            "count": str(len(gone)),
            "kept": str(len(history) - len(gone)),
            "instead": " and a summary stands in their place" if instead else "",
        },
        weight=10,
    )


def _goes_on(aligned: Alignment, stop: int) -> bool:
    """Whether what was not dropped is still there: one short message that comes back proves nothing."""
    rest = aligned.pairs[stop : stop + _AHEAD]
    kept = [before for before, after in rest if before is not None and after is not None]
    return len(kept) >= 2 or (len(kept) == 1 and len(kept[0].key) > _LONG)


def _oldest(
    change: Change, history: Sequence[Message], gone: Sequence[Message], params: Params, *, instead: bool
) -> bool:
    """Whether turns at the head are gone, behind what is pinned there, and not only an injected text."""
    pinned = sum(message.start < gone[0].start for message in history)
    if pinned > params.kept_first:  # far from the head only a summary in their place tells a window from an edit
        return instead and pinned <= len(history) // 2
    if any(message.is_answer for message in gone):
        return True
    injections = Injections(change, params.frames)
    return not any(injections.framed(part) or injections.moved(part, gone=True) for part in map(_said, gone))


def _said(message: Message) -> str:
    return "\n".join(part.text for part in message.parts if part.kind is Kind.TEXT)


def _content_mark(message: Message) -> Mark:
    index = next((index for index, part in enumerate(message.parts) if part.kind is not Kind.ROLE), 0)
    return all_mark(message.start + index, message.parts[index])
