"""One small log of each format, in the shape that its source documents; what it holds is said beside it."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

CHAT = {"model": "gpt-5.1", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]}
CHAT_REPLY = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1778576405,
    "model": "gpt-5.1",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 20, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 16}},
}
CLAUDE = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "u"}]}
AT = "2026-05-12T09:00:05Z"
SECONDS = 1778576405.0


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def whole(document: Any, indent: int | None = None) -> bytes:
    return json.dumps(document, indent=indent).encode()


def table(*rows: dict[str, Any]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def claude_code(kind: str, uuid: str, parent: str | None, content: Any, **more: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": kind, "content": content}
    if kind == "assistant":
        usage = {"input_tokens": 4, "cache_creation_input_tokens": 6, "cache_read_input_tokens": 10, "output_tokens": 2}
        message |= {"id": more.pop("id"), "model": "claude-opus-4-8", "type": "message", "usage": usage}
    record = {"type": kind, "uuid": uuid, "parentUuid": parent, "isSidechain": False, "sessionId": "s", "timestamp": AT}
    return {**record, "message": message, **more}


def text(value: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": value}]


def call(name: str) -> list[dict[str, Any]]:
    return [{"type": "tool_use", "id": name, "name": "Bash", "input": {}}]


def result(name: str) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": name, "content": "r"}]


def codex(kind: str, payload: Any) -> dict[str, Any]:
    return {"timestamp": AT, "type": kind, "payload": payload}


def codex_message(role: str, value: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": value}]}


def codex_usage(total: int) -> dict[str, Any]:
    last = {"input_tokens": 20, "cached_input_tokens": 16, "output_tokens": 3, "total_tokens": 23}
    return {"type": "token_count", "info": {"total_token_usage": {"total_tokens": total}, "last_token_usage": last}}


def attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    """Attributes as OTLP JSON has them: 64-bit numbers are texts."""

    def value(plain: Any) -> dict[str, Any]:
        if isinstance(plain, int):
            return {"intValue": str(plain)}
        if isinstance(plain, list):
            return {"arrayValue": {"values": [value(item) for item in plain]}}
        if isinstance(plain, dict):
            return {"kvlistValue": {"values": [{"key": key, "value": value(item)} for key, item in plain.items()]}}
        return {"stringValue": plain}

    return [{"key": key, "value": value(plain)} for key, plain in values.items()]


def spans(*found: dict[str, Any]) -> dict[str, Any]:
    held = [
        {
            "traceId": "t",
            "spanId": "p",
            "name": "chat",
            "startTimeUnixNano": "1778576405000000000",
            "attributes": attributes(one),
        }
        for one in found
    ]
    resource = {"attributes": attributes({"service.name": "shop"})}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "x"}, "spans": held}]}]}


SPAN = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-5.1",
    "gen_ai.conversation.id": "s",
    "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": "u"}]}]),
    "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "s"}]),
    "gen_ai.usage.input_tokens": 20,
    "gen_ai.usage.cache_read.input_tokens": 16,
    "gen_ai.usage.output_tokens": 3,
}


def har(url: str, body: Any, response: str, **content: Any) -> dict[str, Any]:
    return {
        "startedDateTime": AT,
        "request": {"method": "POST", "url": url, "headers": [{"name": "x-api-key", "value": "SECRET"}],
                    "postData": {"mimeType": "application/json", "text": json.dumps(body)}},
        "response": {"status": 200, "content": {"text": response, **content}},
    }  # fmt: skip


HAR = {
    "log": {
        "version": "1.2",
        "entries": [
            {"startedDateTime": AT, "request": {"method": "GET", "url": "https://chat.example/app.js"}, "response": {}},
            har("https://api.openai.com/v1/chat/completions", CHAT, json.dumps(CHAT_REPLY)),
        ],
    }
}
LITELLM = {
    "id": "chatcmpl-1",
    "trace_id": "s",
    "call_type": "acompletion",
    "status": "success",
    "model": "gpt-5.1",
    "custom_llm_provider": "openai",
    "startTime": SECONDS,
    "prompt_tokens": 20,
    "completion_tokens": 3,
    "messages": CHAT["messages"],
    "response": CHAT_REPLY,
    "model_parameters": {"temperature": 0},
    "metadata": {"user_api_key_team_alias": "team"},
}
HELICONE = {
    "request_id": "r",
    "request_created_at": AT,
    "request_body": CHAT,
    "response_body": CHAT_REPLY,
    "response_status": 200,
    "request_user_id": "ann",
    "provider": "OPENAI",
    "properties": {"Helicone-Session-Id": "s", "App": "shop"},
    "prompt_tokens": 20,
    "prompt_cache_read_tokens": 16,
    "completion_tokens": 3,
}
LANGFUSE = {
    "id": "o",
    "traceId": "t",
    "type": "GENERATION",
    "startTime": AT,
    "model": "gpt-5.1",
    "input": CHAT["messages"],
    "output": {"role": "assistant", "content": "a"},
    "modelParameters": {"temperature": 0},
    "usageDetails": {"input": 4, "input_cached_tokens": 16, "output": 3, "total": 23},
    "sessionId": "s",
    "userId": "ann",
}
OPENAI_RESULT = {
    "object": "organization.usage.completions.result",
    "input_tokens": 20,
    "input_cached_tokens": 16,
    "output_tokens": 3,
    "num_model_requests": 5,
    "model": "gpt-5.1",
    "project_id": "proj",
}
ANTHROPIC_RESULT = {
    "uncached_input_tokens": 4,
    "cache_creation": {"ephemeral_1h_input_tokens": 1, "ephemeral_5m_input_tokens": 5},
    "cache_read_input_tokens": 10,
    "output_tokens": 2,
    "model": "claude-sonnet-4-5",
    "workspace_id": "w",
}
SWE_HISTORY = [
    {"role": "system", "content": "s", "agent": "primary"},
    {"role": "user", "content": "u", "agent": "primary"},
    {"role": "assistant", "content": "a", "thought": "x", "agent": "primary"},
]
SWE_STEP = {"action": "ls", "observation": "x", "response": "a", "query": CHAT["messages"]}


def openhands(source: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"id": 0, "timestamp": AT, "source": source, kind: more.pop("name"), **more}


OPENHANDS = [
    openhands("agent", "action", name="system", args={"content": "s", "tools": [{"type": "function"}]}),
    openhands("user", "action", name="message", args={"content": "u"}),
    openhands("agent", "action", name="run", tool_call_metadata={"tool_call_id": "c", "model_response": CHAT_REPLY}),
    openhands("agent", "action", name="read", tool_call_metadata={"tool_call_id": "d", "model_response": CHAT_REPLY}),
    openhands("agent", "observation", name="run", content="out", tool_call_metadata={"tool_call_id": "c"}),
]


def sdk(kind: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "id": "e", "timestamp": AT, "source": "agent", **more}


OPENHANDS_SDK = [
    sdk("SystemPromptEvent", system_prompt={"type": "text", "text": "s"}, tools=[{"title": "terminal"}]),
    sdk("MessageEvent", source="user", llm_message={"role": "user", "content": text("u")}),
    sdk("ConversationStateUpdateEvent", key="stats", value={}),
    *(sdk("ActionEvent", llm_response_id="r", tool_name="terminal", tool_call_id=name, thought=text(name),
          action={"command": "ls"}, tool_call={"id": name, "arguments": "{}"}) for name in "cd"),
    sdk("ObservationEvent", tool_call_id="c", observation={"content": text("out")}),
]  # fmt: skip
OPENAI_BUCKET = {
    "object": "bucket",
    "start_time": int(SECONDS),
    "end_time": int(SECONDS) + 60,
    "results": [OPENAI_RESULT],
}
ANTHROPIC_BUCKET = {"starting_at": AT, "ending_at": AT, "results": [ANTHROPIC_RESULT]}
ANTHROPIC_ROW = {
    "usage_date_utc": "2026-05-12",
    "model_version": "claude-sonnet-4-5",
    "api_key": "prod",
    "workspace": "w",
    "usage_input_tokens_no_cache": 4,
    "usage_input_tokens_cache_write_5m": 5,
    "usage_input_tokens_cache_write_1h": 1,
    "usage_input_tokens_cache_read": 10,
    "usage_output_tokens": 2,
}

# Every sample holds exactly one request.
SAMPLES: list[tuple[str, str, bytes]] = [
    ("claude-code", "transcript", lines(
        {"type": "mode", "mode": "normal", "sessionId": "s"},
        claude_code("user", "1", None, "u"), claude_code("assistant", "2", "1", text("a"), id="m"),
        claude_code("assistant", "3", "2", call("t"), id="m"))),
    ("codex", "transcript", lines(
        codex("session_meta", {"id": "s", "model_provider": "openai", "base_instructions": {"text": "i"}}),
        codex("turn_context", {"model": "gpt-5.1"}), codex("response_item", codex_message("user", "u")),
        codex("response_item", codex_message("assistant", "a")), codex("event_msg", codex_usage(23)),
        codex("event_msg", codex_usage(23)))),
    ("otel", "export", lines(spans(SPAN))),
    ("har", "document", whole(HAR, 2)),
    ("litellm", "payload", lines(LITELLM)),
    ("litellm", "spend log", lines({
        "request_id": "r", "call_type": "acompletion", "spend": 0.1, "startTime": AT, "model": "gpt-5.1",
        "custom_llm_provider": "openai", "messages": {}, "response": {}, "proxy_server_request": json.dumps(CHAT),
        "prompt_tokens": 20, "completion_tokens": 3, "session_id": "s",
        "metadata": {"usage_object": CHAT_REPLY["usage"]}})),
    ("litellm", "proxy log", lines({"level": "INFO", "message": json.dumps({"standard_logging_object": LITELLM})})),
    ("helicone", "export", lines(HELICONE)),
    ("langfuse", "observations", lines({**LANGFUSE, "type": "SPAN"}, LANGFUSE)),
    ("langfuse", "trace", whole({"id": "t", "sessionId": "s", "userId": "ann", "observations": [LANGFUSE]})),
    ("langfuse", "csv", table({name: v if isinstance(v, str) else json.dumps(v) for name, v in LANGFUSE.items()})),
    ("openai-usage", "buckets", whole({"object": "page", "data": [OPENAI_BUCKET], "has_more": False})),
    ("openai-usage", "csv", table({"start_time": int(SECONDS), "end_time": 0, **OPENAI_RESULT})),
    ("anthropic-usage", "buckets", whole({"data": [ANTHROPIC_BUCKET], "has_more": False, "next_page": None}, 1)),
    ("anthropic-usage", "csv", table(ANTHROPIC_ROW)),
    ("swe-agent", "trajectory", whole({"trajectory": [SWE_STEP], "history": [], "info": {}}, 1)),
    ("swe-agent", "old trajectory", whole({"trajectory": [{"action": "ls"}], "info": {}, "history": SWE_HISTORY})),
    ("swe-agent", "demonstration", whole({"history": SWE_HISTORY}, 1)),
    ("openhands", "trajectory", whole(OPENHANDS, 1)),
    ("openhands", "events of the SDK", lines(*OPENHANDS_SDK)),
    ("openhands", "evaluation with the SDK", lines({"instance_id": "s", "history": OPENHANDS_SDK})),
    ("openhands", "evaluation", lines({"instance_id": "s", "history": OPENHANDS, "metrics": {}})),
    ("openhands", "completion", lines({**CHAT, "response": CHAT_REPLY, "kwargs": {}, "timestamp": SECONDS})),
    ("sharegpt", "sharegpt", whole([{"id": "s", "conversations": [
        {"from": "human", "value": "u"}, {"from": "gpt", "value": "a"}]}])),
    ("sharegpt", "lmsys", lines({"conversation_id": "s", "model": "m", "conversation": [
        {"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}]})),
    ("blocks", "mooncake", lines({"timestamp": 0, "input_length": 700, "output_length": 3, "hash_ids": [1, 2]})),
    ("token-ids", "vllm", lines({"request_id": "r", "prompt_token_ids": [1, 2, 3], "num_cached_tokens": 2})),
    ("bodies", "bare", lines(CHAT)),
    ("bodies", "responses", lines({"request": CHAT, "response": CHAT_REPLY})),
    ("bodies", "batch", lines({"custom_id": "c", "method": "POST", "url": "/v1/chat/completions", "body": CHAT})),
    ("bodies", "usage", lines({"ts": AT, "session": "s", "provider": "openai", "usage": {"input_tokens": 20}})),
]  # fmt: skip
