"""What a replayed log shows, in the words and figures that the reports for people share."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import TypeVar

from promptlint.model.traced import Bin, Branch, Group, Hits, Moment, Traced, Waste
from promptlint.reporters.amounts import count, money

_TITLES = {
    "cold": "cold start",
    "ttl": "idle beyond the lifetime",
    "capacity": "evicted, the cache was full",
    "model": "another model",
    "provider": "warm, missed by the provider",
    "rules": "minimum, block or last token",
    "new": "new text",
    "unexplained": "not explained",
}
Item = TypeVar("Item")

_A_DATE = 100_000_000.0  # smaller starts count from the log's own beginning


def percent(rate: float | None) -> str:
    """A share with one decimal; what is not all is never 100 %, what is not nothing never 0 %."""
    if rate is None:
        return "–"
    tenths = min(round(rate * 1000), 999) if rate < 1 else round(rate * 1000)
    return "< 0.1 %" if tenths == 0 and rate > 0 else f"{tenths / 10:.1f} %"


def rest(traced: Traced) -> str:
    """What the tokens are called that were neither cached nor lost to something that can be fixed."""
    if not traced.waste:
        return "computed"
    unclear = any(each.kind == "unexplained" and each.tokens for each in traced.waste)
    return "unavoidable or not explained" if unclear else "unavoidable"


def dollars(amount: float | None) -> str:
    return "–" if amount is None else money(Decimal(str(amount)))


def rule_code(waste: Waste) -> str:
    """The rule that says how to fix a cause, empty where none does."""
    return waste.code or {"ttl": "PL804"}.get(waste.kind, "")


def title(waste: Waste) -> str:
    """What the tokens were lost to, in a few words."""
    if waste.kind == "rule":
        return f"{waste.code} {waste.name}"
    return _TITLES.get(waste.kind, waste.name or waste.kind)


def avoidable(traced: Traced) -> list[Waste]:
    return [each for each in traced.waste if each.avoidable]


def unavoidable(traced: Traced) -> list[Waste]:
    return [each for each in traced.waste if not each.avoidable]


def lost_dollars(waste: Sequence[Waste]) -> float | None:
    """What these tokens cost more than if they had been read; None where no price is known."""
    known = [each.dollars for each in waste if each.dollars is not None]
    return sum(known) if known else None


def repaired(waste: Waste) -> str:
    """Hit rates of the replays with a cause repaired."""
    if waste.alone is None and waste.cumulative is None:
        return ""
    said = [f"repaired alone: {percent(waste.alone)}"] if waste.alone is not None else []
    if waste.cumulative is not None and waste.cumulative != waste.alone:
        said.append(f"with all above: {percent(waste.cumulative)}")
    return ", ".join(said)


def shown_rate(hits: Hits, replayed: bool) -> float:
    """The simulated hit rate, or the reported one where nothing was simulated."""
    return hits.rate if replayed else hits.reported_rate or 0.0


def times(moments: Sequence[Moment]) -> tuple[str, str]:
    """Where the first and the last stretch of time begin."""
    first, last = (moment(moments, each.start) for each in (moments[0], moments[-1]))
    return f"{first} UTC" if moments[0].start >= _A_DATE else first, last


def moment(moments: Sequence[Moment], start: float) -> str:
    """When a stretch begins: a time, without the day if all are of one; seconds or a request's number without dates."""
    first, last = moments[0].start, moments[-1].start
    if first >= _A_DATE:
        begin, end, own = (datetime.fromtimestamp(each, UTC) for each in (first, last, start))
        one_day = begin.date() == end.date() and start != first
        return f"{own:%H:%M}" if one_day else f"{own:%Y-%m-%d %H:%M}"
    before = itertools.accumulate((each.hits.requests for each in moments[:-1]), initial=0)
    numbered = all(each.start - first == number for each, number in zip(moments, before, strict=True))
    return f"request {start:,.0f}" if numbered else f"{start:,.0f} s"


def merged(moments: Sequence[Moment], most: int) -> list[Moment]:
    """At most `most` stretches: neighbours are added up."""
    return [Moment(part[0].start, added([each.hits for each in part])) for part in _parts(moments, most)]


def _parts(items: Sequence[Item], most: int) -> Iterator[Sequence[Item]]:
    size = max(1, -(-len(items) // most))
    return (items[start : start + size] for start in range(0, len(items), size))


def added(each: Sequence[Hits]) -> Hits:
    costs = [one.cost for one in each if one.cost is not None]
    return Hits(
        requests=sum(one.requests for one in each),
        tokens=sum(one.tokens for one in each),
        read=sum(one.read for one in each),
        written=sum(one.written for one in each),
        reported=sum(one.reported for one in each),
        reported_tokens=sum(one.reported_tokens for one in each),
        cost=sum(costs) if costs else None,
    )


def few_bins(bins: Sequence[Bin], most: int) -> list[Bin]:
    """At most `most` bins: neighbours are added up."""
    return [
        Bin(part[0].start, part[-1].end, sum(each.requests for each in part), sum(each.lost for each in part))
        for part in _parts(bins, most)
    ]


def by_field(groups: Sequence[Group]) -> dict[str, list[Group]]:
    """The groups of each field, as they come."""
    found: dict[str, list[Group]] = {}
    for each in groups:
        found.setdefault(each.by, []).append(each)
    return found


def branch_facts(branch: Branch) -> str:
    """Who shares a prefix. That all requests are of one model, or of one value of another field, says little."""
    said = [count(branch.requests, "request")]
    said += [count(n, name) for name, n in branch.values.items() if n > 1 or name in ("session", "user")]
    return ", ".join(said)


def warming(branch: Branch) -> str:
    """What sending the prefix once before the traffic comes would bring, empty where it is not worth it."""
    return f"worth warming: {count(branch.saved, 'token')} would be read" if branch.warm else ""
