"""GitLab code quality: the part of Code Climate's format that GitLab documents.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import hashlib
import json

from promptlint.model.finding import Finding, Severity
from promptlint.model.report import Report
from promptlint.reporters.paths import from_root
from promptlint.reporters.setup import Setup
from promptlint.reporters.visible import visible

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: Report, setup: Setup) -> str:
    """A JSON array with an object for each finding, as ASCII with a final newline."""
    seen: dict[str, int] = {}
    return json.dumps([_issue(each, seen, setup) for each in report.findings], indent=2) + "\n"


def _issue(finding: Finding, seen: dict[str, int], setup: Setup) -> dict[str, object]:
    place = finding.location
    return {
        "description": visible(f"{finding.code} {finding.name}: {finding.message}"),
        "check_name": finding.code,
        "fingerprint": _fingerprint(finding, seen),
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": visible(from_root(place.file, setup.root)),
            "lines": {"begin": place.line, "end": place.end_line},
        },
    }


def _fingerprint(finding: Finding, seen: dict[str, int]) -> str:
    """GitLab keeps one issue a fingerprint, so the second finding of a rule in a field gets a number to its own."""
    own = finding.fingerprint or f"{finding.code}:{finding.location.file}:{finding.location.path}"
    seen[own] = number = seen.get(own, 0) + 1
    return hashlib.sha256(f"{own}:{number}".encode("utf-8", "backslashreplace")).hexdigest()
