"""Events of OpenHands' SDK (1.x): the requests behind a conversation.

`{"kind": "SystemPromptEvent", "system_prompt": {"text"}}`, `MessageEvent` (`llm_message`), `ActionEvent` (`thought`,
`tool_name`, `tool_call_id`, `tool_call`, `llm_response_id`: several of one response are one message) and
`ObservationEvent` (`tool_call_id`, `observation.content`); OpenHands/software-agent-sdk, openhands/sdk/event, read
2026-11-30. Events carry no usage, no model and the tools in a form of their own, so a body is partial.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from promptlint.model.traffic import Exchange
from promptlint.readers.logs.times import seconds
from promptlint.readers.logs.values import array, table, text

_RESULTS = ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation")
_KINDS = ("SystemPromptEvent", "MessageEvent", "ActionEvent", *_RESULTS, "Condensation")


def is_event(record: Any) -> bool:
    """Whether a record is an event of the SDK, also one that is no part of the messages."""
    if type(record) is not dict or "source" not in record:
        return False
    return record.get("kind") in _KINDS or str(record.get("kind")).endswith("Event")


class Conversation:
    """Messages put together from the events of one session, as the agent sends them."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._messages: list[dict[str, Any]] = []
        self._pending: Exchange | None = None
        self._asked_at: float | None = None

    def follow(self, event: dict[str, Any], file: str, line: int) -> Iterator[Exchange]:
        """Take one event; yields the request before it once its answer is whole."""
        kind, message = event.get("kind"), table(event.get("llm_message"))
        answers = kind == "ActionEvent" or (kind == "MessageEvent" and message.get("role") == "assistant")
        if answers:
            response = text(event, "llm_response_id") or text(event, "id")
            if self._pending is None or self._pending.request_id != response:
                yield from self.end()
                self._pending = self._request(response, file, line)
            self._answer(self._pending.reply, event, message)
            return
        if kind == "MessageEvent":
            sent = {"role": text(message, "role") or "user", "content": message.get("content")}
        elif kind == "SystemPromptEvent":
            sent = {"role": "system", "content": text(table(event.get("system_prompt")), "text")}
        elif kind in _RESULTS:
            content = array(table(event.get("observation")).get("content")) or text(event, "error", "rejection_reason")
            sent = {"role": "tool", "tool_call_id": text(event, "tool_call_id"), "content": content}
        else:
            return
        yield from self.end()
        self._messages.append(sent)
        self._asked_at = seconds(event.get("timestamp"))

    def end(self) -> Iterator[Exchange]:
        """The last request, when nothing follows."""
        pending, self._pending = self._pending, None
        if pending is not None:
            self._messages.append(pending.reply)
            yield pending

    def _request(self, response: str, file: str, line: int) -> Exchange:
        exchange = Exchange(file, line, sent_at=self._asked_at, wire="openai-chat", request_id=response, partial=True)
        exchange.body = {"messages": list(self._messages)}
        exchange.reply = {"role": "assistant", "content": []}
        exchange.session = self._session
        return exchange

    def _answer(self, reply: dict[str, Any], event: dict[str, Any], message: dict[str, Any]) -> None:
        reply["content"] += array(event.get("thought")) or array(message.get("content"))
        if event.get("kind") == "ActionEvent":
            call = table(event.get("tool_call"))
            arguments = call.get("arguments")
            if type(arguments) is not str:
                arguments = orjson.dumps(event.get("action")).decode()
            function = {"name": text(event, "tool_name"), "arguments": arguments}
            made = {"id": text(event, "tool_call_id"), "type": "function", "function": function}
            reply.setdefault("tool_calls", []).append(made)
