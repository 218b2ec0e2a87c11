"""A report as the HTML template prints it: every part in its order, with nothing left to decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from promptlint.model.cost import CostEstimate
from promptlint.model.finding import Finding
from promptlint.model.prompt import Skip
from promptlint.model.report import Boundary, Comparison, Excerpt, RepairStep, Report, Survival
from promptlint.reporters.amounts import count, money, scaled, seconds
from promptlint.reporters.excerpt import sides
from promptlint.reporters.html_bar import Bar, blocks_in_words, close_up, whole
from promptlint.reporters.html_rows import PairRow, in_full, percent, row, state
from promptlint.reporters.setup import Setup
from promptlint.reporters.text import notes_of, place_of, summarised
from promptlint.reporters.trace_view import TracePage, trace_page

_MOST_MARKS = 100  # a long conversation may have a breakpoint after each turn


@dataclass(frozen=True, slots=True)
class Side:
    """One line of an excerpt: `kind` is before, after or hint; `runs` are (style, text)."""

    kind: str
    runs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause with its finding, or either alone. `number` 0: it has no place on the bar and no repair."""

    number: int
    code: str
    name: str
    step: RepairStep | None
    finding: Finding | None
    place: str
    related: tuple[tuple[str, str], ...]
    about: tuple[str, ...]
    fix: str
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """Providers with the same outcome. `chosen`: the one whose rules the comparison is about."""

    names: tuple[tuple[str, str], ...]  # family, and the entry where it has another name
    chosen: bool
    survival: Survival
    share: str  # reusable part of the prompt, in per cent
    shared: str


@dataclass(frozen=True, slots=True)
class Step:
    """A line of the repair plan; `reusable` and `shared` parts of the prompt, in per cent."""

    number: int
    cause: Cause
    repair: RepairStep
    saves: str
    reusable: str
    shared: str


@dataclass(frozen=True, slots=True)
class Pair:
    number: int
    each: Comparison
    state: str
    about: tuple[str, ...]
    share: str
    shared: str
    bar: Bar
    close_up: Bar | None
    blocks: str
    marks: tuple[Boundary, ...]  # as many as a table should have rows
    marks_left: int
    place: str
    where: str
    sides: tuple[Side, ...]
    causes: tuple[Cause, ...]
    others: tuple[Cause, ...]
    plan: tuple[Step, ...]
    survival: tuple[Row, ...]
    saves: str  # the head of the column of money in the repair plan; empty where none is known
    price: tuple[tuple[str, str], ...]  # the one amount that stands at the top
    cost: tuple[tuple[str, str], ...]
    assumptions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Page:
    command: str
    summary: str
    rows: tuple[PairRow, ...]  # of all pairs
    pairs: tuple[Pair, ...]
    rest: tuple[tuple[Finding, str], ...]  # of pairs that are not shown in full, each with its place
    findings: tuple[Cause, ...]  # of no pair
    notes: tuple[str, ...]
    skipped: tuple[Skip, ...]
    trace: TracePage | None = None


def page(report: Report, setup: Setup) -> Page:
    left = list(report.findings)
    full = in_full(report.comparisons)
    pairs: list[Pair] = []
    rest: list[Finding] = []
    for number, each in enumerate(report.comparisons, 1):
        if number in full:
            pairs.append(_pair(number, each, left, setup))
        else:
            rest += _findings_of(left, each)
    return Page(
        command=report.command,
        summary=summarised(report),
        rows=tuple(row(number if number in full else 0, each) for number, each in enumerate(report.comparisons, 1)),
        pairs=tuple(pairs),
        rest=tuple((finding, place_of(finding.location)) for finding in rest),
        findings=tuple(_cause(0, None, finding, setup) for finding in left),
        notes=notes_of(report),
        skipped=report.skipped,
        trace=trace_page(report, setup) if report.traced else None,
    )


def _findings_of(left: list[Finding], each: Comparison) -> Iterator[Finding]:
    """Those on the files of a pair, taken out of `left`."""
    while (finding := _taken(left, each)) is not None:
        yield finding


def _pair(number: int, each: Comparison, left: list[Finding], setup: Setup) -> Pair:
    """Takes the findings of this pair out of `left`."""
    tokens, divergence, cost = each.tokens, each.divergence, each.cost
    causes = tuple(
        _cause(place, step, _taken(left, each, step.code, step.path), setup)
        for place, step in enumerate(each.repairs, 1)
    )
    others = tuple(_cause(0, None, finding, setup) for finding in _findings_of(left, each))
    plan = tuple(_plan(causes, each))
    where = f" in {divergence.after.path}" if divergence and divergence.after.path else ""
    return Pair(
        number=number,
        each=each,
        state=state(each),
        about=tuple(part for part in (each.policy or each.provider, each.model, _scope(each.scope)) if part),
        share=percent(tokens.reusable, tokens.after),
        shared=percent(tokens.shared, tokens.after),
        bar=whole(each),
        close_up=close_up(each),
        blocks=blocks_in_words(each),
        marks=each.marks[:_MOST_MARKS],
        marks_left=max(0, len(each.marks) - _MOST_MARKS),
        place=place_of(each.place) if each.place else each.after,
        where=f"token {divergence.token:,}, character {divergence.after.value_char:,}{where}" if divergence else "",
        sides=_sides(each.excerpt),
        causes=causes,
        others=others,
        plan=plan,
        survival=tuple(_rows(each.survival)),
        saves=_saves(cost) if any(step.saves for step in plan) else "",
        price=tuple(_money(cost))[-1:] if cost else (),
        cost=tuple(_figures(cost)) if cost else (),
        assumptions=tuple(_assumptions(cost)) if cost else (),
    )


