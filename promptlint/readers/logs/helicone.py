"""Helicone exports (JSONL, JSON or CSV of `@helicone/export` and of the request API).

`{"request_id", "request_created_at", "request_body", "response_body", "response_status", "request_user_id",
"request_properties" | "properties" ("Helicone-Session-Id"), "provider", "target_url", "model", "prompt_tokens",
"prompt_cache_read_tokens", "prompt_cache_write_tokens", "completion_tokens"}`, Helicone/helicone, HeliconeRequest and
RequestResponseRMT, read 2026-11-30. The usage of the response body goes before Helicone's own columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from promptlint.model.traffic import Exchange, Usage
from promptlint.readers.logs.endpoints import wire_of_url
from promptlint.readers.logs.lines import Log
from promptlint.readers.logs.names import provider_of, provider_of_url
from promptlint.readers.logs.replies import reply
from promptlint.readers.logs.stream import Record
from promptlint.readers.logs.times import seconds
from promptlint.readers.logs.usage import total
from promptlint.readers.logs.values import number, table, text, unwrapped
from promptlint.readers.logs.wires import Wires, is_request

SUMMARY = "Helicone exports"

_SESSION = "helicone-session-id"


def matches(record: Any) -> bool:
    return type(record) is dict and {"request_id", "request_created_at"} <= record.keys()


def exchanges(records: Iterable[Record], log: Log) -> Iterator[Exchange]:
    """One exchange for each record with a body or a usage."""
    wires = Wires()
    for line, record in records:
        exchange = _exchange(record, wires, log.name, line) if matches(record) else None
        if exchange is None or (exchange.body is None and exchange.usage is None):
            log.bad(line, "holds no request or usage of Helicone")
        else:
            yield exchange


def _exchange(record: dict[str, Any], wires: Wires, file: str, line: int) -> Exchange:
    answered = reply(unwrapped(record.get("response_body")))
    provider = provider_of_url(text(record, "target_url")) or provider_of(text(record, "provider"))
    exchange = Exchange(file, line, provider=provider, reply=answered.message)
    body = unwrapped(record.get("request_body"))
    exchange.model = text(record, "request_model", "model", "response_model")
    if is_request(body):
        exchange.body = body
        exchange.model = text(body, "model") or exchange.model
        exchange.wire = wire_of_url(text(record, "target_url", "request_path")) or wires.of(body, provider)
    exchange.usage = answered.usage or _usage(record)
    exchange.sent_at = seconds(record["request_created_at"])
    exchange.request_id = text(record, "request_id")
    exchange.user = text(record, "request_user_id", "user_id", "helicone_user")
    exchange.status = number(record.get("response_status", record.get("status")))
    found = table(unwrapped(record.get("request_properties"))) or table(unwrapped(record.get("properties")))
    properties = {name: value for name, value in found.items() if type(value) is str}
    exchange.session = next((value for name, value in properties.items() if name.lower() == _SESSION), "")
    exchange.fields = {name: value for name, value in properties.items() if name.lower() != _SESSION}
    return exchange


def _usage(record: dict[str, Any]) -> Usage | None:
    """Helicone's columns. Cached tokens beyond `prompt_tokens` show that it counts what is left of them only."""
    sent, output = number(record.get("prompt_tokens")), number(record.get("completion_tokens"))
    cached, written = number(record.get("prompt_cache_read_tokens")), number(record.get("prompt_cache_write_tokens"))
    if sent is None:
        return None
    apart = provider_of(text(record, "provider")) == "anthropic" or (total(cached, written) or 0) > sent
    return Usage(total(sent, cached, written) if apart else sent, cached, written, output=output)
