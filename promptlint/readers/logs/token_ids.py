"""Token-id traces: the ids of whole prompts, as inference engines log them.

`{"prompt_token_ids": [ids], …}` of vLLM's outputs and SGLang's `input_ids`, with `num_cached_tokens` or
`meta_info.cached_tokens` where the engine reports its cache. https://docs.vllm.ai (RequestOutput),
https://docs.sglang.ai (native API), read 2026-11-30.
"""

from __future__ import annotations

from array import array as ids_of
from collections.abc import Iterable, Iterator
from typing import Any

from promptlint.model.traffic import Exchange, Usage
from promptlint.readers.logs.lines import Log
from promptlint.readers.logs.stream import Record
from promptlint.readers.logs.times import seconds
from promptlint.readers.logs.usage import count
from promptlint.readers.logs.values import array, table, text

SUMMARY = "token-id traces of inference engines"

_PROMPTS = ("prompt_token_ids", "input_ids", "prompt_ids", "token_ids")
_OUTPUTS = ("token_ids", "output_token_ids", "output_ids")


def matches(record: Any) -> bool:
    return _ids(record) is not None


def exchanges(records: Iterable[Record], log: Log) -> Iterator[Exchange]:
    """One exchange for each line."""
    for line, record in records:
        found = _ids(record)
        if found is None:
            log.bad(line, "holds no token ids")
            continue
        try:
            ids = ids_of("I", found)
        except (TypeError, OverflowError):
            log.bad(line, "has token ids that are no unsigned 32-bit numbers")
            continue
        exchange = Exchange(log.name, line, ids=ids, model=text(record, "model", "model_name"))
        meta = table(record.get("meta_info"))
        cached = next(
            (n for n in (count(record.get("num_cached_tokens")), count(meta.get("cached_tokens"))) if n is not None),
            None,
        )
        exchange.usage = Usage(len(ids), cached, output=_output(record))
        exchange.request_id = text(record, "request_id", "id", "rid")
        exchange.session = text(record, "session", "session_id", "conversation_id")
        exchange.user = text(record, "user", "user_id")
        for name in ("timestamp", "ts", "arrival_time", "time"):
            if exchange.sent_at is None:
                exchange.sent_at = seconds(record.get(name))
        yield exchange


def _ids(record: Any) -> list[Any] | None:
    if type(record) is not dict:
        return None
    found = next((record[name] for name in _PROMPTS if type(record.get(name)) is list), None)
    return found if found and type(found[0]) is int else None


def _output(record: dict[str, Any]) -> int | None:
    for holder in (record, table(next(iter(array(record.get("outputs"))), None))):
        for name in _OUTPUTS:
            if type(holder.get(name)) is list and (holder is not record or "prompt_token_ids" in record):
                return len(holder[name])
    return None
