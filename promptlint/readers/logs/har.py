"""HAR files, as browsers and proxies export them: the requests to model APIs among all others.

`{"log": {"entries": [{"startedDateTime", "request": {"method", "url", "postData": {"text"}}, "response": {"status",
"content": {"text", "encoding"}}}]}}` (http://www.softwareishard.com/blog/har-12-spec/, read 2026-11-30). A request
counts by its address or, on an unknown host, by its path. Headers, which hold keys, are not looked at.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator
from typing import Any

from promptlint.model.traffic import Exchange
from promptlint.readers.logs.endpoints import runs_model, wire_of_url
from promptlint.readers.logs.lines import Log
from promptlint.readers.logs.names import provider_of_url
from promptlint.readers.logs.replies import reply
from promptlint.readers.logs.stream import Record, parsed
from promptlint.readers.logs.times import seconds
from promptlint.readers.logs.values import table, text
from promptlint.readers.logs.wires import Wires, is_request

SUMMARY = "HAR files with requests to model APIs"

_MODEL = re.compile(r"/(?:models?|deployments)/([^/:]+)")


def matches(record: Any) -> bool:
    return type(record) is dict and type(table(record.get("log")).get("entries")) is list


def exchanges(records: Iterable[Record], log: Log) -> Iterator[Exchange]:
    """One exchange for each request to a model; `fields` has the number of the entry, from 1."""
    wires = Wires()
    for line, record in records:
        if not matches(record):
            log.bad(line, "is no HAR file")
            continue
        for number, entry in enumerate(record["log"]["entries"], 1):
            request = table(table(entry).get("request"))
            url = text(request, "url")
            if request.get("method") != "POST" or not runs_model(url):
                continue
            body = parsed(text(table(request.get("postData")), "text"))
            if not is_request(body):
                log.bad(line, f"entry {number}: the request to a model has no body that is JSON")
                continue
            exchange = Exchange(log.name, line, body=body, fields={"entry": str(number)})
            _describe(exchange, table(entry), url, wires)
            yield exchange


def _describe(exchange: Exchange, entry: dict[str, Any], url: str, wires: Wires) -> None:
    exchange.provider = provider_of_url(url)
    exchange.wire = wire_of_url(url) or wires.of(exchange.body, exchange.provider)
    in_path = _MODEL.search(url)
    response = table(entry.get("response"))
    answered = reply(_content(table(response.get("content"))))
    exchange.model = text(exchange.body, "model") or (in_path[1] if in_path else answered.model)
    exchange.usage, exchange.reply, exchange.request_id = answered.usage, answered.message, answered.request_id
    exchange.sent_at = seconds(entry.get("startedDateTime"))
    status = response.get("status")
    exchange.status = status if type(status) is int else None


def _content(content: dict[str, Any]) -> str:
    """The response body; binary event streams (Bedrock) come out as text without events."""
    body = text(content, "text")
    if content.get("encoding") == "base64":
        try:
            return base64.b64decode(body).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            return ""
    return body
