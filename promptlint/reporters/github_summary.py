"""The job summary of a GitHub workflow: Markdown, with every text of a prompt kept from being markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from promptlint.model.finding import Severity
from promptlint.model.report import Comparison, Report
from promptlint.reporters.amounts import count, money
from promptlint.reporters.paths import from_root
from promptlint.reporters.setup import Setup
from promptlint.reporters.text import summarised
from promptlint.reporters.visible import visible

if TYPE_CHECKING:
    from promptlint.model.traced import Traced

_MOST_ROWS = 500  # GitHub refuses a summary of more than 1 MiB
_MARKUP = re.compile(r"[^\w\s.,()/'-]|_", re.ASCII)
_SIGNS = {Severity.ERROR: "❌ error", Severity.WARNING: "⚠️ warning", Severity.INFO: "ℹ️ info"}


def render(report: Report, setup: Setup) -> str:
    """Chapters for findings, pairs and skips; a summary file is appended to, so it begins with its own heading."""
    return "\n".join(_lines(report, setup)) + "\n"


def _lines(report: Report, setup: Setup) -> Iterator[str]:
    yield f"## promptlint: {text(summarised(report))}"
    yield ""
    if report.traced is not None:
        yield from _traced(report.traced, setup.too_low(report))
    found = [
        (
            _SIGNS[each.severity],
            code(f"{from_root(each.location.file, setup.root)}:{each.location.line}:{each.location.column}"),
            f"**{text(each.code)}** {text(each.name)}",
            text(each.message),
            "" if each.tokens_lost is None else f"{each.tokens_lost:,}",
            text(setup.fix(each.code)),
        )
        for each in report.findings
    ]
    yield from _table(("Severity", "Place", "Rule", "What", "Tokens lost", "Fix"), found)
    pairs = [_pair(each, setup) for each in report.comparisons if each.divergence]
    yield from _table(("Prompt", "Parts at", "Shared", "Reusable", "Of", "Cost"), pairs)
    yield from _table(("Skipped", "Why"), [(code(each.what), text(each.why)) for each in report.skipped])


def _traced(result: Traced, too_low: str) -> Iterator[str]:
    from promptlint.reporters.trace_words import avoidable, dollars, percent, title

    said = [f"hit rate {percent(result.rate)}"]
    if result.replayed and result.hits.reported_rate is not None:
        said.append(f"{percent(result.hits.reported_rate)} as the provider reported it")
    said.append(f"{count(result.hits.requests, 'request')}, {count(result.tokens, 'token')}")
    if result.hits.cost is not None:
        said.append(f"{dollars(result.hits.cost)} for the prompts")
    yield text(" · ".join(said))
    yield ""
    if too_low:
        yield f"❌ {text(too_low)}"
        yield ""
    rows = [
        (
            text(title(each)),
            code(each.path) if each.path else "",
            f"{each.tokens:,}",
            text(dollars(each.dollars)),
            text(percent(each.alone)),
            text(percent(each.cumulative)),
        )
        for each in avoidable(result)
    ]
    yield from _table(("Lost to", "Where", "Tokens", "Cost", "Repaired alone", "With all above"), rows)


def _pair(each: Comparison, setup: Setup) -> tuple[str, ...]:
    tokens, place = each.tokens, each.place
    where = f"{from_root(place.file, setup.root)}:{place.line}:{place.column}" if place else ""
    figures = (f"{tokens.shared:,}", f"{tokens.reusable:,} on {text(each.provider)}", f"{tokens.after:,} tokens")
    return (code(from_root(each.after, setup.root)), code(where) if where else "", *figures, _cost(each))


def _cost(each: Comparison) -> str:
    cost = each.cost
    if cost is None:
        return ""
    if cost.kind == "one-off":
        amount, unit = (cost.total, "once") if cost.total is not None else (cost.per_event, "per warm entry")
    else:
        amount, unit = (cost.per_day, "a day") if cost.per_day is not None else (cost.per_event, "per request")
    return "" if amount is None else text(f"{money(amount)} {unit}")


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    if not rows:
        return
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows[:_MOST_ROWS]:
        yield f"| {' | '.join(row)} |"
    yield ""
    if len(rows) > _MOST_ROWS:
        yield f"… and {len(rows) - _MOST_ROWS:,} more."
        yield ""


def text(value: str) -> str:
    """Text in which no character means anything to Markdown or HTML; entities are never taken as markup."""
    return _MARKUP.sub(lambda sign: f"&#{ord(sign[0])};" if ord(sign[0]) < 128 else sign[0], visible(value))


def code(value: str) -> str:
    """Text in the face of code, where GitHub looks for no mentions, references or emoji either."""
    return f"<code>{text(value)}</code>"
