"""Tables of hits in the HTML report of a replayed log: by cache, by the fields that were asked for, by session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from promptlint.model.traced import Hits, Traced
from promptlint.reporters.trace_sections import NONE, about, worst
from promptlint.reporters.trace_words import by_field, dollars, percent

_MOST_ROWS = 20


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table of hits: a cache, a group, a session."""

    name: str
    note: str
    requests: int
    tokens: int
    rate: str
    width: str  # of the gauge
    reported: str
    read: str
    written: str
    cost: str


@dataclass(frozen=True, slots=True)
class Rows:
    """A table of hits under its title; `left`: how many more there are."""

    title: str
    name: str
    first: str
    rows: tuple[Row, ...]
    left: int


def _row(name: str, note: str, hits: Hits, replayed: bool) -> Row:
    rate = hits.rate if replayed else hits.reported_rate
    return Row(
        name=name,
        note=note,
        requests=hits.requests,
        tokens=hits.tokens if replayed else hits.reported_tokens,
        rate=percent(rate),
        width=f"{100 * (rate or 0.0):.2f}%",
        reported=percent(hits.reported_rate),
        read=f"{hits.read:,}",
        written=f"{hits.written:,}",
        cost=dollars(hits.cost),
    )


def caches(result: Traced) -> Rows | None:
    if not result.caches or not result.replayed:
        return None
    rows = tuple(_row(f"{each.policy}, {each.capacity}", each.note, each.hits, True) for each in result.caches)
    return Rows("The same log under other caches" if len(rows) > 1 else "Cache", "caches", "Cache", rows, 0)


def groups(result: Traced) -> Iterator[Rows]:
    for number, (field, found) in enumerate(by_field(result.groups).items(), 1):
        rows = tuple(_row(each.value or NONE, "", each.hits, result.replayed) for each in found[:_MOST_ROWS])
        yield Rows(f"By {field}", f"group-{number}", field, rows, max(0, len(found) - _MOST_ROWS))


def sessions(result: Traced) -> Rows | None:
    if not result.sessions:
        return None
    shown = worst(result.sessions, result.replayed, _MOST_ROWS)
    rows = tuple(_row(each.name, about(each), each.hits, result.replayed) for each in shown)
    left = len(result.sessions) - len(rows)
    return Rows("Sessions, those that lose most first", "sessions", "Session", rows, left) if rows else None
