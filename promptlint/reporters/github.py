"""GitHub annotations: a workflow command for each finding, which the runner turns into a note at the line."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.model.finding import Finding, Severity
from promptlint.model.report import Report
from promptlint.reporters.paths import from_root
from promptlint.reporters.setup import Setup
from promptlint.reporters.text import summarised
from promptlint.reporters.visible import visible

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(report: Report, setup: Setup) -> str:
    """One command a finding and a skip, then the summary as a plain line of the log."""
    return "".join(f"{row}\n" for row in _rows(report, setup))


def _rows(report: Report, setup: Setup) -> Iterator[str]:
    for finding in report.findings:
        fix = setup.fix(finding.code)
        message = visible(finding.message) + (f"\nfix: {visible(fix)}" if fix else "")
        yield _command(_COMMANDS[finding.severity], _properties(finding, setup), message)
    for skip in report.skipped:
        yield _command("notice", {"title": "promptlint: skipped"}, visible(f"{skip.what}: {skip.why}"))
    if too_low := setup.too_low(report):
        yield _command("error", {"title": "promptlint: hit rate"}, too_low)
    yield visible(summarised(report))


def _properties(finding: Finding, setup: Setup) -> dict[str, str]:
    """GitHub takes columns only where a note begins and ends on one line."""
    place = finding.location
    where = {
        "file": visible(from_root(place.file, setup.root)),
        "line": str(place.line),
        "endLine": str(place.end_line),
    }
    if place.line == place.end_line:
        where |= {"col": str(place.column), "endColumn": str(max(place.column, place.end_column - 1))}
    return {**where, "title": f"{finding.code} {finding.name}"}


def _command(name: str, properties: dict[str, str], message: str) -> str:
    """Escaped as `@actions/core` does it: https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts."""
    shown = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in properties.items())
    return f"::{name} {shown}::{_escaped(message)}"


def _escaped(text: str, more: str = "") -> str:
    text = text.replace("%", "%25")
    for character in f"\r\n{more}":
        text = text.replace(character, f"%{ord(character):02X}")
    return text
