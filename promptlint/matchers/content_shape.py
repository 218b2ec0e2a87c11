"""The content of an earlier message was a string and is a list of one text block, or the other way round."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from promptlint.model.alignment import match_messages
from promptlint.model.finding import Scope
from promptlint.model.history import Message, groups, newest_input
from promptlint.model.matching import Note, Pair
from promptlint.model.prompt import Component, Kind

FACTS = frozenset({"count", "old", "new"})

_IN_LIST = re.compile(r"\]\.text\Z")
_SHAPES = {True: "a list of blocks", False: "a string"}


@dataclass(frozen=True, slots=True)
class Params:
    """No parameters."""


def notes(pair: Pair, params: Params) -> Iterator[Note]:
    """One note for all messages whose shape changed. A cache marker needs a list, so a marked text is none of them."""
    if pair.scope is not Scope.SAME_CONVERSATION:
        return
    newest = newest_input(pair.components_after)
    old, new = groups(pair.components_before), groups(pair.components_after)
    changed: list[tuple[Component, Component]] = []
    for left, right in match_messages(old, new):
        if left is None or right is None or new[right].start >= newest:
            continue
        before, after = _only_text(old[left]), _only_text(new[right])
        if before is None or after is None or before.text != after.text or before.breakpoint or after.breakpoint:
            continue
        if _is_list(before) != _is_list(after):
            changed.append((before, after))
    if changed:
        before, after = changed[0]
        facts = {"count": str(len(changed)), "old": _SHAPES[_is_list(before)], "new": _SHAPES[_is_list(after)]}
        yield Note(component=after, span=None, setting=None, facts=facts)


def _only_text(message: Message) -> Component | None:
    """The text of a message that says one thing and nothing else."""
    said = [part for part in message.parts if part.kind in (Kind.TEXT, Kind.TOOL_RESULT)]
    others = [part for part in message.parts if part.opaque or part.kind is Kind.REASONING]
    return said[0] if len(said) == 1 and not others and said[0].location.path != "input" else None


def _is_list(component: Component) -> bool:
    return _IN_LIST.search(component.location.path) is not None
