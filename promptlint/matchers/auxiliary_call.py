"""A side call (summary, title, fork) that sends a conversation again without the prefix under which it is cached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from promptlint.matchers._repairs import all_mark
from promptlint.model.finding import Scope
from promptlint.model.history import Message, messages, second_message
from promptlint.model.matching import Change, FromBefore, Match, Repair
from promptlint.model.prompt import Component, Kind, Section

FACTS = frozenset({"how", "messages"})


@dataclass(frozen=True, slots=True)
class Params:
    """`least`: messages of the earlier request that must come back; `share`: how many of all of them;
    `words`: a message as short as this is left out of the count, because it may stand anywhere.
    """

    least: int = 3
    share: float = 0.7
    words: int = 4


def match(change: Change, params: Params) -> Match | None:
    if change.scope in (Scope.RELEASE, Scope.GATEWAY) or change.component_after is None:
        return None
    second = second_message(change.before)
    if second is None or change.at_before > second.start:
        return None
    old, new = messages(change.before), messages(change.after)
    if len(old) < params.least or not new:
        return None
    how = _flattened(old, new, params) or _stripped(change, old, new, params)
    if how is None:
        return None
    text, index = how
    return Match(
        after=all_mark(index, change.after[index]),
        before=None,
        repair=Repair(
            change.at_after,
            len(change.after),
            tuple(FromBefore(place) for place in range(change.at_before, len(change.before))),
        ),
        facts={"how": text, "messages": str(len(old))},
    )


def _flattened(old: Sequence[Message], new: Sequence[Message], params: Params) -> tuple[str, int] | None:
    """Many earlier messages inside one later text."""
    if 2 * len(new) > len(old) + 1:
        return None
    wanted = [text for message in old if (text := _said(message.parts)) and len(text.split()) > params.words]
    if len(wanted) < params.least:
        return None
    for message in new:
        for index in range(message.start, message.stop):
            text = " ".join(message.parts[index - message.start].text.split())
            if len(text) < params.share * sum(map(len, wanted)):
                continue
            if sum(part in text for part in wanted) >= params.share * len(wanted):
                return "as one text", index
    return None


def _said(parts: Sequence[Component]) -> str:
    """The longest text of a message, with one blank between words."""
    texts = [part.text for part in parts if part.kind in (Kind.TEXT, Kind.TOOL_RESULT)]
    return " ".join(max(texts, key=len, default="").split())


def _stripped(change: Change, old: Sequence[Message], new: Sequence[Message], params: Params) -> tuple[str, int] | None:
    """The same messages under no tools and another system text, or none."""
    tools, system = _parts(change.before, Section.TOOLS), _parts(change.before, Section.SYSTEM)
    other_tools, other_system = _parts(change.after, Section.TOOLS), _parts(change.after, Section.SYSTEM)
    if other_tools or (system and other_system and _alike(system, other_system)):
        return None
    kept = {message.key for message in new}
    if sum(message.key in kept for message in old) < max(params.least, params.share * len(old)):
        return None
    pairs = (("tools", tools, other_tools), ("system text", system, other_system))
    lacks = [name for name, before, after in pairs if before and not after]
    # Only the tools gone, or only the system text another one, can be the same call in another mode.
    if not lacks or system == other_system:
        return None
    how = f"without its {' and '.join(lacks)}" + (" and under another system text" if other_system else "")
    index = next(
        (place for place, part in enumerate(change.after) if part.kind is Kind.TEXT and part.text), change.at_after
    )
    return how, index


def _parts(components: Sequence[Component], section: Section) -> str:
    return "\0".join(part.text for part in components if part.section is section and part.kind is not Kind.ROLE)


def _alike(before: str, after: str) -> bool:
    """Whether two system texts are versions of one: half of the words of the shorter are in the other."""
    shorter, longer = sorted((set(before.split()), set(after.split())), key=len)
    return 2 * len(shorter & longer) >= len(shorter)
