"""A miss behind a pause that is longer than the provider keeps a prefix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from promptlint.model.strand import LogNote, Strand, Succession

FACTS = frozenset({"idle", "lifetime", "longer"})


@dataclass(frozen=True, slots=True)
class Params:
    """No parameters."""


def notes(log: Sequence[Strand], params: Params) -> Iterator[LogNote]:
    for strand in log:
        for each in strand.successions() if strand.turns[0].known else ():
            warm_before = each.before.cached > 0 or each.before.written > 0
            if strand.certain and each.expired and each.missed and each.long_enough and warm_before:
                yield _note(each)


def _note(each: Succession) -> LogNote:
    assert each.idle is not None
    assert each.lifetime is not None
    longer = [option for option in each.turn.policy.ttl_options if option >= each.idle]
    return LogNote(
        turn=each.turn,
        lost=each.lost,
        requests=1,
        key=f"{each.turn.policy.family}:{each.lifetime:g}",
        facts={
            "idle": _duration(each.idle),
            "lifetime": _duration(each.lifetime),
            "longer": f"; a lifetime of {_duration(min(longer))} would have kept it" if longer else "",
        },
    )


def _duration(seconds: float) -> str:
    """`45 s`, `78 min`, `26 h`."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"
