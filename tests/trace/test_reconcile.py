"""Prediction against report: what agrees is counted, and every difference is explained or shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_logs import Body, records

from promptlint.model.traced import Reconciliation, Traced
from promptlint.trace.options import TraceOptions
from promptlint.trace.run import run


def claude(cached: int, *, total: int = 5_600, **more: Any) -> dict[str, Any]:
    """A usage of Anthropic; the rest of the prompt is written."""
    return {
        "input_tokens": 0,
        "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": total - cached,
        **more,
    }


def logged(path: Path, told: Callable[[int, float, Body], dict[str, Any]], *causes: str, every: float = 40.0) -> Traced:
    """A log of two conversations; `told`: what the provider reports of a request, given its number, time and body."""
    lines = []
    for number, (at, session, user, body) in enumerate(records(*causes, turns=4, every=every)):
        line = {"ts": at, "session": session, "user": user, "request": body, **told(number, at, body)}
        lines.append(json.dumps(line))
    (path / "log.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return run([str(path / "log.jsonl")], TraceOptions())


def compared(result: Traced) -> Reconciliation:
    assert result.reconciliation is not None
    return result.reconciliation


def as_predicted(path: Path, *causes: str) -> list[tuple[int, int]]:
    """Tokens and reused tokens of each request by our own replay."""
    result = []
    for count in range(1, 9):
        log = list(records(*causes, turns=4))[:count]
        lines = [json.dumps({"ts": at, "session": s, "user": u, "request": body}) for at, s, u, body in log]
        (path / "part.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
        hits = run([str(path / "part.jsonl")], TraceOptions()).hits
        result.append((hits.tokens, hits.read))
    before = [(0, 0), *result]
    return [(now[0] - then[0], now[1] - then[1]) for then, now in zip(before, result, strict=False)]


def test_what_the_rules_give_agrees_in_the_providers_own_tokens(tmp_path: Path) -> None:
    ours = as_predicted(tmp_path)

    def told(number: int, at: float, body: Body) -> dict[str, Any]:
        total, cached = (round(1.2 * count) for count in ours[number])  # another vocabulary counts more
        return {"usage": claude(cached, total=total)}

    found = compared(logged(tmp_path, told))
    assert (found.requests, found.agree, found.worst) == (8, 8, ())
    assert found.predicted == pytest.approx(found.reported, rel=0.001)


@pytest.mark.parametrize(
    ("refused", "every", "why"),
    [
        (2, 40.0, "less than predicted: the provider reported no hit on a prefix that was the same and warm"),
        (2, 1.0, "less than predicted: the request before it may not have been answered yet"),
        (2, 299.0, "less than predicted: near the end of the lifetime"),
    ],
)
def test_a_hit_that_the_provider_refused(tmp_path: Path, refused: int, every: float, why: str) -> None:
    ours = as_predicted(tmp_path)

    def told(number: int, at: float, body: Body) -> dict[str, Any]:
        total, cached = ours[number]
        return {"usage": claude(0 if number == refused else cached, total=total)}

    result = logged(tmp_path, told, every=every)
    found = compared(result)
    assert dict(found.reasons) == {why: 1}
    assert (found.agree, found.worst[0].line, found.worst[0].reported) == (7, refused + 1, 0)
    waste = {each.kind: each for each in result.waste}
    lost = sum(each.tokens for each in result.waste if each.kind != "provider")
    assert lost == result.hits.tokens - result.hits.read
    assert ("provider" in waste) == (every == 40.0)
    if "provider" in waste:
        assert waste["provider"].tokens == ours[refused][1]
        assert [finding.code for finding in result.findings] == ["PL805"]


def test_more_than_predicted_is_traffic_that_the_log_does_not_hold(tmp_path: Path) -> None:
    ours = as_predicted(tmp_path)

    def told(number: int, at: float, body: Body) -> dict[str, Any]:
        total, cached = ours[number]
        return {"usage": claude(cached if number else 5_000, total=total)}

    found = compared(logged(tmp_path, told))
    assert dict(found.reasons) == {"more than predicted: traffic that is not in this log had sent the same prefix": 1}


def test_the_providers_own_reason_is_compared_with_our_diagnosis(tmp_path: Path) -> None:
    def told(number: int, at: float, body: Body) -> dict[str, Any]:
        reason = {"type": "system_changed" if number != 3 else "tools_changed"} if number else None
        answer = {"type": "message", "usage": claude(0), "diagnostics": {"cache_miss_reason": reason}}
        return {"response": answer}

    found = compared(logged(tmp_path, told, "clock"))
    assert dict(found.vendor) == {"system_changed": 6, "tools_changed": 1}
    assert found.vendor_same == 6


def test_a_log_without_usage_compares_nothing(tmp_path: Path) -> None:
    assert logged(tmp_path, lambda *_: {}).reconciliation is None
