"""The prompt went on from a warm one, token for token, and the provider still reported no hit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from promptlint.model.policy import Matching
from promptlint.model.strand import LogNote, Strand, Succession

FACTS = frozenset({"predicted", "cached", "requests"})


@dataclass(frozen=True, slots=True)
class Params:
    """`misses`: the least of one provider whose cache works as well as it can and promises nothing; where a cache
    marker is a promise, one is enough.
    """

    misses: int = 3


def notes(log: Sequence[Strand], params: Params) -> Iterator[LogNote]:
    found: dict[str, list[Succession]] = defaultdict(list)
    for strand in log:
        for each in strand.successions():
            if each.turn.policy.hosted and each.warm and _refused(each):
                found[each.turn.policy.id].append(each)
    for misses in found.values():
        promised = misses[0].turn.policy.matching is Matching.BREAKPOINT
        if len(misses) >= (1 if promised else params.misses):
            yield _note(misses)


def _refused(each: Succession) -> bool:
    """Whether most of what the cache must hold of the request, by the rules, was not read."""
    expected = each.turn.expected
    return expected is not None and expected.low >= each.turn.slack and each.turn.cached * 10 < expected.low


def _note(misses: Sequence[Succession]) -> LogNote:
    def lost(each: Succession) -> int:
        return (each.turn.expected.low if each.turn.expected else 0) - each.turn.cached

    worst = max(misses, key=lost).turn
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
        also=tuple(each.turn for each in misses if each.turn is not worst)[:4],
    )
