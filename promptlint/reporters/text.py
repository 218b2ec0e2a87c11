"""The report for people: where each pair parts, what survives, why, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.model.cost import CostEstimate
from promptlint.model.finding import Finding, Place, Severity
from promptlint.model.report import Comparison, RepairStep, Report
from promptlint.reporters.amounts import count, money, scaled, seconds
from promptlint.reporters.excerpt import sides
from promptlint.reporters.lines import WIDEST, Bar, Block, Line, Row, Styled, Table, line, paint
from promptlint.reporters.setup import Setup

SEVERITY_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.INFO: "bold cyan"}
_MOST_SKIPPED = 5  # files that are named for each reason


def render(report: Report, setup: Setup) -> str:
    """The report as text; without a terminal's width no line is ever broken."""
    width = None if setup.width is None else min(setup.width, WIDEST)
    return paint(_report(report, setup, width), width=width, colour=setup.colour)


def _report(report: Report, setup: Setup, width: int | None) -> Iterator[Block]:
    if report.traced is not None:
        from promptlint.reporters.trace_text import traced

        yield from traced(report, setup, width)
    checked = report.command == "check"  # of many pairs; `diff` explains its one pair even if it only grew
    for each in report.comparisons:
        if each.divergence or not checked:
            yield from _comparison(each, width)
            yield line()
    brief = [each for each in report.comparisons if checked and not each.divergence]
    for each in brief:
        yield _brief(each)
    if brief:
        yield line()
    if report.versions:
        yield from _volatility(report)
        yield line()
    for finding in report.findings:
        yield from _finding(finding, setup.fix(finding.code))
        yield line()
    notes = notes_of(report)
    for note in notes:
        yield line(Styled(f"note: {note}", "dim"), hang=6)
    if notes:
        yield line()
    yield from _skipped(report)
    yield summary(report)


def _skipped(report: Report) -> Iterator[Line]:
    """A line for each reason: a folder holds many files that are no prompts. The other formats name every one."""
    by_reason: dict[str, list[str]] = {}
    for skip in report.skipped:
        by_reason.setdefault(skip.why, []).append(skip.what)
    for why, what in by_reason.items():
        shown = ", ".join(what[:_MOST_SKIPPED])
        more = f" and {len(what) - _MOST_SKIPPED:,} more" if len(what) > _MOST_SKIPPED else ""
        yield line(Styled("skipped", "yellow"), f" {shown}{more}: {why}", hang=2)
    if by_reason:
        yield line()


def notes_of(report: Report) -> tuple[str, ...]:
    """Each once, not once a pair."""
    notes = [note for each in report.comparisons for note in each.notes]
    return tuple(dict.fromkeys([*notes, *(report.traced.notes if report.traced else ())]))


def summarised(report: Report) -> str:
    """The line that ends the report, without styles."""
    return "".join(part.text for part in summary(report).parts)


def _volatility(report: Report) -> Iterator[Block]:
    """What is not the same in all versions, and along what it varies."""
    if not report.volatility:
        yield line(f"All parts are the same in {report.versions} versions.")
        return
    rows = tuple(
        Row(
            (Styled(place_of(region.place), "bold"), Styled(f" {region.place.path}" if region.place.path else "")),
            (region.varies, f"{region.values:,}"),
            " | ".join(region.examples),
        )
        for region in report.volatility
    )
    yield Table((f"what varies in {report.versions} versions", "along", "values"), rows, indent=0)


def _brief(each: Comparison) -> Line:
    tokens = each.tokens
    what = "only grew" if tokens.after > tokens.before else "no token changed"
    survival = f"{tokens.reusable:,} of {count(tokens.after, 'token')} reusable on {each.provider}"
    return line(Styled(each.after, "bold"), f": {what}, {survival}", hang=2)


def _comparison(each: Comparison, width: int | None) -> Iterator[Block]:
    tokens = each.tokens
    yield line(Styled(each.before, "bold"), Styled(" → ", "dim"), Styled(each.after, "bold"), wraps=False)
    about = [each.policy or each.provider, each.model, each.scope if each.scope != "unknown" else ""]
    yield line(Styled(" · ".join(part for part in about if part), "dim"), indent=2, hang=2)
    counted = f"tokens by {tokens.vocabulary}" + ("" if tokens.exact else ", not exact")
    yield line(Styled(counted + (f": {tokens.reason}" if tokens.reason else ""), "dim"), indent=2, hang=2)
    yield line()
    yield from _bar(each)
    yield line()
    if each.divergence is None:
        same = tokens.shared == tokens.before == tokens.after
        grew = "the later prompt only grew" if tokens.after >= tokens.before else "the later prompt only got shorter"
        yield line(f"No divergence: {'no token changed' if same else grew}.", indent=2)
    else:
        yield from _divergence(each, width)
    survival = f"{tokens.reusable:,} of {count(tokens.after, 'token')}"
    why = each.why_reusable.rstrip(".")
    yield line(f"{each.provider} reuses ", Styled(survival, "bold"), f": {why}.", indent=2, hang=2)
    if each.repairs:
        yield line()
        yield _repairs(each.repairs)
    if each.cost:
        yield from _cost(each.cost)


