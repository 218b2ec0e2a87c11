"""OpenHands: logged completions, trajectories (events), and the `output.jsonl` of its evaluations.

A logged completion (`log_completions`) is `{"messages", "response", "args", "kwargs", "timestamp"}`. An event of a
trajectory is `{"id", "timestamp", "source", "action" | "observation", "args", "content", "tool_call_metadata":
{"tool_call_id", "model_response": {"id", "choices", "usage"}}}`; all actions of one `model_response.id` are one
response. Evaluations hold the events under `history`. All-Hands-AI/OpenHands 0.x, openhands/events/serialization and
openhands/llm/llm.py, read 2026-11-30; for the events of its SDK see openhands_sdk. The messages are put together from
the events as the agent does it; condensed histories are not followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from promptlint.model.traffic import Exchange
from promptlint.readers.logs import openhands_sdk
from promptlint.readers.logs.lines import Log
from promptlint.readers.logs.replies import reply
from promptlint.readers.logs.stream import Record
from promptlint.readers.logs.times import seconds
from promptlint.readers.logs.values import array, table, text
from promptlint.readers.logs.wires import Wires

SUMMARY = "OpenHands trajectories, evaluation outputs and logged completions"

_SOURCES = ("agent", "user", "environment")


def matches(record: Any) -> bool:
    if type(record) is not dict:
        return False
    return _is_completion(record) or _is_event(record) or any(map(_is_event, array(record.get("history"))[:3]))


def exchanges(records: Iterable[Record], log: Log) -> Iterator[Exchange]:
    """One exchange for each response of the model."""
    wires = Wires()
    conversation = _Conversation(log.name)
    new = openhands_sdk.Conversation(log.name)
    for line, record in records:
        if type(record) is not dict or not matches(record):
            log.bad(line, "is no event, evaluation or completion of OpenHands")
        elif openhands_sdk.is_event(record):
            yield from new.follow(record, log.name, line)
        elif _is_event(record):
            yield from conversation.follow(record, log.name, line)
        elif _is_completion(record):
            yield _completion(record, wires, log.name, line)
        else:
            yield from _evaluation(record, log.name, line)
    yield from new.end()


def _evaluation(record: dict[str, Any], file: str, line: int) -> Iterator[Exchange]:
    session = text(record, "instance_id") or f"line {line}"
    old, new = _Conversation(session), openhands_sdk.Conversation(session)
    for event in map(table, array(record["history"])):
        yield from (new if openhands_sdk.is_event(event) else old).follow(event, file, line)
    yield from new.end()


def _is_completion(record: dict[str, Any]) -> bool:
    return type(record.get("messages")) is list and "response" in record and "kwargs" in record


def _is_event(record: Any) -> bool:
    known = table(record)
    if openhands_sdk.is_event(known):
        return True
    return known.get("source") in _SOURCES and ("action" in known or "observation" in known)


def _completion(record: dict[str, Any], wires: Wires, file: str, line: int) -> Exchange:
    answered = reply(record["response"])
    body = {"model": answered.model, "messages": record["messages"]}
    if array(table(record["kwargs"]).get("tools")):
        body["tools"] = record["kwargs"]["tools"]
    return Exchange(
        file,
        line,
        sent_at=seconds(record.get("timestamp")),
        model=answered.model,
        wire=wires.of(body),
        body=body,
        reply=answered.message,
        usage=answered.usage,
        request_id=answered.request_id,
    )


class _Conversation:
    """Messages put together from the events of one session."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.messages: list[dict[str, Any]] = []
        self.tools: list[Any] = []
        self.answered = ""
        self.at: float | None = None

    def follow(self, event: dict[str, Any], file: str, line: int) -> Iterator[Exchange]:
        """Take one event; yields the request where it is the first action of a response."""
        metadata = table(event.get("tool_call_metadata"))
        response = table(metadata.get("model_response"))
        arguments = table(event.get("args"))
        if "observation" in event:
            if metadata:
                call = text(metadata, "tool_call_id")
                self._add({"role": "tool", "tool_call_id": call, "content": text(event, "content")}, event)
        elif event.get("action") == "system":
            self.tools = array(arguments.get("tools"))
            self._add({"role": "system", "content": text(arguments, "content")}, event)
        elif event.get("source") == "user" and event.get("action") == "message":
            self._add({"role": "user", "content": text(arguments, "content")}, event)
        elif response and text(response, "id") != self.answered:
            self.answered = text(response, "id")
            yield self._exchange(response, file, line)
        elif event.get("action") == "message" and not response:
            self._add({"role": "assistant", "content": text(arguments, "content")}, event)

    def _add(self, message: dict[str, Any], event: dict[str, Any]) -> None:
        self.messages.append(message)
        self.at = seconds(event.get("timestamp"))

    def _exchange(self, response: dict[str, Any], file: str, line: int) -> Exchange:
        answered = reply(response)
        body: dict[str, Any] = {"model": answered.model, "messages": list(self.messages)}
        if self.tools:
            body["tools"] = self.tools
        exchange = Exchange(file, line, sent_at=self.at, model=answered.model, wire="openai-chat", body=body)
        exchange.usage, exchange.reply, exchange.request_id = answered.usage, answered.message, answered.request_id
        exchange.session = self.session
        if answered.message is not None:
            self.messages.append(answered.message)
        return exchange
