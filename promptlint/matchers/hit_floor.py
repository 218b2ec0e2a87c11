"""The same number of tokens comes from the cache each time, while the prompt grows beyond it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from promptlint.model.policy import Matching
from promptlint.model.strand import LogNote, Strand, Succession

FACTS = frozenset({"floor", "where", "from", "to", "requests"})


@dataclass(frozen=True, slots=True)
class Params:
    """`turns`: requests in a row that have to read the same number of tokens."""

    turns: int = 4


def notes(log: Sequence[Strand], params: Params) -> Iterator[LogNote]:
    for strand in log:
        if strand.certain and strand.turns[0].known:
            for run in _runs(strand):
                if len(run) >= params.turns and run[-1].turn.input - run[0].turn.input >= run[0].turn.slack:
                    yield _note(strand, run)


def _runs(strand: Strand) -> Iterator[list[Succession]]:
    """Requests in a row that read one number of tokens, far less than what the one before them held.

    Requests that say nothing (sent too soon or too late, or that hit nothing at all) are passed over.
    """
    run: list[Succession] = []
    for each in strand.successions():
        if not each.warm or not each.turn.cached:
            continue
        if run and (each.turn.cached != run[0].turn.cached or each.lost < each.turn.slack):
            yield run
            run = []
        if each.lost >= each.turn.slack:
            run.append(each)
    yield run


def _note(strand: Strand, run: Sequence[Succession]) -> LogNote:
    floor, first = run[0].turn.cached, strand.turns[0].input
    named = next((each.turn.floor for each in run if each.turn.floor), "")
    if named:
        where = f"in or right after {named}"
    elif floor < first:
        where = (
            f"inside what the first request ({first:,} tokens) already held: late in the instructions, in the tools "
        )
        where += "or at the first message"
    else:
        where = f"in the history, behind the first request ({first:,} tokens)"
    if run[0].turn.policy.matching is Matching.BREAKPOINT:
        where += ", or the last cache marker stands there"
    worst = max(run, key=lambda each: each.lost)
    return LogNote(
        turn=worst.turn,
        lost=sum(each.lost for each in run),
        requests=len(run),
        key=f"{floor}:{named}",
        facts={
            "floor": f"{floor:,}",
            "where": where,
            "from": f"{run[0].turn.input:,}",
            "to": f"{run[-1].turn.input:,}",
            "requests": f"{len(run):,}",
        },
    )
