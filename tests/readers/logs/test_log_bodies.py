"""Logs of provider bodies: bare, in every common envelope, with responses, with usage alone; block traces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from log_checks import read_bytes, read_file, read_records
from support import shared

from promptlint.model.traffic import Exchange, Usage

CHAT = {"model": "gpt-5.1", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]}
ANTHROPIC = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "u"}]}
RESPONSES = {"model": "gpt-5.1", "instructions": "i", "input": "u", "user": "ann"}
GEMINI = {"contents": [{"role": "user", "parts": [{"text": "u"}]}]}
BEDROCK = {"modelId": "m", "messages": [{"role": "user", "content": [{"text": "u"}]}]}
COMPLETIONS = {"model": "m", "prompt": "p"}
CHAT_USAGE = {"prompt_tokens": 20, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 16}}
CHAT_RESPONSE = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1778576405,
    "model": "gpt-5.1-2025",
    "choices": [{"message": {"role": "assistant", "content": "a"}}],
    "usage": CHAT_USAGE,
}
CLAUDE_USAGE = {
    "input_tokens": 4,
    "cache_creation_input_tokens": 6,
    "cache_read_input_tokens": 10,
    "output_tokens": 2,
    "cache_creation": {"ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 5},
}
CLAUDE_RESPONSE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5",
    "content": [{"type": "text", "text": "a"}],
    "usage": CLAUDE_USAGE,
    "diagnostics": {"cache_miss_reason": {"type": "tools_changed", "cache_missed_input_tokens": 7}},
}
CLAUDE_KNOWN = Usage(20, 10, 6, 5, 2, "tools_changed")
DEEPSEEK = Usage(70, 64, None, None, 1)
CHAT_KNOWN = Usage(20, 16, None, None, 3)


def one(folder: Path, record: Any) -> Exchange:
    log = read_records(folder, [record])
    assert log.bad == []
    [exchange] = log.exchanges
    return exchange


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        ("openai-chat", CHAT),
        ("anthropic", ANTHROPIC),
        ("openai-responses", RESPONSES),
        ("gemini", GEMINI),
        ("bedrock", BEDROCK),
        ("openai-completions", COMPLETIONS),
    ],
)
def test_bare_and_wrapped_bodies_of_every_wire(tmp_path: Path, wire: str, body: dict[str, Any]) -> None:
    wrapped = [
        body,
        {"request": body},
        {"ts": "2026-05-12T09:00:05Z", "body": body},
        {"kwargs": body, "response": {}},
        {"custom_id": "c", "method": "POST", "url": "/v1/x", "body": body},
        {"custom_id": "c", "params": body},
        {"request": {"url": "https://example.com", "headers": {"a": "b"}, "body": json.dumps(body)}},
        {**body, "usage": {"input_tokens": 5}, "session": "s"},
    ]
    log = read_records(tmp_path, wrapped)
    assert log.bad == []
    assert [(exchange.wire, exchange.body) for exchange in log.exchanges] == [(wire, body)] * len(wrapped)
    assert {exchange.model for exchange in log.exchanges} == {body.get("model", body.get("modelId", ""))}


def test_an_envelope_says_when_who_and_what_came_back(tmp_path: Path) -> None:
    record = {
        "timestamp": 1778576405123,
        "session_id": "s-1",
        "provider": "azure",
        "tenant": "acme",
        "attempt": 2,
        "model": "deployment",
        "request": CHAT,
        "response": {"status_code": 200, "body": CHAT_RESPONSE},
    }
    exchange = one(tmp_path, record)
    assert (exchange.sent_at, exchange.session, exchange.provider) == (1778576405.123, "s-1", "azure-openai")
    assert (exchange.request_id, exchange.status, exchange.usage) == ("chatcmpl-1", 200, CHAT_KNOWN)
    assert exchange.reply == {"role": "assistant", "content": "a"}
    assert exchange.fields == {"tenant": "acme", "attempt": "2"}


@pytest.mark.parametrize(
    "record",
    [
        {"request": ANTHROPIC, "response": CLAUDE_RESPONSE},
        {"request": ANTHROPIC, "response": json.dumps(CLAUDE_RESPONSE)},
        {"custom_id": "c", "result": {"type": "succeeded", "message": CLAUDE_RESPONSE}},
        CLAUDE_RESPONSE,
    ],
)
def test_anthropic_responses_count_the_whole_prompt_and_carry_the_diagnosis(tmp_path: Path, record: Any) -> None:
    exchange = one(tmp_path, record)
    assert (exchange.usage, exchange.request_id) == (CLAUDE_KNOWN, "msg_1")
    assert exchange.reply == {"role": "assistant", "content": [{"type": "text", "text": "a"}]}


def test_streamed_responses(tmp_path: Path) -> None:
    start = {"type": "message_start", "message": {**CLAUDE_RESPONSE, "content": []}}
    stream: list[dict[str, Any]] = [start, {"type": "ping"}, {"type": "message_delta", "usage": {"output_tokens": 40}}]
    text = "".join(f"event: {event['type']}\r\ndata: {json.dumps(event)}\r\n\r\n" for event in stream)
    for response in (text, stream):
        exchange = one(tmp_path, {"request": ANTHROPIC, "response": response})
        assert exchange.usage == Usage(20, 10, 6, 5, 40, "tools_changed")
    chunks = [{"id": "chatcmpl-1", "choices": []}, {"id": "chatcmpl-1", "choices": [], "usage": CHAT_USAGE}]
    text = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    assert one(tmp_path, {"request": CHAT, "response": text}).usage == CHAT_KNOWN
    done = {"type": "response.completed", "response": {"id": "resp_1", "usage": {"input_tokens": 7}}}
    exchange = one(tmp_path, {"request": RESPONSES, "response": f"data: {json.dumps(done)}\n\n"})
    assert (exchange.usage, exchange.request_id, exchange.user) == (Usage(7), "resp_1", "ann")


def test_stored_completions_and_batch_output(tmp_path: Path) -> None:
    output = {"id": "b", "custom_id": "c", "response": {"status_code": 200, "request_id": "r", "body": CHAT_RESPONSE}}
    exchange = one(tmp_path, output)
    assert (exchange.body, exchange.usage, exchange.sent_at) == (None, CHAT_KNOWN, 1778576405.0)
    stored = {**CHAT_RESPONSE, "messages": CHAT["messages"], "metadata": {"team": "x"}}
    exchange = one(tmp_path, {"object": "list", "data": [stored], "has_more": False})
    assert exchange.body == {"model": "gpt-5.1-2025", "messages": CHAT["messages"], "metadata": {"team": "x"}}
    assert (exchange.usage, exchange.request_id) == (CHAT_KNOWN, "chatcmpl-1")


@pytest.mark.parametrize(
    ("raw", "known"),
    [
        (CHAT_USAGE, CHAT_KNOWN),
        (CLAUDE_USAGE, Usage(20, 10, 6, 5, 2)),
        ({"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 3}}, Usage(9, 4, 3)),
        ({"prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 6, "completion_tokens": 1}, DEEPSEEK),
        ({"prompt_tokens": 9, "cached_tokens": 4}, Usage(9, 4)),
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 2}}, Usage(9, 1, 2)),
        (
            {"promptTokenCount": 9, "cachedContentTokenCount": 4, "candidatesTokenCount": 2, "thoughtsTokenCount": 5},
            Usage(9, 4, None, None, 7),
        ),
        ({"promptTokenCount": 9, "candidatesTokenCount": 2}, Usage(9, 0, None, None, 2)),  # it leaves a zero out
        ({"prompt_token_count": 9, "cached_content_token_count": None}, Usage(9, 0)),  # as its SDK writes that
        ({"cachedContentTokenCount": None, "promptTokenCount": None}, None),
        ({"prompt_tokens": 9, "prompt_tokens_details": None}, Usage(9)),
        ({"input_tokens": 9, "output_tokens": 2}, Usage(9, None, None, None, 2)),
        ({"inputTokens": 9, "outputTokens": 2}, Usage(9, None, None, None, 2)),
        (
            {"inputTokens": 1, "outputTokens": 2, "cacheReadInputTokens": 3, "cacheWriteInputTokens": 4,
             "cacheDetails": [{"ttl": "1h", "inputTokens": 3}, {"ttl": "5m", "inputTokens": 1}]},
            Usage(8, 3, 4, 3, 2),
        ),
        ({"input_tokens": 30, "cached_input_tokens": 20, "output_tokens": 1}, Usage(30, 20, None, None, 1)),
        ({"prompt_tokens": "many", "completion_tokens": -3}, None),
    ],
)  # fmt: skip
def test_usage_of_every_provider_in_one_form(tmp_path: Path, raw: dict[str, Any], known: Usage | None) -> None:
    assert one(tmp_path, {"request": CHAT, "response": {"usage": raw}}).usage == known


def test_openai_diagnosis(tmp_path: Path) -> None:
    diagnostics = {"type": "cache_miss", "reason": "tools_changed"}
    response = {"usage": {"input_tokens": 5}, "prompt_cache_diagnostics": diagnostics}
    assert one(tmp_path, {"request": RESPONSES, "response": response}).usage == Usage(5, miss_reason="tools_changed")


def test_a_conversation_shows_its_format_only_with_the_first_tool(tmp_path: Path) -> None:
    plain: dict[str, Any] = {"model": "proxy", "max_tokens": 9, "messages": [{"role": "user", "content": "u"}]}
    block = {"type": "tool_result", "tool_use_id": "t", "content": "r"}
    tool = {**plain, "messages": [{"role": "user", "content": "u"}, {"role": "user", "content": [block]}]}
    assert [exchange.wire for exchange in read_records(tmp_path, [plain, tool]).exchanges][1] == "anthropic"


@pytest.mark.parametrize(
    ("case", "totals"),
    [("50-usage-log-hit-floor", (324450, 68224)), ("N14-control-usage-log-healthy-with-idle-gap", (148252, 115500))],
)
def test_usage_lines_of_the_labelled_cases(case: str, totals: tuple[int, int]) -> None:
    log = read_file(shared(f"cases/{case}/usage.jsonl"))
    assert log.bad == []
    usages = [exchange.usage for exchange in log.exchanges if exchange.usage]
    assert (sum(u.input or 0 for u in usages), sum(u.cached or 0 for u in usages)) == totals
    assert len({exchange.session for exchange in log.exchanges}) == 1
    assert all(exchange.sent_at and exchange.provider and exchange.model for exchange in log.exchanges)


def test_mooncake() -> None:
    log = read_file(shared("traces/mooncake_synthetic_trace.jsonl"))
    assert (len(log.exchanges), log.bad) == (3993, [])
    assert {exchange.block_size for exchange in log.exchanges} == {512}
    assert sum(exchange.usage.input or 0 for exchange in log.exchanges if exchange.usage) == 61_194_628


def test_block_traces(tmp_path: Path) -> None:
    mooncake = {"timestamp": 27482, "input_length": 6955, "output_length": 52, "hash_ids": list(range(14))}
    short = {"timestamp": 27483, "input_length": 12, "hash_ids": [99]}
    broken = [{"timestamp": 1, "input_length": 6955, "hash_ids": [1]}, {"hash_ids": "x"}, {"hash_ids": [1]}]
    log = read_records(tmp_path, [mooncake, short, *broken])
    assert [(e.sent_at, e.block_size, len(e.blocks or ())) for e in log.exchanges] == [
        (27.482, 512, 14),
        (27.483, 512, 1),
    ]
    assert log.exchanges[0].usage == Usage(6955, output=52)
    assert [bad.line for bad in log.bad] == [3, 4, 5]
    chats = [
        {"chat_id": 5, "parent_chat_id": -1, "timestamp": 1.5, "input_length": 40, "hash_ids": [1, 2, 3], "turn": 1},
        {"chat_id": 6, "parent_chat_id": 5, "timestamp": 2.5, "input_length": 60, "hash_ids": [1, 2, 3, 4], "turn": 2},
        {
            "chat_id": 7,
            "parent_chat_id": 6,
            "timestamp": 3.5,
            "input_length": 77,
            "hash_ids": [1, 2, 3, 4, 5],
            "turn": 3,
        },
    ]
    log = read_records(tmp_path, chats)
    assert [(e.session, e.sent_at, e.block_size) for e in log.exchanges] == [
        ("5", 1.5, 16),
        ("5", 2.5, 16),
        ("5", 3.5, 16),
    ]


def test_sessions_of_claude_code_behind_a_gateway(tmp_path: Path) -> None:
    for name, found in (
        ("user_1_account_2_session_3", ("user_1_account_2", "3")),
        (json.dumps({"device_id": "d", "account_uuid": "a", "session_id": "3"}), ("a", "3")),
        ("{broken", ("{broken", "")),
    ):
        exchange = one(tmp_path, {**ANTHROPIC, "metadata": {"user_id": name}})
        assert (exchange.user, exchange.session) == found


def test_invocation_logs_of_bedrock(tmp_path: Path) -> None:
    record = {
        "schemaType": "ModelInvocationLog",
        "timestamp": "2026-05-12T09:00:05Z",
        "modelId": "anthropic.claude-sonnet-4-5-v1:0",
        "operation": "InvokeModelWithResponseStream",
        "input": {"inputContentType": "application/json", "inputBodyJson": ANTHROPIC},
        "output": {"outputBodyJson": [{"type": "message_start", "message": CLAUDE_RESPONSE}]},
    }
    exchange = one(tmp_path, record)
    assert (exchange.body, exchange.wire, exchange.usage) == (ANTHROPIC, "anthropic", CLAUDE_KNOWN)
    assert exchange.provider == "bedrock", "whose minimums and prices differ, and whose names of models"


def test_times_in_every_unit(tmp_path: Path) -> None:
    for at in (1778576405, 1778576405.0, 1778576405000, 1778576405000000000, "1778576405", "2026-05-12T11:00:05+02:00"):
        assert one(tmp_path, {"ts": at, "request": CHAT}).sent_at == 1778576405.0
    values: list[Any] = ["yesterday", True, None, [], "9" * 400, "0001-01-01T00:00:00-99:99"]
    for strange in values:
        assert one(tmp_path, {"ts": strange, "request": CHAT}).sent_at is None


def test_a_named_format_is_taken_at_its_word(tmp_path: Path) -> None:
    log = read_bytes(tmp_path, json.dumps(CHAT).encode(), "blocks")
    assert log.exchanges == [] and len(log.bad) == 1
