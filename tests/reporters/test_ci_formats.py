"""Annotations and summaries of GitHub, GitLab's code quality, JUnit: read by real parsers, safe with hostile text."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
import sample_reports
import trace_samples
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from jsonschema import Draft202012Validator
from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite
from markdown_it import MarkdownIt

from promptlint.model.finding import Severity
from promptlint.model.report import Report
from promptlint.reporters import github, github_summary, gitlab, junit
from promptlint.reporters.setup import Setup

COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::(.*)")


def commands(shown: str) -> list[tuple[str, dict[str, str], str]]:
    """What a runner reads from a log: commands stand at the beginning of a line, and it undoes the escapes."""
    found = []
    for row in shown.split("\n"):
        if row.startswith("::"):
            match = COMMAND.fullmatch(row)
            assert match, row
            pairs = [pair.split("=", 1) for pair in match[2].split(",")]
            found.append((match[1], {name: unescaped(value) for name, value in pairs}, unescaped(match[3])))
    return found


def unescaped(text: str) -> str:
    for sign in ":,\r\n%":
        text = text.replace(f"%{ord(sign):02X}", sign)
    return text


def test_annotations() -> None:
    assert github.render(sample_reports.CHECK, Setup(root="services/chat")) == snapshot("""\
::error file=services/chat/agent/after.json,line=3,endLine=3,col=58,endColumn=65,title=PL101 timestamp-in-prefix::the clock value 10:00:09 was 10:00:07 before: 2,022 tokens are computed again
::notice title=promptlint%3A skipped::prompts/package.json: is no request
1 error in 3 files, 2 pairs compared, 1 skipped
""")  # noqa: E501


def test_annotations_as_a_runner_reads_them() -> None:
    finding = dataclasses.replace(
        sample_reports.FINDING,
        message="100 % of a: b, c\r\n::error::d",
        location=dataclasses.replace(sample_reports.place("a,b:c%.md"), end_line=9),
    )
    (command,) = commands(github.render(Report("diff", findings=(finding,)), Setup()))
    kind, properties, message = command
    assert kind == "error"
    assert properties == {
        "file": "a,b:c%.md",
        "line": "3",
        "endLine": "9",
        "title": "PL101 timestamp-in-prefix",
    }
    assert message == r"100 % of a: b, c\r⏎::error::d"


@given(st.text(), st.text())
def test_no_text_is_a_command_of_its_own(message: str, file: str) -> None:
    finding = dataclasses.replace(
        sample_reports.FINDING, message=message, location=sample_reports.place(file or "a"), related=()
    )
    shown = github.render(Report("diff", findings=(finding,)), Setup())
    assert len(commands(shown)) == 1
    assert shown.count("\n") == 2
    assert all(row.isprintable() for row in shown.split("\n"))
    assert not re.search(r"##\w*\[", shown)


class Tags(HTMLParser):
    """The elements and the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert tag not in ("th", "td") or not attrs
        self.names.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def read_markdown(shown: str) -> Tags:
    """As GitHub reads it: tables, raw HTML (of which it lets `code` pass), links."""
    tags = Tags()
    tags.feed(MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough").render(shown))
    return tags


def test_the_summary() -> None:
    assert github_summary.render(sample_reports.CHECK, Setup()) == snapshot("""\
## promptlint: 1 error in 3 files, 2 pairs compared, 1 skipped

| Severity | Place | Rule | What | Tokens lost | Fix |
| --- | --- | --- | --- | --- | --- |
| ❌ error | <code>agent/after.json&#58;3&#58;58</code> | **PL101** timestamp-in-prefix | the clock value 10&#58;00&#58;09 was 10&#58;00&#58;07 before&#58; 2,022 tokens are computed again | 2,022 |  |

| Prompt | Parts at | Shared | Reusable | Of | Cost |
| --- | --- | --- | --- | --- | --- |
| <code>agent/after.json</code> | <code>agent/after.json&#58;3&#58;58</code> | 354 | 128 on anthropic | 2,376 tokens | &#36;0.000012 once |

| Skipped | Why |
| --- | --- |
| <code>prompts/package.json</code> | is no request |

""")  # noqa: E501


@given(st.text())
def test_text_in_the_summary_is_text(text: str) -> None:
    for hostile in (text, f"<img src=x> {text} | [a](http://b) `*_~#$@\\| http://c.invalid www.d.invalid e@f.invalid"):
        finding = dataclasses.replace(sample_reports.FINDING, message=hostile, location=sample_reports.place(hostile))
        shown = github_summary.render(Report("diff", findings=(finding,)), Setup())
        tags = read_markdown(shown)
        assert tags.names == {"h2", "table", "thead", "tbody", "tr", "th", "td", "code", "strong"}
        assert "http://" not in shown and "@" not in shown
        if hostile is not text:
            assert "<img src=x>" in tags.text and "www" in tags.text


def test_a_summary_has_a_limit() -> None:
    findings = tuple([sample_reports.FINDING] * 2_000)
    shown = github_summary.render(Report("diff", findings=findings), Setup())
    assert len(shown.encode()) < 1 << 20
    assert "… and 1,500 more." in shown


GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False,
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "additionalProperties": False,
                "properties": {
                    "path": {"type": "string", "pattern": r"^(?!\./)"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "additionalProperties": False,
                        "properties": {"begin": {"type": "integer"}, "end": {"type": "integer"}},
                    },
                },
            },
        },
    },
}


