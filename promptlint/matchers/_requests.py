"""What several matchers ask of two requests: their relation, and the content blocks behind the marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from promptlint.model.finding import Scope
from promptlint.model.history import messages
from promptlint.model.matching import Pair
from promptlint.model.prompt import Component, Kind, Section


@dataclass(frozen=True, slots=True)
class Unit:
    """A content block: its components, the tokens up to its end, its text, and the component with its marker."""

    parts: tuple[Component, ...]
    end: int
    text: str
    marked: Component | None

    @property
    def section(self) -> Section:
        return self.parts[0].section

    @property
    def message(self) -> int:
        return self.parts[0].message

    @property
    def last(self) -> Component:
        return self.parts[-1]


def units(components: Sequence[Component], ends: Sequence[int]) -> list[Unit]:
    """The content blocks of a prompt in cache order, without the roles and fields that stand in none."""
    found = []
    for _, pairs in groupby(zip(components, ends, strict=True), key=lambda pair: pair[0].unit):
        group = list(pairs)
        parts = tuple(component for component, _ in group)
        marked = next((part for part in parts if part.breakpoint), None)
        if marked or not all(part.block < 0 and part.kind in (Kind.ROLE, Kind.FIELD) for part in parts):
            text = "\0".join(part.text for part in parts if part.kind is not Kind.ROLE)
            found.append(Unit(parts, group[-1][1], text, marked))
    return found


def one_conversation(pair: Pair) -> bool:
    """Whether the later request goes on from the earlier one, even where it names another user."""
    if pair.scope in (Scope.SAME_CONVERSATION, Scope.UNKNOWN):
        return True
    return pair.scope is Scope.OTHER_USER and _grows(pair)


def _grows(pair: Pair) -> bool:
    """Whether all earlier messages, an answer among them, open the later request."""
    old = [message.key for message in messages(pair.components_before)]
    new = [message.key for message in messages(pair.components_after)]
    return len(new) > len(old) >= 2 and new[: len(old)] == old
