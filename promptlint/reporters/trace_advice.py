"""What to fix first in logged traffic, what it costs and what repairing it brings; or that there is nothing to fix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from promptlint.model.finding import Finding, Severity
from promptlint.model.report import Report
from promptlint.model.traced import Traced, Waste
from promptlint.reporters.amounts import count
from promptlint.reporters.setup import Setup
from promptlint.reporters.text import place_of
from promptlint.reporters.trace_words import avoidable, dollars, percent, rule_code, title

_WORTH_SAYING = 0.01  # of all tokens


@dataclass(frozen=True, slots=True)
class Advice:
    """The cause to fix first, in words. `place`: file, line and column; what is not known is empty."""

    title: str
    path: str
    place: str
    message: str
    fix: str
    loses: str
    brings: str


def advice(report: Report, setup: Setup) -> Advice | None:
    """The largest avoidable cause; of a log without texts, the finding that lost most; None where there is neither."""
    assert report.traced is not None
    causes = avoidable(report.traced)
    if causes:
        return _of_cause(causes, report.traced, setup)
    severe = [each for each in report.findings if each.severity is not Severity.INFO and each.tokens_lost]
    severe.sort(key=lambda each: (-each.severity.rank, -(each.tokens_lost or 0)))
    return _of_finding(severe[0], report.traced, setup) if severe else None


def _of_cause(causes: Sequence[Waste], result: Traced, setup: Setup) -> Advice:
    first = causes[0]
    share = percent(first.tokens / max(1, sum(each.tokens for each in causes)))
    loses = f"It loses {count(first.tokens, 'token')} in {count(first.requests, 'request')}"
    loses += f", {share} of what can be saved"
    loses += f", {dollars(first.dollars)}." if first.dollars is not None else "."
    return Advice(
        title=title(first),
        path=first.path,
        place=place_of(first.place) if first.place else "",
        message=first.message,
        fix=setup.fix(rule_code(first)),
        loses=loses,
        brings=_brings(causes, result),
    )


def _of_finding(finding: Finding, result: Traced, setup: Setup) -> Advice:
    lost = finding.tokens_lost or 0
    return Advice(
        title=f"{finding.code} {finding.name}",
        path="",
        place=place_of(finding.location),
        message=finding.message,
        fix=setup.fix(finding.code),
        loses=f"It loses {count(lost, 'token')}, {percent(lost / max(lost, result.tokens, 1))} of all.",
        brings="",
    )


def _brings(causes: Sequence[Waste], result: Traced) -> str:
    """What repairing the first cause brings, and all of them, as replays of the log showed."""
    after = causes[0].alone if causes[0].alone is not None else causes[0].cumulative
    if after is None:
        return ""
    best = max((each.cumulative for each in causes if each.cumulative is not None), default=after)
    said = f"Repaired alone, the hit rate goes from {percent(result.hits.rate)} to {percent(after)}"
    if best > after:
        said += f"; with all causes that were replayed, to {percent(best)}"
    return f"{said}."


def verdict(result: Traced) -> str:
    """What is said where there is nothing to fix; empty where that is not known."""
    if not result.waste:
        return ""
    others = [
        f"{count(each.tokens, 'token')} {title(each)}"
        for each in result.waste
        if each.kind in ("provider", "unexplained") and each.tokens > _WORTH_SAYING * result.tokens
    ]
    if others:
        return f"no cause was found in the prompts ({', '.join(others)})."
    return "what was computed could not have been read."
