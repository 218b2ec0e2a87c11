"""The labelled pairs of requests as logs of two records: what `diff` must find is what tokens are lost to."""

from __future__ import annotations

import fnmatch
import json
from pathlib import Path

import pytest
import yaml
from support import ROOT

from promptlint.trace.options import TraceOptions
from promptlint.trace.run import run

CASES = sorted(path.parent for path in (ROOT / "tests" / "cases").glob("*/before.json"))
# Causes that cost no token of this very pair, so that a log has nothing to say about them.
COSTS_NOTHING = {
    "10-gemini-token-counter-in-system": "both prompts are below the minimum of the model",
    "20-gemini-date-in-tool-description": "both prompts are below the minimum of the model",
    "24-responses-ephemeral-reminder": "less than a block of 128 tokens",
    "33-anthropic-more-than-20-blocks-after-breakpoint": "an earlier marker is still within reach",
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_labelled_pair_as_a_log(case: Path, tmp_path: Path) -> None:
    label = yaml.safe_load((case / "expected.yaml").read_text("utf-8"))
    bodies = [json.loads((case / name).read_text("utf-8")) for name in ("before.json", "after.json")]
    log = tmp_path / "log.jsonl"
    records = [{"ts": 1_780_000_000 + 30 * number, "request": body} for number, body in enumerate(bodies)]
    log.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    provider = None if label["provider"] == "any" else label["provider"]
    result = run([str(log)], TraceOptions(provider=provider))

    fired = {finding.code for finding in result.findings}
    wanted = {entry["code"] for entry in label["must_fire"]}
    assert fired >= wanted or (case.name in COSTS_NOTHING and not fired)
    assert not [code for code in fired for pattern in label["must_not_fire"] if fnmatch.fnmatch(code, pattern)]
    assert sum(waste.tokens for waste in result.waste) == result.hits.tokens - result.hits.read
    assert {finding.location.line for finding in result.findings} <= {2}
