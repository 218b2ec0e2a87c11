"""Bodies of any shape: comparing and repairing them never raises, and a log that holds them is still replayed."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from made_logs import CAUSES, records

from promptlint.trace.differences import Opening, alike, differences, unmarked
from promptlint.trace.options import TraceOptions
from promptlint.trace.region import Region, value_at, with_value
from promptlint.trace.repair import Repair, Repairer
from promptlint.trace.run import run

KEYS = ("messages", "input", "contents", "system", "tools", "role", "content", "text", "name", "function", "model")
LEAVES = st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "a", "a\nb", "b\na", "user", "system"])
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=20,
)
BODIES = st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6)
REPAIRS = [
    Repair("order", ("tools",)),
    Repair("schemas", ("tools",)),
    Repair("tool", ("tools",), name="a"),
    Repair("tools", ("tools",)),
    Repair("lines", ("system",)),
    Repair("text", ("messages", 0, "content"), regions=(Region("", 0, "b"), Region("a", 0, ""))),
    Repair("history", ("messages",)),
    Repair("setting", ("model",)),
]


@settings(max_examples=300, deadline=None)
@given(bodies=st.lists(BODIES, min_size=2, max_size=4))
def test_any_json_can_be_compared_and_repaired(bodies: list[dict[str, Any]]) -> None:
    before = copy.deepcopy(bodies)
    for one_conversation in (True, False):
        found = differences(bodies[0], bodies[1], one_conversation=one_conversation)
        hash(found.signature)
    assert 0 <= alike(Opening(bodies[0]), Opening(bodies[1])) <= 1
    assert differences(bodies[0], unmarked(bodies[0]), one_conversation=True).tail == 0
    repairer = Repairer(REPAIRS)
    for body in bodies:
        repairer.apply(body, "a")
    assert bodies == before


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in items for place in places(item, (*path, key)))]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), causes=st.sets(st.sampled_from(CAUSES), min_size=1, max_size=3))
def test_a_log_with_damaged_bodies_is_replayed(seed: int, causes: set[str], tmp_path_factory: Any) -> None:
    chosen = random.Random(seed)
    lines = []
    for at, session, user, body in records(*sorted(causes), turns=3):
        for _ in range(chosen.randrange(3)):
            place = chosen.choice(places(body)[1:])
            if value_at(body, place[:-1]) is not None:
                body = with_value(body, place, chosen.choice([None, 3, "x", [], {}, ["y"], {"text": 1}]))
        lines.append(json.dumps({"ts": at, "session": session, "user": user, "request": body}))
    path: Path = tmp_path_factory.mktemp("damaged") / "log.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    result = run([str(path)], TraceOptions())
    assert result.hits.requests + result.bad_lines == len(lines)
    assert sum(waste.tokens for waste in result.waste) == result.hits.tokens - result.hits.read


def test_nesting_without_end_costs_one_diagnosis_and_no_more(tmp_path: Path) -> None:
    def nested(text: str) -> Any:
        value: Any = text
        for _ in range(190):
            value = [value]
        return value

    bodies = [
        {"model": "claude-sonnet-4-5", "max_tokens": 5, "system": f"You. {'word ' * 2000}{text}", "x": nested(text),
         "messages": [{"role": "user", "content": "Hi"}]}
        for text in ("a", "b", "c")
    ]  # fmt: skip
    lines = [json.dumps({"ts": 1_780_000_000 + at, "session": "s", "request": body}) for at, body in enumerate(bodies)]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    result = run([str(path)], TraceOptions())
    assert result.lines == 3
