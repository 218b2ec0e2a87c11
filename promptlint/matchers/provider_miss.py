"""The prompt began with a warm one, token for token, and the provider still reported no hit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from promptlint.model.policy import Matching
from promptlint.model.strand import LogNote, Strand, Turn, surely_warm

FACTS = frozenset({"predicted", "cached", "requests"})


@dataclass(frozen=True, slots=True)
class Params:
    """`misses`: the least of one provider whose cache works as well as it can and promises nothing; where a cache
    marker is a promise, one is enough.
    """

    misses: int = 3


def notes(log: Sequence[Strand], params: Params) -> Iterator[LogNote]:
    found: dict[str, list[Turn]] = defaultdict(list)
    for strand in log:
        for turn in _warm(strand):
            if turn.policy.hosted and _refused(turn):
                found[turn.policy.id].append(turn)
    for misses in found.values():
        promised = misses[0].policy.matching is Matching.BREAKPOINT
        if len(misses) >= (1 if promised else params.misses):
            yield _note(misses)


def _warm(strand: Strand) -> Iterator[Turn]:
    """The requests whose beginning must still be in the cache, of this conversation or of another one."""
    first = strand.turns[0]
    if surely_warm(first.unused, first.policy.ttl_default):
        yield first
    yield from (each.turn for each in strand.successions() if each.warm)


def _refused(turn: Turn) -> bool:
    """Whether most of what the cache must hold of the request, by the rules, was not read."""
    expected = turn.expected
    return expected is not None and expected.low >= turn.slack and turn.cached * 10 < expected.low


def _note(misses: Sequence[Turn]) -> LogNote:
    def lost(turn: Turn) -> int:
        return (turn.expected.low if turn.expected else 0) - turn.cached

    worst = max(misses, key=lost)
    assert worst.expected is not None
    return LogNote(
        turn=worst,
        lost=sum(map(lost, misses)),
        requests=len(misses),
        facts={
            "predicted": f"{worst.expected.low:,}",
            "cached": f"{worst.cached:,}",
            "requests": f"{len(misses):,}",
        },
        also=tuple(turn for turn in misses if turn is not worst)[:4],
    )
