"""Hand-built reports that the reporters' tests print."""

from __future__ import annotations

from decimal import Decimal

from promptlint.model.cost import CostEstimate
from promptlint.model.divergence import Divergence, Point
from promptlint.model.finding import Finding, Fix, Place, Related, Scope, Severity, TextEdit
from promptlint.model.prompt import Component, Kind, Section, Skip
from promptlint.model.report import Comparison, Excerpt, RepairStep, Report, TokenCounts
from promptlint.model.source import Location, Source, Span


def point(name: str, char: int, path: str = "system[0].text") -> Point:
    source = Source(name, "x" * 100)
    component = Component(Section.SYSTEM, Kind.TEXT, "x" * 100, Location(source, Span(0, 100), path))
    return Point(slot=0, component=component, char=char, path=path, value_char=char, offset=char)


def place(file: str = "agent/after.json", line: int = 3, column: int = 58, path: str = "system[0].text") -> Place:
    return Place(file, path, line, column, line, column + 8)


RECURRING = CostEstimate(
    kind="recurring",
    tokens=2376,
    per_event=Decimal("0.00641520"),
    per_day=Decimal("64.152"),
    price_source="genai-prices 0.2.3",
    price_date="2026-11-02",
    assumptions=(
        "Traffic: 10,000 requests a day.",
        "Every request would otherwise hit.",
    ),
)
ONE_OFF = CostEstimate(
    kind="one-off",
    tokens=21_400,
    per_event=Decimal("1234.5"),
    total=Decimal("0.0000123"),
    flops=3.42e14,
    kv_bytes=2_805_000_000,
    seconds=0.43,
    assumptions=("40 warm entries",),
)
CLOCK = Excerpt(shared="pport agent. Now: 2026-11-30T10:00:0", before="7Z. Be brief.", after="9Z. Be brief.")
FINDING = Finding(
    code="PL101",
    name="timestamp-in-prefix",
    severity=Severity.ERROR,
    confidence="high",
    scope=Scope.SAME_CONVERSATION,
    message="the clock value 10:00:09 was 10:00:07 before: 2,022 tokens are computed again",
    location=place(),
    marked="2026-11-30T10:00:09Z",
    related=(Related("the earlier value", place("agent/before.json", 3, 58)),),
    tokens_lost=2022,
    cost=RECURRING,
    fix=Fix("unsafe", (TextEdit(place(), "2026-11-30"),)),
    vendor_reason="system_changed",
    fingerprint="5f2a",
)


def comparison(excerpt: Excerpt = CLOCK, cost: CostEstimate | None = RECURRING) -> Comparison:
    return Comparison(
        before="agent/before.json",
        after="agent/after.json",
        provider="anthropic",
        policy="anthropic-claude-sonnet-4-5",
        model="claude-sonnet-4-5",
        scope="same conversation",
        tokens=TokenCounts(
            before=2376,
            after=2376,
            shared=354,
            reusable=128,
            reusable_low=0,
            reusable_high=128,
            lost=2248,
            exact=False,
            vocabulary="o200k_base",
            reason="the vocabulary of this model is not public",
        ),
        why_reusable="no breakpoint was written between token 128 and token 354",
        notes=("the minimum of this model is documented twice: 1,024 and 2,048 tokens",),
        divergence=Divergence(
            token=354,
            before=point("agent/before.json", 58),
            after=point("agent/after.json", 58),
            token_before=point("agent/before.json", 57),
            token_after=point("agent/after.json", 57),
            shift=0,
        ),
        place=place(),
        excerpt=excerpt,
        repairs=(
            RepairStep("PL101", "timestamp-in-prefix", "system[0].text", 1980, 2334, 2304),
            RepairStep(
                "PL304",
                "tool-description-changed",
                "tools[12].input_schema.properties.path.description",
                42,
                2376,
                2304,
            ),
        ),
        cost=cost,
    )


def growth(after: int = 1500) -> Comparison:
    return Comparison(
        before="HEAD:prompts/system.md",
        after="prompts/system.md",
        provider="vllm",
        policy="vllm",
        model="",
        scope="release",
        tokens=TokenCounts(1200, after, 1200, 1200, 1200, 1200, after - 1200, True, "o200k_base", ""),
        why_reusable="1,200 shared, a multiple of 16",
        notes=(),
        divergence=None,
        place=None,
        excerpt=None,
        repairs=(),
        cost=None,
    )


SKIPS = (Skip("prompts/package.json", "is no request"),)
DIFF = Report("diff", (comparison(),), (FINDING,), (), files_checked=2)
CHECK = Report("check", (comparison(cost=ONE_OFF), growth()), (FINDING,), SKIPS, files_checked=3)
EMPTY = Report("check")
HOSTILE = Report(
    "diff",
    (comparison(Excerpt("\x1b[31mred\x07 ", "a\nb\u202eevil\x9b0m [bold]x[/bold]", "\r\n::error::x \ud800")),),
    (
        Finding(
            code="PL410",
            name="whitespace-changed",
            severity=Severity.WARNING,
            confidence="low",
            scope=Scope.UNKNOWN,
            message="line one\n::set-output name=x::y\x1b]8;;http://example.invalid\x07",
            location=place("::error file=a\nb\x1b[2J.md"),
        ),
    ),
    (Skip("\x1b[2J", "##[command]x ##vso[task.setvariable]y"),),
    files_checked=2,
)
ALL = {"diff": DIFF, "check": CHECK, "empty": EMPTY, "hostile": HOSTILE}
