"""Claude Code transcripts (`~/.claude/projects/*/*.jsonl`, `agent-*.jsonl`): the requests behind the conversation.

Records are `user` and `assistant` messages of the Messages API, linked by `uuid` and `parentUuid`, among records of
other types. A response is split into one record for each of its content blocks: all carry the same `message.id` and the
same usage, which counts once. Tool results may stand between these records. A `parentUuid` further back is a rewound
conversation, none at all a new one (a sub-agent's, or after a compaction). System prompt, tools and reminders are not
in a transcript, so a body is partial. Nor are cache markers, of which the newest message has one: the automatic marker
at the top of the body stands for it where the usage shows that the request was cached. The format is not documented;
read off versions 2.0 to 2.1, 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from promptlint.model.traffic import Exchange
from promptlint.readers.logs.lines import Log
from promptlint.readers.logs.stream import Record
from promptlint.readers.logs.times import seconds
from promptlint.readers.logs.usage import usage
from promptlint.readers.logs.values import array, table, text

SUMMARY = "Claude Code transcripts"

_KINDS = ("user", "assistant")
_OTHERS = ("mode", "permission-mode", "file-history-snapshot", "summary", "queue-operation", "last-prompt", "ai-title")


@dataclass(slots=True)
class _Thread:
    """One conversation: its messages, where each record stands in them, and the request that is not yet whole."""

    session: str
    messages: list[dict[str, Any]] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    last: str = ""
    asked_at: float | None = None
    pending: Exchange | None = None

    def rewind(self, parent: str) -> None:
        """Forget what came after the record `parent`."""
        del self.messages[self.places[parent] :]

    def add(self, role: str, content: list[Any]) -> None:
        """Append content; the API joins neighbours of one role, so a new message object holds both."""
        if self.messages and self.messages[-1]["role"] == role:
            content = [*self.messages.pop()["content"], *content]
        self.messages.append({"role": role, "content": content})

    def add_to_answer(self, content: list[Any]) -> None:
        """Append content to the last answer, which the result of a tool that was quick may already follow."""
        results = self.messages.pop() if self.messages and self.messages[-1]["role"] == "user" else None
        self.add("assistant", content)
        if results is not None:
            self.messages.append(results)


def matches(record: Any) -> bool:
    if type(record) is not dict:
        return False
    if record.get("type") in _KINDS and "uuid" in record and "message" in record:
        return "sessionId" in record
    return record.get("type") in _OTHERS and ("sessionId" in record or "messageId" in record or "leafUuid" in record)


def exchanges(records: Iterable[Record], log: Log) -> Iterator[Exchange]:
    """One exchange for each message that was answered, in the order in which the answers end."""
    threads: dict[str, _Thread] = {}  # by the uuid of each record
    named: dict[str, _Thread] = {}
    for line, record in records:
        if type(record) is not dict or type(record.get("type")) is not str:
            log.bad(line, "is no record of a Claude Code transcript")
            continue
        uuid = record.get("uuid")
        if type(uuid) is not str:
            continue  # titles, modes, snapshots: no part of a conversation
        thread = _thread(record, uuid, threads, named)
        threads[uuid] = thread
        message = record.get("message")
        if record["type"] in _KINDS and type(message) is dict:
            yield from _message(thread, record, message, log.name, line)
        elif record["type"] in _KINDS:
            log.bad(line, "has no message")
        thread.places[uuid] = len(thread.messages)
        thread.last = uuid
    for thread in named.values():
        if thread.pending is not None:
            yield thread.pending


def _thread(record: dict[str, Any], uuid: str, threads: dict[str, _Thread], named: dict[str, _Thread]) -> _Thread:
    parent = text(record, "parentUuid")
    if parent in threads:
        return threads[parent]
    session = text(record, "sessionId")
    if record.get("isSidechain") is True:
        session = f"{session}/{text(record, 'agentId') or uuid[:8]}"
    thread = named.setdefault(session, _Thread(session))
    if not parent:
        thread.messages = []
    return thread


def _message(
    thread: _Thread, record: dict[str, Any], message: dict[str, Any], file: str, line: int
) -> Iterator[Exchange]:
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if type(content) is str else array(content)
    at = seconds(record.get("timestamp"))
    if record["type"] == "user":
        if _rewinds(thread, record, blocks):
            thread.rewind(record["parentUuid"])
        thread.add("user", blocks)
        thread.asked_at = at
        return
    pending = thread.pending
    if message.get("model") == "<synthetic>":
        return  # an error that was shown, answered by no model
    if pending is None or pending.request_id != text(message, "id"):
        if pending is not None:
            yield pending
        asked_at = at if thread.asked_at is None else thread.asked_at
        thread.pending = pending = _request(thread, record, message, Exchange(file, line, sent_at=asked_at))
        thread.add("assistant", blocks)
    else:
        thread.add_to_answer(blocks)
    pending.usage = usage(message.get("usage"), message)
    pending.reply["content"].extend(blocks)


def _rewinds(thread: _Thread, record: dict[str, Any], blocks: list[Any]) -> bool:
    """Whether a prompt continues an earlier point; results of parallel tool calls hang on their call instead."""
    parent = text(record, "parentUuid")
    if parent == thread.last or parent not in thread.places:
        return False
    return not any(table(block).get("type") == "tool_result" for block in blocks)


def _request(thread: _Thread, record: dict[str, Any], message: dict[str, Any], exchange: Exchange) -> Exchange:
    exchange.provider = "anthropic"
    exchange.wire = "anthropic"
    exchange.model = text(message, "model")
    exchange.body = {"model": exchange.model, "messages": list(thread.messages)}
    exchange.usage = usage(message.get("usage"), message)
    if exchange.usage is not None and (exchange.usage.cached or exchange.usage.written):
        ttl = "1h" if exchange.usage.written_long else "5m"
        exchange.body["cache_control"] = {"type": "ephemeral", "ttl": ttl}
    exchange.partial = True
    exchange.reply = {"role": "assistant", "content": []}
    exchange.request_id = text(message, "id")
    exchange.session = thread.session
    version = text(record, "version")
    exchange.fields = {"version": version} if version else {}
    return exchange