def _bar(each: Comparison) -> Iterator[Block]:
    """The later prompt from token 0 to its end: taken from the cache, shared but not taken, computed."""
    tokens = each.tokens
    sizes = (tokens.reusable, max(0, tokens.shared - tokens.reusable), max(0, tokens.after - tokens.shared))
    marks = (("█", "green"), ("▒", "yellow"), ("░", "dim"))
    parts = tuple((size, mark, style) for size, (mark, style) in zip(sizes, marks, strict=True))
    yield Bar(parts, "0", f"{tokens.after:,}")
    low, high = tokens.reusable_low, tokens.reusable_high
    reusable = f"{tokens.reusable:,}" if low == high else f"{low:,} to {high:,}"
    rest = "new" if each.divergence is None else "to compute"
    names = (f"{reusable} reusable", f"{sizes[1]:,} shared, not reusable", f"{sizes[2]:,} {rest}")
    labels: list[Styled | str] = []
    for (size, mark, style), name in zip(parts, names, strict=True):
        if size or mark == "█":
            labels += ["   " if labels else "", Styled(f"{mark} ", style), name]
    yield line(*labels, indent=4, hang=2)


def _divergence(each: Comparison, width: int | None) -> Iterator[Line]:
    divergence = each.divergence
    assert divergence is not None
    place = place_of(each.place) if each.place else each.after
    field = f" in {divergence.after.path}" if divergence.after.path else ""
    where = f"token {divergence.token:,}, character {divergence.after.value_char:,}{field}"
    yield line(Styled(place, "bold"), ": the prompts part here", wraps=False)
    yield line(Styled(where, "dim"), indent=2, hang=2)
    if each.excerpt:
        yield from sides(each.excerpt, width)
    yield line()


def place_of(place: Place) -> str:
    return f"{place.file}:{place.line}:{place.column}"


def _repairs(steps: tuple[RepairStep, ...]) -> Table:
    rows = [
        Row(
            (Styled(f"{number}. "), Styled(step.code, "bold"), Styled(f" {step.name}")),
            (f"{step.recovers:,}", f"{step.cumulative:,}", f"{step.reusable:,}"),
            step.path,
        )
        for number, step in enumerate(steps, 1)
    ]
    return Table(("causes, in prompt order", "recovers", "then shared", "reusable"), tuple(rows))


def _cost(cost: CostEstimate) -> Iterator[Line]:
    yield line()
    once = cost.kind == "one-off"
    figures = []
    if cost.per_event is not None:
        figures.append(f"{money(cost.per_event)} for each {'warm cache entry' if once else 'such request'}")
    if cost.per_day is not None:
        figures.append(f"{money(cost.per_day)} a day")
    if cost.total is not None:
        figures.append(f"{money(cost.total)} in all")
    if cost.flops is not None:
        figures.append(f"{scaled(cost.flops, 'FLOP')} of prefill")
    if cost.kv_bytes is not None:
        figures.append(f"{scaled(cost.kv_bytes, 'B')} of KV state")
    if cost.seconds is not None:
        figures.append(f"{seconds(cost.seconds)} to the first token")
    if not figures:
        figures.append(f"{count(cost.tokens, 'token')} to compute; no price is known")
    yield line(f"costs {'once' if once else 'each time'}: ", Styled(", ".join(figures), "bold"), indent=2, hang=2)
    details = [f"{assumption.rstrip('.')}." for assumption in cost.assumptions]
    if cost.price_source and not any(cost.price_source in each for each in details):
        details.append(f"Prices: {cost.price_source}, {cost.price_date}.")
    for detail in details:
        yield line(Styled(detail, "dim"), indent=4, hang=2)


def _finding(finding: Finding, hint: str) -> Iterator[Line]:
    severity = Styled(finding.severity.value, SEVERITY_STYLES[finding.severity])
    title = (Styled(place_of(finding.location), "bold"), ": ", severity, " ", Styled(finding.code, "bold"))
    yield line(*title, f" {finding.name}", wraps=False)
    yield line(finding.message, indent=2)
    lost = f"{count(finding.tokens_lost, 'token')} lost" if finding.tokens_lost else ""
    about = (finding.location.path, lost, f"{finding.confidence} confidence", finding.scope.value)
    yield line(Styled(" · ".join(part for part in about if part and part != "unknown"), "dim"), indent=2, hang=2)
    for related in finding.related:
        yield line(place_of(related.location), f": {related.message}", indent=2, wraps=False)
    if hint:
        yield line(Styled("fix: ", "green"), hint, indent=2, hang=5)


def summary(report: Report) -> Line:
    """What was found in how much, on one line."""
    checked = [count(report.files_checked, "file")]
    if report.comparisons:
        checked.append(f"{count(len(report.comparisons), 'pair')} compared")
    if report.traced is not None:
        checked.append(count(report.traced.hits.requests, "request"))
    if report.skipped:
        checked.append(f"{len(report.skipped):,} skipped")
    found: list[Styled | str] = []
    for severity in reversed(Severity):
        number = sum(finding.severity is severity for finding in report.findings)
        noun = count(number, severity.value) if severity is not Severity.INFO else f"{number:,} info"
        if number:
            found += [", " if found else "", Styled(noun, SEVERITY_STYLES[severity])]
    return line(*(found or [Styled("no findings", "bold green")]), f" in {', '.join(checked)}")
