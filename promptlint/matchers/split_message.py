"""The content of an earlier message is in more blocks, or in fewer, than it was: the words are the same."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.matchers._edits import match_of
from promptlint.matchers._repairs import all_mark
from promptlint.model.alignment import alignment
from promptlint.model.history import Message
from promptlint.model.matching import Change, Mark, Match
from promptlint.model.prompt import Component, Kind, Section

FACTS = frozenset({"count", "old", "new"})

_SAID = (Kind.TEXT, Kind.TOOL_RESULT)


@dataclass(frozen=True, slots=True)
class Params:
    """No parameters."""


def match(change: Change, params: Params) -> Match | None:
    """One match for all messages whose texts were split or joined."""
    component = change.component_after
    if component is None or component.section is not Section.MESSAGES:
        return None
    aligned = alignment(change)
    if aligned.first == len(aligned.edits):
        return None
    split = {pair for pair, (before, after) in enumerate(aligned.pairs) if before and after and _split(before, after)}
    first = aligned.edits[aligned.first].pair
    before, after = aligned.pairs[first]
    if first not in split or before is None or after is None:
        return None
    return match_of(
        change,
        {index: () for index, edit in enumerate(aligned.edits) if edit.pair in split},
        marks=lambda *_: (_mark(after), None),
        facts={"count": str(len(split)), "old": _blocks(before), "new": _blocks(after)},
        weight=30,
    )


def _split(before: Message, after: Message) -> bool:
    """Whether two messages say the same, apart from white space at the seams, in another number of texts."""
    old, new = _texts(before), _texts(after)
    if len(old) == len(new) or not old or not new or _others(before) != _others(after):
        return False
    return _joined(old) == _joined(new)


def _texts(message: Message) -> list[Component]:
    return [part for part in message.parts if part.kind in _SAID]


def _others(message: Message) -> list[tuple[Kind, str]]:
    return [(part.kind, part.text) for part in message.parts if part.kind not in _SAID]


def _joined(parts: list[Component]) -> str:
    return "".join("".join(part.text.split()) for part in parts)


def _blocks(message: Message) -> str:
    count = len(_texts(message))
    return f"in {count} texts" if count > 1 else "one text"


def _mark(message: Message) -> Mark:
    index = next(index for index, part in enumerate(message.parts) if part.kind in _SAID)
    return all_mark(message.start + index, message.parts[index])
