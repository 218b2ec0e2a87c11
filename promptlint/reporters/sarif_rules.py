"""A rule as SARIF describes it: what it finds, why it matters and how to mend it, as Markdown and as text."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.model.finding import Severity
from promptlint.rulebook import pages
from promptlint.rulebook.rule import Rule

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_PROBLEM = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}

Json = dict[str, object]


def descriptor(code: str, name: str, severity: Severity, rule: Rule | None) -> Json:
    """A reportingDescriptor (SARIF 3.49); with its identifiers alone where the rule is not known."""
    about: Json = {"id": code, "name": name, "defaultConfiguration": {"level": LEVELS[severity]}}
    if rule is None:
        return about
    return {
        **about,
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": f"{rule.summary} {pages.flat(rule.why)}"},
        "help": {"text": "\n\n".join(_text(rule)), "markdown": "\n\n".join(pages.page(rule, examples=1))},
        "properties": {
            "precision": rule.confidence,
            "problem.severity": _PROBLEM[rule.severity],
            "tags": ["prompt-cache", rule.subject],
        },
    }


def _text(rule: Rule) -> Iterator[str]:
    yield rule.summary
    for title, text in pages.chapters(rule):
        yield f"{title}: {pages.flat(text)}"
    if rule.references:
        yield "References: " + ", ".join(rule.references)
