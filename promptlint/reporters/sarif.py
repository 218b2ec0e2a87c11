"""SARIF 2.1.0 (OASIS standard, 27 March 2020), for code scanning: columns in UTF-16 units, rule help as Markdown.

An accepted edit is a suppressed result. What a comment, the configuration or a baseline silences is not in the report:
GitHub's code scanning would show it as an open alert, because it does not read `suppressions`.
"""

from __future__ import annotations

import json

from promptlint import __version__
from promptlint.model.finding import Finding, Fix, Place, Related
from promptlint.model.report import Report
from promptlint.reporters.paths import from_root, is_past, uri
from promptlint.reporters.sarif_rules import LEVELS, descriptor
from promptlint.reporters.setup import Setup
from promptlint.reporters.visible import visible

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
BASE = "%SRCROOT%"

Json = dict[str, object]


def render(report: Report, setup: Setup) -> str:
    """One run, as ASCII with a final newline."""
    return json.dumps(document(report, setup), indent=2, allow_nan=False) + "\n"


def document(report: Report, setup: Setup) -> Json:
    codes = list(dict.fromkeys(finding.code for finding in report.findings))
    names = {finding.code: finding for finding in report.findings}
    driver = {
        "name": "promptlint",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [descriptor(code, names[code].name, names[code].severity, setup.rules.get(code)) for code in codes],
    }
    run: Json = {
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {BASE: {"description": {"text": "The top of the repository."}}},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": _notifications(report)}],
        "results": [_result(each, codes.index(each.code), report, setup) for each in report.findings],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _notifications(report: Report) -> list[Json]:
    """What could not be looked at."""
    return [{"level": "note", "message": _message(f"skipped {skip.what}: {skip.why}")} for skip in report.skipped]


def _result(finding: Finding, index: int, report: Report, setup: Setup) -> Json:
    properties: Json = {
        "confidence": finding.confidence,
        "scope": finding.scope.value,
        "tokensLost": finding.tokens_lost,
        "providerReason": finding.vendor_reason or None,
    }
    result: Json = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": LEVELS[finding.severity],
        "message": _message(finding.message),
        "locations": [_location(finding.location, setup)],
        "partialFingerprints": {"promptlint/v1": finding.fingerprint} if finding.fingerprint else {},
        "properties": {name: value for name, value in properties.items() if value is not None},
    }
    if finding.related:
        result["relatedLocations"] = [
            _related(each, number, finding, report, setup) for number, each in enumerate(finding.related)
        ]
    if finding.accepted:
        about = {"kind": "external", "status": "accepted", "justification": visible(finding.accepted)}
        result["suppressions"] = [about]
    if finding.fix and not any(is_past(e.location.file, finding.location.file, report) for e in finding.fix.edits):
        result["fixes"] = [_fix(finding.fix, setup)]
    return result


def _related(related: Related, number: int, finding: Finding, report: Report, setup: Setup) -> Json:
    place = related.location
    if is_past(place.file, finding.location.file, report):
        where = f"{place.file}:{place.line}:{place.column}"
        return {"id": number, "message": _message(f"{related.message}: {where}"), **_logical(place)}
    return {"id": number, "message": _message(related.message), **_location(place, setup)}


def _location(place: Place, setup: Setup) -> Json:
    physical = {"artifactLocation": _artifact(place.file, setup), "region": _region(place)}
    return {"physicalLocation": physical, **_logical(place)}


def _artifact(file: str, setup: Setup) -> Json:
    return {"uri": uri(from_root(file, setup.root)), "uriBaseId": BASE}


def _logical(place: Place) -> Json:
    """The field inside a request; a plain text has none."""
    if not place.path:
        return {}
    return {"logicalLocations": [{"fullyQualifiedName": visible(place.path), "kind": "member"}]}


def _region(place: Place) -> Json:
    return {
        "startLine": place.line,
        "startColumn": place.utf16 or place.column,
        "endLine": place.end_line,
        "endColumn": place.end_utf16 or place.end_column,
    }


def _fix(fix: Fix, setup: Setup) -> Json:
    files = dict.fromkeys(edit.location.file for edit in fix.edits)
    changes = [
        {
            "artifactLocation": _artifact(file, setup),
            "replacements": [
                {"deletedRegion": _region(edit.location), "insertedContent": {"text": edit.replacement}}
                for edit in fix.edits
                if edit.location.file == file
            ],
        }
        for file in files
    ]
    return {"description": {"text": f"Repair ({fix.safety})"}, "artifactChanges": changes}


def _message(text: str) -> Json:
    """Plain text in which `[name](target)` is no link: viewers follow those even in plain messages (SARIF 3.11.6)."""
    return {"text": visible(text).replace("](", "] (")}
