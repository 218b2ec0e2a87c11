"""Parts of earlier messages that are missing, cut, other or new when the history is sent again."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.matchers._edits import Sides, Spans, match_of, middle, sides
from promptlint.matchers._values import compiled
from promptlint.model.alignment import Alignment, Edit, alignment
from promptlint.model.history import Message, groups, newest_input
from promptlint.model.matching import Change, Match
from promptlint.model.prompt import Component, Kind, Section
from promptlint.model.source import Span

FACTS = frozenset({"count", "places", "tool"})

_STAND_IN = 300  # characters of a text that stands in for what is gone
_CUT = 16  # characters that must be gone: less is an edit
_THOUGHT = r"\s*<(think|thinking|thought|reasoning)>[\s\S]*</\1>\s*"
PATTERNS = (_THOUGHT,)
_ENDED = "the provider leaves the reasoning of ended turns out itself, whether it is sent or not"


@dataclass(frozen=True, slots=True)
class Params:
    """`kinds` of components, by name. `ways`: `missing` (gone or empty), `added`, `other` (any difference), `cut`
    (shortened, or lengthened again). `placeholders` are patterns of what stands for text that was taken out, in user
    texts of the `placeholder_kinds`, too.
    """

    kinds: tuple[str, ...]
    ways: tuple[str, ...]
    placeholders: tuple[str, ...] = ()
    placeholder_kinds: tuple[str, ...] = ()


def match(change: Change, params: Params) -> Match | None:
    aligned = alignment(change)
    if aligned.first == len(aligned.edits) or not _in_history(change, aligned):
        return None
    look = _Look(change, aligned, params)
    if look.spans(aligned.first) is None and not look.part_of_group(aligned.first):
        return None
    claims = look.claims()
    if Kind.REASONING.value in params.kinds and change.policy.drops_reasoning:
        open_turn = _open_turn(change, aligned)
        ended = {index: spans for index, spans in claims.items() if aligned.edits[index].pair < open_turn}
        if aligned.first in ended:
            return match_of(change, ended, facts=_facts(change, aligned, ended), harmless=_ENDED)
    return match_of(change, claims, facts=_facts(change, aligned, claims), weight=20)


def _in_history(change: Change, aligned: Alignment) -> bool:
    both = sides(change, aligned.edits[aligned.first])
    return all(part is None or part.section is Section.MESSAGES for part in (both.before, both.after))


def _facts(change: Change, aligned: Alignment, claims: dict[int, Spans]) -> dict[str, str]:
    pairs = {aligned.edits[index].pair for index in claims}
    both = sides(change, aligned.edits[min(claims)])
    named = both.after or both.before
    assert named is not None
    return {"places": f"{len(pairs)} {'message' if len(pairs) == 1 else 'messages'}", "tool": named.name or "a tool"}


def _open_turn(change: Change, aligned: Alignment) -> int:
    """Index of the pair of messages with which the turn begins that goes on at the end of the later prompt."""
    if any(_asks(message) for message in groups(change.after, newest_input(change.after))):
        return len(aligned.pairs)
    return max((index for index, (_, after) in enumerate(aligned.pairs) if after and _asks(after)), default=-1)


class _Look:
    """Goes through the edits of one change for what the parameters ask for."""

    def __init__(self, change: Change, aligned: Alignment, params: Params) -> None:
        self.change, self.aligned, self.params = change, aligned, params

    def spans(self, index: int) -> Spans | None:
        """What to set equal in an edit that is asked for (nothing: all of it); None for any other edit."""
        edit = self.aligned.edits[index]
        both = sides(self.change, edit)
        if not edit.same and both.kind.value in self.params.placeholder_kinds:
            return self._replaced(both)
        if not edit.same and both.kind is Kind.TEXT and Kind.REASONING.value in self.params.kinds:
            return _thought(both)
        if edit.same or both.kind.value not in self.params.kinds or self._other_group(edit):
            return None
        ways = self.params.ways
        if both.before is None or both.after is None:
            return () if ("missing" if both.after is None else "added") in ways else None
        if "missing" in ways and both.before.text.strip() and not both.after.text.strip():
            return ()
        if "cut" in ways and (region := _cut(both.before.text, both.after.text, self.params.placeholders)):
            return (region,)
        return () if "other" in ways else None

    def _replaced(self, both: Sides) -> Spans | None:
        """A text in which a placeholder took the place of most (agents that send tool output as user text)."""
        if both.before is None or both.after is None or both.after.role != "user":
            return None
        old, new = middle(both.before.text, both.after.text)
        taken = both.after.text[new.start : new.end]
        if len(new) >= len(old) or not _is_placeholder(taken, self.params.placeholders):
            return None
        return ((new, old),)

    def _other_group(self, edit: Edit) -> bool:
        """Whether a whole message came or went that holds more than the kinds asked for."""
        before, after = self.aligned.pairs[edit.pair]
        if before is not None and after is not None:
            return False
        message = before or after
        return message is None or not _only(message, self.params.kinds)

    def part_of_group(self, index: int) -> bool:
        """Whether the edit opens a whole message that holds nothing but the kinds asked for."""
        edit = self.aligned.edits[index]
        before, after = self.aligned.pairs[edit.pair]
        if (before is None) == (after is None):
            return False
        way = "missing" if after is None else "added"
        if way not in self.params.ways or not self._alone(edit.pair):
            return False
        message = before or after
        return message is not None and _only(message, self.params.kinds)

    def _alone(self, pair: int) -> bool:
        """Whether nothing else went (or came) in one piece with a message: else whole turns did."""
        pairs = self.aligned.pairs
        side = 0 if pairs[pair][1] is None else 1
        for step in (-1, 1):
            at = pair + step
            while 0 <= at < len(pairs) and pairs[at][1 - side] is None:
                message = pairs[at][side]
                if message is not None and not _only(message, self.params.kinds):
                    return False
                at += step
        return True

    def claims(self) -> dict[int, Spans]:
        claims: dict[int, Spans] = {}
        edits = self.aligned.edits
        for index in range(self.aligned.first, len(edits)):
            spans = self.spans(index)
            if spans is not None or self.part_of_group(index):
                claims[index] = spans or ()
        for index in sorted(claims):
            for step in (-1, 1):
                other = index + step
                while 0 <= other < len(edits) and other not in claims and self._goes_with(index, other):
                    claims[other] = ()
                    other += step
        return claims

    def _goes_with(self, index: int, other: int) -> bool:
        """Whether an edit beside one that is asked for belongs to it: a field of its own, or what stands in for it."""
        edit, beside = self.aligned.edits[index], self.aligned.edits[other]
        if edit.pair != beside.pair or beside.same or (beside.before is not None and beside.after is not None):
            return False
        both, mine = sides(self.change, beside), sides(self.change, edit)
        part, own = both.before or both.after, mine.before or mine.after
        assert part is not None and own is not None
        if both.kind is Kind.FIELD:
            return part.block == own.block
        return _stands_in(both.after, mine.after) or _stands_in(both.before, mine.before)


def _stands_in(part: Component | None, own: Component | None) -> bool:
    """Whether a short text is on the side on which the part asked for is not."""
    if part is None or own is not None:
        return False
    return part.kind in (Kind.TEXT, Kind.TOOL_RESULT) and len(part.text) <= _STAND_IN


def _only(message: Message, kinds: tuple[str, ...]) -> bool:
    """Whether a message holds the kinds and nothing else but its frame; an item can be named as a kind."""
    parts = [part for part in message.parts if part.kind not in (Kind.ROLE, Kind.FIELD)]
    if not parts:
        return message.opening in kinds
    return all(part.kind.value in kinds for part in parts)


def _asks(message: Message) -> bool:
    return message.role == "user" and not message.is_result


def _cut(before: str, after: str, placeholders: tuple[str, ...]) -> tuple[Span, Span] | None:
    """(of the later text, of the earlier one): what was taken out, or cut at another length; None for other edits."""
    old, new = middle(before, after)
    short, long = sorted((len(old), len(new)))
    held = any(
        _is_placeholder(text[span.start : span.end], placeholders) for text, span in ((after, new), (before, old))
    )
    if long - short >= _CUT and _is_placeholder(before[old.end :], placeholders):
        return new, old  # the mark of the cut stands behind both: it was cut at another length
    if not held and (long - short < _CUT or long < 2 * short or short > _STAND_IN):
        return None
    if not held and len(new) > len(old) and len(before) - old.end > 3:  # text was put in, not cut later
        return None
    return (new, old) if held or short <= _STAND_IN else None


def _is_placeholder(text: str, placeholders: tuple[str, ...]) -> bool:
    if not text.strip() or len(text) > _STAND_IN:
        return False
    return any(compiled(pattern).search(text) for pattern in placeholders)


def _thought(both: Sides) -> Spans | None:
    """Reasoning in a tag that is gone from an answer's text."""
    if both.before is None or both.after is None or both.after.role not in ("assistant", "model"):
        return None
    old, new = middle(both.before.text, both.after.text)
    gone = not len(new) and compiled(_THOUGHT).fits(both.before.text, old.start, old.end)
    return ((new, old),) if gone else None
