"""The token-weighted hit rate of a conversation, against what it could have been had every request only grown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from promptlint.model.strand import LogNote, Strand, Turn

FACTS = frozenset({"session", "rate", "possible", "requests"})


@dataclass(frozen=True, slots=True)
class Params:
    """`below`: percent of prompt tokens, and of those that could have come from the cache. `turns`: the least that go
    on from others. `tokens`: the least that could have come from the cache and did not.
    """

    below: int = 50
    turns: int = 4
    tokens: int = 5_000


def notes(log: Sequence[Strand], params: Params) -> Iterator[LogNote]:
    sessions: dict[tuple[str, str], list[Strand]] = defaultdict(list)
    for strand in log:
        first = strand.turns[0]
        if first.known:
            sessions[first.session, first.model].append(strand)
    for strands in sessions.values():
        note = _note(strands, params)
        if note:
            yield note


def _note(strands: Sequence[Strand], params: Params) -> LogNote | None:
    turns = [turn for strand in strands for turn in strand.turns]
    follow = [each for strand in strands if strand.certain for each in strand.successions()]
    usable = [each for each in follow if each.warm and each.long_enough]
    if len(usable) < params.turns:
        return None
    total, cached = sum(turn.input for turn in turns), sum(turn.cached for turn in turns)
    possible = sum(min(each.before.input, each.turn.input) for each in usable)
    read = sum(each.turn.cached for each in usable)
    low = cached * 100 < params.below * total and read * 100 < params.below * possible
    if not low or possible - read < params.tokens or possible * 100 < params.below * total:
        return None
    worst: Turn = max(usable, key=lambda each: each.lost).turn
    return LogNote(
        turn=worst,
        lost=possible - read,
        requests=len(turns),
        facts={
            "session": worst.session,
            "rate": f"{100 * cached / total:.0f} %",
            "possible": f"{100 * possible / total:.0f} %",
            "requests": f"{len(turns):,}",
        },
    )
