"""What a reporter may know besides the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from promptlint.model.finding import Severity

if TYPE_CHECKING:
    from promptlint.rulebook import Rule


@dataclass(frozen=True, slots=True)
class Setup:
    """`rules`: the rules of the findings by code; `fail_on`: the lowest severity that fails the run, None for none.

    `root`: the folder of the repository in which the run's paths begin (`services/chat`, empty for its top).
    `width`: of the terminal in columns, None for a pipe or a file; `colour`: whether ANSI codes are wanted.
    """

    rules: Mapping[str, Rule] = field(default_factory=dict)
    fail_on: Severity | None = Severity.ERROR
    root: str = ""
    width: int | None = None
    colour: bool = False

    def fix(self, code: str) -> str:
        """How to mend what a rule finds, on one line; empty for an unknown rule."""
        rule = self.rules.get(code)
        return " ".join(rule.fix.split()) if rule else ""

    def fails(self, severity: Severity) -> bool:
        return self.fail_on is not None and severity.rank >= self.fail_on.rank
