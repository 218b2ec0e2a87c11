"""The JSON report, version 1; `report.schema.json` beside this module is its schema."""

from __future__ import annotations

import json
from decimal import Decimal

from promptlint import __version__
from promptlint.model.cost import CostEstimate
from promptlint.model.divergence import Divergence
from promptlint.model.finding import Finding, Fix, Place, Severity
from promptlint.model.report import Comparison, Excerpt, RepairStep, Report, TokenCounts
from promptlint.reporters.setup import Setup

VERSION = 1

# Values are None, bool, int, float, str, lists and dicts of these, in the order in which they are printed.
Json = dict[str, object]


def render(report: Report, setup: Setup | None = None) -> str:
    """The report as pure ASCII with a final newline: prompt text cannot reach a terminal or break an encoding."""
    return json.dumps(document(report), indent=2, allow_nan=False) + "\n"


def document(report: Report) -> Json:
    """The report as plain values; the same report always gives the same document."""
    return {
        "version": VERSION,
        "tool": {"name": "promptlint", "version": __version__},
        "command": report.command,
        "comparisons": [_comparison(each) for each in report.comparisons],
        "findings": [_finding(each) for each in report.findings],
        "skipped": [{"what": skip.what, "why": skip.why} for skip in report.skipped],
        "volatility": _volatility(report) if report.versions else None,
        "trace": _trace(report),
        "summary": {
            "files": report.files_checked,
            "comparisons": len(report.comparisons),
            "findings": {
                severity.value: sum(each.severity is severity for each in report.findings)
                for severity in reversed(Severity)
            },
        },
    }


def _trace(report: Report) -> Json | None:
    if report.traced is None:
        return None
    from promptlint.reporters.trace_json import trace

    return trace(report.traced)


def _volatility(report: Report) -> Json:
    return {
        "versions": report.versions,
        "regions": [
            {
                "location": _place(region.place),
                "varies": region.varies,
                "follows": list(region.follows),
                "values": region.values,
                "examples": list(region.examples),
            }
            for region in report.volatility
        ],
    }


def _comparison(each: Comparison) -> Json:
    tokens = each.tokens
    return {
        "before": {"file": each.before},
        "after": {"file": each.after},
        "provider": each.provider,
        "policy": each.policy,
        "model": each.model or None,
        "scope": each.scope,
        "tokenizer": {"name": tokens.vocabulary, "exact": tokens.exact, "reason": tokens.reason or None},
        "tokens": _tokens(tokens),
        "why_reusable": each.why_reusable,
        "vendor_reason": each.vendor_reason or None,
        "divergence": _divergence(each.divergence, each.place, each.excerpt) if each.divergence else None,
        "repairs": [_repair(step) for step in each.repairs],
        "cost": _cost(each.cost),
        "notes": list(each.notes),
    }


def _tokens(tokens: TokenCounts) -> Json:
    return {
        "before": tokens.before,
        "after": tokens.after,
        "shared": tokens.shared,
        "reusable": tokens.reusable,
        "reusable_low": tokens.reusable_low,
        "reusable_high": tokens.reusable_high,
        "lost": tokens.lost,
    }


def _divergence(divergence: Divergence, place: Place | None, excerpt: Excerpt | None) -> Json:
    after, before = divergence.after, divergence.before
    return {
        "token": divergence.token,
        "path": after.path,
        "char": after.value_char,
        "file": place.file if place else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "shared": excerpt.shared if excerpt else "",
        "before": excerpt.before if excerpt else "",
        "after": excerpt.after if excerpt else "",
        "path_before": before.path,
        "char_before": before.value_char,
        "token_path": divergence.token_after.path,
        "token_char": divergence.token_after.value_char,
        "shift": divergence.shift,
    }


def _repair(step: RepairStep) -> Json:
    return {
        "code": step.code,
        "name": step.name,
        "path": step.path,
        "recovers": step.recovers,
        "cumulative": step.cumulative,
        "reusable": step.reusable,
    }


def _finding(each: Finding) -> Json:
    return {
        "code": each.code,
        "name": each.name,
        "severity": each.severity.value,
        "confidence": each.confidence,
        "scope": each.scope.value,
        "message": each.message,
        "location": _place(each.location),
        "related": [{"message": related.message, "location": _place(related.location)} for related in each.related],
        "tokens_lost": each.tokens_lost,
        "vendor_reason": each.vendor_reason or None,
        "cost": _cost(each.cost),
        "fix": _fix(each.fix),
        "fingerprint": each.fingerprint,
    }


def _place(place: Place) -> Json:
    return {
        "file": place.file,
        "path": place.path,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }


def _fix(fix: Fix | None) -> Json | None:
    if fix is None:
        return None
    edits = [{"location": _place(edit.location), "replacement": edit.replacement} for edit in fix.edits]
    return {"safety": fix.safety, "edits": edits}


def _cost(cost: CostEstimate | None) -> Json | None:
    if cost is None:
        return None
    return {
        "kind": cost.kind,
        "tokens": cost.tokens,
        "currency": "USD",
        "per_event": _money(cost.per_event),
        "per_day": _money(cost.per_day),
        "total": _money(cost.total),
        "flops": cost.flops,
        "kv_bytes": cost.kv_bytes,
        "seconds": cost.seconds,
        "price_source": cost.price_source or None,
        "price_date": cost.price_date or None,
        "assumptions": list(cost.assumptions),
    }


def _money(amount: Decimal | None) -> str | None:
    """Digits without an exponent: a JSON number would become a binary float in most readers."""
    return None if amount is None else format(amount, "f")
