"""Every format is found among all others, read right, and survives broken records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import log_samples as samples
import pytest
from log_checks import read_bytes, read_file, read_records
from support import ROOT, shared

from promptlint.model.traffic import Exchange, Usage
from promptlint.readers import WIRES
from promptlint.readers.logs import FORMATS, _detected, _reader
from promptlint.readers.logs.lines import Log
from promptlint.readers.logs.stream import records

EACH = pytest.mark.parametrize(
    ("form", "kind", "content"), samples.SAMPLES, ids=lambda value: value if isinstance(value, str) else ""
)
CHAT_KNOWN = Usage(20, 16, output=3)


def one(folder: Path, *found: Any) -> Exchange:
    log = read_records(folder, found)
    assert log.bad == []
    [exchange] = log.exchanges
    return exchange


def test_every_format_has_a_sample_and_a_line_of_help() -> None:
    assert {form for form, _, _ in samples.SAMPLES} == set(FORMATS)
    assert all(0 < len(line) < 90 for line in FORMATS.values())
    page = (ROOT / "README.md").read_text("utf-8")
    assert "\n".join(f"| `{name}` | {line} |" for name, line in FORMATS.items()) in page


@EACH
def test_a_log_is_found_by_content_and_holds_one_request(tmp_path: Path, form: str, kind: str, content: bytes) -> None:
    path = tmp_path / "log"
    path.write_bytes(content)
    log = Log(str(path), lambda bad: pytest.fail(bad.why))
    assert _detected(records(log), log)[0] == form
    [exchange] = read_file(path).exchanges
    assert 1 <= exchange.line <= content.count(b"\n") + 1
    assert exchange.body is not None or exchange.ids is not None or exchange.usage is not None
    assert (exchange.wire in WIRES) is (exchange.body is not None)
    assert read_file(path, form).exchanges == [exchange]


@EACH
def test_broken_records_are_reported_and_not_fatal(tmp_path: Path, form: str, kind: str, content: bytes) -> None:
    """The record alone is worth nothing to any format; the sample after it still is."""
    strange = [b'"text"', b"[1, 2]", b"{}", b'{"type": 3, "messages": 4}', b'{"a": {"b": null}}']
    alone = read_bytes(tmp_path, b"\n".join(strange), form)
    assert (alone.exchanges, [bad.line for bad in alone.bad]) == ([], [1, 2, 3, 4, 5])
    if kind == "csv" or not content.endswith(b"\n"):
        return  # no JSON Lines
    log = read_bytes(tmp_path, b'{"messages": [}\n' + content + content[:-8])
    assert len(log.exchanges) >= 1
    assert {log.bad[0].line, log.bad[-1].line} == {1, log.bad[-1].line} and "cut off" in log.bad[-1].why


@EACH
def test_values_of_unexpected_types_never_raise(tmp_path: Path, form: str, kind: str, content: bytes) -> None:
    """Every value at every place of a record, replaced by one of another type."""
    path = tmp_path / "log"
    path.write_bytes(content)
    found = [value for _, value in records(Log(str(path), lambda bad: None))]
    log = Log("log", lambda bad: None)
    for number, record in enumerate(found):
        for changed in _changed(record):
            list(_reader(form).exchanges(iter([(1, r) for r in [*found[:number], changed, *found[number + 1 :]]]), log))


def _changed(value: Any, depth: int = 7) -> Any:
    yield from (None, True, -1, 1.5, "x", [], {}, [None], [[]], {"": None})
    if depth and isinstance(value, dict):
        for key, inner in value.items():
            yield {k: v for k, v in value.items() if k != key}
            for other in _changed(inner, depth - 1):
                yield {**value, key: other}
    elif depth and isinstance(value, list):
        for index, inner in enumerate(value[:6]):
            for other in _changed(inner, depth - 1):
                yield [*value[:index], other, *value[index + 1 :]]


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        ("otel", "export"),
        ("har", "document"),
        ("litellm", "payload"),
        ("litellm", "spend log"),
        ("helicone", "export"),
        ("langfuse", "observations"),
        ("langfuse", "csv"),
        ("swe-agent", "trajectory"),
        ("openhands", "trajectory"),
        ("openhands", "evaluation"),
        ("bodies", "responses"),
    ],
)
def test_the_same_request_comes_out_of_every_format(tmp_path: Path, form: str, kind: str) -> None:
    [content] = [content for name, variant, content in samples.SAMPLES if (name, variant) == (form, kind)]
    [exchange] = read_bytes(tmp_path, content).exchanges
    assert exchange.body["messages"] == samples.CHAT["messages"]
    assert exchange.wire == "openai-chat"
    if form != "swe-agent":
        assert (exchange.model, exchange.usage, exchange.sent_at) == ("gpt-5.1", CHAT_KNOWN, samples.SECONDS)


def test_claude_code_transcripts_count_each_message_once() -> None:
    log = read_file(shared("traces/claude-code/session.jsonl"))
    usages = [exchange.usage for exchange in log.exchanges if exchange.usage]
    whole, cached = (sum(getattr(usage, name) for usage in usages) for name in ("input", "cached"))
    assert (len(usages), whole, cached, log.bad) == (10, 418_193, 394_068, [])
    assert round(100 * cached / whole, 1) == 94.2
    for before, after in zip(log.exchanges, log.exchanges[1:], strict=False):
        assert after.body["messages"][: len(before.body["messages"])] == before.body["messages"]
        assert after.body["messages"][len(before.body["messages"])] == before.reply
    assert all(exchange.partial and exchange.session for exchange in log.exchanges)
    assert all(exchange.body["cache_control"] == {"type": "ephemeral", "ttl": "5m"} for exchange in log.exchanges)


def test_codex_transcripts_sum_to_what_the_provider_reported() -> None:
    log = read_file(shared("traces/codex/session.jsonl"))
    usages = [exchange.usage for exchange in log.exchanges if exchange.usage]
    whole, cached = (sum(getattr(usage, name) for usage in usages) for name in ("input", "cached"))
    assert (len(usages), whole, cached, log.bad) == (9, 95_819, 79_488, [])
    assert round(100 * cached / whole, 1) == 83.0
    for before, after in zip(log.exchanges, log.exchanges[1:], strict=False):
        sent = before.body["input"] + before.reply
        assert after.body["input"][: len(sent)] == sent


def test_swe_agent_trajectory() -> None:
    log = read_file(shared("traces/swe-agent/marshmallow-1867.traj"))
    assert (len(log.exchanges), log.bad) == (14, [])
    assert [len(exchange.body["messages"]) for exchange in log.exchanges] == list(range(2, 30, 2))
    assert all(set(message) == {"role", "content"} for message in log.exchanges[-1].body["messages"])


def test_swe_agent_steps_hold_what_was_sent(tmp_path: Path) -> None:
    """A history processor shortens old observations; the history does not show it."""
    call = {"role": "assistant", "content": "a", "tool_calls": [{"id": "c"}], "agent": "main", "message_type": "action"}
    result = {"role": "tool", "content": "long output", "tool_call_ids": ["c"], "agent": "main"}
    sent = [{"role": "user", "content": "u", "agent": "main"}]
    later = [*sent, call, {**result, "content": "Old environment output: (1 lines omitted)"}]
    steps = [{"response": "a", "query": sent}, {"response": "b", "messages": later}]
    log = read_records(tmp_path, [{"trajectory": steps, "history": [*sent, call, result], "info": {}}])
    first, second = log.exchanges
    assert first.reply == {"role": "assistant", "content": "a", "tool_calls": [{"id": "c"}]}
    assert second.body["messages"][1:] == [
        first.reply,
        {"role": "tool", "content": "Old environment output: (1 lines omitted)", "tool_call_id": "c"},
    ]
    assert second.reply == {"role": "assistant", "content": "b"}


def test_actions_of_one_response_are_one_request(tmp_path: Path) -> None:
    later = [
        samples.sdk("ObservationEvent", tool_call_id="d", observation={"content": samples.text("more")}),
        samples.sdk("MessageEvent", llm_message={"role": "assistant", "content": samples.text("done")}),
    ]
    first, second = read_records(tmp_path, [*samples.OPENHANDS_SDK, *later]).exchanges
    assert [message["role"] for message in first.body["messages"]] == ["system", "user"]
    assert [call["id"] for call in first.reply["tool_calls"]] == ["c", "d"]
    assert second.body["messages"][:3] == [*first.body["messages"], first.reply]
    assert [message["role"] for message in second.body["messages"][3:]] == ["tool", "tool"]
    assert (second.reply["content"], second.sent_at) == (samples.text("done"), samples.SECONDS)


def test_claude_code_quick_tools_sidechains_rewinds_and_compactions(tmp_path: Path) -> None:
    of = samples.claude_code
    log = read_records(
        tmp_path,
        [
            of("user", "1", None, "first"),
            of("assistant", "2", "1", samples.call("t1"), id="m1"),
            of("user", "3", "2", samples.result("t1")),
            of("assistant", "4", "2", samples.call("t2"), id="m1"),
            of("user", "s1", None, "task", isSidechain=True, agentId="a7"),
            of("assistant", "s2", "s1", samples.text("sub"), id="m2", isSidechain=True, agentId="a7"),
            of("user", "5", "4", samples.result("t2")),
            of("assistant", "6", "5", samples.text("done"), id="m3"),
            of("user", "7", "1", "first, again"),
            of("assistant", "8", "7", samples.text("other"), id="m4"),
            {"type": "system", "subtype": "compact_boundary", "uuid": "9", "parentUuid": None, "sessionId": "s"},
            of("user", "10", "9", "summary"),
            of("assistant", "11", "10", samples.text("on"), id="m5"),
        ],
    )
    assert log.bad == []
    found = {exchange.request_id: exchange for exchange in log.exchanges}
    assert sorted(found) == ["m1", "m2", "m3", "m4", "m5"]
    assert found["m1"].reply["content"] == samples.call("t1") + samples.call("t2")
    first, answer, results = found["m3"].body["messages"]
    assert first["content"] == samples.text("first")
    assert answer["content"] == samples.call("t1") + samples.call("t2")
    assert results["content"] == samples.result("t1") + samples.result("t2")
    assert [found[name].session for name in ("m1", "m2", "m3", "m4", "m5")] == ["s", "s/a7", "s", "s", "s"]
    assert found["m2"].body["messages"] == [{"role": "user", "content": samples.text("task")}]
    assert found["m4"].body["messages"] == [
        {"role": "user", "content": samples.text("first") + samples.text("first, again")}
    ]
    assert found["m5"].body["messages"] == [{"role": "user", "content": samples.text("summary")}]
    assert len(found["m1"].body["messages"]) == 1, "what came later does not change what was yielded"


def test_codex_compaction_and_results_before_the_count(tmp_path: Path) -> None:
    message, item = samples.codex_message, "response_item"
    call = {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c"}
    output = {"type": "function_call_output", "call_id": "c", "output": "o"}
    log = read_records(
        tmp_path,
        [
            samples.codex("session_meta", {"id": "s", "base_instructions": {"text": "i"}}),
            samples.codex("turn_context", {"model": "gpt-5.1"}),
            samples.codex(item, message("user", "u")),
            samples.codex(item, call),
            samples.codex(item, output),
            samples.codex("event_msg", samples.codex_usage(23)),
            samples.codex(item, message("assistant", "a")),
            samples.codex("event_msg", samples.codex_usage(46)),
            samples.codex("compacted", {"message": "short", "replacement_history": [message("user", "short")]}),
            samples.codex(item, message("user", "v")),
            samples.codex(item, message("assistant", "b")),
            samples.codex("event_msg", samples.codex_usage(69)),
        ],
    )
    assert [exchange.body["input"] for exchange in log.exchanges] == [
        [message("user", "u")],
        [message("user", "u"), call, output],
        [message("user", "short"), message("user", "v")],
    ]
    assert [exchange.reply for exchange in log.exchanges] == [
        [call],
        [message("assistant", "a")],
        [message("assistant", "b")],
    ]


def test_spans_of_older_conventions_and_of_agents(tmp_path: Path) -> None:
    older = {
        "gen_ai.system": "Anthropic",
        "gen_ai.request.model": "claude-sonnet-4-5",
        "gen_ai.prompt.0.role": "system",
        "gen_ai.prompt.0.content": "s",
        "gen_ai.prompt.10.role": "tool",
        "gen_ai.prompt.10.content": "r",
        "gen_ai.prompt.10.tool_call_id": "c",
        "gen_ai.prompt.2.role": "assistant",
        "gen_ai.prompt.2.tool_calls.0.id": "c",
        "gen_ai.prompt.2.tool_calls.0.name": "f",
        "gen_ai.prompt.2.tool_calls.0.arguments": "{}",
        "llm.request.functions.0.name": "f",
        "gen_ai.usage.prompt_tokens": 4,
        "gen_ai.usage.cache_read_input_tokens": 10,
        "gen_ai.usage.cache_creation_input_tokens": 6,
        "gen_ai.usage.completion_tokens": 2,
    }
    agent = {**samples.SPAN, "gen_ai.operation.name": "invoke_agent"}
    exchange = one(tmp_path, samples.spans(agent, older, {"http.method": "GET"}))
    roles = [message["role"] for message in exchange.body["messages"]]
    assert (roles, exchange.provider) == (["system", "assistant", "tool"], "anthropic")
    function = {"name": "f", "arguments": "{}"}
    assert exchange.body["messages"][1]["tool_calls"] == [{"id": "c", "type": "function", "function": function}]
    assert exchange.body["tools"] == [{"type": "function", "function": {"name": "f"}}]
    assert exchange.usage == Usage(20, 10, 6, output=2), "what the instrumentation left out of the input is added"


def test_spans_of_model_calls_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    failed = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5.1", "error.type": "timeout"}
    other = {"openinference.span.kind": "LLM", "llm.input_messages.0.message.content": "u"}
    chain = {"openinference.span.kind": "CHAIN"}
    log = read_records(tmp_path, [samples.spans(failed, chain), samples.spans(other)])
    assert log.exchanges == []
    assert [(bad.line, bad.why.split(";")[0]) for bad in log.bad] == [
        (1, "has a span of a model call without messages and usage"),
        (2, "has a span in the terms of OpenInference"),
    ]


def test_har_with_a_stream_a_deployment_and_a_broken_body(tmp_path: Path) -> None:
    usage = {"promptTokenCount": 20, "cachedContentTokenCount": 16, "candidatesTokenCount": 3}
    stream = f'data: {{"candidates": []}}\r\n\r\ndata: {json.dumps({"usageMetadata": usage})}\r\n\r\n'
    gemini = "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse"
    azure = "https://x.openai.azure.com/openai/deployments/prod/chat/completions?api-version=1"
    contents = {"contents": [{"role": "user", "parts": [{"text": "u"}]}]}
    entries = [
        samples.har(gemini, contents, stream),
        samples.har(azure, {"messages": samples.CHAT["messages"]}, "eyJpZCI6ICJ4In0=", encoding="base64"),
        samples.har("https://api.openai.com/v1/embeddings", {"input": "u"}, "{}"),
        samples.har("https://api.openai.com/v1/responses", "no body", "{}"),
    ]
    log = read_records(tmp_path, [{"log": {"entries": entries}}])
    first, second = log.exchanges
    assert (first.provider, first.model, first.wire, first.usage) == ("gemini", "gemini-3-pro", "gemini", CHAT_KNOWN)
    assert (second.provider, second.model, second.request_id) == ("azure-openai", "prod", "x")
    assert [bad.why for bad in log.bad] == ["entry 4: the request to a model has no body that is JSON"]
    assert "SECRET" not in repr(log.exchanges)


def test_usage_exports_say_how_many_requests_they_sum(tmp_path: Path) -> None:
    for form, kind, content in samples.SAMPLES:
        if form.endswith("-usage"):
            [exchange] = read_bytes(tmp_path, content).exchanges
            known = (CHAT_KNOWN, 5) if form == "openai-usage" else (Usage(20, 10, 6, 1, 2), 0)
            assert (exchange.usage, exchange.requests) == known, (form, kind)
            assert exchange.sent_at and exchange.fields


def test_langfuse_parts_of_the_input(tmp_path: Path) -> None:
    inclusive = {**samples.LANGFUSE, "usageDetails": {"input": 20, "input_cached_tokens": 16, "output": 3, "total": 23}}
    assert one(tmp_path, inclusive).usage == CHAT_KNOWN
    details = {"input": 4, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 6, "output": 2}
    assert one(tmp_path, {**samples.LANGFUSE, "usageDetails": details}).usage == Usage(20, 10, 6, output=2)


def test_litellm_skips_what_reached_no_model(tmp_path: Path) -> None:
    others = [{**samples.LITELLM, "cache_hit": True}, {**samples.LITELLM, "call_type": "aembedding"}]
    assert one(tmp_path, *others, samples.LITELLM).fields == {"user_api_key_team_alias": "team"}


def test_sharegpt_turns_are_requests(tmp_path: Path) -> None:
    turns = [("system", "s"), ("human", "u"), ("gpt", "a"), ("human", "v"), ("gpt", "b")]
    record = {"id": "s", "conversations": [{"from": who, "value": what} for who, what in turns]}
    strange = {"id": "x", "conversations": [{"from": "human", "value": "u"}, {"from": "nobody", "value": "a"}]}
    log = read_records(tmp_path, [record, strange])
    assert [[m["content"] for m in e.body["messages"]] for e in log.exchanges] == [["s", "u"], ["s", "u", "a", "v"]]
    assert [bad.why for bad in log.bad] == ["has a turn without a known speaker or a text"]


def test_token_ids(tmp_path: Path) -> None:
    log = read_records(
        tmp_path, [{"prompt_token_ids": [1, 2, 3], "outputs": [{"token_ids": [4]}]}, {"input_ids": [1, -2]}]
    )
    [exchange] = log.exchanges
    assert exchange.ids is not None and exchange.ids.tolist() == [1, 2, 3]
    assert exchange.usage == Usage(3, output=1)
    assert [bad.why for bad in log.bad] == ["has token ids that are no unsigned 32-bit numbers"]