def _scope(scope: str) -> str:
    return "" if scope == "unknown" else scope


def _taken(left: list[Finding], each: Comparison, code: str = "", path: str = "") -> Finding | None:
    """The first finding on the files of a comparison, of a cause where one is named; it is taken out of `left`."""
    for finding in left:
        named = not code or (finding.code, finding.location.path) == (code, path)
        if named and finding.location.file in (each.after, each.before):
            left.remove(finding)
            return finding
    return None


def _cause(number: int, step: RepairStep | None, finding: Finding | None, setup: Setup) -> Cause:
    code, name = (step.code, step.name) if step else (finding.code, finding.name) if finding else ("", "")
    about: list[str] = []
    if finding is not None:
        lost = f"{count(finding.tokens_lost, 'token')} lost" if finding.tokens_lost else ""
        vendor = f"the provider calls it {finding.vendor_reason}" if finding.vendor_reason else ""
        parts = (lost, f"{finding.confidence} confidence", _scope(finding.scope.value), vendor)
        about = [part for part in parts if part]
    return Cause(
        number=number,
        code=code,
        name=name,
        step=step,
        finding=finding,
        place=place_of(finding.location) if finding else "",
        related=tuple((place_of(each.location), each.message) for each in finding.related) if finding else (),
        about=tuple(about),
        fix=setup.fix(code),
        sides=_sides(step.excerpt if step else None),
    )


_KINDS = {"-": "before", "+": "after"}


def _sides(excerpt: Excerpt | None) -> tuple[Side, ...]:
    if excerpt is None:
        return ()
    found = []
    for line in sides(excerpt, None):
        kind = _KINDS.get(line.parts[0].text.strip(), "hint")
        parts = line.parts if kind == "hint" else line.parts[1:]
        found.append(Side(kind, tuple((_STYLES.get(part.style, "own"), part.text) for part in parts if part.text)))
    return tuple(found)


_STYLES = {"dim": "common", "yellow": "plain"}


def _plan(causes: Sequence[Cause], each: Comparison) -> Iterator[Step]:
    for cause in causes:
        if cause.step is None:
            continue
        cost = cause.finding.cost if cause.finding else None
        total = max(each.tokens.after, cause.step.cumulative)  # a repair may bring text back
        saves = money(cost.per_event) if cost and cost.per_event is not None else ""
        reusable, shared = percent(cause.step.reusable, total), percent(cause.step.cumulative, total)
        yield Step(cause.number, cause, cause.step, saves, reusable, shared)


def _rows(survival: Sequence[Survival]) -> Iterator[Row]:
    """The comparison's own provider, then the others: the most reusable first, equal outcomes drawn together."""
    groups: dict[tuple[object, ...], list[Survival]] = {}
    for index, each in enumerate(survival):
        outcome = (index == 0, each.reusable, each.low, each.high, each.shared, each.after, each.why)
        groups.setdefault(outcome, []).append(each)
    chosen, *others = groups.values() or ([],)
    for group in (chosen, *sorted(others, key=lambda group: (-group[0].reusable, -group[0].shared))):
        names = tuple((each.provider, each.policy if each.policy != each.provider else "") for each in group)
        for each in group[:1]:
            share, shared = percent(each.reusable, each.after), percent(each.shared, each.after)
            yield Row(names, group is chosen, each, share, shared)


def _saves(cost: CostEstimate | None) -> str:
    return "Saves for each entry" if cost and cost.kind == "one-off" else "Saves each time"


def _money(cost: CostEstimate) -> Iterator[tuple[str, str]]:
    """(for what, amount), the widest last."""
    once = cost.kind == "one-off"
    if cost.per_event is not None:
        yield ("for each warm cache entry" if once else "for each such request"), money(cost.per_event)
    if cost.per_day is not None:
        yield "a day", money(cost.per_day)
    if cost.total is not None:
        yield "in all, once", money(cost.total)


def _figures(cost: CostEstimate) -> Iterator[tuple[str, str]]:
    """(what, amount) of each figure that is known."""
    yield from _money(cost)
    if cost.flops is not None:
        yield "of prefill computed again", scaled(cost.flops, "FLOP")
    if cost.kv_bytes is not None:
        yield "of KV state built again", scaled(cost.kv_bytes, "B")
    if cost.seconds is not None:
        yield "more to the first token", seconds(cost.seconds)
    yield "computed again", count(cost.tokens, "token")


def _assumptions(cost: CostEstimate) -> Iterator[str]:
    yield from cost.assumptions
    if cost.price_source and not any(cost.price_source in each for each in cost.assumptions):
        yield f"Prices: {cost.price_source}, {cost.price_date}"
