"""Prompt tokens are written to the cache at a premium again and again, and nothing is ever read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from promptlint.model.strand import LogNote, Strand

FACTS = frozenset({"written", "requests"})


@dataclass(frozen=True, slots=True)
class Params:
    """`writes`: the least requests that write although the one before them wrote, and read nothing of it."""

    writes: int = 3


def notes(log: Sequence[Strand], params: Params) -> Iterator[LogNote]:
    for strand in log:
        if any(turn.cached for turn in strand.turns):
            continue
        again = [each for each in strand.successions() if each.warm and min(each.before.written, each.turn.written) > 0]
        if len(again) < params.writes:
            continue
        written = sum(turn.written for turn in strand.turns)
        yield LogNote(
            turn=max(again, key=lambda each: each.turn.written).turn,
            lost=sum(each.lost for each in again),
            requests=len(again),
            key="unread",
            facts={"written": f"{written:,}", "requests": f"{len(strand.turns):,}"},
        )
