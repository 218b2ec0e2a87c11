"""Two prompts laid side by side: which message, and which component, of one is a version of which of the other."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from promptlint.model.finding import Scope
from promptlint.model.history import Message, alike, alike_texts, groups, likeness, newest_input
from promptlint.model.known import Known, Pairs
from promptlint.model.matching import Change
from promptlint.model.prompt import Component, Kind
from promptlint.model.walk import Walk, blocks

_NEAR = 64  # items that are compared with each other where none are equal


@dataclass(frozen=True, slots=True)
class Edit:
    """Component `before` of the earlier prompt stands in the later one as `after`; None where it has no partner.

    `pair` indexes the messages that hold them. `same`: both are there with equal texts.
    """

    before: int | None
    after: int | None
    pair: int
    same: bool


@dataclass(frozen=True, slots=True)
class Alignment:
    """Both prompts from the message with the divergence on, without the later one's newest input and what it added.

    `pairs` are messages, None where one has no partner; `edits` their components in order, what is gone before what
    is new. `first` is the first edit that is not `same` (the number of edits where there is none). All begin at
    component `start`.
    """

    start: int
    pairs: tuple[tuple[Message | None, Message | None], ...]
    edits: tuple[Edit, ...]
    first: int


@lru_cache(maxsize=1)
def alignment(change: Change) -> Alignment:
    """The rest of both prompts side by side, from the divergence on."""
    start = _group_start(change.after, change.at_after)
    old, new = groups(change.before, start), groups(change.after, start)
    # What a gateway makes of a request is compared as a whole.
    newest = len(change.after) if change.scope is Scope.GATEWAY else newest_input(change.after)
    pairs: list[tuple[Message | None, Message | None]] = []
    edits: list[Edit] = []
    moved: list[Message] = []  # to the end, behind what was added
    for left, right in _in_sections(old, new, change):
        before, after = old[left] if left is not None else None, new[right] if right is not None else None
        if after is not None and after.start >= newest:
            if before is None or before.key != after.key or not pairs or pairs[-1][0] is not None:
                break
            moved.append(before)
            continue
        edits += _edits(before, after, len(pairs))
        pairs.append((before, after))
    while pairs and pairs[-1][0] is None:  # what the later prompt has more at its end
        pairs.pop()
    edits = [edit for edit in edits if edit.pair < len(pairs)]
    for before in moved:
        edits += _edits(before, None, len(pairs))
        pairs.append((before, None))
    first = next((index for index, edit in enumerate(edits) if not edit.same), len(edits))
    return Alignment(start, tuple(pairs), tuple(edits), first)


def _group_start(components: Sequence[Component], at: int) -> int:
    """Where the message begins that holds the last component before the divergence."""
    start = max(0, min(at, len(components)) - 1)
    while start and components[start].kind is not Kind.ROLE and components[start].message >= 0:
        start -= 1
    return start


def _in_sections(old: Sequence[Message], new: Sequence[Message], change: Change) -> Pairs:
    """As match_messages, each section by itself; all at once where a chat template renders sections in pieces."""
    order = change.policy.order
    ranks = [[order.index(message.parts[0].section) for message in side] for side in (old, new)]
    if any(rank != sorted(rank) for rank in ranks):
        return match_messages(old, new, change.known)
    found: Pairs = []
    for rank in range(len(order)):
        starts, stops = ([bisect(side, rank) for side in ranks] for bisect in (bisect_left, bisect_right))
        for left, right in match_messages(old[starts[0] : stops[0]], new[starts[1] : stops[1]], change.known):
            found.append((None if left is None else starts[0] + left, None if right is None else starts[1] + right))
    return found


def match_messages(old: Sequence[Message], new: Sequence[Message], known: Known | None = None) -> Pairs:
    """Pairs of indices in order, None for what has no partner; all of `old` before what `new` has more at its end.

    `known`: what earlier calls on the same prompts have found out.
    """
    known = known or Known()
    left_side, right_side = ([known.number(message) for message in side] for side in (old, new))
    ends_old, ends_new = known.ends(left_side), known.ends(right_side)
    walk = _walk(old, new, (left_side, right_side), known)
    found: Pairs = []
    left = right = 0
    while left < len(old) or right < len(new):
        ends = (ends_old[left], ends_new[right])
        if ends not in known.beginnings:
            to_left, to_right, is_gap = walk.block(left, right)
            held, other = range(left, to_left), range(right, to_right)
            last = to_left == len(old)
            pairs: Pairs = _in_gap(old, new, held, other, last=last) if is_gap else [*zip(held, other, strict=True)]
            known.beginnings[ends] = _moved(pairs, -left, -right), len(held), len(other)
        beginning, taken_old, taken_new = known.beginnings[ends]
        found += _moved(beginning, left, right)
        left, right = left + taken_old, right + taken_new
    return found


def _walk(old: Sequence[Message], new: Sequence[Message], numbers: tuple[list[int], list[int]], known: Known) -> Walk:
    keys_old, keys_new = ([known.key(number) for number in side] for side in numbers)

    def equal(left: int, right: int) -> bool:
        return keys_old[left] == keys_new[right]

    def like(left: int, right: int) -> bool:
        if keys_old[left] == keys_new[right]:
            return True
        return known.versions(numbers[0][left], numbers[1][right], lambda: _versions(old[left], new[right]))

    def length(left: int) -> int:
        return known.length(keys_old[left])

    return Walk(keys_old, keys_new, equal, like, length)


def _moved(pairs: Pairs, old: int, new: int) -> Pairs:
    """Pairs that count from other places."""
    return [(None if left is None else left + old, None if right is None else right + new) for left, right in pairs]


def _in_gap(old: Sequence[Message], new: Sequence[Message], left: range, right: range, *, last: bool) -> Pairs:
    """Pairs where no messages are equal: in place where as many stand on both sides, else those that are alike."""
    in_place = len(left) == len(right)
    if in_place and all(old[index].opening == new[other].opening for index, other in zip(left, right, strict=True)):
        return _zipped(old, new, left, right)
    partners = _partners(old, new, left, right) if len(left) * len(right) <= _NEAR * _NEAR else {}
    if not partners and (last or in_place):  # nothing is alike, and what is new stands at the end
        count = min(len(left), len(right))
        rest = [(index, None) for index in left[count:]]
        return [*_zipped(old, new, left[:count], right[:count]), *rest, *((None, index) for index in right[count:])]
    found: Pairs = []
    behind = right.start
    for index in left:
        partner = partners.get(index)
        found += [(None, other) for other in range(behind, partner)] if partner is not None else []
        found.append((index, partner))
        behind = behind if partner is None else partner + 1
    return found + [(None, other) for other in range(behind, right.stop)]


def _partners(old: Sequence[Message], new: Sequence[Message], left: range, right: range) -> dict[int, int]:
    """The pairs of versions, in order, that have most in common."""
    best: list[list[tuple[float, dict[int, int]]]] = [[(0.0, {})] * (len(right) + 1)]
    for index in left:
        row = [best[-1][0]]
        for column, other in enumerate(right):
            choices = [best[-1][column + 1], row[-1]]
            if _versions(old[index], new[other]):
                score, pairs = best[-1][column]
                choices.append((score + _likeness(old[index], new[other]), {**pairs, index: other}))
            row.append(max(choices, key=lambda choice: choice[0]))
        best.append(row)
    return best[-1][-1][1]


def _likeness(before: Message, after: Message) -> float:
    return 1.0 if _ids(before) & _ids(after) else likeness(before, after)


def _zipped(old: Sequence[Message], new: Sequence[Message], left: range, right: range) -> Pairs:
    found: Pairs = []
    for index, other in zip(left, right, strict=True):
        together = (
            old[index].opening == new[other].opening and old[index].parts[0].section is new[other].parts[0].section
        )
        found += [(index, other)] if together else [(index, None), (None, other)]
    return found


def _versions(before: Message, after: Message) -> bool:
    """Whether two messages are versions of one: alike, or answers to the same tool call."""
    if before.opening != after.opening or before.parts[0].section is not after.parts[0].section:
        return False
    return alike(before, after) or bool(_ids(before) & _ids(after))


def _ids(message: Message) -> set[str]:
    return {part.text for part in message.parts if part.kind is Kind.CALL_ID}


def _edits(before: Message | None, after: Message | None, pair: int) -> Iterator[Edit]:
    """The components of two messages side by side."""
    if before is None or after is None:
        for index in range(before.start, before.stop) if before else ():
            yield Edit(index, None, pair, same=False)
        for index in range(after.start, after.stop) if after else ():
            yield Edit(None, index, pair, same=False)
        return
    if before.equal(after):
        for index, other in zip(range(before.start, before.stop), range(after.start, after.stop), strict=True):
            yield Edit(index, other, pair, same=True)
        return
    for left, right in _match_parts(before.parts, after.parts):
        same = left is not None and right is not None and before.parts[left].text == after.parts[right].text
        yield Edit(
            before.start + left if left is not None else None,
            after.start + right if right is not None else None,
            pair,
            same,
        )


def _match_parts(old: Sequence[Component], new: Sequence[Component]) -> Pairs:
    found: Pairs = []
    keys_old, keys_new = [(part.kind, part.text) for part in old], [(part.kind, part.text) for part in new]
    for at_old, to_old, at_new, to_new, is_gap in blocks(keys_old, keys_new):
        if is_gap:
            found += _parts_in_gap(old, new, range(at_old, to_old), range(at_new, to_new))
        else:
            found += zip(range(at_old, to_old), range(at_new, to_new), strict=True)
    return found


def _parts_in_gap(old: Sequence[Component], new: Sequence[Component], left: range, right: range) -> Pairs:
    """Pairs of one kind: in place where the kinds are the same, else the next that is alike."""
    slots_old, slots_new = [_slot(old[index]) for index in left], [_slot(new[index]) for index in right]
    if slots_old == slots_new:
        return list(zip(left, right, strict=True))
    found: Pairs = []
    behind = right.start
    for index in left:
        near = range(behind, min(right.stop, behind + _NEAR))
        alone = slots_old.count(_slot(old[index])) == slots_new.count(_slot(old[index])) == 1
        partner = next((other for other in near if _part_versions(old[index], new[other], alone=alone)), None)
        if partner is None:
            found.append((index, None))
            continue
        found += [(None, other) for other in range(behind, partner)]
        found.append((index, partner))
        behind = partner + 1
    return found + [(None, other) for other in range(behind, right.stop)]


def _slot(component: Component) -> tuple[Kind, str]:
    """What a component must have in common with another to be a version of it."""
    name = component.text.partition(":")[0] if component.kind is Kind.FIELD else ""
    return (component.kind, name)


def _part_versions(before: Component, after: Component, *, alone: bool) -> bool:
    if _slot(before) != _slot(after):
        return False
    if before.kind not in (Kind.TEXT, Kind.TOOL_RESULT) or alone:
        return True
    return alike_texts(" ".join(before.text.split()), " ".join(after.text.split()))
