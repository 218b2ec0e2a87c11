"""OpenAI usage exports: sums of many requests for each interval, project, key or model.

JSON: `GET /v1/organization/usage/completions`, buckets `{"object": "bucket", "start_time", "results": [{"object":
"organization.usage.completions.result", "input_tokens" (cached and written included), "input_cached_tokens",
"input_cache_write_tokens", "output_tokens", "num_model_requests", "model", "project_id", …}]}` (openai-python 3.57.0,
types/admin/organization). CSV: the dashboard's export, one row a result with the same column names. Read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from promptlint.model.traffic import Exchange, Usage
from promptlint.readers.logs.lines import Log
from promptlint.readers.logs.stream import Record
from promptlint.readers.logs.times import seconds
from promptlint.readers.logs.values import array, number, table, text

SUMMARY = "OpenAI usage exports (API buckets as JSON, dashboard CSV)"

_GROUPS = ("project_id", "project_name", "api_key_id", "api_key_name", "batch", "service_tier")


def matches(record: Any) -> bool:
    if type(record) is not dict:
        return False
    if record.get("object") == "bucket":
        return any(_is_result(result) for result in array(record.get("results"))) or record.get("results") == []
    return "num_model_requests" in record and "input_tokens" in record


def exchanges(records: Iterable[Record], log: Log) -> Iterator[Exchange]:
    """One exchange for each result, which sums up `requests` requests."""
    for line, record in records:
        if not matches(record):
            log.bad(line, "is no bucket of completions usage")
            continue
        results = array(record["results"]) if record.get("object") == "bucket" else [record]
        for result in results:
            if _is_result(result) and (number(result.get("input_tokens")) is not None):
                yield _exchange(table(result), record, log.name, line)
            else:
                log.bad(line, "has a result that is no completions usage")


def _is_result(result: Any) -> bool:
    return "num_model_requests" in table(result) and "input_tokens" in table(result)


def _exchange(result: dict[str, Any], around: dict[str, Any], file: str, line: int) -> Exchange:
    usage = Usage(
        input=number(result.get("input_tokens")),
        cached=number(result.get("input_cached_tokens")),
        written=number(result.get("input_cache_write_tokens")),
        output=number(result.get("output_tokens")),
    )
    return Exchange(
        file,
        line,
        sent_at=seconds(around.get("start_time")),
        provider="openai",
        model=text(result, "model"),
        usage=usage,
        user=text(result, "user_id"),
        fields={name: value for name in _GROUPS if (value := text(result, name))},
        requests=number(result.get("num_model_requests")) or 0,
    )
