"""The same pair under every provider, and what a drawing of a comparison needs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from promptlint import pipeline, providers
from promptlint.model.report import Comparison, Survival
from promptlint.model.source import Source

LONG = " ".join(f"rule {n}" for n in range(2_000))


def compared(before: Any, after: Any, name: str = "request.json", **options: Any) -> Comparison:
    sources = [
        Source(f"{side}/{name}", text if isinstance(text, str) else json.dumps(text))
        for side, text in (("before", before), ("after", after))
    ]
    (comparison,) = pipeline.diff(sources, pipeline.Options(survival=True, **options)).comparisons
    return comparison


def by_provider(comparison: Comparison) -> Mapping[str, Survival]:
    return {each.provider: each for each in comparison.survival}


def request(clock: str = "10:00", marker: bool = True, **more: Any) -> dict[str, Any]:
    """Tools first, then a system prompt with a clock at its head."""
    block: dict[str, Any] = {"type": "text", "text": f"It is {clock}. {LONG}"}
    tool: dict[str, Any] = {"name": "sail", "description": LONG, "input_schema": {"type": "object"}}
    if marker:
        tool["cache_control"] = block["cache_control"] = {"type": "ephemeral"}
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 9,
        "tools": [tool],
        "system": [block],
        "messages": [{"role": "user", "content": "When does it sail?"}],
        **more,
    }


def test_nothing_is_worked_out_unless_it_is_asked_for() -> None:
    sources = [Source("a.md", "one"), Source("b.md", "two")]
    (comparison,) = pipeline.diff(sources, pipeline.Options()).comparisons
    assert comparison.survival == ()


def test_every_family_is_there_once_and_the_chosen_one_first() -> None:
    comparison = compared(request(), request("10:01"), provider="vllm")
    names = [each.provider for each in comparison.survival]
    assert names[0] == "vllm"
    assert names[1:] == sorted(names[1:])
    assert sorted(names) == sorted(providers.families())


def test_the_chosen_provider_is_told_as_the_comparison_tells_it() -> None:
    for provider in ("anthropic", "openai", "deepseek", "gemini", "vllm", "generic"):
        comparison = compared(request(), request("10:01"), provider=provider)
        first, tokens = comparison.survival[0], comparison.tokens
        assert (first.policy, first.why) == (comparison.policy, comparison.why_reusable)
        assert (first.shared, first.reusable, first.after) == (tokens.shared, tokens.reusable, tokens.after)
        assert (first.low, first.high) == (tokens.reusable_low, tokens.reusable_high)


@pytest.mark.parametrize("family", providers.families())
def test_each_row_is_what_a_comparison_under_that_provider_says(family: str) -> None:
    """One pair with a clock behind the tools; the row must not depend on which provider was chosen."""
    row = by_provider(compared(request(), request("10:01"), provider="generic"))[family]
    own = compared(request(), request("10:01"), provider=family).survival[0]
    assert row == own


def test_the_order_of_sections_decides() -> None:
    rows = by_provider(compared(request(), request("10:01")))
    assert rows["anthropic"].shared == rows["anthropic"].reusable + 6  # up to the marker behind the tools
    assert rows["anthropic"].reusable > 4_000
    assert rows["deepseek"].shared < 20, "the system prompt, and the clock in it, comes before the tools"
    assert all(0 <= each.low <= each.reusable <= each.high <= each.shared <= each.after for each in rows.values())


def test_markers_assumed_for_one_provider_do_not_count_for_another() -> None:
    before, after = f"{LONG} old", f"{LONG} new"
    chosen = compared(before, after, "prompt.md", provider="anthropic")
    other = compared(before, after, "prompt.md", provider="generic")
    assert by_provider(chosen) == by_provider(other)


def test_sections_follow_the_order_of_the_cache_and_leave_no_gap() -> None:
    comparison = compared(request(), request("10:01"))
    names = [part.name for part in comparison.sections]
    assert names == ["tools", "system", "messages"]
    ends = [0, *(part.end for part in comparison.sections)]
    assert [part.start for part in comparison.sections] == ends[:-1]
    assert ends[-1] == comparison.tokens.after
    swapped = compared(request(), request("10:01"), provider="deepseek")
    assert [part.name for part in swapped.sections] == ["system", "tools", "messages"]


def test_breakpoints_say_whose_they_are() -> None:
    comparison = compared(request(), request("10:01"))
    assert [mark.label for mark in comparison.marks] == [
        "cache marker after tools[0], as in the earlier request",
        "cache marker after system[0].text",
    ]
    assert [mark.token for mark in comparison.marks] == [part.end for part in comparison.sections[:2]]
    dropped = compared(request(), request("10:00", marker=False))
    assert [mark.label for mark in dropped.marks] == [
        "cache marker after tools[0], of the earlier request",
        "cache marker after system[0].text, of the earlier request",
    ]
    assert compared(request(), request("10:01"), provider="vllm").marks == ()


def test_blocks_are_those_of_a_longest_prefix_provider() -> None:
    assert compared(request(), request("10:01"), provider="vllm").block == 16
    assert compared(request(), request("10:01")).block is None


def test_causes_stand_where_they_are_in_the_later_prompt() -> None:
    later = request("10:01")
    later["tools"][0]["description"] = "New: " + LONG
    later["messages"][0]["content"] = "When does it sail? "
    comparison = compared(request(), later)
    first, second = comparison.repairs[:2]
    assert (first.path, second.path) == ("tools[0].description", "system[0].text")
    assert first.token == comparison.tokens.shared
    system = comparison.sections[1]
    assert second.token is not None and system.start < second.token < system.start + 10
    assert second.excerpt is not None
    assert second.excerpt.shared == "It is 10:0"
    assert second.excerpt.before.startswith("0. rule 0")
    assert second.excerpt.after.startswith("1. rule 0")
    assert max(map(len, (second.excerpt.shared, second.excerpt.before, second.excerpt.after))) <= 40


def test_a_setting_stands_where_its_level_begins_and_has_no_text() -> None:
    comparison = compared(
        {**request(), "thinking": {"type": "disabled"}},
        {**request(), "thinking": {"type": "enabled", "budget_tokens": 2_000}},
    )
    steps = [step for step in comparison.repairs if step.path.startswith("thinking")]
    assert steps
    assert all(step.excerpt is None for step in steps)
    ends = {0, *(part.end for part in comparison.sections)}
    assert {step.token for step in steps} <= ends
