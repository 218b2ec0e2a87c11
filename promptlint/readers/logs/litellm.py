"""LiteLLM: its standard logging payload, the rows of its spend logs, and JSON lines of the proxy that hold either.

Payload: `{"id", "trace_id", "call_type", "model", "custom_llm_provider", "api_base", "startTime" (s), "messages",
"response", "model_parameters", "prompt_tokens", "metadata": {"usage_object", "user_api_key_team_alias", …}}`
(https://docs.litellm.ai/docs/proxy/logging_spec), as a record or under `standard_logging_object`. Spend logs:
`{"request_id", "call_type", "spend", "startTime", "model", "messages", "response", "proxy_server_request",
"metadata": {"usage_object", "additional_usage_values"}, "session_id", "end_user", "team_id", "cache_hit"}`
(schema.prisma, LiteLLM_SpendLogs). `prompt_tokens` counts the whole prompt for every provider. Read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from promptlint.model.traffic import Exchange, Usage
from promptlint.readers.logs.lines import Log
from promptlint.readers.logs.names import provider_of, provider_of_url
from promptlint.readers.logs.replies import reply
from promptlint.readers.logs.stream import Record
from promptlint.readers.logs.times import seconds
from promptlint.readers.logs.usage import usage
from promptlint.readers.logs.values import number, table, text, unwrapped
from promptlint.readers.logs.wires import Wires, is_request

SUMMARY = "LiteLLM spend logs, standard logging payloads and proxy logs"

_OWN = {"call_type", "startTime"}
_TEXT_CALLS = ("embedding", "image", "transcription", "speech", "moderation", "rerank", "ocr", "search")
_METADATA = ("user_api_key_alias", "user_api_key_team_id", "user_api_key_team_alias", "user_api_key_org_id")


def matches(record: Any) -> bool:
    return _payload(record) is not None


def exchanges(records: Iterable[Record], log: Log) -> Iterator[Exchange]:
    """One exchange for each call of a model that reached the provider: LiteLLM's own response cache did not."""
    wires = Wires()
    for line, record in records:
        payload = _payload(record)
        if payload is None:
            log.bad(line, "holds no LiteLLM payload")
        elif not _is_other(payload):
            yield _exchange(payload, wires, log.name, line)


def _payload(record: Any) -> dict[str, Any] | None:
    if type(record) is not dict:
        return None
    for holder in (record, table(record.get("kwargs")), table(unwrapped(record.get("message")))):
        for found in (holder, table(unwrapped(holder.get("standard_logging_object")))):
            if found.keys() >= _OWN:
                return found
    return None


def _is_other(payload: dict[str, Any]) -> bool:
    kind = text(payload, "call_type")
    return any(name in kind for name in _TEXT_CALLS) or payload.get("cache_hit") in (True, "True", "true")


def _exchange(payload: dict[str, Any], wires: Wires, file: str, line: int) -> Exchange:
    metadata = table(unwrapped(payload.get("metadata")))
    answered = reply(unwrapped(payload.get("response")))
    provider = provider_of(text(payload, "custom_llm_provider")) or provider_of_url(text(payload, "api_base"))
    exchange = Exchange(file, line, provider=provider, reply=answered.message)
    exchange.body = _body(payload)
    exchange.model = text(payload, "model") or text(table(exchange.body), "model")
    if exchange.body is not None:
        exchange.wire = wires.of(exchange.body)
    exchange.sent_at = seconds(payload.get("startTime"))
    exchange.usage = answered.usage or _usage(payload, metadata)
    exchange.request_id = text(payload, "id", "request_id")
    exchange.session = text(payload, "session_id", "trace_id")
    exchange.user = text(payload, "end_user", "user")
    fields = {name: text(metadata, name) for name in _METADATA} | {"team_id": text(payload, "team_id")}
    exchange.fields = {name: value for name, value in fields.items() if value}
    return exchange


def _body(payload: dict[str, Any]) -> dict[str, Any] | None:
    """The request as the proxy received it, or put together from its parts; it may hold no more than "redacted"."""
    sent = table(unwrapped(payload.get("proxy_server_request")))
    sent = table(unwrapped(sent.get("body"))) or sent
    if is_request(sent):
        return sent
    messages = unwrapped(payload.get("messages"))
    if type(messages) is dict and "messages" in messages:
        messages = messages["messages"]
    if type(messages) is not list or not messages:
        return None
    name = "input" if "responses" in text(payload, "call_type") else "messages"
    parameters = table(unwrapped(payload.get("model_parameters")))
    return {"model": text(payload, "model"), **parameters, name: messages}


def _usage(payload: dict[str, Any], metadata: dict[str, Any]) -> Usage | None:
    found = table(metadata.get("usage_object"))
    if not found:
        counts = {name: number(payload.get(name)) for name in ("prompt_tokens", "completion_tokens")}
        found = {**table(metadata.get("additional_usage_values")), **counts}
    return usage(found)
