"""Misses that line up with restarts of the program that sends the requests, and with nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from promptlint.model.strand import LogNote, Strand, Succession, Turn

FACTS = frozenset({"restarts", "missed", "others", "requests"})


@dataclass(frozen=True, slots=True)
class Params:
    """`restarts`: the least that there must be of each, requests behind a restart and others.

    `share`: percent of the former that must miss; of the others at most the rest may.
    """

    restarts: int = 3
    share: int = 80


def notes(log: Sequence[Strand], params: Params) -> Iterator[LogNote]:
    """Conversations that another process goes on with, and the first requests of conversations, judged apart."""
    follow = [
        (each.before.process != each.turn.process, each.turn, each.missed, each.lost)
        for strand in log
        if strand.certain and strand.turns[0].known
        for each in strand.successions()
        if each.before.process and each.turn.process and each.warm and each.long_enough
    ]
    for judged in (follow, list(_openings(log))):
        note = _note(judged, params)
        if note:
            yield note


_Judged = tuple[bool, Turn, bool, int]  # behind a restart; the request; missed; tokens lost


def _openings(log: Sequence[Strand]) -> Iterator[_Judged]:
    """The first requests of conversations, each with whether it is the first of its process.

    One misses where the one before it, of the same model, held a prefix that others read and it does not.
    """
    first = sorted((strand.turns[0] for strand in log if strand.turns[0].process), key=lambda turn: turn.number)
    seen: set[str] = set()
    usual: dict[str, int] = {}  # the longest prefix that any opening request read so far, by model
    last: dict[str, Turn] = {}
    for turn in first:
        new = turn.process not in seen
        seen.add(turn.process)
        shared, before = usual.get(turn.model, 0), last.get(turn.model)
        if shared >= turn.slack and before is not None and Succession(before, turn, turn.policy.ttl_default).warm:
            yield new, turn, turn.cached * 2 < shared, max(0, min(shared, turn.input) - turn.cached)
        usual[turn.model] = max(shared, turn.cached)
        last[turn.model] = turn


def _note(judged: Sequence[_Judged], params: Params) -> LogNote | None:
    behind = [each for each in judged if each[0]]
    others = [each for each in judged if not each[0]]
    missed, missed_else = [each for each in behind if each[2]], [each for each in others if each[2]]
    if min(len(behind), len(others)) < params.restarts or len(missed) * 100 < params.share * len(behind):
        return None
    if len(missed_else) * 100 > (100 - params.share) * len(others):
        return None
    worst = max(missed, key=lambda each: each[3])[1]
    return LogNote(
        turn=worst,
        lost=sum(each[3] for each in missed),
        requests=len(missed),
        facts={
            "restarts": f"{len(behind):,}",
            "missed": f"{len(missed):,}",
            "others": f"{len(missed_else):,}",
            "requests": f"{len(others):,}",
        },
        also=tuple(turn for _, turn, _, _ in missed if turn is not worst)[:4],
    )
