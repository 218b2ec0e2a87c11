"""OpenTelemetry spans of GenAI calls, as OTLP JSON (the collector's file exporter writes one export a line).

`{"resourceSpans": [{"scopeSpans": [{"spans": [{"startTimeUnixNano", "traceId", "attributes": [{"key", "value":
{"stringValue" | "intValue" | …}}], "events"}]}]}]}`. Attributes of the GenAI conventions: `gen_ai.request.model`,
`gen_ai.provider.name`, `gen_ai.conversation.id`, `gen_ai.input.messages`, `gen_ai.system_instructions`,
`gen_ai.tool.definitions`, `gen_ai.usage.input_tokens`, `gen_ai.usage.cache_read.input_tokens`,
`gen_ai.usage.cache_creation.input_tokens`, `gen_ai.usage.output_tokens`
(https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/); of the older ones: `gen_ai.system`,
`gen_ai.prompt.N.role` and `.content` (OpenLLMetry), `gen_ai.usage.prompt_tokens`. Read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from promptlint.model.traffic import Exchange, Usage
from promptlint.readers.logs.lines import Log
from promptlint.readers.logs.names import provider_of
from promptlint.readers.logs.otel_messages import indexed, messages, tools
from promptlint.readers.logs.stream import Record
from promptlint.readers.logs.times import seconds
from promptlint.readers.logs.usage import total
from promptlint.readers.logs.values import array, number, table, text, unwrapped

SUMMARY = "OpenTelemetry GenAI spans (OTLP JSON)"

# Spans of agents and tools sum up or surround the calls of a model.
_OTHER_OPERATIONS = ("invoke_agent", "create_agent", "execute_tool", "embeddings", "invoke_workflow", "retrieval")
_MODEL_OPERATIONS = ("chat", "text_completion", "generate_content")
_MODELS = ("gen_ai.request.model", "gen_ai.response.model")
_SESSIONS = ("gen_ai.conversation.id", "session.id", "traceloop.association.properties.session_id")
_USERS = ("user.id", "enduser.id", "traceloop.association.properties.user_id")
_INPUTS = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens")
_OUTPUTS = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.usage.completion_tokens")
_READS = ("gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens")
_WRITES = ("gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens")


def matches(record: Any) -> bool:
    return type(record) is dict and type(record.get("resourceSpans", record.get("resource_spans"))) is list


def exchanges(records: Iterable[Record], log: Log) -> Iterator[Exchange]:
    """One exchange for each span that is a call of a model; spans of anything else are no requests."""
    for line, record in records:
        if not matches(record):
            log.bad(line, "is no OTLP export of spans")
            continue
        for resource in array(record.get("resourceSpans", record.get("resource_spans"))):
            service = text(_attributes(table(table(resource).get("resource"))), "service.name")
            for scope in array(table(resource).get("scopeSpans", table(resource).get("scope_spans"))):
                for span in array(table(scope).get("spans")):
                    exchange = _exchange(table(span), log, line)
                    if exchange is not None:
                        exchange.fields = {"service.name": service} if service else {}
                        yield exchange


def _exchange(span: dict[str, Any], log: Log, line: int) -> Exchange | None:
    found = _attributes(span)
    for event in array(span.get("events")):
        found = {**_attributes(table(event)), **found}
    if found.get("gen_ai.operation.name") in _OTHER_OPERATIONS:
        return None
    body, usage = _body(found), _usage(found)
    if body is None and (usage is None or not text(found, *_MODELS)):
        if found.get("gen_ai.operation.name") in _MODEL_OPERATIONS:
            log.bad(line, "has a span of a model call without messages and usage")
        elif found.get("openinference.span.kind") == "LLM":
            log.bad(
                line, "has a span in the terms of OpenInference; those of the GenAI conventions (gen_ai.…) are read"
            )
        return None
    exchange = Exchange(log.name, line, sent_at=seconds(number(span.get("startTimeUnixNano"))), usage=usage)
    exchange.provider = provider_of(text(found, "gen_ai.provider.name", "gen_ai.system"))
    exchange.model = text(found, *_MODELS)
    if body is not None:
        exchange.body = {"model": exchange.model, **body}
        exchange.wire = "openai-chat"
        answers = messages(unwrapped(found.get("gen_ai.output.messages"))) or indexed(found, "gen_ai.completion")
        exchange.reply = answers[0] if answers else None
    exchange.request_id = text(found, "gen_ai.response.id") or text(span, "spanId")
    exchange.session = text(found, *_SESSIONS) or text(span, "traceId")
    exchange.user = text(found, *_USERS)
    return exchange


def _body(found: dict[str, Any]) -> dict[str, Any] | None:
    """What was sent, in the form of chat completions, whose parts the conventions name."""
    sent = messages(unwrapped(found.get("gen_ai.input.messages"))) or messages(unwrapped(found.get("gen_ai.prompt")))
    sent = sent or indexed(found, "gen_ai.prompt")
    if not sent:
        return None
    instructions = unwrapped(found.get("gen_ai.system_instructions"))
    system = messages([{"role": "system", "parts": instructions}]) if type(instructions) is list else []
    if type(instructions) is str and instructions:
        system = [{"role": "system", "content": instructions}]
    offered = tools(found)
    return {"messages": [*system, *sent], **({"tools": offered} if offered else {})}


def _usage(found: dict[str, Any]) -> Usage | None:
    """`input_tokens` should count cached tokens too; where these are more, the instrumentation left them out."""
    sent, cached, written, output = (
        next((n for name in names if (n := number(found.get(name))) is not None), None)
        for names in (_INPUTS, _READS, _WRITES, _OUTPUTS)
    )
    if sent is None:
        return None
    apart = (total(cached, written) or 0) > sent
    return Usage(total(sent, cached, written) if apart else sent, cached, written, output=output)


def _attributes(holder: dict[str, Any]) -> dict[str, Any]:
    """Attributes by name; an object is taken as it is, for exporters that simplify."""
    found = holder.get("attributes")
    if type(found) is dict:
        return found
    return {text(entry, "key"): _value(entry.get("value")) for entry in map(table, array(found))}


def _value(value: Any, depth: int = 16) -> Any:
    """The plain value of an OTLP AnyValue; 64-bit numbers are written as text."""
    kind, inner = next(iter(table(value).items()), ("", None))
    if kind == "intValue":
        return number(inner)
    if depth and kind == "arrayValue":
        return [_value(item, depth - 1) for item in array(table(inner).get("values"))]
    if depth and kind == "kvlistValue":
        pairs = map(table, array(table(inner).get("values")))
        return {text(pair, "key"): _value(pair.get("value"), depth - 1) for pair in pairs}
    return inner
