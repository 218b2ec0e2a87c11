"""All kinds of values that are read at run time, by name: what rules on prompt text and on tools look for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from promptlint.matchers._counters import counters
from promptlint.matchers._environment import surroundings
from promptlint.matchers._ids import ids
from promptlint.matchers._people import people
from promptlint.matchers._sites import Site
from promptlint.matchers._times import clocks, dates
from promptlint.matchers._values import ValuePair

Finder = Callable[[Site], Iterator[tuple[ValuePair, bool]]]

# In order of precedence. A finder yields pairs of values and whether the words around them say what they are.
FINDERS: dict[str, Finder] = {
    "clock": clocks,
    "date": dates,
    "counter": counters,
    "environment": surroundings,
    "identity": people,
    "id": ids,
}
_TOLD = 500  # weight of a value that the words around it name; one that only its shape tells gives way to passages
_SHAPE = 20


def narrowest(site: Site, kind: str) -> tuple[ValuePair, int] | None:
    """The best pair of one kind and its weight: named by the words around it, then the longest."""
    pairs = list(FINDERS[kind](site))
    if not pairs:
        return None
    pair, told = max(pairs, key=lambda item: (item[1], len(item[0].after)))
    return pair, _TOLD if told else _SHAPE
