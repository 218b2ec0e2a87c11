"""Markers of one request: number, order of lifetimes, place, and tools that none covers."""

from __future__ import annotations

from typing import Any

import pytest
from request_pairs import (
    BEDROCK_CLAUDE,
    EXPLICIT,
    HOUR,
    LONG,
    MARK,
    POINT,
    Body,
    assistant,
    claude,
    found,
    paths,
    text,
    user,
)

from promptlint.model.finding import Severity


def marked_system(count: int, mark: Body = MARK) -> list[Body]:
    return [text(f"{LONG} {index}", **mark) for index in range(count)]


def qwen(count: int) -> Body:
    return {"model": "qwen3.8-max", "messages": [{"role": "system", "content": marked_system(count)}, user(text("Hi"))]}


def bedrock(count: int) -> Body:
    blocks = [block for index in range(count) for block in ({"text": f"{LONG} {index}"}, POINT)]
    return {"modelId": BEDROCK_CLAUDE, "system": blocks, "messages": [user({"text": "Hi"})]}


def gpt(count: int, **body: Any) -> Body:
    system = {"role": "system", "content": marked_system(count, EXPLICIT)}
    return {"model": "gpt-5.6-sol", "messages": [system, user(text("Hi"))], **body}


@pytest.mark.parametrize(
    ("provider", "body", "severity", "path"),
    [
        ("anthropic", claude(user(text("Hi")), system=marked_system(5)), Severity.ERROR, "system[4].cache_control"),
        (
            "vertex-anthropic",
            claude(user(text("Hi")), system=marked_system(6)),
            Severity.ERROR,
            "system[4].cache_control",
        ),
        (
            "minimax",
            claude(user(text("Hi")), system=marked_system(5)) | {"model": "MiniMax-M2"},
            Severity.ERROR,
            "system[4].cache_control",
        ),
        ("bedrock", bedrock(5), Severity.ERROR, "system[9].cachePoint"),
        ("dashscope", qwen(5), Severity.WARNING, "messages[0].content[0].cache_control"),
        ("openai", gpt(4), Severity.WARNING, "messages[0].content[0].prompt_cache_breakpoint"),
        (
            "openai",
            gpt(5, prompt_cache_options={"mode": "explicit"}),
            Severity.WARNING,
            "messages[0].content[0].prompt_cache_breakpoint",
        ),
        (
            "openrouter",
            claude(user(text("Hi")), system=marked_system(5)) | {"model": "anthropic/claude-sonnet-4-5"},
            Severity.ERROR,
            "system[4].cache_control",
        ),
    ],
)
def test_too_many(provider: str, body: Body, severity: Severity, path: str) -> None:
    (finding,) = found("PL503", None, body, provider)
    assert (finding.severity, finding.location.path) == (severity, path)


@pytest.mark.parametrize(
    ("provider", "body"),
    [
        ("anthropic", claude(user(text("Hi")), system=marked_system(4))),
        ("bedrock", bedrock(4)),
        ("dashscope", qwen(4)),
        ("openai", gpt(3)),
        ("openai", gpt(4, prompt_cache_options={"mode": "explicit"})),
        ("openai", gpt(5) | {"model": "gpt-5.1"}),  # no markers in this generation
        ("anthropic", claude(user(text("Hi", **MARK)), system=marked_system(3), cache_control={"type": "ephemeral"})),
    ],
)
def test_not_too_many(provider: str, body: Body) -> None:
    assert found("PL503", None, body, provider) == []


def test_the_automatic_marker_counts() -> None:
    body = claude(user(text("Hi")), system=marked_system(4), cache_control={"type": "ephemeral"})
    (finding,) = found("PL503", None, body)
    assert finding.location.path == "cache_control"
    assert finding.message.startswith("5 cache markers, anthropic takes 4")


def test_a_message_lists_a_few_of_many_markers() -> None:
    (finding,) = found("PL503", None, claude(*(user(text(str(index), **MARK)) for index in range(10_000))))
    assert "and 9992 more" in finding.message
    assert len(finding.message) < 600


