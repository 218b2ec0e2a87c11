"""A replayed log for people: what is wrong, what it costs and what to fix first; then the plots behind it."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.model.report import Report
from promptlint.model.traced import Traced, Waste
from promptlint.reporters.amounts import count
from promptlint.reporters.lines import PLAIN_WIDTH, Bar, Block, Line, Styled, line
from promptlint.reporters.plots import Measure, bars
from promptlint.reporters.setup import Setup
from promptlint.reporters.trace_advice import advice, verdict
from promptlint.reporters.trace_sections import sections
from promptlint.reporters.trace_words import (
    avoidable,
    dollars,
    lost_dollars,
    percent,
    repaired,
    rest,
    title,
    unavoidable,
)


def traced(report: Report, setup: Setup, width: int | None) -> Iterator[Block]:
    """The whole of it, without findings and what was skipped; `width` None: a pipe."""
    result, too_low = report.traced, setup.too_low(report)
    assert result is not None
    room = PLAIN_WIDTH if width is None else width
    yield from _headline(result, too_low)
    if not result.hits.requests:
        return
    yield line()
    if result.tokens:
        yield from _whole(result)
        yield line()
    yield from _first(report, setup)
    yield from _causes(result, room)
    yield from sections(result, room)


def _headline(result: Traced, too_low: str) -> Iterator[Line]:
    hits, replayed = result.hits, result.replayed
    shown = [", ".join(result.files[:3]), f"and {len(result.files) - 3:,} more" if len(result.files) > 3 else ""]
    yield line(Styled(" ".join(filter(None, shown)), "bold"), f": {count(hits.requests, 'request')}", hang=2)
    if not hits.requests:
        return
    sessions = count(len(result.sessions), "session") if result.sessions else ""
    rules = f"cache rules of {result.caches[0].policy}" if result.caches else ""
    caches = f"{rules}, {result.caches[0].capacity}" if replayed and rules else rules
    exact = "" if result.exact else ", not exact"
    counted = f"tokens by {result.vocabulary}{exact}" if result.vocabulary else "tokens as reported by the provider"
    counted += f": {result.reason}" if result.reason else ""
    for text in (" · ".join(filter(None, (sessions, caches))), counted):
        if text:
            yield line(Styled(text, "dim"), indent=2, hang=2)
    yield line()
    rates = []
    if replayed:
        rates.append(f"{percent(hits.rate)} by the cache's rules")
    if hits.reported_rate is not None:
        rates.append(f"{percent(hits.reported_rate)} as the provider reported it")
    yield _figure("hit rate", " · ".join(rates) or "not known: the log has neither prompts nor cached tokens")
    if too_low:
        yield line(Styled(too_low, "bold red"), indent=12)
    yield _figure("tokens", _tokens(result))
    if (money := _money(result)) is not None:
        yield _figure("cost", money)


def _figure(name: str, text: str) -> Line:
    return line(Styled(f"{name:<10}", "dim"), Styled(text, "bold" if name == "hit rate" else ""), indent=2, hang=10)


def _tokens(result: Traced) -> str:
    read = result.hits.read if result.replayed else result.hits.reported
    return f"{result.tokens:,} in prompts: {read:,} cached, {result.tokens - read:,} computed"


def _money(result: Traced) -> str | None:
    if result.hits.cost is None:
        return None
    said = f"{dollars(result.hits.cost)} for the prompts"
    lost = lost_dollars(avoidable(result))
    return said if lost is None else f"{said}, {dollars(lost)} of it lost to what can be fixed"


def _whole(result: Traced) -> Iterator[Block]:
    """All tokens of the log: read, lost and avoidable, lost for good reason."""
    read = result.hits.read if result.replayed else result.hits.reported
    lost = sum(each.tokens for each in avoidable(result))
    parts = (
        (read, "█", "green", "cached"),
        (lost, "▒", "yellow", "lost, avoidable"),
        (max(0, result.tokens - read - lost), "░", "dim", rest(result)),
    )
    yield Bar(tuple((size, mark, style) for size, mark, style, _ in parts), "0", f"{result.tokens:,}")
    labels: list[Styled | str] = []
    for size, mark, style, name in parts:
        if size:
            labels += ["   " if labels else "", Styled(f"{mark} ", style), f"{size:,} {name}"]
    yield line(*labels, indent=4, hang=2)


def _first(report: Report, setup: Setup) -> Iterator[Line]:
    assert report.traced is not None
    first = advice(report, setup)
    if first is None:
        if said := verdict(report.traced):
            yield line(Styled("Nothing to fix: ", "bold green"), said, hang=2)
            yield line()
        return
    where = f" in {first.path}" if first.path else ""
    yield line(Styled("Fix first: ", "bold red"), Styled(first.title, "bold"), where, hang=2)
    said = f": {first.message}" if first.place and first.message else first.message
    yield line(Styled(first.place, "bold"), said, indent=2, hang=2)
    if first.fix:
        yield line(Styled("fix: ", "green"), first.fix, indent=2, hang=5)
    yield line(" ".join(filter(None, (first.loses, first.brings))), indent=2, hang=2)
    yield line()


def _causes(result: Traced, width: int) -> Iterator[Block]:
    if not result.waste:
        return
    priced = any(each.dollars is not None for each in result.waste)
    head = ("tokens", "of all", *(("cost",) if priced else ()))
    yield line(Styled("Where tokens are lost", "bold"), ", and the hit rate with the cause repaired", hang=2)
    ranked = avoidable(result)
    measures = [
        _measure(each, result, f"{number}. {title(each)}", "yellow", priced) for number, each in enumerate(ranked, 1)
    ]
    measures += [_measure(each, result, f"   {title(each)}", "dim", priced) for each in unavoidable(result)]
    yield from bars(measures, width, head)
    yield line()


def _measure(waste: Waste, result: Traced, label: str, style: str, priced: bool) -> Measure:
    figures = (f"{waste.tokens:,}", percent(waste.tokens / result.tokens if result.tokens else None))
    note = " · ".join(filter(None, (waste.path, count(waste.requests, "request"), repaired(waste))))
    money = (dollars(waste.dollars),) if priced else ()
    return Measure(label, waste.tokens, (*figures, *money), style, note if waste.avoidable else "")
