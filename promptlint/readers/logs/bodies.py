"""JSON Lines of provider bodies, with or without responses, bare or in an envelope, and lines with usage alone.

A bare body is a line that is itself a request. An envelope holds it under `request`, `body`, `kwargs` and the like,
beside a response, a usage, a time, a session. The batch files of OpenAI (`custom_id`, `method`, `url`, `body`; the
output: `response.body`; https://platform.openai.com/docs/api-reference/batch) and Anthropic (`custom_id`, `params`;
`result.message`), the invocation logs of Bedrock (`modelId`, `input.inputBodyJson`, `output.outputBodyJson`), stored
completions of OpenAI (`object: chat.completion`) and what promptlint.record writes are such envelopes. Read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from promptlint.model.traffic import Exchange, Usage
from promptlint.readers.logs.endpoints import wire_of_url
from promptlint.readers.logs.lines import Log
from promptlint.readers.logs.names import provider_of, provider_of_url
from promptlint.readers.logs.replies import Reply, reply
from promptlint.readers.logs.stream import Record, parsed
from promptlint.readers.logs.times import seconds
from promptlint.readers.logs.usage import usage
from promptlint.readers.logs.values import table, text
from promptlint.readers.logs.wires import Wires, is_request

SUMMARY = "JSON Lines of provider request bodies, with or without responses, and of usage alone"

_REQUESTS = ("request", "body", "kwargs", "params", "request_body", "requestBody", "payload", "json", "data", "input")
_RESPONSES = ("response", "response_body", "responseBody", "result", "completion", "output")
_TIMES = ("ts", "timestamp", "time", "created_at", "started_at", "start_time", "sent_at", "date")
_SESSIONS = ("session", "session_id", "sessionId", "conversation_id", "conversation", "thread_id", "threadId")
_USERS = ("user", "user_id", "userId", "end_user", "safety_identifier")
_IDS = ("request_id", "requestId", "custom_id", "id")
_URLS = ("url", "endpoint", "path")
# What stands beside the fields of a request in a flat line, and is none of them.
_ENVELOPE = {*_RESPONSES, *_TIMES, *_SESSIONS[:3], "usage", "request_id", "status", "status_code", "provider"}
_ENVELOPE |= {"choices", "created", "id", "object", "system_fingerprint"}
_READ = {*_REQUESTS, *_RESPONSES, *_TIMES, *_SESSIONS, *_USERS, *_IDS, *_URLS, "usage", "provider", "model", "method"}
_RESPONSE_KINDS = ("chat.completion", "response", "text_completion", "message")
_Object = dict[str, Any]


def matches(record: Any) -> bool:
    """Whether a record holds a request or a usage that is understood."""
    if type(record) is not dict:
        return False
    return _request(record)[0] is not None or _answer(record).usage is not None


def exchanges(records: Iterable[Record], log: Log) -> Iterator[Exchange]:
    """One exchange for each record."""
    wires = Wires()
    for line, record in records:
        if type(record) is not dict:
            log.bad(line, "is no JSON object")
            continue
        exchange = read_record(record, wires, log.name, line)
        if exchange is None:
            log.bad(line, "holds neither a request nor a usage that is known")
        else:
            yield exchange
        del record, exchange


def read_record(record: _Object, wires: Wires, file: str, line: int) -> Exchange | None:
    """The exchange in one record; None where it holds neither request nor usage."""
    body, around = _request(record)
    answered = _answer(record)
    if body is None and answered.usage is None:
        return None
    url = text(around, *_URLS)
    provider = provider_of(text(record, "provider")) or provider_of_url(url)
    if not provider and "modelId" in record:  # the models of Bedrock have names of their own
        provider = "bedrock"
    exchange = Exchange(file, line, provider=provider, usage=answered.usage, reply=answered.message)
    exchange.model = text(record, "model", "modelId") or answered.model
    if body is not record:
        exchange.fields = _fields(record)
    if body is not None:
        if body is record and not _ENVELOPE.isdisjoint(record):
            body = {name: value for name, value in record.items() if name not in _ENVELOPE}
        exchange.body = body
        exchange.model = text(body, "model", "modelId") or exchange.model
        exchange.wire = wire_of_url(url) or wires.of(body, provider)
        exchange.user, exchange.session = _user_and_session(body)
    _describe(exchange, record, answered)
    return exchange


def _user_and_session(body: _Object) -> tuple[str, str]:
    """Whom a request body names. Claude Code writes its session there too, in a name or, since 2.1, in JSON."""
    metadata = body.get("metadata")
    user = text(body, "user", "safety_identifier") or (text(metadata, "user_id") if type(metadata) is dict else "")
    if user.startswith("{"):
        named = table(parsed(user))
        return text(named, "account_uuid", "device_id") or user, text(named, "session_id")
    name, _, session = user.partition("_session_")
    return name, session


def _describe(exchange: Exchange, record: _Object, answered: Reply) -> None:
    times = (seconds(record[name]) for name in _TIMES if name in record)
    exchange.sent_at = next((at for at in times if at is not None), None)
    if exchange.sent_at is None:
        exchange.sent_at = seconds(answered.sent_at)
    exchange.session = text(record, *_SESSIONS) or exchange.session
    exchange.user = text(record, *_USERS) or exchange.user
    exchange.request_id = answered.request_id or text(record, *_IDS)
    for holder in (record, record.get("response")):
        if type(holder) is dict and exchange.status is None:
            status = holder.get("status_code", holder.get("status"))
            exchange.status = status if type(status) is int else None


def _fields(record: _Object) -> dict[str, str]:
    """What an envelope holds besides, to group by."""
    return {
        name: value if type(value) is str else str(value)
        for name, value in record.items()
        if name not in _READ and type(value) in (str, int, bool)
    }


def _request(record: _Object) -> tuple[_Object | None, _Object]:
    """The request body, and the object around it that may hold its address."""
    if record.get("object") in _RESPONSE_KINDS or record.get("type") == "message":
        return (record, record) if "messages" in record else (None, record)
    for name in _REQUESTS:
        held = record.get(name)
        if held is None:
            continue
        if type(held) is str and held.startswith("{"):
            held = parsed(held)
        if is_request(held):
            return held, record
        if type(held) is dict:
            for inner in ("body", "json", "kwargs", "params", "content", "inputBodyJson"):
                within = held.get(inner)
                if type(within) is str and within.startswith("{"):
                    within = parsed(within)
                if is_request(within):
                    return within, {**record, **held}
    return (record, record) if is_request(record) else (None, record)


def _answer(record: _Object) -> Reply:
    """What the record says of the response; a usage of its own stands in for one that the response lacks."""
    response: Any = None
    if record.get("object") in _RESPONSE_KINDS or record.get("type") == "message":
        response = record
    else:
        response = next((record[name] for name in _RESPONSES if record.get(name) is not None), None)
        for name in ("body", "message", "outputBodyJson"):
            if (
                type(response) is dict
                and isinstance(response.get(name), (dict, str, list))
                and "choices" not in response
            ):
                response = response[name]
    found = reply(response) if response is not None else Reply()
    if found.usage is None and (own_usage := _usage(record)) is not None:
        return Reply(own_usage, found.message, found.request_id, found.model, found.sent_at)
    return found


def _usage(record: _Object) -> Usage | None:
    for name in ("usage", "usageMetadata", "usage_metadata"):
        if name in record:
            return usage(record[name], record)
    return usage(record)
