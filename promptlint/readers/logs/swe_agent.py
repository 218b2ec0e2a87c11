"""SWE-agent trajectories (`.traj`): each step is one request.

`{"trajectory": [{"action", "observation", "response", "query"?, …}], "history": [{"role", "content", …}], "info"}`,
https://swe-agent.com/latest/usage/trajectories/, read 2026-11-30. Since 1.0 a step holds the messages that were sent
(`query`; `messages` in some versions). Older trajectories hold only the history, to which the agent may have applied
a history processor before it sent it: their requests are the history as it was recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from promptlint.model.traffic import Exchange
from promptlint.readers.logs.lines import Log
from promptlint.readers.logs.stream import Record
from promptlint.readers.logs.values import array, table, text

SUMMARY = "SWE-agent trajectories (.traj)"

_SENT = ("role", "content", "tool_calls", "tool_call_id", "name", "thinking_blocks")
_Messages = list[dict[str, Any]]


def matches(record: Any) -> bool:
    """A trajectory, or a demonstration, which may be the history alone."""
    if type(record) is not dict or "history" not in record:
        return False
    first = next(iter(array(record["history"])), None)
    return type(record.get("trajectory")) is list or table(first).keys() >= {"role", "agent"}


def exchanges(records: Iterable[Record], log: Log) -> Iterator[Exchange]:
    """One exchange for each step of each trajectory; `fields` has the step, counted from 1."""
    for line, record in records:
        if not matches(record):
            log.bad(line, "is no SWE-agent trajectory")
            continue
        steps = list(_steps(record))
        if not steps:
            log.bad(line, "has no step with messages")
        for number, (messages, reply) in enumerate(steps, 1):
            exchange = Exchange(log.name, line, wire="openai-chat", body={"messages": messages}, reply=reply)
            exchange.session = text(record, "environment") or log.name
            exchange.fields = {"step": str(number)}
            yield exchange


def _steps(record: dict[str, Any]) -> Iterator[tuple[_Messages, Any]]:
    """What each step sent, and the answer."""
    steps = [table(step) for step in array(record.get("trajectory"))]
    if any("query" in step or "messages" in step for step in steps):
        sent = [_messages(array(step.get("query", step.get("messages")))) for step in steps]
        for step, messages, following in zip(steps, sent, [*sent[1:], []], strict=True):
            answer = following[len(messages)] if len(following) > len(messages) else {}
            if answer.get("role") != "assistant":
                answer = {"role": "assistant", "content": text(step, "response")}
            if messages:
                yield messages, answer
        return
    history = array(record.get("history"))
    messages = _messages(history)
    for index, message in enumerate(messages):
        if message.get("role") == "assistant" and table(history[index]).get("is_demo") is not True:
            yield messages[:index], message


def _messages(history: list[Any]) -> _Messages:
    """Messages as they were sent, without the agent's own notes on them (agent, thought, action, …)."""
    found = []
    for entry in map(table, history):
        message = {name: entry[name] for name in _SENT if name in entry}
        for call in array(entry.get("tool_call_ids"))[:1]:
            message["tool_call_id"] = call
        found.append(message)
    return found
