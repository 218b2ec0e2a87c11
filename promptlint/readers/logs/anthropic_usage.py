"""Anthropic usage exports: sums of many requests for each interval, workspace, key or model.

JSON: `GET /v1/organizations/usage_report/messages`, buckets `{"starting_at", "ending_at", "results":
[{"uncached_input_tokens", "cache_creation": {"ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"},
"cache_read_input_tokens", "output_tokens", "model", "workspace_id", "api_key_id", "service_tier", …}]}`
(https://docs.anthropic.com/en/api/admin-api/usage-cost/get-messages-usage-report). CSV: the Console's export with
`usage_date_utc, model_version, api_key, workspace, usage_type, usage_input_tokens_no_cache,
usage_input_tokens_cache_write_5m, usage_input_tokens_cache_write_1h, usage_input_tokens_cache_read,
usage_output_tokens, …`. Neither says how many requests it sums. Read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from promptlint.model.traffic import Exchange, Usage
from promptlint.readers.logs.lines import Log
from promptlint.readers.logs.stream import Record
from promptlint.readers.logs.times import seconds
from promptlint.readers.logs.usage import total
from promptlint.readers.logs.values import array, number, table, text

SUMMARY = "Anthropic usage exports (usage report as JSON, Console CSV)"

_COLUMN = "usage_input_tokens_no_cache"
_GROUPS = ("workspace_id", "workspace", "api_key_id", "api_key", "service_tier", "context_window", "usage_type")


def matches(record: Any) -> bool:
    if type(record) is not dict:
        return False
    if "starting_at" in record:
        results = record.get("results")
        return results == [] or any("uncached_input_tokens" in table(result) for result in array(results))
    return _COLUMN in record


def exchanges(records: Iterable[Record], log: Log) -> Iterator[Exchange]:
    """One exchange for each result or row; `requests` is 0, not known."""
    for line, record in records:
        if not matches(record):
            log.bad(line, "is no bucket of a usage report")
            continue
        if _COLUMN in record:
            found = [(_row_usage(record), text(record, "model_version"), record, record.get("usage_date_utc"))]
        else:
            results = [table(result) for result in array(record["results"])]
            begin = record["starting_at"]
            found = [(_result_usage(result), text(result, "model"), result, begin) for result in results]
        for usage, model, group, begin in found:
            if usage.input is None:
                log.bad(line, "has no number of input tokens")
                continue
            fields = {name: value for name in _GROUPS if (value := text(group, name))}
            yield Exchange(
                log.name,
                line,
                sent_at=seconds(begin),
                provider="anthropic",
                model=model,
                usage=usage,
                fields=fields,
                requests=0,
            )


def _row_usage(row: dict[str, Any]) -> Usage:
    return _usage(
        number(row[_COLUMN]),
        number(row.get("usage_input_tokens_cache_read")),
        number(row.get("usage_input_tokens_cache_write_5m")),
        number(row.get("usage_input_tokens_cache_write_1h")),
        number(row.get("usage_output_tokens")),
    )


def _result_usage(result: dict[str, Any]) -> Usage:
    written = table(result.get("cache_creation"))
    return _usage(
        number(result.get("uncached_input_tokens")),
        number(result.get("cache_read_input_tokens")),
        number(written.get("ephemeral_5m_input_tokens")),
        number(written.get("ephemeral_1h_input_tokens")),
        number(result.get("output_tokens")),
    )


def _usage(plain: int | None, read: int | None, short: int | None, long: int | None, output: int | None) -> Usage:
    whole = None if plain is None else total(plain, read, short, long)
    return Usage(whole, read, total(short, long), long, output)
