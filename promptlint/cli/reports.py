"""What a run found, in the formats and places that were asked for, and the exit status that follows from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from promptlint.cli import DONE, FOUND
from promptlint.cli.options import FailOn
from promptlint.cli.output import Target, Terminal, deliver

if TYPE_CHECKING:
    from promptlint.model.report import Report
    from promptlint.model.traced import Traced
    from promptlint.reporters.setup import Setup
    from promptlint.rulebook import Rule


def deliver_report(
    report: Report,
    wanted: Sequence[Target],
    fail_on: FailOn,
    *,
    redact: bool = False,
    min_hit_rate: float | None = None,
) -> int:
    """Prints the report, or files it, and gives the exit status. `redact`: no word of a prompt is shown.

    `min_hit_rate`: a replayed log below it fails the run.
    """
    from promptlint.model.finding import Severity
    from promptlint.reporters.setup import Setup

    rules = _rules(report, examples=any(target.format == "sarif" for target in wanted))
    if redact:
        from promptlint.reporters.redact import redacted

        report = redacted(report, rules)
    lowest = None if fail_on is FailOn.NEVER else Severity(fail_on.value)
    setup = Setup(rules=rules, fail_on=lowest, min_hit_rate=min_hit_rate, root=_folder_in_repository())
    deliver(wanted, {target.format: _renderer(target.format, report, setup) for target in wanted})
    return FOUND if setup.fails_run(report) else DONE


def _renderer(name: str, report: Report, setup: Setup) -> Callable[[Terminal], str]:
    from promptlint.reporters import formats

    def render(terminal: Terminal) -> str:
        return formats.render(name, report, dataclasses.replace(setup, width=terminal.width, colour=terminal.colour))

    return render


def _rules(report: Report, *, examples: bool) -> dict[str, Rule]:
    """The rules that the report may speak of. Most logs break none, and all rules take longer than many a log."""
    if not report.findings and not (report.traced and _names_a_rule(report.traced)):
        return {}
    from promptlint import rulebook

    return {rule.code: rule for rule in rulebook.load(examples=examples).rules}


def _names_a_rule(traced: Traced) -> bool:
    from promptlint.reporters.trace_words import rule_code

    return any(map(rule_code, traced.waste))


def _folder_in_repository() -> str:
    """Where in its repository this run takes place, empty at the top and outside of any."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / ".git").exists():
            return "" if folder == here else here.relative_to(folder).as_posix()
    return ""
