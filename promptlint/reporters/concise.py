"""One line for each finding, for editors and grep: `path:line:column: severity CODE name message`."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.model.report import Report
from promptlint.reporters.lines import Line, Styled, line, paint
from promptlint.reporters.setup import Setup
from promptlint.reporters.text import SEVERITY_STYLES, place_of, summary


def render(report: Report, setup: Setup) -> str:
    """Never wrapped; what could not be looked at and the summary come last."""
    return paint(_lines(report), width=None, colour=setup.colour)


def _lines(report: Report) -> Iterator[Line]:
    for finding in report.findings:
        yield line(
            Styled(place_of(finding.location), "bold"),
            ": ",
            Styled(finding.severity.value, SEVERITY_STYLES[finding.severity]),
            " ",
            Styled(finding.code, "bold"),
            f" {finding.name} {finding.message}",
        )
    for skip in report.skipped:
        yield line(f"{skip.what}: ", Styled("skipped", "yellow"), f": {skip.why}")
    yield summary(report)
