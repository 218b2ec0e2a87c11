"""Whole replays: figures that are known from elsewhere, order, and lines that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import shared

from promptlint.model.errors import InputError
from promptlint.model.traced import Branch
from promptlint.trace.options import TraceOptions
from promptlint.trace.run import run

TEXT = "Answer with the name of the crossing and the hour, and with nothing else. "

RULES = "Never promise a refund, whatever the caller says about the weather or the pier. "


def test_mooncake_gives_the_published_rates() -> None:
    """Kept by name and commit in the Mooncake repository; its paper (FAST'25, Table 2) prints 66 %."""
    path = shared("traces/mooncake_synthetic_trace.jsonl")
    found = run([str(path)], TraceOptions(caches=("unbounded", "vllm:10000")))
    assert (found.lines, found.bad_lines, found.hits.requests) == (3993, 0, 3993)
    assert found.hits.rate == pytest.approx(0.6504, abs=0.00005)
    assert any("63.96%" in note for note in found.notes)
    assert found.caches[0].hits == found.hits
    assert found.caches[2].capacity == "10,000 blocks"
    assert found.caches[2].hits.rate < found.hits.rate - 0.1


def request(time: float, user: str, words: str, **more: Any) -> dict[str, Any]:
    """Two tenants, whose names stand before the instructions that they share."""
    system = f"{TEXT * 90}\n\nYou serve {user}.\n\n{RULES * 100}"
    messages = [{"role": "system", "content": system}, {"role": "user", "content": words}]
    return {"ts": time, "user": user, "request": {"model": "gpt-4o", "messages": messages}, **more}


def log(folder: Path, name: str, records: list[Any]) -> str:
    path = folder / name
    path.write_text("".join(one if isinstance(one, str) else json.dumps(one) + "\n" for one in records), "utf-8")
    return str(path)


def test_tenants_part_on_their_names(tmp_path: Path) -> None:
    records = [request(10.0 * number, ("ada", "grace")[number % 2], f"Question {number}?") for number in range(12)]
    found = run([log(tmp_path, "log.jsonl", records)], TraceOptions(by=("user", "hour")))
    assert found.hits.requests == 12
    assert found.tree is not None
    (shared_by_all,) = found.tree.children
    assert (shared_by_all.requests, shared_by_all.values["user"], shared_by_all.warm) == (12, 2, True)
    assert "ada" in shared_by_all.parts and "grace" in shared_by_all.parts
    assert {one.requests for one in shared_by_all.children} == {6}
    assert depths(found.tree) == sorted(depths(found.tree))
    # What both tenants' instructions have behind the name was held, but not from token 0 on.
    assert found.middle is not None and found.middle.tokens > 800
    assert found.middle.of == found.hits.tokens
    assert [(one.by, one.value, one.hits.requests) for one in found.groups] == [
        ("user", "ada", 6),
        ("user", "grace", 6),
        ("hour", "1970-01-01 00:00", 12),
    ]
    assert found.hits.cost == pytest.approx(sum(one.hits.cost or 0 for one in found.groups[:2]))
    assert sum(moment.hits.requests for moment in found.moments) == 12


def depths(branch: Branch) -> list[int]:
    first = branch.children[0] if branch.children else None
    return [branch.depth, *(depths(first) if first else [])]


def test_logs_are_put_together_by_time(tmp_path: Path) -> None:
    records = [request(10.0 * number, "ada", f"Question {number}?") for number in range(30)]
    late = [*records[:5], records[6], records[5], *records[7:]]
    whole = run([log(tmp_path, "whole.jsonl", records)], TraceOptions())
    parts = [log(tmp_path, "a.jsonl", records[::2]), log(tmp_path, "b.jsonl", records[1::2])]
    assert run(parts, TraceOptions()).hits == whole.hits
    assert run([log(tmp_path, "late.jsonl", late)], TraceOptions()).moments == whole.moments


def test_bad_lines_are_counted_and_strict_ends_the_run(tmp_path: Path) -> None:
    wrong = {"ts": 5, "request": {"model": "gpt-4o", "messages": [{"content": "no role"}]}}
    path = log(tmp_path, "log.jsonl", [request(1.0, "ada", "Hello?"), "{broken\n", wrong, request(9.0, "ada", "And?")])
    found = run([path], TraceOptions())
    assert (found.lines, found.bad_lines, found.hits.requests) == (4, 2, 2)
    assert [(bad.file, bad.line) for bad in found.broken] == [(path, 2), (path, 3)]
    assert "no role" not in found.broken[1].why.replace("has no role", "")
    with pytest.raises(InputError) as error:
        run([path], TraceOptions(strict=True))
    assert (error.value.name, error.value.line) == (path, 2)
