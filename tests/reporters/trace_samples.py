"""Hand-built results of a replayed log that the reporters' tests print."""

from __future__ import annotations

import dataclasses
from typing import Any

from promptlint.model.finding import Finding, Place, Scope, Severity
from promptlint.model.prompt import Skip
from promptlint.model.report import Report
from promptlint.model.traced import (
    Bin,
    Branch,
    CurvePoint,
    Disagreement,
    Group,
    Hits,
    Middle,
    Moment,
    Reconciliation,
    Session,
    Simulated,
    Traced,
    Waste,
)
from promptlint.model.traffic import BadLine

LOG = "logs/desk.jsonl"
START = 1_781_686_800.0  # 2026-06-17 09:00 UTC


def place(line: int = 14, path: str = "system[0].text", file: str = LOG) -> Place:
    return Place(file, path, line, 1, line, 2)


def hits(requests: int, tokens: int, read: int, cost: float | None = None, reported: int | None = None) -> Hits:
    told = (0, 0) if reported is None else (reported, tokens)
    return Hits(requests, tokens, read, (tokens - read) // 2, *told, cost)


CLOCK = Waste(
    kind="rule",
    code="PL101",
    name="timestamp-in-prefix",
    path="system[0].text",
    message="the clock value 09:14:52 was 09:14:07 before",
    tokens=1_930_000,
    requests=1_180,
    avoidable=True,
    place=place(),
    dollars=6.369,
    alone=0.612,
    cumulative=0.612,
)
WASTE = (
    CLOCK,
    Waste(
        kind="rule",
        code="PL203",
        name="unstable-tool-order",
        path="tools",
        message="the same tools come in another order",
        tokens=640_000,
        requests=212,
        avoidable=True,
        place=place(88, "tools"),
        dollars=2.112,
        alone=0.371,
        cumulative=0.791,
    ),
    Waste(
        kind="ttl",
        code="PL804",
        name="ttl-gap",
        path="",
        message="idle for longer than the 300 s that an entry lives",
        tokens=190_000,
        requests=64,
        avoidable=True,
        place=place(301, ""),
        dollars=0.627,
    ),
    Waste("new", "", "", "", "text that no earlier request held", 620_000, 1_240, False),
    Waste("cold", "", "", "", "the first request of its kind", 75_200, 40, False, dollars=0.25),
    Waste("provider", "PL805", "provider-miss", "", "stable and warm, and no hit", 41_000, 12, False, dollars=0.14),
    Waste("rules", "", "", "", "below the minimum", 3_800, 9, False),
)
LOST = sum(each.tokens for each in WASTE)
TOKENS = 5_100_000
TREE = Branch(
    depth=0,
    tokens=0,
    requests=1_240,
    label="",
    children=(
        Branch(
            depth=2_310,
            tokens=2_310,
            requests=1_150,
            label="system[0].text",
            parts="You help Ann… | You help Bob…",
            values={"user": 41, "session": 96},
            warm=True,
            saved=217_140,
            children=(
                Branch(3_900, 1_590, 700, "messages[0].content[0].text", values={"user": 1, "session": 50}),
                Branch(2_480, 170, 450, "messages[0].content", "Hello | Good morning", {"user": 40, "session": 46}),
            ),
        ),
        Branch(410, 410, 90, "system[0].text", values={"user": 30, "session": 90}),
    ),
)
CURVE = tuple(CurvePoint(1_000 * 4**n, rate) for n, rate in enumerate((0.02, 0.05, 0.19, 0.26, 0.31, 0.313, 0.313)))
MOMENTS = tuple(
    Moment(START + 600.0 * n, hits(25, 104_000, int(104_000 * rate), None, int(100_000 * rate) if n > 8 else None))
    for n, rate in enumerate((0.0, 0.1, 0.32, 0.35, 0.3, 0.41, 0.05, 0.33, 0.36, 0.28, 0.2, 0.39) * 4)
)
BINS = (
    Bin(0, 1_024, 160, 420_000),
    Bin(1_024, 2_048, 1_020, 1_510_000),
    Bin(2_048, 4_096, 212, 640_000),
    Bin(4_096, 8_192, 15, 31_000),
)
RECONCILIATION = Reconciliation(
    requests=1_228,
    agree=1_190,
    predicted=1_598_000,
    reported=1_551_000,
    reasons={"warm prefix, no hit: the provider's side": 12, "counts of this vocabulary are estimates": 26},
    vendor={"system_changed": 1_101},
    worst=(Disagreement(LOG, 907, 2_048, 2_304, 0, "warm prefix, no hit: the provider's side"),),
)
TRACED = Traced(
    files=(LOG,),
    lines=1_243,
    bad_lines=3,
    vocabulary="o200k_base",
    exact=False,
    reason="Claude's vocabulary is not public",
    hits=Hits(1_240, TOKENS, TOKENS - LOST, 2_100_000, 1_551_000, 5_020_000, 14.37),
    caches=(
        Simulated("anthropic", "anthropic-1024", "unbounded", hits(1_240, TOKENS, TOKENS - LOST, 14.37)),
        Simulated("vllm:10000", "vllm", "10,000 blocks of 16", hits(1_240, TOKENS, 1_310_000)),
        Simulated("unbounded", "generic", "unbounded", hits(1_240, TOKENS, 1_760_000), "no rule but the prefix"),
    ),
    groups=(
        Group("user", "ann", hits(700, 3_000_000, 900_000, 8.0, 880_000)),
        Group("user", "bob", hits(540, 2_100_000, 700_000, 6.37)),
        Group("model", "claude-sonnet-4-6", hits(1_240, TOKENS, TOKENS - LOST, 14.37)),
    ),
    sessions=(
        Session("s-17", "main", "", 24, 1, hits(24, 310_000, 12_000, 1.1, 11_000)),
        Session("s-17/2", "subagent", "s-17", 9, 0, hits(9, 81_000, 30_000)),
    ),
    waste=WASTE,
    moments=MOMENTS,
    bins=BINS,
    tree=TREE,
    curve=CURVE,
    middle=Middle(410_000, TOKENS, "CacheBlend, https://doi.org/10.1145/3689031.3696098"),
    reconciliation=RECONCILIATION,
    unique_tokens=702_000,
    notes=("entries are taken to be shared within a workspace",),
    broken=(BadLine(LOG, 17, "not valid JSON: expected a comma"), BadLine(LOG, 520, "ends in the middle of a record")),
    findings=(
        Finding(
            code="PL101",
            name="timestamp-in-prefix",
            severity=Severity.ERROR,
            confidence="high",
            scope=Scope.SAME_CONVERSATION,
            message="the clock value 09:14:52 was 09:14:07 before: 1,930,000 tokens are computed again",
            location=place(),
            tokens_lost=1_930_000,
            fingerprint="77aa",
        ),
    ),
)
USAGE_ONLY = Traced(
    files=("usage.jsonl",),
    lines=48,
    bad_lines=0,
    vocabulary="",
    exact=False,
    reason="",
    hits=Hits(48, 0, 0, 0, 96_000, 480_000, None),
    sessions=(Session("s-1", "main", "", 48, 0, Hits(48, 0, 0, 0, 96_000, 480_000)),),
    moments=tuple(Moment(float(n * 6), Hits(6, 0, 0, 0, 12_000, 60_000)) for n in range(8)),
)
NOTHING = Traced(("empty.jsonl",), 0, 0, "", False, "", Hits())


def report(traced: Traced = TRACED) -> Report:
    skips = tuple(Skip(f"{each.file}:{each.line}", each.why) for each in traced.broken)
    return Report("trace", (), traced.findings, skips, files_checked=len(traced.files), traced=traced)


def _spoiled(value: Any, nasty: str) -> Any:
    """The value with `nasty` at the end of every text in it, except those that the types give a fixed choice of."""
    if isinstance(value, str):
        return value + nasty
    if isinstance(value, tuple):
        return tuple(_spoiled(each, nasty) for each in value)
    if isinstance(value, dict):
        return {_spoiled(key, nasty): each for key, each in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fixed = {"kind", "severity", "confidence", "scope", "code"}
        changes = {
            each.name: _spoiled(getattr(value, each.name), nasty)
            for each in dataclasses.fields(value)
            if each.init and each.name not in fixed
        }
        return dataclasses.replace(value, **changes)
    return value


def spoiled(nasty: str) -> Report:
    """A report whose every text holds `nasty`."""
    made: Report = _spoiled(report(), nasty)
    return dataclasses.replace(made, command="trace")


HOSTILE = spoiled("\x1b[31m\x1b]8;;http://example.invalid\x07\u202e\r\n::error::x ##[command]y \ud800")
ALL = {"full": report(), "usage": report(USAGE_ONLY), "nothing": report(NOTHING), "hostile": HOSTILE}