@pytest.mark.parametrize("name", sample_reports.ALL)
def test_code_quality_has_the_documented_shape(name: str) -> None:
    report = sample_reports.ALL[name]
    shown = gitlab.render(report, Setup(root="services/chat"))
    assert shown.isascii()
    issues = json.loads(shown)
    Draft202012Validator(GITLAB).validate(issues)
    assert len(issues) == len(report.findings)


def test_code_quality_fingerprints_are_stable_and_never_twice() -> None:
    same = dataclasses.replace(
        sample_reports.FINDING, location=dataclasses.replace(sample_reports.FINDING.location, line=50, end_line=50)
    )
    both = json.loads(gitlab.render(Report("diff", findings=(sample_reports.FINDING, same)), Setup()))
    alone = json.loads(gitlab.render(Report("diff", findings=(same,)), Setup()))
    assert both[0]["fingerprint"] == alone[0]["fingerprint"]
    assert both[0]["fingerprint"] != both[1]["fingerprint"]
    assert both[1]["location"]["lines"]["begin"] == 50


# Elements and attributes that the common schema (Jenkins' xUnit plug-in, junit-10.xsd) allows, as far as they are used.
JUNIT: Mapping[str, tuple[set[str], set[str]]] = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time"}, {"testcase"}),
    "testcase": ({"name", "classname", "time"}, {"skipped", "failure", "system-out"}),
    "failure": ({"type", "message"}, set()),
    "skipped": ({"message"}, set()),
    "system-out": (set(), set()),
}


@pytest.mark.parametrize("name", sample_reports.ALL)
def test_junit_has_the_common_shape(name: str) -> None:
    def check(node: Xml.Element) -> None:
        attributes, children = JUNIT[node.tag]
        assert set(node.keys()) <= attributes
        assert {child.tag for child in node} <= children
        for child in node:
            check(child)

    shown = junit.render(sample_reports.ALL[name], Setup())
    root = Xml.fromstring(shown.encode())
    assert root.tag == "testsuites"
    check(root)
    assert junit.render(sample_reports.ALL[name], Setup()) == shown


def cases(report: Report, setup: Setup) -> list[TestCase]:
    """As junitparser reads them, with the counts that the suite states."""
    (suite,) = JUnitXml.fromstring(junit.render(report, setup).encode())
    assert isinstance(suite, TestSuite)
    found = list(suite)
    stated = (suite.tests, suite.failures, suite.skipped, suite.errors)
    results = [result for case in found for result in case.result]
    failures, skipped = (sum(isinstance(each, kind) for each in results) for kind in (Failure, Skipped))
    assert stated == (len(found), failures, skipped, 0)
    return found


