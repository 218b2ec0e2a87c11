"""What a cause does to a request, and what a report must then say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from .bases import Base
from .request import Part, Request, paragraph_slots, sentence_slots

Edit = Callable[[Request], None]
T = TypeVar("T")


def nothing(request: Request) -> None:
    """The edit that leaves a request as it is."""


@dataclass(frozen=True)
class Expected:
    """A finding that must be there.

    `where` names the part, tool, message or request field it points at (or several, of which each is right); empty
    where any place is right.
    `positional`: the cause ends the shared prefix at a token, so that its repair recovers tokens.
    """

    code: str
    where: str | tuple[str, ...] = ""
    positional: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        return (self.where,) if isinstance(self.where, str) else self.where


@dataclass(frozen=True)
class Mutation:
    """One cause. The later request gets `bad`; with the cause repaired it gets `good` instead, as the earlier one does.

    `early`: what the earlier request gets where that differs. `zones`: what it touches (`s0#…` lies in `s0`); two
    mutations of one case touch different zones. `fresh`: the later request begins another conversation.
    `static`: the fault is in both requests (a missing marker), so that repairing it means repairing both.
    """

    kind: str
    expected: tuple[Expected, ...]
    bad: Edit
    good: Edit = nothing
    early: Edit | None = None
    zones: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    fresh: bool = False
    static: bool = False
    gateway: bool = False
    alone: bool = False

    @property
    def code(self) -> str:
        return self.expected[0].code


Mutator = Callable[[Base, Random], Mutation | None]
MUTATORS: dict[str, list[Mutator]] = {}


def cause(code: str) -> Callable[[Mutator], Mutator]:
    """Registers a function that plants a cause; it answers None for a base that the cause cannot befall."""

    def register(mutator: Mutator) -> Mutator:
        MUTATORS.setdefault(code, []).append(mutator)
        return mutator

    return register


def overlap(left: Mutation, right: Mutation) -> bool:
    """Whether two mutations touch the same thing, or one a part of what the other touches."""

    def within(one: str, other: str) -> bool:
        return one == other or one.startswith((f"{other}#", f"{other}."))

    return any(within(one, other) or within(other, one) for one in left.zones for other in right.zones)


# Text put into a place of a text


@dataclass(frozen=True)
class Place:
    """A slot of a text, or (slot empty) the text as a whole."""

    uid: str
    slot: str

    @property
    def paragraph(self) -> bool:
        return self.slot < "\ue400"

    @property
    def zone(self) -> str:
        return f"{self.uid}#{ord(self.slot):x}"


def system_place(base: Base, rng: Random, *, paragraph: bool) -> Place:
    """A slot in the system text: near its head, in its middle or near its end."""
    part = rng.choice(base.after.system)
    slots = paragraph_slots(part.text) if paragraph else sentence_slots(part.text)
    return Place(part.uid, somewhere(rng, slots))


def history_place(base: Base, rng: Random, *, paragraph: bool) -> Place | None:
    """The head of, or a slot in, the text of an old message that both requests hold."""
    parts = old_texts(base)
    if not parts:
        return None
    part = somewhere(rng, parts)
    return Place(part.uid, rng.choice(paragraph_slots(part.text) + ([] if paragraph else sentence_slots(part.text))))


def old_texts(base: Base, *roles: str) -> list[Part]:
    """Texts of messages that are no longer the newest input of either request."""
    return [
        part
        for message in base.before.messages[:-1]
        for part in message.parts
        if part.kind == "text" and (not roles or message.role in roles)
    ]


def somewhere(rng: Random, items: list[T]) -> T:
    """One of the first, of the middle or of the last."""
    third = rng.randrange(3)
    return items[min(len(items) - 1, (third * len(items) + rng.randrange(max(1, len(items)))) // 3)]


def insert(place: Place, text: str) -> Edit:
    """Puts a paragraph or a sentence into a slot."""
    value = text + ("\n\n" if place.paragraph else " ")

    def edit(request: Request) -> None:
        part = request.find(place.uid)
        if part is not None:
            part.text = part.text.replace(place.slot, place.slot + value)

    return edit


def planted(
    code: str, kind: str, old: str, new: str, base: Base, rng: Random, *, history: float = 0.0, line: bool = False
) -> Mutation | None:
    """A text that says `old` in the earlier request and `new` in the later one, and is in place in both.

    `history`: how often it stands in an old message instead of the system text. `line`: it is a paragraph.
    """
    paragraph = line or "\n" in old
    if rng.random() < history and (found := history_place(base, rng, paragraph=paragraph)) is not None:
        place, fresh = found, False
    else:
        place = system_place(base, rng, paragraph=paragraph or rng.random() < 0.5)
        fresh = rng.random() < 0.3 and bool(base.after.messages)
    return Mutation(
        kind, (Expected(code, place.uid),), insert(place, new), insert(place, old), zones=(place.zone,), fresh=fresh
    )
