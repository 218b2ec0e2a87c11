"""Block-hash traces: prompts as chained ids of blocks, in the form that Mooncake published (FAST'25).

`{"timestamp": ms, "input_length": tokens, "output_length": tokens, "hash_ids": [ids of blocks of 512 tokens]}`,
https://github.com/kvcache-ai/Mooncake/tree/main/FAST25-release. Alibaba's traces add `chat_id` and
`parent_chat_id`, count seconds and have blocks of 16, https://github.com/alibaba-edu/qwen-bailian-usagetraces-anon;
generated ones of NVIDIA Dynamo add `session_id`. The size of a block stands in none of them: it is the one with which
the number of ids covers each length. Read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from promptlint.model.traffic import Exchange, Usage
from promptlint.readers.logs.lines import Log
from promptlint.readers.logs.stream import Record
from promptlint.readers.logs.times import seconds
from promptlint.readers.logs.usage import count

SUMMARY = "block-hash traces (Mooncake, Alibaba Bailian, NVIDIA Dynamo)"

# Those of the published traces first, then other powers of two that engines use.
_SIZES = (512, 16, 32, 64, 128, 256, 1024, 8, 4)
_LOOKED_AT = 50


def matches(record: Any) -> bool:
    return type(record) is dict and type(record.get("hash_ids")) is list


def exchanges(records: Iterable[Record], log: Log) -> Iterator[Exchange]:
    """One exchange for each line. A block size that fits no line is a line that cannot be read."""
    records = iter(records)
    head = list(islice(records, _LOOKED_AT))
    size = _block_size(record for _, record in head if _valid(record))
    sessions: dict[object, str] = {}
    for line, record in chain(head, records):
        if not _valid(record):
            log.bad(line, "holds no `hash_ids` with an `input_length`")
            continue
        own_size = count(record.get("block_size")) or size
        ids, length = record["hash_ids"], record["input_length"]
        if -(-length // own_size) not in (len(ids), len(ids) + 1):
            log.bad(line, f"has {len(ids)} blocks for {length} tokens, which is not blocks of {own_size}")
            continue
        usage = Usage(input=length, output=count(record.get("output_length")))
        exchange = Exchange(log.name, line, blocks=ids, block_size=own_size, usage=usage)
        exchange.sent_at = _sent_at(record)
        exchange.session = _session(record, sessions)
        yield exchange


def _valid(record: Any) -> bool:
    return (
        matches(record) and bool(count(record.get("input_length"))) and all(type(i) is int for i in record["hash_ids"])
    )


def _block_size(records: Iterable[dict[str, Any]]) -> int:
    """The first size with which the most lines have as many ids as their length needs."""
    lengths = [(record["input_length"], len(record["hash_ids"])) for record in records]
    return max(_SIZES, key=lambda size: sum(-(-length // size) in (ids, ids + 1) for length, ids in lengths))


def _sent_at(record: dict[str, Any]) -> float | None:
    """Both count from the start of the trace, Mooncake in milliseconds."""
    at = seconds(record.get("timestamp"))
    return at if at is None or "chat_id" in record else at / 1000


def _session(record: dict[str, Any], sessions: dict[object, str]) -> str:
    """The explicit session, or the first chat of the chain that `parent_chat_id` makes."""
    if "session_id" in record:
        return str(record["session_id"])
    chat = record.get("chat_id")
    if type(chat) is not int:
        return ""
    root = sessions.get(record.get("parent_chat_id"), str(chat))
    sessions[chat] = root
    return root
