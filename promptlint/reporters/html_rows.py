"""Which pairs of a report the HTML page shows in full, and all of them as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from promptlint.model.report import Comparison

MOST = 50  # pairs in full, of 10 to 20 kB each: a page of a megabyte still opens at once


@dataclass(frozen=True, slots=True)
class PairRow:
    """A pair in the table of all; `number` is 0 where the page does not show it in full."""

    number: int
    each: Comparison
    state: str
    share: str
    shared: str


def in_full(comparisons: Sequence[Comparison]) -> frozenset[int]:
    """The numbers of the pairs that are shown in full: those that have most to be computed again, broken ones first."""

    def weight(number: int) -> tuple[bool, int, int]:
        each = comparisons[number - 1]
        return each.divergence is None, -each.tokens.lost, number

    return frozenset(sorted(range(1, len(comparisons) + 1), key=weight)[:MOST])


def percent(part: int, of: int) -> str:
    """A share with one decimal, none where it is whole: `0 %`, `12.5 %`; what is not all is never 100 %."""
    tenths = 0 if of <= 0 else 1000 * part // of
    return f"{tenths // 10} %" if tenths % 10 == 0 else f"{tenths / 10:.1f} %"


def row(number: int, each: Comparison) -> PairRow:
    tokens = each.tokens
    share, shared = percent(tokens.reusable, tokens.after), percent(tokens.shared, tokens.after)
    return PairRow(number, each, state(each), share, shared)


def state(each: Comparison) -> str:
    if each.divergence is not None:
        return "prefix broken"
    return "only grew" if each.tokens.after > each.tokens.before else "no token changed"
