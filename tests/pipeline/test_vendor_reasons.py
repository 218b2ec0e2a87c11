"""What the provider's own diagnosis would say, beside each cause and for the pair."""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptlint import pipeline
from promptlint.model.report import Report
from promptlint.model.source import Source
from promptlint.reporters import json as reporter

Body = dict[str, Any]
MESSAGES = [{"role": "user", "content": "Hello there, is the pool open?"}]
MORE = [*MESSAGES, {"role": "assistant", "content": "Yes."}, {"role": "user", "content": "Until when?"}]


def report(provider: str, before: Body, after: Body) -> Report:
    sources = [Source("before.json", json.dumps(before)), Source("after.json", json.dumps(after))]
    return pipeline.diff(sources, pipeline.Options(provider=provider))


def reasons(provider: str, before: Body, after: Body) -> tuple[str, set[str]]:
    """Of the pair, and of all findings."""
    found = report(provider, before, after)
    return found.comparisons[0].vendor_reason, {finding.vendor_reason for finding in found.findings}


def claude(**body: Any) -> Body:
    return {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": MORE, **body}


def responses(**body: Any) -> Body:
    items = [{"role": turn["role"], "content": turn["content"]} for turn in MORE]
    return {"model": "gpt-5.1", "prompt_cache_key": "k", "input": items, **body}


TOOL = {"name": "a", "description": "Reads.", "input_schema": {"type": "object"}}
FUNCTION = {"type": "function", "name": "a", "parameters": {"type": "object"}}
FORMAT = {"format": {"type": "json_schema", "name": "a", "schema": {"type": "object"}}}


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ({"tools": [TOOL]}, {"tools": [{**TOOL, "name": "b"}]}, "tools_changed"),
        ({"system": "It is 10:00:07."}, {"system": "It is 10:04:31."}, "system_changed"),
        ({"model": "claude-haiku-4-5"}, {}, "model_changed"),
        ({"speed": "fast"}, {}, "model_changed"),
        ({"thinking": {"type": "adaptive"}}, {}, "unavailable"),
        ({"tool_choice": {"type": "any"}}, {}, "unavailable"),
        ({"messages": [{**MORE[0], "content": "Hello there, is the shop open?"}, *MORE[1:]]}, {}, "messages_changed"),
    ],
)
def test_anthropic(old: Body, new: Body, reason: str) -> None:
    assert reasons("anthropic", claude(**old), claude(**new)) == (reason, {reason})
    assert reasons("vertex-anthropic", claude(**old), claude(**new)) == ("", {""})


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ({"tools": [FUNCTION]}, {"tools": [{**FUNCTION, "name": "b"}]}, "tools_changed"),
        ({"instructions": "It is 10:00:07."}, {"instructions": "It is 10:04:31."}, "input_changed"),
        ({"model": "gpt-5.2"}, {}, "model_changed"),
        ({"text": FORMAT}, {}, "text_format_changed"),
        ({"text": {"verbosity": "low"}}, {}, "verbosity_changed"),
        ({"reasoning": {"effort": "low"}}, {"reasoning": {"effort": "high"}}, "reasoning_effort_changed"),
        ({"prompt_cache_key": "other"}, {}, "prompt_cache_key_changed"),
        ({"service_tier": "flex"}, {}, "service_tier_changed"),
        ({"response_format": {"type": "json_object"}}, {}, "text_format_changed"),
    ],
)
def test_openai(old: Body, new: Body, reason: str) -> None:
    assert reasons("openai", responses(**old), responses(**new)) == (reason, {reason})


def test_the_pair_has_the_reason_of_the_first_cause() -> None:
    old, new = claude(system="It is 10:00:07.", tools=[TOOL]), claude(system="It is 10:04:31.", tools=[])
    assert reasons("anthropic", old, new) == ("tools_changed", {"tools_changed", "system_changed"})


def test_unavailable_is_said_only_where_nothing_else_differs() -> None:
    changed = [{**MORE[0], "content": "Hello there, is the shop open?"}, *MORE[1:]]
    old, new = claude(thinking={"type": "adaptive"}), claude(messages=changed)
    assert reasons("anthropic", old, new) == ("messages_changed", {"messages_changed", "unavailable"})


def test_a_marker_is_no_difference_to_the_vendor() -> None:
    system = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    assert reasons("anthropic", claude(system=system), claude(system=system)) == ("", {""})


def test_json() -> None:
    shown = json.loads(
        reporter.render(report("anthropic", claude(system="It is 10:00:07."), claude(system="It is 10:04:31.")))
    )
    assert shown["comparisons"][0]["vendor_reason"] == shown["findings"][0]["vendor_reason"] == "system_changed"
    same = json.loads(reporter.render(report("anthropic", claude(), claude())))
    assert same["comparisons"][0]["vendor_reason"] is None
