"""Reports that the tests of the HTML format print: a full one, a hostile one, and one of 200,000 tokens."""

from __future__ import annotations

import dataclasses

import sample_reports
import trace_samples

from promptlint.model.finding import Finding, Severity
from promptlint.model.prompt import Skip
from promptlint.model.report import Boundary, Comparison, Excerpt, RepairStep, Report, Stretch, Survival, TokenCounts

NASTY = (
    "<script>top.hit=1</script>",
    "</style></title><script>top.hit=2</script>",
    '"onload="top.hit=3" onerror=\'top.hit=4\' <img src=x onerror=top.hit=5>',
    "\x1b[31m\x1b]8;;http://example.invalid\x07\x9b0m",
    "\u202e<b>evil\u2066\u200f\u2028",
    "{{ 7*7 }}{% raw %}&lt;b&gt;&#60;",
    "\ud800\x00\r\n--><!--]]>",
)


def survival(provider: str, reusable: int, low: int | None = None, *, shared: int = 354, why: str = "") -> Survival:
    return Survival(
        provider=provider,
        policy=provider,
        shared=shared,
        reusable=reusable,
        low=reusable if low is None else low,
        high=reusable,
        after=2376,
        why=why or f"{reusable:,} of {shared:,} shared",
    )


def full(nasty: str = "") -> Comparison:
    """A comparison with everything that a report may hold; `nasty` goes into every text of it."""
    base = sample_reports.comparison(sample_reports.CLOCK if not nasty else Excerpt(nasty, nasty, nasty[::-1]))
    steps = tuple(
        dataclasses.replace(
            step, path=step.path + nasty, token=token, excerpt=Excerpt("shared" + nasty, "b" + nasty, "a" + nasty)
        )
        for step, token in zip(base.repairs, (354, 2334), strict=True)
    )
    return dataclasses.replace(
        base,
        before=base.before + nasty,
        after=base.after + nasty,
        model=base.model + nasty,
        why_reusable=base.why_reusable + nasty,
        notes=(*base.notes, "a note" + nasty),
        place=sample_reports.place(base.after + nasty),
        repairs=steps,
        sections=(Stretch("tools", 0, 300), Stretch("system", 300, 1300), Stretch("messages", 1300, 2376)),
        marks=(Boundary(128, "cache marker after tools[1]" + nasty), Boundary(1300, "cache marker after system[0]")),
        block=64,
        survival=(
            survival("anthropic", 128, 0, why="no breakpoint" + nasty),
            survival("vllm", 352),
            survival("generic", 354),
            survival("sglang", 354),
            survival("gemini", 0, shared=30),
        ),
    )


def report(nasty: str = "") -> Report:
    each = full(nasty)
    finding = dataclasses.replace(
        sample_reports.FINDING,
        message=sample_reports.FINDING.message + nasty,
        location=sample_reports.place(each.after, path=each.repairs[0].path),
        related=(dataclasses.replace(sample_reports.FINDING.related[0], message="was" + nasty),),
    )
    other = Finding(
        code="PL502",
        name="no-breakpoint",
        severity=Severity.WARNING,
        confidence="high",
        scope=sample_reports.FINDING.scope,
        message="nothing is marked" + nasty,
        location=sample_reports.place(each.after, path="messages" + nasty),
    )
    elsewhere = dataclasses.replace(other, location=sample_reports.place("other" + nasty + ".md"))
    skip = Skip("prompts/package.json" + nasty, "is no request" + nasty)
    return Report("check", (each, sample_reports.growth()), (finding, other, elsewhere), (skip,), files_checked=5)


def large(tokens: int = 200_000, causes: int = 60, marks: int = 2_000) -> Report:
    """A long conversation with as many causes as a comparison lists, and a breakpoint after each turn."""
    steps = tuple(
        RepairStep(
            "PL304",
            "stable-text-edited",
            f"messages[{n}].content",
            3_000,
            3_000 * n,
            0,
            3_000 * n + 12,
            Excerpt(*"sba"),
        )
        for n in range(causes)
    )
    base = full()
    each = dataclasses.replace(
        base,
        tokens=TokenCounts(tokens, tokens, 12, 0, 0, 0, tokens, True, "o200k_base", ""),
        divergence=dataclasses.replace(base.divergence, token=12) if base.divergence else None,
        repairs=steps,
        sections=(Stretch("messages", 0, tokens),),
        marks=tuple(Boundary(n * 100, f"implicit breakpoint after messages[{n}]") for n in range(1, marks + 1)),
        block=16,
    )
    return Report("diff", (each,), files_checked=2)


def many(pairs: int) -> Report:
    """A release of many prompts, of which each loses a token more than the one before it."""
    made = [
        dataclasses.replace(
            full(),
            before=f"HEAD:prompts/{number}.json",
            after=f"prompts/{number}.json",
            tokens=TokenCounts(2_376, 2_376, 354, 1_000 - number, 0, 0, 1_376 + number, True, "o200k_base", ""),
        )
        for number in range(1, pairs + 1)
    ]
    findings = [
        dataclasses.replace(
            sample_reports.FINDING, location=sample_reports.place(each.after, path=each.repairs[0].path)
        )
        for each in made
    ]
    return Report("check", tuple(made), tuple(findings), files_checked=pairs)


PAGES = {
    **sample_reports.ALL,
    "full": report(),
    "nasty": report("".join(NASTY)),
    "large": large(),
    "many": many(60),
    "trace": trace_samples.ALL["full"],
    "trace-usage": trace_samples.ALL["usage"],
    "trace-nothing": trace_samples.ALL["nothing"],
    "trace-nasty": trace_samples.spoiled("".join(NASTY)),
}
