"""Codex transcripts (`~/.codex/sessions/**/rollout-*.jsonl`): the Responses requests behind the conversation.

Lines are `{"timestamp", "type", "payload"}`: `session_meta` (id, `base_instructions`), `turn_context` (model),
`response_item` (what was sent and what came back, as the Responses API has it), `compacted` (the history that replaces
the old one), and events, of which `token_count` closes a response and holds its usage (`last_token_usage`; one that is
repeated without a new response counts once). Tools are not in a transcript, so a body is partial. Written by
openai/codex, codex-rs/protocol/src/protocol.rs; read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from promptlint.model.traffic import Exchange
from promptlint.readers.logs.lines import Log
from promptlint.readers.logs.names import provider_of
from promptlint.readers.logs.stream import Record
from promptlint.readers.logs.times import seconds
from promptlint.readers.logs.usage import usage
from promptlint.readers.logs.values import array, table, text

SUMMARY = "Codex transcripts"

_TYPES = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")
_ANSWERS = ("reasoning", "function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call")
_NOT_SENT = ("ghost_snapshot", "other")


@dataclass(slots=True)
class _Session:
    """What the transcript has said so far. `items[answered:]` came after the last response, at `times`."""

    id: str = ""
    provider: str = "openai"
    model: str = ""
    instructions: str = ""
    items: list[dict[str, Any]] = field(default_factory=list)
    times: list[float | None] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)
    answered: int = 0
    counted: Any = None


def matches(record: Any) -> bool:
    return type(record) is dict and record.get("type") in _TYPES and type(record.get("payload")) is dict


def exchanges(records: Iterable[Record], log: Log) -> Iterator[Exchange]:
    """One exchange for each response, in order."""
    session = _Session()
    for line, record in records:
        payload = table(record).get("payload")
        kind = table(record).get("type")
        if type(payload) is not dict or type(kind) is not str:
            log.bad(line, "is no record of a Codex transcript")
        elif kind == "session_meta":
            _describe(session, payload)
        elif kind == "turn_context":
            session.model = text(payload, "model") or session.model
        elif kind == "compacted":
            _compact(session, payload, line)
        elif kind == "response_item" and payload.get("type") not in _NOT_SENT:
            session.items.append(payload)
            session.times.append(seconds(record.get("timestamp")))
            session.begins.append(line)
        elif payload.get("type") == "token_count":
            info = table(payload.get("info"))
            total = info.get("total_token_usage")
            if total is not None and total != session.counted:
                session.counted = total
                yield _exchange(session, info.get("last_token_usage"), log.name, line)


def _describe(session: _Session, payload: dict[str, Any]) -> None:
    if session.id:
        return  # a forked session repeats the header of the one it continues
    session.id = text(payload, "id")
    instructions = payload.get("base_instructions", payload.get("instructions"))
    session.instructions = text(table(instructions), "text") or (instructions if type(instructions) is str else "")
    session.provider = provider_of(text(payload, "model_provider"))


def _compact(session: _Session, payload: dict[str, Any], line: int) -> None:
    history = array(payload.get("replacement_history"))
    if not history:
        summary = {"type": "input_text", "text": text(payload, "message")}
        history = [{"type": "message", "role": "user", "content": [summary]}]
    session.items = [item for item in history if type(item) is dict]
    session.times = [None] * len(session.items)
    session.begins = [line] * len(session.items)
    session.answered = 0


def _is_answer(item: dict[str, Any]) -> bool:
    return item.get("type") in _ANSWERS or (item.get("type") == "message" and item.get("role") == "assistant")


def _exchange(session: _Session, raw: Any, file: str, line: int) -> Exchange:
    """The response is what the model wrote since the last one; the request is all that stands before it."""
    items, first = session.items, session.answered
    answers = [index for index in range(first, len(items)) if _is_answer(items[index])]
    end = answers[0] if answers else len(items)
    begin = session.begins[end] if answers else line
    sent_at = next((at for at in reversed(session.times[:end]) if at is not None), None)
    session.answered = answers[-1] + 1 if answers else len(items)
    body: dict[str, Any] = {"model": session.model, "instructions": session.instructions, "input": items[:end]}
    return Exchange(
        file,
        begin,
        sent_at=sent_at,
        provider=session.provider,
        model=session.model,
        wire="openai-responses",
        body=body,
        partial=True,
        reply=[items[index] for index in answers],
        usage=usage(raw),
        session=session.id,
    )
