"""Real transcripts and trajectories: what the provider reported, and what a history processor costs."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support import shared

from promptlint.model.common import common_prefix
from promptlint.trace.options import TraceOptions
from promptlint.trace.run import run

KEPT = 5  # observations
# What SWE-agent's processor `last_n_observations` puts in the place of an older one.
OMITTED = "Old environment output: ({} lines omitted)"
Messages = list[dict[str, Any]]


@pytest.mark.parametrize(("name", "rate", "requests"), [("claude-code", 94.2, 10), ("codex", 83.0, 9)])
def test_transcripts_are_healthy_as_reported(name: str, rate: float, requests: int) -> None:
    result = run([str(shared(f"traces/{name}/session.jsonl"))], TraceOptions())
    assert result.hits.requests == requests
    assert result.hits.reported_rate is not None
    assert round(100 * result.hits.reported_rate, 1) == rate
    assert result.findings == ()
    assert result.reconciliation is None  # parts of the prompts are not in a transcript: nothing can be predicted
    lost = sum(waste.tokens for waste in result.waste)
    assert lost == result.hits.reported_tokens - result.hits.reported


def processed(history: Messages) -> Messages:
    """The history as `last_n_observations` sends it: the first observation and the last ones stay."""
    seen = [place for place, message in enumerate(history) if message["message_type"] == "observation"]
    old = set(seen[1 : max(0, len(seen) - KEPT)])
    return [
        {"role": each["role"], "content": OMITTED.format(len(each["content"].splitlines()))}
        if place in old
        else {"role": each["role"], "content": each["content"]}
        for place, each in enumerate(history)
    ]


def test_a_history_processor_that_rewrites_old_observations(tmp_path: Path) -> None:
    path = shared("traces/swe-agent/marshmallow-1867.traj")
    recorded = json.loads(path.read_text("utf-8"))
    history: Messages = recorded["history"]
    answers = [place for place, message in enumerate(history) if message["role"] == "assistant"]
    queries = [processed(history[:place]) for place in answers]
    steps = [{"query": query, "response": "", "action": "", "observation": ""} for query in queries]
    log = tmp_path / "processed.traj"
    log.write_text(json.dumps({**recorded, "trajectory": steps}), "utf-8")
    appended, rewritten = run([str(path)], TraceOptions()), run([str(log)], TraceOptions())

    texts = ["".join(message["content"] for message in query) for query in queries]
    shares = [common_prefix(before, after) for before, after in pairwise(texts)]
    assert rewritten.hits.rate == pytest.approx(sum(shares) / sum(map(len, texts)), abs=0.04)
    assert appended.findings == ()
    (finding,) = rewritten.findings
    first = next(step for step, query in enumerate(queries, 1) if any("omitted)" in each["content"] for each in query))
    assert (finding.code, first) == ("PL405", 7)
    assert f"from step {first} on" in finding.message
    waste = next(waste for waste in rewritten.waste if waste.code == "PL405")
    assert waste.requests == len(queries) - first + 1
    assert waste.tokens > 0.6 * (rewritten.hits.tokens - rewritten.hits.read)
    assert waste.alone == appended.hits.rate  # repaired, every message stays as it was first sent
