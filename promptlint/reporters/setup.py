"""What a reporter may know besides the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from promptlint.model.finding import Severity

if TYPE_CHECKING:
    from promptlint.model.report import Report
    from promptlint.rulebook import Rule


@dataclass(frozen=True, slots=True)
class Setup:
    """`rules`: the rules of the findings by code; `fail_on`: the lowest severity that fails the run, None for none.

    `min_hit_rate`: below it a replayed log fails the run (0 to 1; None: no such limit).
    `root`: the folder of the repository in which the run's paths begin (`services/chat`, empty for its top).
    `width`: of the terminal in columns, None for a pipe or a file; `colour`: whether ANSI codes are wanted.
    """

    rules: Mapping[str, Rule] = field(default_factory=dict)
    fail_on: Severity | None = Severity.ERROR
    min_hit_rate: float | None = None
    root: str = ""
    width: int | None = None
    colour: bool = False

    def fix(self, code: str) -> str:
        """How to mend what a rule finds, on one line; empty for an unknown rule."""
        rule = self.rules.get(code)
        return " ".join(rule.fix.split()) if rule else ""

    def fails(self, severity: Severity) -> bool:
        return self.fail_on is not None and severity.rank >= self.fail_on.rank

    def too_low(self, report: Report) -> str:
        """In words that the hit rate of a replayed log is below the wanted one; empty where it is not."""
        rate = report.traced.rate if report.traced else None
        if rate is None or self.min_hit_rate is None or rate >= self.min_hit_rate:
            return ""
        from promptlint.reporters.trace_words import percent

        return f"the hit rate, {percent(rate)}, is below the {percent(self.min_hit_rate)} that is wanted"

    def fails_run(self, report: Report) -> bool:
        """Whether the run ends with a failure: a finding that is severe enough, or a hit rate that is too low."""
        return bool(self.too_low(report)) or any(self.fails(finding.severity) for finding in report.findings)
