"""Langfuse exports: observations as JSON, JSONL or CSV, whole traces, and the blob storage export.

An observation of type GENERATION: `{"id", "traceId", "type", "startTime", "model" | "providedModelName", "input",
"output", "modelParameters", "usageDetails", "userId", "sessionId"}`; the blob export and the database write
`trace_id`, `start_time`, …; a trace holds `observations`. `usageDetails` are disjoint parts of the prompt (`input`,
`input_cached_tokens`, `cache_read_input_tokens`, `input_cache_creation`, …) whose sum is the prompt, unless the `total`
beside them shows that `input` counts them too. https://langfuse.com/docs/observability/features/token-and-cost-tracking
and the observations of the public API, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from promptlint.model.traffic import Exchange, Usage
from promptlint.readers.logs.lines import Log
from promptlint.readers.logs.replies import message
from promptlint.readers.logs.stream import Record
from promptlint.readers.logs.times import seconds
from promptlint.readers.logs.usage import total
from promptlint.readers.logs.values import array, number, table, text, unwrapped
from promptlint.readers.logs.wires import Wires, is_request

SUMMARY = "Langfuse exports (observations or traces as JSON, JSONL, CSV)"

_TYPES = {"GENERATION", "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"}


def matches(record: Any) -> bool:
    if type(record) is not dict:
        return False
    if type(record.get("observations")) is list:
        return True
    return ("traceId" in record or "trace_id" in record) and text(record, "type").upper() in _TYPES


def exchanges(records: Iterable[Record], log: Log) -> Iterator[Exchange]:
    """One exchange for each generation; other observations are no requests."""
    wires = Wires()
    for line, record in records:
        if not matches(record):
            log.bad(line, "is no Langfuse observation or trace")
            continue
        trace = _plain(record)
        around = {name: trace[name] for name in ("userid", "sessionid") if name in trace}
        held = [table(inner) for inner in array(record.get("observations"))] or [record]
        for observation in held:
            found = around | _plain(observation)
            if text(found, "type").upper() != "GENERATION":
                continue
            exchange = _exchange(found, wires, log.name, line)
            if exchange.body is None and exchange.usage is None:
                log.bad(line, "has a generation without messages and usage")
            else:
                yield exchange


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    """The record with names that are alike in all exports: `startTime`, `start_time`, `Start Time`."""
    return {name.replace("_", "").replace(" ", "").lower(): value for name, value in record.items()}


def _exchange(found: dict[str, Any], wires: Wires, file: str, line: int) -> Exchange:
    exchange = Exchange(file, line, sent_at=seconds(found.get("starttime")))
    exchange.model = text(found, "model", "providedmodelname", "modelid")
    exchange.body = _body(unwrapped(found.get("input")), exchange.model, table(unwrapped(found.get("modelparameters"))))
    if exchange.body is not None:
        exchange.wire = wires.of(exchange.body)
    output = unwrapped(found.get("output"))
    if type(output) is dict:
        exchange.reply = output if "role" in output else message(output)
    exchange.usage = _usage(table(unwrapped(found.get("usagedetails"))) or table(unwrapped(found.get("usage"))), found)
    exchange.request_id = text(found, "id")
    exchange.session = text(found, "sessionid") or text(found, "traceid")
    exchange.user = text(found, "userid")
    names = {"name": "name", "environment": "environment", "promptname": "prompt_name", "version": "version"}
    exchange.fields = {own: value for name, own in names.items() if (value := text(found, name))}
    return exchange


def _body(sent: Any, model: str, parameters: dict[str, Any]) -> dict[str, Any] | None:
    if is_request(sent):
        return {"model": model, **parameters, **sent}
    if type(sent) is list and sent and all("role" in table(entry) for entry in sent):
        return {"model": model, **parameters, "messages": sent}
    return {"model": model, **parameters, "prompt": sent} if type(sent) is str and sent else None


def _usage(details: dict[str, Any], found: dict[str, Any]) -> Usage | None:
    counts = {name: n for name, value in details.items() if (n := number(value)) is not None}
    plain = counts.get("input", number(found.get("inputtokens", found.get("inputusage"))))
    output = counts.get("output", number(found.get("outputtokens", found.get("outputusage"))))
    parts = {name: n for name, n in counts.items() if name != "input" and ("input" in name or "cache" in name)}
    written = total(*(n for name, n in parts.items() if "creation" in name or "write" in name))
    cached = total(
        *(n for name, n in parts.items() if "cache" in name and "creation" not in name and "write" not in name)
    )
    apart = total(plain, *parts.values())
    if counts.get("total") is not None and counts["total"] == total(plain, output):
        apart = plain
    return None if apart is None else Usage(apart, cached, written, output=output)