def test_junit_fails_what_fails_the_run() -> None:
    warning = dataclasses.replace(sample_reports.FINDING, severity=Severity.WARNING)
    report = Report("check", findings=(sample_reports.FINDING, warning))
    for lowest, failing in ((Severity.ERROR, [1, 0]), (Severity.INFO, [1, 1]), (None, [0, 0])):
        assert [len(case.result) for case in cases(report, Setup(fail_on=lowest))] == failing
    (first, *_) = cases(sample_reports.CHECK, Setup(root="services/chat"))
    assert first.classname == "services/chat/agent/after.json"
    assert first.name == "PL101 timestamp-in-prefix 3:58"
    assert first.result[0].type == "PL101"
    assert [case.is_passed for case in cases(sample_reports.EMPTY, Setup())] == [True]


@given(st.text(st.characters(exclude_categories=()), max_size=50))
def test_any_text_is_xml(text: str) -> None:
    finding = dataclasses.replace(
        sample_reports.FINDING, message=f"{text}]]>\x00\ufffe", location=sample_reports.place(text or "a")
    )
    root = Xml.fromstring(junit.render(Report("diff", findings=(finding,)), Setup()).encode())
    failure = root.find(".//failure")
    assert failure is not None
    assert r"]]>\x00\ufffe" in str(failure.get("message"))
    assert all(value.isprintable() for node in root.iter() for value in node.attrib.values())


def test_a_hit_rate_that_is_too_low_fails_as_findings_do() -> None:
    quiet = dataclasses.replace(trace_samples.ALL["full"], findings=(), skipped=())
    low, high = Setup(min_hit_rate=0.7), Setup(min_hit_rate=0.2)
    said = "the hit rate, 31.4 %, is below the 70.0 % that is wanted"
    assert commands(github.render(quiet, low)) == [("error", {"title": "promptlint: hit rate"}, said)]
    assert commands(github.render(quiet, high)) == []
    suites = [JUnitXml.fromstring(junit.render(quiet, each).encode()) for each in (low, high)]
    assert [each.failures for each in suites] == [1, 0]
    assert "is below the 70" in github_summary.render(quiet, low)


def test_the_summary_of_a_replayed_log_ranks_its_causes() -> None:
    assert github_summary.render(trace_samples.ALL["full"], Setup()) == snapshot("""\
## promptlint: 1 error in 1 file, 1,240 requests, 2 skipped

hit rate 31.4 &#37; · 30.9 &#37; as the provider reported it · 1,240 requests, 5,100,000 tokens · &#36;14.37 for the prompts

| Lost to | Where | Tokens | Cost | Repaired alone | With all above |
| --- | --- | --- | --- | --- | --- |
| PL101 timestamp-in-prefix | <code>system&#91;0&#93;.text</code> | 1,930,000 | &#36;6.37 | 61.2 &#37; | 61.2 &#37; |
| PL203 unstable-tool-order | <code>tools</code> | 640,000 | &#36;2.11 | 37.1 &#37; | 79.1 &#37; |
| idle beyond the lifetime |  | 190,000 | &#36;0.63 | – | – |

| Severity | Place | Rule | What | Tokens lost | Fix |
| --- | --- | --- | --- | --- | --- |
| ❌ error | <code>logs/desk.jsonl&#58;14&#58;1</code> | **PL101** timestamp-in-prefix | the clock value 09&#58;14&#58;52 was 09&#58;14&#58;07 before&#58; 1,930,000 tokens are computed again | 1,930,000 |  |

| Skipped | Why |
| --- | --- |
| <code>logs/desk.jsonl&#58;17</code> | not valid JSON&#58; expected a comma |
| <code>logs/desk.jsonl&#58;520</code> | ends in the middle of a record |

""")  # noqa: E501
