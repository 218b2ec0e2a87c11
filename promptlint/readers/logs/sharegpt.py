"""Conversations in the forms of published chat datasets: each turn of the assistant is one request.

ShareGPT: `{"id", "conversations": [{"from": "human" | "gpt" | "system" | …, "value"}]}`; LMSYS-Chat and WildChat:
`{"conversation_id", "model", "conversation": [{"role", "content"}]}`. Dataset cards on huggingface.co
(anon8231489123/ShareGPT_Vicuna_unfiltered, lmsys/lmsys-chat-1m, allenai/WildChat), read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from promptlint.model.traffic import Exchange
from promptlint.readers.logs.lines import Log
from promptlint.readers.logs.stream import Record
from promptlint.readers.logs.times import seconds
from promptlint.readers.logs.values import array, table, text

SUMMARY = "ShareGPT, LMSYS-Chat and WildChat conversations"

_ROLES = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "chatgpt": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "model": "assistant",
    "function_call": "assistant",
    "system": "system",
    "tool": "tool",
    "observation": "tool",
    "function_response": "tool",
}


def matches(record: Any) -> bool:
    if type(record) is not dict:
        return False
    turns = array(record.get("conversations", record.get("conversation")))
    return bool(turns) and type(turns[0]) is dict and (turns[0].keys() >= {"from", "value"} or "role" in turns[0])


def exchanges(records: Iterable[Record], log: Log) -> Iterator[Exchange]:
    """One exchange for each answer, with everything before it as messages."""
    for line, record in records:
        if not matches(record):
            log.bad(line, "holds no conversation")
            continue
        messages = [_message(table(turn)) for turn in array(record.get("conversations", record.get("conversation")))]
        known = [message for message in messages if message is not None]
        if len(known) < len(messages):
            log.bad(line, "has a turn without a known speaker or a text")
            continue
        model = text(record, "model")
        for index, message in enumerate(known):
            if message["role"] == "assistant" and index:
                exchange = Exchange(log.name, line, model=model, wire="openai-chat", reply=message)
                exchange.body = {"model": model, "messages": known[:index]} if model else {"messages": known[:index]}
                exchange.sent_at = seconds(record.get("timestamp"))
                exchange.session = text(record, "id", "conversation_id", "conversation_hash") or f"line {line}"
                yield exchange


def _message(turn: dict[str, Any]) -> dict[str, str] | None:
    role = _ROLES.get(text(turn, "from", "role").lower())
    content = turn.get("value", turn.get("content"))
    return {"role": role, "content": content} if role and type(content) is str else None
