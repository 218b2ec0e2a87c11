"""The part of the JSON report that `trace` adds: what a replayed log shows, as plain values."""

from __future__ import annotations

from promptlint.model.finding import Place
from promptlint.model.traced import Branch, Hits, Reconciliation, Session, Simulated, Traced, Waste

Json = dict[str, object]


def trace(result: Traced) -> Json:
    """Rates are shares from 0 to 1, money is US dollars, None where nothing is known."""
    return {
        "files": list(result.files),
        "records": result.lines,
        "unreadable": result.bad_lines,
        "broken": [{"file": each.file, "line": each.line, "why": each.why} for each in result.broken],
        "tokenizer": {"name": result.vocabulary, "exact": result.exact, "reason": result.reason or None},
        "unique_tokens": result.unique_tokens,
        "hits": _hits(result.hits),
        "caches": [_cache(each) for each in result.caches],
        "waste": [_waste(each) for each in result.waste],
        "moments": [{"start": each.start, "hits": _hits(each.hits)} for each in result.moments],
        "divergences": [
            {"start": each.start, "end": each.end, "requests": each.requests, "lost": each.lost} for each in result.bins
        ],
        "groups": [{"by": each.by, "value": each.value, "hits": _hits(each.hits)} for each in result.groups],
        "sessions": [_session(each) for each in result.sessions],
        "prefixes": _branch(result.tree) if result.tree else None,
        "sizes": [{"tokens": each.tokens, "rate": _rounded(each.rate)} for each in result.curve],
        "middle": _middle(result),
        "reconciliation": _reconciliation(result.reconciliation) if result.reconciliation else None,
        "notes": list(result.notes),
    }


def _hits(hits: Hits) -> Json:
    return {
        "requests": hits.requests,
        "tokens": hits.tokens,
        "read": hits.read,
        "written": hits.written,
        "rate": round(hits.rate, 6),
        "reported": hits.reported,
        "reported_tokens": hits.reported_tokens,
        "reported_rate": _rounded(hits.reported_rate),
        "cost": _rounded(hits.cost),
    }


def _cache(each: Simulated) -> Json:
    return {
        "name": each.name,
        "policy": each.policy,
        "capacity": each.capacity,
        "note": each.note or None,
        "hits": _hits(each.hits),
    }


def _session(each: Session) -> Json:
    return {
        "name": each.name,
        "kind": each.kind,
        "parent": each.parent or None,
        "requests": each.requests,
        "retries": each.retries,
        "hits": _hits(each.hits),
    }


def _waste(each: Waste) -> Json:
    return {
        "kind": each.kind,
        "code": each.code or None,
        "name": each.name or None,
        "path": each.path or None,
        "message": each.message,
        "tokens": each.tokens,
        "requests": each.requests,
        "avoidable": each.avoidable,
        "location": _place(each.place) if each.place else None,
        "dollars": _rounded(each.dollars),
        "rate_alone": _rounded(each.alone),
        "rate_cumulative": _rounded(each.cumulative),
    }


def _rounded(number: float | None) -> float | None:
    """Six places: what lies behind them is the arithmetic's, not the log's."""
    return None if number is None else round(number, 6)


def _place(place: Place) -> Json:
    return {"file": place.file, "path": place.path, "line": place.line}


def _branch(branch: Branch) -> Json:
    return {
        "depth": branch.depth,
        "tokens": branch.tokens,
        "requests": branch.requests,
        "label": branch.label,
        "parts": branch.parts,
        "values": dict(branch.values),
        "warm": branch.warm,
        "saved": branch.saved,
        "children": [_branch(each) for each in branch.children],
    }


def _middle(result: Traced) -> Json | None:
    if result.middle is None:
        return None
    return {"tokens": result.middle.tokens, "of": result.middle.of, "reference": result.middle.reference or None}


def _reconciliation(each: Reconciliation) -> Json:
    return {
        "requests": each.requests,
        "agree": each.agree,
        "predicted": each.predicted,
        "reported": each.reported,
        "reasons": dict(each.reasons),
        "vendor": dict(each.vendor),
        "vendor_same": each.vendor_same,
        "worst": [
            {
                "file": one.file,
                "line": one.line,
                "low": one.low,
                "high": one.high,
                "reported": one.reported,
                "why": one.why,
            }
            for one in each.worst
        ],
    }