def test_each_longer_lifetime_behind_a_shorter_one() -> None:
    system = [text(LONG, **HOUR), text("a", **MARK), text("b", **HOUR)]
    body = claude(user(text("Hi", **MARK)), user(text("Ho", **HOUR)), system=system)
    first, second = found("PL505", None, body)
    assert paths([first, second]) == ["system[2].cache_control", "messages[1].content[0].cache_control"]
    assert "for 1 hour stands behind one for 5 minutes (system[1].cache_control)" in first.message


def test_lifetimes_count_in_the_order_of_the_prompt() -> None:
    tool = {"name": "a", "input_schema": {"type": "object"}, **HOUR}
    assert found("PL505", None, claude(user(text("Hi")), system=marked_system(1), tools=[tool])) == []
    tool = {"name": "a", "input_schema": {"type": "object"}, **MARK}
    assert paths(found("PL505", None, claude(user(text("Hi")), system=marked_system(1, HOUR), tools=[tool]))) == [
        "system[0].cache_control"
    ]


def test_the_automatic_marker_has_a_lifetime_too() -> None:
    body = claude(user(text("Hi")), system=marked_system(1), cache_control={"type": "ephemeral", "ttl": "1h"})
    assert paths(found("PL505", None, body)) == ["cache_control"]


def test_nova_has_no_order_of_lifetimes() -> None:
    body = bedrock(1) | {"modelId": "amazon.nova-pro-v1:0"}
    body["messages"] = [user({"text": "Hi"}, {"cachePoint": {"type": "default", "ttl": "1h"}})]
    assert found("PL505", None, body, "bedrock") == []


@pytest.mark.parametrize(
    ("block", "path"),
    [
        ({"type": "thinking", "thinking": "Hm.", "signature": "s", **MARK}, "messages[1].content[0].cache_control"),
        ({"type": "redacted_thinking", "data": "AAAA", **MARK}, "messages[1].content[0].cache_control"),
        (text("", **MARK), "messages[1].content[0].cache_control"),
        (text(" \n\t", **MARK), "messages[1].content[0].cache_control"),
        (
            {"type": "document", "source": {"type": "content", "content": [text("Page one.", **MARK)]}},
            "messages[1].content[0].source.content[0].cache_control",
        ),
    ],
)
def test_blocks_that_take_no_marker(block: Body, path: str) -> None:
    body = claude(user(text("Hi")), assistant(block, text("Ho")), user(text("So?")), system=LONG)
    assert paths(found("PL506", None, body)) == [path]


@pytest.mark.parametrize(
    "block",
    [
        text("a", **MARK),
        {"type": "tool_use", "id": "t", "name": "n", "input": {}, **MARK},
        {"type": "tool_result", "tool_use_id": "t", **MARK},
        {"type": "tool_result", "tool_use_id": "t", "content": [text("ok", **MARK)]},
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}, **MARK},
        text(" "),
    ],
)
def test_blocks_that_take_one(block: Body) -> None:
    assert found("PL506", None, claude(user(text("Hi")), assistant(block), system=LONG)) == []


def test_markers_on_tools_where_none_are_taken() -> None:
    body = qwen(1) | {"tools": [{"type": "function", "function": {"name": "a", "parameters": {}}, **MARK}]}
    (finding,) = found("PL506", None, body, "dashscope")
    assert finding.location.path == "tools[0].cache_control"
    assert "in tools, where this provider takes no marker" in finding.message


def test_a_blank_block_behind_a_marker_is_a_split_gone_wrong() -> None:
    body = claude(user(text("Hi")), system=[text(LONG, **MARK), text("\n")])
    assert paths(found("PL506", None, body)) == ["system[1].text"]


def test_tools_that_no_marker_covers() -> None:
    tools = [{"name": "a", "description": LONG, "input_schema": {"type": "object"}}]
    old = claude(user(text("Hi")), system=[text("For Ann.", **MARK)], tools=tools)
    new = claude(user(text("Hi")), system=[text("For Bea.", **MARK)], tools=tools)
    assert paths(found("PL508", old, new)) == ["tools[0].name"]
    covered = [{**tools[0], **MARK}]
    assert found("PL508", {**old, "tools": covered}, {**new, "tools": covered}) == []
    assert found("PL508", old, old) == []
    assert found("PL508", {**old, "tools": [{**tools[0], "name": "b"}]}, new) == []  # not the same tools
