"""The labelled cases: rules that exist fire where they must, nothing fires where it must not, the place is right."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import ROOT, Run

from promptlint.rulebook import load

CASES = sorted(path.parent for path in (ROOT / "tests" / "cases").glob("*/expected.yaml"))

INPUTS = {
    "request-pair": ["before.json", "after.json"],
    "text-pair": ["before.txt", "after.txt"],
    "declared-vs-wire": ["--gateway", "declared.json", "wire.json"],
}

# Codes that the labels ask for and no rule file has yet. A new rule takes its code out of here.
NOT_IMPLEMENTED: list[str] = []

# A broader rule that stands in for one of these, although the label calls it wrong.
STAND_INS: dict[str, list[str]] = {}


def implemented() -> set[str]:
    return {rule.code for rule in load().rules}


def label(case: Path) -> dict[str, Any]:
    expected: dict[str, Any] = yaml.safe_load((case / "expected.yaml").read_text("utf-8"))
    return expected


def codes(entries: list[dict[str, str]]) -> set[str]:
    return {entry["code"] for entry in entries}


def value_of(path: str) -> str:
    """The value that a label speaks of: a key, `type`, `role` or `name` stands for the object that holds it."""
    field = path.removesuffix("#key")
    holder, _, last = field.rpartition(".")
    return holder if holder and (field != path or last in {"type", "role", "name"}) else field


def related(one: str, other: str) -> bool:
    """Whether the paths are equal or one leads through the other."""
    shorter, longer = sorted((one, other), key=len)
    return bool(shorter) and longer.startswith(shorter) and longer[len(shorter) :][:1] in {"", ".", "["}


def misplaced(expected: dict[str, Any], found: dict[str, Any] | None) -> str:
    """Why the reported divergence is not the labelled one; empty where it is, or where the label names no place."""
    wanted = expected["divergence"]
    if wanted.get("none"):
        return f"{found['path']} instead of no divergence" if found else ""
    grew = wanted.get("path_before") in {"messages", "input", "contents"}
    if found is None:
        return (
            "" if grew or wanted.get("append_only_or_tail") or "char_offset" not in wanted else "no divergence reported"
        )
    if "path_before" not in wanted:
        near = "char_offset" not in wanted or abs(found["char"] - wanted["char_offset"]) <= 2
        return "" if near else f"character {found['char']} instead of {wanted['char_offset']}"
    settings = {entry["where"] for entry in expected["must_fire"]}
    if grew and found["path"] in settings:  # the prompt only grew, a setting outside its text changed
        return ""
    places = [wanted["path_after"]] if grew else [wanted["path_before"], wanted["path_after"]]
    if not any(related(found["path"], value_of(place)) for place in places):
        return f"{found['path']} instead of {' or '.join(places)}"
    same_value = found["path"] == wanted["path_before"] == wanted["path_after"]
    if same_value and abs(found["char"] - wanted["char_offset"]) > 2:
        return f"character {found['char']} of {found['path']} instead of {wanted['char_offset']}"
    return ""


def test_the_list_of_missing_rules_is_true() -> None:
    wanted = {code for case in CASES for code in codes(label(case)["must_fire"])}
    assert sorted(wanted - implemented()) == NOT_IMPLEMENTED


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Path, promptlint: Callable[..., Run]) -> None:
    expected = label(case)
    options = [] if expected["provider"] in ("any", "local") else ["--provider", expected["provider"]]
    if expected["kind"] in ("source", "template"):
        files = [path.name for path in case.iterdir() if path.name != "expected.yaml"]
        run = promptlint("check", *options, "--format", "json", *files, cwd=case)
    elif expected["kind"] == "usage-log":
        run = promptlint("trace", *options, "--format", "json", "usage.jsonl", cwd=case)
    else:
        run = promptlint("diff", *options, "--format", "json", *INPUTS[expected["kind"]], cwd=case)
    assert run.status in (0, 1), run.err
    report = json.loads(run.out)

    fired = {finding["code"] for finding in report["findings"]}
    assert codes(expected["must_fire"]) & implemented() <= fired
    wrong = [code for code in fired for pattern in expected["must_not_fire"] if fnmatch.fnmatch(code, pattern)]
    assert wrong == STAND_INS.get(case.name, [])
    if "divergence" in expected and expected["kind"] not in ("source", "template", "usage-log"):
        assert misplaced(expected, report["comparisons"][0]["divergence"]) == ""


@pytest.mark.parametrize(
    ("wanted", "found", "right"),
    [
        (
            {"path_before": "a[0].text", "path_after": "a[0].text", "char_offset": 7},
            {"path": "a[0].text", "char": 8},
            True,
        ),
        (
            {"path_before": "a[0].text", "path_after": "a[0].text", "char_offset": 7},
            {"path": "a[0].text", "char": 12},
            False,
        ),
        (
            {"path_before": "a[0].text", "path_after": "a[0].text", "char_offset": 7},
            {"path": "a[10].text", "char": 7},
            False,
        ),
        ({"path_before": "a[0].text", "path_after": "a[0].text", "char_offset": 7}, None, False),
        (
            {"path_before": "a[1].x#key", "path_after": "a[1].y#key", "char_offset": 0},
            {"path": "a[1].y", "char": 0},
            True,
        ),
        ({"path_before": "a[1].name", "path_after": "a[1].name", "char_offset": 0}, {"path": "a[2]", "char": 0}, False),
        ({"path_before": "messages", "path_after": "messages[4]", "char_offset": 0}, None, True),
        (
            {"path_before": "messages", "path_after": "messages[4]", "char_offset": 0},
            {"path": "messages[3]", "char": 0},
            False,
        ),
        ({"char_offset": 39}, {"path": "", "char": 50}, False),
        ({"none": True}, {"path": "a[0]", "char": 0}, False),
    ],
)
def test_the_check_of_places_can_fail(wanted: dict[str, Any], found: dict[str, Any] | None, right: bool) -> None:
    assert (misplaced({"divergence": wanted, "must_fire": []}, found) == "") is right
