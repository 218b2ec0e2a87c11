"""A team's week, as the walk-through in examples/ci tells it: git, the real pre-commit, the reports of CI."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hooking import Hooks
from junitparser import JUnitXml
from support import ROOT, sarif_schema

PAGE = (ROOT / "examples" / "ci" / "README.md").read_text("utf-8")
# What each command block of the page ends with.
STEPS = {
    "set up": 0,
    "first commit": 0,
    "at the end": 0,
    "at the top": 1,
    "accepted": 0,
    "sorted keys": 1,
    "reports": 1,
    "taken back": 0,
    "clock": 1,
    "clock in the baseline": 1,
    "clock at the end": 0,
}


class Week:
    """The outputs of all blocks of the page, and the repository that they leave behind."""

    def __init__(self, hooks: Hooks, folder: Path) -> None:
        blocks = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)
        assert len(blocks) == len(STEPS)
        script = "".join(f'{block}echo "status $?"\n' for block in blocks) + 'echo "$work"\n'
        done = subprocess.run(
            ["bash", "-u"],
            input=script,
            cwd=hooks.repository.folder,
            env={**hooks.environment, "TMPDIR": str(folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
            check=False,
        )
        outputs = re.split(r"^status (\d+)\n", done.stdout, flags=re.MULTILINE)
        self.statuses = dict(zip(STEPS, map(int, outputs[1::2]), strict=True))
        self.said = dict(zip(STEPS, outputs[0:-1:2], strict=True))
        self.all = done.stdout
        self.folder = Path(outputs[-1].strip())


@pytest.fixture(scope="module")
def week(hooks: Hooks, tmp_path_factory: pytest.TempPathFactory) -> Week:
    return Week(hooks, tmp_path_factory.mktemp("week"))


def test_every_step_ends_as_the_page_says(week: Week) -> None:
    assert week.statuses == STEPS, week.all


def test_pre_commit_installs_the_hook_and_lets_new_prompts_pass(week: Week) -> None:
    said = week.said["first commit"]
    assert "pre-commit installed at" in said
    assert re.search(r"^promptlint\.+Passed$", said, re.MULTILINE)


def test_an_edit_at_the_end_passes_and_the_same_at_the_top_fails_with_its_line_and_number(week: Week) -> None:
    assert re.search(r"^promptlint\.+Passed$", week.said["at the end"], re.MULTILINE)
    said = week.said["at the top"]
    assert re.search(r"^promptlint\.+Failed$", said, re.MULTILINE)
    assert re.search(r"^agent/system\.md:1:1: error PL304 stable-text-edited$", said, re.MULTILINE)
    (lost,) = re.findall(r"([\d,]+) cached tokens go cold: the budget is less than 1,024", said)
    assert 1_700 < int(lost.replace(",", "")) < 2_000
    assert "after this line the same text would cost" in said


def test_what_was_accepted_passes_with_its_reason_in_the_baseline(week: Week) -> None:
    assert "is accepted in promptlint-baseline.json" in week.said["accepted"]
    assert re.search(r"^promptlint\.+Passed$", week.said["accepted"], re.MULTILINE)
    (accepted,) = json.loads((week.folder / "promptlint-baseline.json").read_text("utf-8"))["accepted"]
    assert accepted["reason"] == "notes in other languages cost us a week"


def test_tools_with_sorted_keys_fail(week: Week) -> None:
    said = week.said["sorted keys"]
    assert re.search(r"^agent/tools\.json:2:3: error PL202 unstable-schema-key-order$", said, re.MULTILINE)


@pytest.mark.parametrize("step", ["clock", "clock in the baseline"])
def test_a_clock_fails_whatever_the_baseline_says(week: Week, step: str) -> None:
    assert re.search(r"^agent/answer\.py:10:\d+: error PL101 timestamp-in-prefix$", week.said[step], re.MULTILINE)
    assert re.search(r"^promptlint\.+Failed$", week.said[step], re.MULTILINE)


def test_reports_validate_and_agree(week: Week) -> None:
    report = _json(week, "report.json")
    jsonschema.validate(report, json.loads((ROOT / "promptlint/reporters/report.schema.json").read_text("utf-8")))
    (finding,) = report["findings"]
    assert (finding["code"], finding["location"]["file"], finding["location"]["line"]) == (
        "PL202",
        "agent/tools.json",
        2,
    )
    assert report["comparisons"][0]["after"]["file"] == "desk"

    sarif = _json(week, "promptlint.sarif")
    jsonschema.Draft7Validator(sarif_schema()).validate(sarif)
    (result,) = sarif["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (result["ruleId"], result["level"]) == ("PL202", "error")
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("agent/tools.json", 2)

    (issue,) = _json(week, "gl-code-quality-report.json")
    assert set(issue) >= {"description", "check_name", "fingerprint", "severity", "location"}
    assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
    assert issue["location"] == {
        "path": "agent/tools.json",
        "lines": {"begin": 2, "end": issue["location"]["lines"]["end"]},
    }

    suites = JUnitXml.fromfile(str(week.folder / "junit.xml"))
    assert suites.failures == 1


def _json(week: Week, name: str) -> Any:
    return json.loads((week.folder / name).read_text("utf-8"))
