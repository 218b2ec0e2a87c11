"""SARIF against the OASIS schema, and what the schema does not say: columns, fingerprints, links, the past."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
import sample_reports
from jsonschema import Draft7Validator, ValidationError
from support import sarif_schema

from promptlint import rulebook
from promptlint.model.finding import Place, Related
from promptlint.model.report import Report
from promptlint.model.source import Source
from promptlint.reporters import sarif
from promptlint.reporters.setup import Setup

RULES = {rule.code: rule for rule in rulebook.load(examples=True).rules}
VALIDATOR = Draft7Validator(sarif_schema(), format_checker=Draft7Validator.FORMAT_CHECKER)


def run_of(report: Report, setup: Setup | None = None) -> dict[str, Any]:
    shown = sarif.render(report, setup or Setup(rules=RULES))
    assert shown.isascii()
    document = json.loads(shown)
    VALIDATOR.validate(document)
    (run,) = document["runs"]
    assert isinstance(run, dict)
    return run


@pytest.mark.parametrize("name", sample_reports.ALL)
@pytest.mark.parametrize("rules", [RULES, {}], ids=["rules known", "rules unknown"])
def test_reports_are_valid(name: str, rules: dict[str, rulebook.Rule]) -> None:
    run = run_of(sample_reports.ALL[name], Setup(rules=rules, root="services/chat"))
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(ids[result["ruleIndex"]] == result["ruleId"] for result in run["results"])


def test_every_rule_has_valid_help() -> None:
    findings = tuple(
        dataclasses.replace(sample_reports.FINDING, code=rule.code, name=rule.name, severity=rule.severity)
        for rule in RULES.values()
    )
    run = run_of(Report("diff", findings=findings))
    for about, rule in zip(run["tool"]["driver"]["rules"], RULES.values(), strict=True):
        markdown = about["help"]["markdown"]
        for title in ("## Why", "## Fix", "## Bad", "## Good"):
            assert title in markdown, rule.code
        assert rule.summary in about["help"]["text"]
        assert markdown.count("```") % 2 == 0


def test_the_schema_notices_what_is_wrong() -> None:
    document = sarif.document(sample_reports.DIFF, Setup())
    document["more"] = 1
    with pytest.raises(ValidationError):
        VALIDATOR.validate(document)


def test_columns_count_utf16_units() -> None:
    source = Source("a.md", "plain\n\U0001f600\U0001f600 clock é")
    start, end = source.position(source.text.index("clock")), source.position(len(source.text))
    assert (start.column, end.column) == (4, 11)
    place = Place.between("a.md", "", start, end)
    run = run_of(Report("check", findings=(dataclasses.replace(sample_reports.FINDING, location=place),)))
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 2, "startColumn": 6, "endLine": 2, "endColumn": 13}
    assert run["columnKind"] == "utf16CodeUnits"


@pytest.mark.parametrize(
    ("file", "root", "uri"),
    [
        ("prompts/a b.md", "", "prompts/a%20b.md"),
        ("a.md", "services/chat", "services/chat/a.md"),
        ("../shared/a.md", "services/chat", "services/shared/a.md"),
        ("./x/../é%.md", "", "%C3%A9%25.md"),
        ("c:x.md", "", "c%3Ax.md"),
        ("bytes\udcff.md", "", "bytes%FF.md"),
        ("a\nb#?.md", "", "a%0Ab%23%3F.md"),
    ],
)
def test_uris_are_relative_to_the_top_of_the_repository(file: str, root: str, uri: str) -> None:
    finding = dataclasses.replace(sample_reports.FINDING, location=sample_reports.place(file), fix=None, related=())
    run = run_of(Report("diff", findings=(finding,)), Setup(root=root))
    artifact = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": uri, "uriBaseId": "%SRCROOT%"}
    assert "%SRCROOT%" in run["originalUriBaseIds"]


def test_an_absolute_path_below_the_working_directory_is_made_relative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    finding = dataclasses.replace(
        sample_reports.FINDING, location=sample_reports.place(str(tmp_path / "prompts" / "a.md"))
    )
    run = run_of(Report("diff", findings=(finding,)), Setup(root="chat"))
    artifact = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact["uri"] == "chat/prompts/a.md"


def test_fingerprints_do_not_move_with_lines() -> None:
    moved = dataclasses.replace(
        sample_reports.FINDING, location=dataclasses.replace(sample_reports.FINDING.location, line=99, end_line=99)
    )
    prints = [
        run_of(Report("diff", findings=(finding,)))["results"][0]["partialFingerprints"]
        for finding in (sample_reports.FINDING, moved)
    ]
    assert prints[0] == prints[1] == {"promptlint/v1": "5f2a"}


def test_a_place_in_a_git_revision_is_told_and_not_linked() -> None:
    past = Related("was", sample_reports.place("HEAD:agent/after.json"))
    finding = dataclasses.replace(sample_reports.FINDING, related=(past,))
    (related,) = run_of(Report("check", findings=(finding,)))["results"][0]["relatedLocations"]
    assert related["message"]["text"] == "was: HEAD:agent/after.json:3:58"
    assert "physicalLocation" not in related


def test_prompt_text_makes_no_link_and_no_control_character() -> None:
    finding = dataclasses.replace(sample_reports.FINDING, message="see [here](http://example.invalid)\x1b[2J\u202e")
    (result,) = run_of(Report("diff", findings=(finding,)))["results"]
    assert "](" not in result["message"]["text"]
    assert result["message"]["text"].isprintable()


def test_an_accepted_edit_is_suppressed() -> None:
    finding = dataclasses.replace(sample_reports.FINDING, accepted="planned for the release")
    (result,) = run_of(Report("check", findings=(finding,)))["results"]
    assert result["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "planned for the release"}
    ]


def test_what_was_not_looked_at_is_told() -> None:
    (invocation,) = run_of(sample_reports.CHECK)["invocations"]
    assert invocation["executionSuccessful"] is True
    assert [each["message"]["text"] for each in invocation["toolExecutionNotifications"]] == [
        "skipped prompts/package.json: is no request"
    ]
