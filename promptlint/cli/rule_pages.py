"""Rules as lists, pages and JSON documents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from promptlint.model.finding import Severity
from promptlint.reporters.lines import Line, Styled, line
from promptlint.rulebook import Example, Rule

_STYLES = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}


def summary(rule: Rule) -> dict[str, object]:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.value,
        "confidence": rule.confidence,
        "summary": rule.summary,
    }


def page(rule: Rule) -> dict[str, object]:
    return {
        **summary(rule),
        "since": rule.since,
        "subject": rule.subject,
        "message": rule.message,
        "why": rule.why,
        "fix": rule.fix,
        "not_when": rule.not_when or None,
        "providers": list(rule.providers),
        "scopes": [scope.value for scope in rule.scopes],
        "references": list(rule.references),
        "bad": [_example(example) for example in rule.bad],
        "good": [_example(example) for example in rule.good],
    }


def _example(example: Example) -> dict[str, object]:
    return {
        "before": example.before,
        "after": example.after,
        "provider": example.provider,
        "note": example.note or None,
    }


def listed(rules: Sequence[Rule]) -> Iterator[Line]:
    widest = max((len(rule.name) for rule in rules), default=0)
    for rule in rules:
        severity = Styled(rule.severity.value.ljust(8), _STYLES[rule.severity])
        code = Styled(rule.code, "bold")
        yield line(code, f"  {rule.name.ljust(widest)}  ", severity, rule.summary, hang=len(rule.code) + widest + 12)


def shown(rule: Rule) -> Iterator[Line]:
    yield line(Styled(f"{rule.code} {rule.name}", "bold"), wraps=False)
    severity = Styled(rule.severity.value, _STYLES[rule.severity])
    yield line(severity, f", {rule.confidence} confidence, since {rule.since}")
    yield line()
    yield line(rule.summary)
    for title, text in (("Why", rule.why), ("Fix", rule.fix), ("Not when", rule.not_when)):
        if text:
            yield line()
            yield line(Styled(title, "bold"))
            for paragraph in text.strip().split("\n\n"):
                yield line(" ".join(paragraph.split()), indent=2)
    for title, style, examples in (("Bad", "bold red", rule.bad), ("Good", "bold green", rule.good)):
        for example in examples:
            yield line()
            yield line(Styled(title, style), f": {example.note}" if example.note else "")
            yield from _sides(example)
    if rule.references:
        yield line()
        yield line(Styled("References", "bold"))
        for reference in rule.references:
            yield line(reference, indent=2, wraps=False)


def _sides(example: Example) -> Iterator[Line]:
    for title, side in (("before", example.before), ("after", example.after)):
        if side is None:
            continue
        yield line(Styled(title, "dim"), indent=2)
        text = side if isinstance(side, str) else json.dumps(side, indent=2, ensure_ascii=False)
        for row in text.rstrip("\n").split("\n"):
            yield line(row, indent=4, wraps=False)
