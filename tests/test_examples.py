"""The examples do what their README says, run from the top of the repository as it says."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import ROOT, Run

README = (ROOT / "examples" / "README.md").read_text("utf-8")
COMMANDS = dict(re.findall(r"^\| `([\w/-]+)/` \|.*`promptlint (diff .+)` \|$", README, re.MULTILINE))


def report(run: Run) -> dict[str, Any]:
    assert run.status in (0, 1), run.err
    loaded: dict[str, Any] = json.loads(run.out)
    return loaded


def diff(promptlint: Callable[..., Run], folder: str) -> tuple[Run, dict[str, Any]]:
    run = promptlint(*shlex.split(COMMANDS[folder]), "--format", "json")
    return run, report(run)


def test_every_example_stands_in_the_readme() -> None:
    pairs = {path.parent.relative_to(ROOT / "examples").as_posix() for path in ROOT.glob("examples/**/before.json")}
    assert pairs == set(COMMANDS)


def test_clock_shows_two_causes_with_what_each_repair_recovers(promptlint: Callable[..., Run]) -> None:
    run, shown = diff(promptlint, "clock")
    assert run.status == 1
    assert [finding["code"] for finding in shown["findings"]] == ["PL202", "PL101"]
    (comparison,) = shown["comparisons"]
    assert [step["code"] for step in comparison["repairs"]] == ["PL202", "PL101"]
    first, second = comparison["repairs"]
    shared = comparison["tokens"]["shared"]
    assert shared < first["cumulative"] < second["cumulative"]
    assert first["cumulative"] == shared + first["recovers"]
    assert second["cumulative"] == first["cumulative"] + second["recovers"]
    assert comparison["divergence"]["path"].startswith("tools[7].input_schema")


@pytest.mark.parametrize("folder", ["clock/fixed", "openai-agent"])
def test_repaired_and_growing_conversations_are_silent(folder: str, promptlint: Callable[..., Run]) -> None:
    run, shown = diff(promptlint, folder)
    assert run.status == 0
    assert [finding for finding in shown["findings"] if finding["severity"] != "info"] == []
    (comparison,) = shown["comparisons"]
    assert comparison["divergence"] is None
    assert comparison["tokens"]["reusable"] > 1500


def test_self_hosted_is_exact_and_names_the_lost_newline(promptlint: Callable[..., Run]) -> None:
    run, shown = diff(promptlint, "self-hosted")
    assert run.status == 1
    assert [finding["code"] for finding in shown["findings"]] == ["PL409"]
    (comparison,) = shown["comparisons"]
    assert comparison["tokenizer"]["exact"] is True
    assert not [each for each in comparison["cost"]["assumptions"] if "estimates" in each]
    assert comparison["divergence"]["path"] == "messages[2].content"
    assert comparison["tokens"]["reusable"] % 16 == 0
    assert 0 < comparison["tokens"]["reusable"] <= comparison["tokens"]["shared"]


def test_the_walk_through_of_the_prompt_file(tmp_path: Path) -> None:
    page = (ROOT / "examples" / "prompt-file" / "README.md").read_text("utf-8")
    steps = "".join(f'{block}echo "status $?"\n' for block in re.findall(r"```bash\n(.*?)```", page, re.DOTALL))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        ["bash", "-u"], input=steps, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    outputs = re.split(r"^status (\d)\n", done.stdout, flags=re.MULTILINE)
    assert outputs[1::2] == ["0", "1", "1", "0", "0"], done.stderr
    _, edited, priced, accepted, grown = outputs[0:-1:2]
    assert "PL304" in edited
    assert "PL304" in priced and "$" in priced
    assert "(accepted: the seventh pier opens in May)" in accepted
    assert "PL304" not in grown and "no findings" in grown
