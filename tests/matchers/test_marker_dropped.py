"""Markers on their way through a gateway, from one wire format into another."""

from __future__ import annotations

from typing import Any

import pytest
from request_pairs import BEDROCK_CLAUDE, HOUR, LONG, MARK, POINT, Body, assistant, claude, found, paths, text, user

from promptlint import pipeline

CALL = {"id": "t1", "type": "function", "function": {"name": "read", "arguments": '{"id": 7}'}}
SCHEMA = {"type": "object", "properties": {"id": {"type": "integer"}}}
FUNCTION = {"type": "function", "function": {"name": "read", "description": "Reads.", "parameters": SCHEMA}}
SPEC = {"toolSpec": {"name": "read", "description": "Reads.", "inputSchema": {"json": SCHEMA}}}


def chat(*messages: Body, **body: Any) -> Body:
    """As it is written for a gateway: OpenAI's format with Anthropic's markers."""
    return {"model": "bedrock/anthropic.claude-sonnet-4-5", **body, "messages": list(messages)}


def system(*blocks: Body) -> Body:
    return {"role": "system", "content": list(blocks)}


def wire(*messages: Body, **body: Any) -> Body:
    return {"modelId": BEDROCK_CLAUDE, **body, "messages": list(messages)}


WRITTEN = chat(
    system(text(LONG, **MARK)),
    user(text("Look it up.")),
    {"role": "assistant", "content": "One moment.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "t1", "content": [text("found", **MARK)]},
    user(text("And?", **MARK)),
    tools=[FUNCTION],
    reasoning_effort="high",
)
RESULT = {"toolResult": {"toolUseId": "t1", "content": [{"text": "found"}]}}
HEAD = (
    user({"text": "Look it up."}),
    assistant({"text": "One moment."}, {"toolUse": {"toolUseId": "t1", "name": "read", "input": {"id": 7}}}),
)


def sent(*last: Body, **body: Any) -> Body:
    return wire(*HEAD, user(*last), system=[{"text": LONG}, POINT], toolConfig={"tools": [SPEC]}, **body)


def all_codes(before: Body, after: Body, provider: str = "bedrock") -> set[str]:
    import json

    from promptlint.model.source import Source

    sources = [Source("declared.json", json.dumps(before)), Source("wire.json", json.dumps(after))]
    report = pipeline.diff(sources, pipeline.Options(provider=provider, gateway=True))
    return {finding.code for finding in report.findings}


def test_a_faithful_translation_is_no_change() -> None:
    after = sent(RESULT, POINT, {"text": "And?"}, POINT, inferenceConfig={"maxTokens": 9})
    assert all_codes(WRITTEN, after) == set()
    assert all_codes(WRITTEN, sent(RESULT, {"text": "And?"}, POINT)) == set()  # the later one covers both


def test_the_markers_that_are_lost() -> None:
    after = sent(RESULT, {"text": "And?"})
    findings = found("PL509", WRITTEN, after, "bedrock", gateway=True)
    assert paths(findings) == ["messages[3].content[0].cache_control", "messages[4].content[0].cache_control"]
    assert {finding.location.file for finding in findings} == {"before.json"}
    assert "(3 declared, 1 on the wire)" in findings[0].message
    assert all_codes(WRITTEN, after) == {"PL509"}


def test_without_the_gateway_switch_there_is_nothing_to_lose() -> None:
    old = claude(user(text("Hello", **MARK)), system=LONG)
    assert found("PL509", old, claude(user(text("Hello")), system=LONG)) == []


@pytest.mark.parametrize(
    ("declared", "arrived", "words"),
    [
        (HOUR, MARK, "lasts 5 minutes on the wire instead of 1 hour"),
        (HOUR, {}, "is not on the wire"),
        (MARK, HOUR, ""),
        (HOUR, HOUR, ""),
        ({}, MARK, ""),
    ],
)
def test_lifetimes(declared: Body, arrived: Body, words: str) -> None:
    old = claude(user(text("Hello")), system=[text(LONG, **declared)])
    findings = found("PL509", old, claude(user(text("Hello")), system=[text(LONG, **arrived)]), gateway=True)
    assert [words in finding.message for finding in findings] == ([True] if words else [])


def test_equal_blocks_are_told_apart_by_their_number() -> None:
    blocks = [text("ok", **MARK), text("ok")]
    old = claude(user(*blocks), assistant(text("ok")), user(text("ok", **MARK)), system=LONG)
    new = claude(user(text("ok"), text("ok")), assistant(text("ok")), user(text("ok", **MARK)), system=LONG)
    assert paths(found("PL509", old, new, gateway=True)) == ["messages[0].content[0].cache_control"]


def test_a_block_that_was_merged_into_another() -> None:
    old = claude(user(text("Hello", **MARK)), user(text("Open?")), system=LONG)
    kept = claude(user(text("Hello\n\nOpen?", **MARK)), system=LONG)
    assert found("PL509", old, kept, gateway=True) == []
    lost = claude(user(text("Hello\n\nOpen?")), system=LONG)
    assert paths(found("PL509", old, lost, gateway=True)) == ["messages[0].content[0].cache_control"]


def test_a_block_that_is_gone() -> None:
    old = claude(user(text("Remember this.", **MARK), text("Open?")), system=LONG)
    (finding,) = found("PL509", old, claude(user(text("Open?")), system=LONG), gateway=True)
    assert "neither is its block" in finding.message


def test_where_the_provider_takes_no_more() -> None:
    old = claude(*(user(text(str(index), **MARK)) for index in range(6)), system=LONG)
    new = claude(*(user(text(str(index), **(MARK if index > 1 else {}))) for index in range(6)), system=LONG)
    assert found("PL509", old, new, gateway=True) == []


def test_a_lifetime_is_lost_even_where_the_provider_takes_no_more() -> None:
    old = claude(*(user(text(str(index), **HOUR)) for index in range(4)), system=LONG)
    new = claude(*(user(text(str(index), **MARK)) for index in range(4)), system=LONG)
    assert len(found("PL509", old, new, gateway=True)) == 4


def test_a_provider_without_markers() -> None:
    old = chat(system(text(LONG, **MARK)), user(text("Hello")), model="openai/gpt-5.1")
    new = {"model": "gpt-5.1", "messages": [system(text(LONG)), user(text("Hello"))]}
    assert found("PL509", old, new, "openai", gateway=True) == []


def test_qwen_without_its_markers_is_still_compared_as_explicit() -> None:
    old = chat(system(text(LONG, **MARK)), user(text("Hello")), model="qwen3.8-max")
    new = {"model": "qwen3.8-max", "messages": [system(text(LONG)), user(text("Hello"))]}
    assert len(found("PL509", old, new, "dashscope", gateway=True)) == 1


@pytest.mark.parametrize(
    ("model", "changed"),
    [(BEDROCK_CLAUDE, False), ("us." + BEDROCK_CLAUDE, False), ("anthropic.claude-haiku-4-5-20251001-v1:0", True)],
)
def test_only_another_model_is_another_model(model: str, changed: bool) -> None:
    after = sent(RESULT, POINT, {"text": "And?"}, POINT) | {"modelId": model}
    assert ("PL601" in all_codes(WRITTEN, after)) is changed


def test_changed_text_is_found_even_in_the_newest_message() -> None:
    after = sent(RESULT, POINT, {"text": "And? Answer in JSON."}, POINT)
    assert all_codes(WRITTEN, after)
    assert all_codes(
        WRITTEN, {**sent(RESULT, POINT, {"text": "And?"}, POINT), "system": [{"text": "Hi. " + LONG}, POINT]}
    )


def test_many_blocks() -> None:
    old = claude(*(user(text("ok")) for _ in range(5_000)), user(text("end", **MARK)), system=LONG)
    new = claude(*(user(text("ok")) for _ in range(5_000)), user(text("end")), system=LONG)
    assert len(found("PL509", old, new, gateway=True)) == 1
