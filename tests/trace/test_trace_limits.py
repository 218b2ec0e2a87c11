"""What a trace does with hostile bodies, and what it keeps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from promptlint.model.traffic import Exchange
from promptlint.trace import replay as module
from promptlint.trace.fingerprinter import Fingerprinter
from promptlint.trace.options import TraceOptions
from promptlint.trace.replay import Replay
from promptlint.trace.run import run

DEEP = "[" * 1000 + "]" * 1000
GOOD = [{"role": "user", "content": "hello"}]
CACHES = ("vllm:100", "llama.cpp:2", "unbounded")


def body(**fields: Any) -> str:
    return json.dumps({"ts": 1, "request": {"model": "gpt-4o", "messages": GOOD, **fields}})


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (body(tools="@").replace('"@"', DEEP), "nested deeper"),
        (body(messages=[{"role": "user", "content": "@"}]).replace('"@"', DEEP), "nested deeper"),
        (body(x="@").replace('"@"', DEEP), "nested deeper"),
        (body(model=5), "model must be a string"),
        (body(messages=[1]), "must be an object"),
        (body(messages=[None]), "must be an object"),
        (body(messages=[{"content": "x"}]), "has no role"),
        (body(messages=[{"role": "user", "content": " " * 950_000}]), "whitespace characters in a row"),
    ],
    ids=["deep tools", "deep content", "deep setting", "model", "a number", "null", "no role", "blanks"],
)
def test_what_cannot_be_read_is_one_bad_line(tmp_path: Path, line: str, why: str) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(f"{body()}\n{line}\n{body()}\n", "utf-8")
    found = run([str(log)], TraceOptions(caches=CACHES))
    assert (found.bad_lines, found.hits.requests) == (1, 2)
    assert why in found.broken[0].why and found.broken[0].line == 2


def test_broken_lines_are_named_in_their_order(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    late = body(messages=[{"role": "user", "content": " " * 900_000}])  # found out when it is encoded
    log.write_text("\n".join([body(), late, *["{"] * 30]), "utf-8")
    assert [bad.line for bad in run([str(log)], TraceOptions()).broken] == list(range(2, 22))


@pytest.mark.parametrize(
    "line",
    [
        body(messages=[]),
        body(messages=[{"role": "user", "content": ""}]),
        body(messages=[{"role": "user", "content": "\ud83d"}]),
        body(n=12345678901234567890123),
        body(model="m" * 100_000),
        body(tools=None, system=None),
    ],
    ids=["no message", "empty", "half a pair", "long number", "long name", "nulls"],
)
def test_what_is_odd_is_read(tmp_path: Path, line: str) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(f"{body()}\n{line}\n{line}\n", "utf-8")
    found = run([str(log)], TraceOptions(caches=CACHES))
    assert (found.bad_lines, found.hits.requests) == (0, 3)


def test_bodies_that_are_kept_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BODIES", 10_000)
    fingerprinter = Fingerprinter(TraceOptions())
    replay = Replay(TraceOptions(), fingerprinter.library)
    made = []
    for number in range(40):
        text = f"It is {number}. " + "Answer with the name of the crossing. " * 50
        messages = [{"role": "system", "content": text}, {"role": "user", "content": f"Which pier, {number}?"}]
        exchange = Exchange("log", number, float(number), wire="openai-chat", body={"messages": messages})
        replay.add(exchange, fingerprinter.of(exchange))
        made.append(exchange)
    kept = [exchange.body is not None for exchange in made]
    assert kept == sorted(kept) and 1 < sum(kept) < 12


def test_equal_parts_of_bodies_are_held_once() -> None:
    fingerprinter = Fingerprinter(TraceOptions())
    bodies = []
    for number in range(3):
        system = [{"type": "text", "text": "Answer in one line. " * 100, "cache_control": {"type": "ephemeral"}}]
        made = {"system": system, "tools": [{"name": "t", "input_schema": {}}], "messages": GOOD, "max_tokens": number}
        exchange = Exchange("log", number, wire="anthropic", body=json.loads(json.dumps(made)))
        fingerprinter.of(exchange)
        assert json.dumps(exchange.body) == json.dumps(made)
        bodies.append(exchange.body)
    for name in ("system", "tools"):
        assert bodies[2][name] is bodies[1][name] is bodies[0][name]
    assert bodies[2]["messages"][0] is bodies[0]["messages"][0]
