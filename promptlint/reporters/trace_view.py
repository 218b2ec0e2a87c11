"""A replayed log as the HTML template prints it: the headline, the first cause, tables and plots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from promptlint.model.report import Report
from promptlint.model.traced import Branch, Traced, Waste
from promptlint.reporters.amounts import count
from promptlint.reporters.setup import Setup
from promptlint.reporters.svg import Plot
from promptlint.reporters.text import place_of
from promptlint.reporters.trace_advice import Advice, advice, verdict
from promptlint.reporters.trace_plots import over_time, positions, prefixes, sizes
from promptlint.reporters.trace_sections import middle_said, reasons_of, reconciled_said
from promptlint.reporters.trace_tables import Rows, caches, groups, sessions
from promptlint.reporters.trace_words import (
    avoidable,
    branch_facts,
    dollars,
    lost_dollars,
    percent,
    rest,
    title,
    unavoidable,
    warming,
)


@dataclass(frozen=True, slots=True)
class Loss:
    """A row of the causes: `number` 0 for what cannot be avoided; `share` of the largest, for its bar."""

    number: int
    title: str
    waste: Waste
    place: str
    about: str
    share: str
    of_all: str
    dollars: str
    alone: str
    cumulative: str


@dataclass(frozen=True, slots=True)
class Prefix:
    """A branch of the tree of prefixes, with what stands in its line."""

    depth: int
    label: str
    about: str
    parts: str
    warm: bool
    children: tuple[Prefix, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the bar of all tokens."""

    kind: str
    label: str
    tokens: int
    left: str
    width: str


@dataclass(frozen=True, slots=True)
class TracePage:
    result: Traced
    about: tuple[str, ...]
    figures: tuple[tuple[str, str, str], ...]  # what, figure, small print
    below: str
    parts: tuple[Part, ...]
    said: str
    first: Advice | None
    verdict: str
    losses: tuple[Loss, ...]
    priced: bool
    plots: tuple[Plot, ...]
    caches: Rows | None
    groups: tuple[Rows, ...]
    sessions: Rows | None
    prefixes: Plot | None
    tree: Prefix | None
    sizes: Plot | None
    middle: str
    reconciled: str
    reasons: dict[str, Mapping[str, int]]
    links: tuple[tuple[str, str], ...]


def trace_page(report: Report, setup: Setup) -> TracePage:
    result = report.traced
    assert result is not None
    by_cache, by_group, by_session = caches(result), tuple(groups(result)), sessions(result)
    plots = tuple(plot for plot in (over_time(result), positions(result)) if plot)
    tree, curve = prefixes(result.tree), sizes(result.curve)
    parts = tuple(_parts(result))
    tables = [each for each in (by_cache, *by_group, by_session) if each]
    links = [(plot.name, plot.title) for plot in plots] + [(each.name, each.title) for each in tables]
    links += [(plot.name, plot.title) for plot in (tree, curve) if plot]
    return TracePage(
        result=result,
        about=tuple(_about(result)),
        figures=tuple(_figures(result)),
        below=setup.too_low(report),
        parts=parts,
        said="; ".join(f"{count(part.tokens, 'token')} {part.label}" for part in parts),
        first=advice(report, setup),
        verdict=verdict(result),
        losses=tuple(_losses(result)),
        priced=any(each.dollars is not None for each in result.waste),
        plots=plots,
        caches=by_cache,
        groups=by_group,
        sessions=by_session,
        prefixes=tree,
        tree=_prefix(result.tree) if tree and result.tree else None,
        sizes=curve,
        middle=middle_said(result) if result.middle and result.middle.tokens else "",
        reasons=reasons_of(result.reconciliation) if result.reconciliation else {},
        reconciled=reconciled_said(result.reconciliation) if result.reconciliation else "",
        links=(*((("losses", "Where tokens are lost"),) if result.waste else ()), *links),
    )


def _about(result: Traced) -> Iterator[str]:
    yield count(result.hits.requests, "request")
    if result.sessions:
        yield count(len(result.sessions), "session")
    if result.caches:
        yield f"cache rules of {result.caches[0].policy}{f', {result.caches[0].capacity}' if result.replayed else ''}"
    counted = f"tokens by {result.vocabulary}" if result.vocabulary else "tokens as reported by the provider"
    exact = ", not exact" if result.vocabulary and not result.exact else ""
    yield f"{counted}{exact}{f': {result.reason}' if result.reason else ''}"


def _figures(result: Traced) -> Iterator[tuple[str, str, str]]:
    hits = result.hits
    reported = "" if hits.reported_rate is None else f"{percent(hits.reported_rate)} as the provider reported it"
    if result.replayed:
        yield "hit rate by the cache's rules", percent(hits.rate), reported
    elif hits.reported_rate is not None:
        yield "hit rate as the provider reported it", percent(hits.reported_rate), ""
    yield "tokens in prompts", f"{result.tokens:,}", f"{hits.read if result.replayed else hits.reported:,} cached"
    saved = sum(each.tokens for each in avoidable(result))
    if saved:
        yield "tokens lost, avoidable", f"{saved:,}", f"{percent(saved / max(1, result.tokens))} of all"
    if hits.cost is not None:
        lost = lost_dollars(avoidable(result))
        yield "cost of the prompts", dollars(hits.cost), "" if lost is None else f"{dollars(lost)} of it avoidable"


def _parts(result: Traced) -> Iterator[Part]:
    hits = result.hits
    read = hits.read if result.replayed else hits.reported
    lost = sum(each.tokens for each in avoidable(result))
    left = max(0, result.tokens - read - lost)
    total, start = max(1, read + lost + left), 0
    for kind, label, tokens in (
        ("cached", "cached", read),
        ("lost", "lost, avoidable", lost),
        ("grown", rest(result), left),
    ):
        if tokens:
            yield Part(kind, label, tokens, f"{100 * start / total:.3f}%", f"{100 * tokens / total:.3f}%")
        start += tokens


def _losses(result: Traced) -> Iterator[Loss]:
    largest = max((each.tokens for each in result.waste), default=0) or 1
    ranked = avoidable(result)
    for number, each in enumerate([*ranked, *unavoidable(result)], 1):
        yield Loss(
            number=number if number <= len(ranked) else 0,
            title=title(each),
            waste=each,
            place=place_of(each.place) if each.place and number <= len(ranked) else "",
            about=" · ".join(filter(None, ("" if number <= len(ranked) else "not avoidable", each.message))),
            share=f"{100 * each.tokens / largest:.2f}%",
            of_all=percent(each.tokens / max(1, result.tokens)),
            dollars=dollars(each.dollars),
            alone="" if each.alone is None else percent(each.alone),
            cumulative="" if each.cumulative is None else percent(each.cumulative),
        )


def _prefix(branch: Branch) -> Prefix:
    return Prefix(
        depth=branch.depth,
        label=branch.label,
        about=", ".join(filter(None, (branch_facts(branch), warming(branch)))),
        parts=branch.parts,
        warm=branch.warm,
        children=tuple(map(_prefix, branch.children)),
    )
