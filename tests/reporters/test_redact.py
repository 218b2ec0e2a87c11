"""`--redact`: no word of a prompt in any format, while figures, files and promptlint's own words stay."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest
import sample_reports
import trace_samples
from hypothesis import given
from hypothesis import strategies as st

from promptlint import pipeline, rulebook
from promptlint.model.finding import Finding
from promptlint.model.prompt import Skip
from promptlint.model.report import Boundary, Comparison, RepairStep, Report, VaryingRegion
from promptlint.model.source import Source
from promptlint.model.traced import Branch, Group, Reconciliation, Session, Traced, Waste
from promptlint.reporters import formats
from promptlint.reporters.redact import path_shape, redacted, shape
from promptlint.reporters.setup import Setup

RULES = {rule.code: rule for rule in rulebook.load().rules}
SETUP = Setup(rules=RULES)


def test_shapes() -> None:
    assert shape("Call Ann at 12:30, née Ü 日本²!\n\t") == "aaaa aaa aa 00:00, aaa a aa0!\n\t"
    assert path_shape('tools[7].input_schema.properties.salary["my key"].type') == (
        'tools[7].input_schema.properties.aaaaaa["aa aaa"].type'
    )
    assert path_shape("messages[12].content[0].text") == "messages[12].content[0].text"


@given(st.text())
def test_shapes_keep_lengths_and_hold_no_letter(text: str) -> None:
    shown = shape(text)
    assert len(shown) == len(text)
    assert not re.search(r"[^\W\da_]|[1-9]", shown)
    assert shape(shown) == shown


# Every line of it differs from every other one, as prompts do.
LINES = "".join(f"Rule {number}: the quokka of fjordane {number * 7} answers.\n" for number in range(120))
SECRETS = ("zanzibar", "quokka", "8675309", "fjordane", "xylophon")


def request(**changes: Any) -> Source:
    """A request in which every free text, name and value holds a secret."""
    import json

    body: dict[str, Any] = {
        "model": "claude-sonnet-4-5",
        "metadata": {"user_id": "zanzibar-1"},
        "tools": [
            {
                "name": f"quokka_{number}",
                "description": "Finds fjordane.",
                "input_schema": {
                    "type": "object",
                    "properties": {"xylophon": {"type": "string", "description": "zanzibar"}, "id": {"type": "string"}},
                },
            }
            for number in range(3)
        ],
        "system": [
            {
                "type": "text",
                "text": f"zanzibar 2026-01-02T03:04:05Z {LINES}",
                "cache_control": {"type": "ephemeral"},
            }
        ],
        "messages": [{"role": "user", "content": "quokka fjordane 8675309"}],
        **changes,
    }
    return Source("after.json" if changes else "before.json", json.dumps(body, indent=1))


def reports() -> dict[str, Report]:
    tools = [
        {"name": f"quokka_{n}", "description": "Finds xylophon.", "input_schema": {"type": "object"}} for n in (2, 1, 5)
    ]
    changes: dict[str, dict[str, Any]] = {
        "clock": {"system": [{"type": "text", "text": f"zanzibar 2026-01-02T03:09:59Z {LINES}"}]},
        "tools": {"tools": tools},
        "history": {"messages": [{"role": "user", "content": "xylophon fjordane 8675309"}] * 3},
        "identity": {"system": f"You serve zanzibar@quokka.example, account 8675309. {LINES}"},
        "settings": {"tool_choice": {"type": "tool", "name": "quokka_1"}},
    }
    found = {
        name: pipeline.diff([request(), request(**change)], pipeline.Options()) for name, change in changes.items()
    }
    (comparison,) = sample_reports.DIFF.comparisons
    found["made up"] = dataclasses.replace(
        sample_reports.DIFF,
        comparisons=(
            dataclasses.replace(comparison, marks=(Boundary(7, "cache marker after tools[0].properties.zanzibar"),)),
        ),
        findings=(
            dataclasses.replace(sample_reports.FINDING, message="a message of no rule: zanzibar", marked="quokka"),
            dataclasses.replace(sample_reports.FINDING, code="XX1", message="fjordane", facts={"lost": "quokka"}),
        ),
        skipped=(
            Skip("tools[0].input_schema.properties.xylophon", "no rule explains this difference"),
            Skip("a.json", "not valid JSON: expected a comma, found 'zanzibar' and \"it's quokka\" here"),
        ),
    )
    return found


def secret_trace() -> Report:
    """A replayed log in which every name, path and text out of the log holds a secret."""
    traced = trace_samples.TRACED
    path = "tools[0].input_schema.properties.xylophon"
    rule, other = (
        dataclasses.replace(
            trace_samples.CLOCK,
            code=code,
            path=path,
            message="the clock value quokka 8675309 was fjordane before",
            place=trace_samples.place(path=path),
        )
        for code in ("PL101", "XX1")
    )
    leaf = Branch(80, 20, 2, 'tool "zanzibar"', "quokka | fjordane")
    changed = dataclasses.replace(
        traced,
        groups=(
            Group("user", "zanzibar-1", traced.hits),
            Group("user", "quokka-2", traced.hits),
            Group("session", "zanzibar", traced.hits),
            Group("model", "claude-sonnet-4-6", traced.hits),
        ),
        notes=(f"PL101 in {path}: replayed as if it had not moved.",),
        sessions=(Session("fjordane-8675309", "fork", "zanzibar", 3, 1, traced.hits),),
        waste=(rule, other, *traced.waste[2:]),
        tree=Branch(60, 60, 4, path, "quokka | xylophon", children=(leaf,)),
        reconciliation=dataclasses.replace(RECONCILIATION, vendor={"system_changed": 2, "said zanzibar": 1}),
        findings=(dataclasses.replace(sample_reports.FINDING, message="zanzibar of no rule"),),
    )
    return trace_samples.report(changed)


RECONCILIATION = trace_samples.RECONCILIATION
REPORTS = {**reports(), "trace": secret_trace()}


@pytest.mark.parametrize("name", REPORTS)
def test_no_secret_is_in_any_format(name: str) -> None:
    report = REPORTS[name]
    assert report.findings
    shown = {each: formats.render(each, redacted(report, RULES), SETUP) for each in formats.FORMATS}
    for each, text in shown.items():
        assert not [secret for secret in SECRETS if secret in text.lower()], each
    before = "".join(formats.render(each, report, SETUP) for each in formats.FORMATS)
    assert any(secret in before for secret in SECRETS), "the test looks for what was never there"


def test_what_a_person_needs_stays() -> None:
    shown = formats.render("concise", redacted(REPORTS["clock"], RULES), SETUP)
    (finding, *_) = [each for each in REPORTS["clock"].findings if each.code == "PL101"]
    assert f"after.json:{finding.location.line}:{finding.location.column}: error PL101 timestamp-in-prefix" in shown
    assert re.search(rf"the clock value 0000-00-00\S* was 0000-00-00\S* before: {finding.tokens_lost:,} tokens", shown)
    skipped = redacted(REPORTS["made up"], RULES).skipped
    assert skipped[0].what == "tools[0].input_schema.properties.aaaaaaaa"
    assert skipped[1].what == "a.json"


def test_what_the_pipeline_adds_to_a_message_stays() -> None:
    (finding, *_) = [each for each in REPORTS["clock"].findings if each.code == "PL101"]
    longer = dataclasses.replace(finding, message=f"{finding.message}; 12 tokens go cold")
    (shown,) = redacted(Report("check", findings=(longer,)), RULES).findings
    assert shown.message.endswith("; 12 tokens go cold")
    assert "2026" not in shown.message


# What holds no word of a prompt, or is made anew by `redacted`. A new field belongs to one of the two.
HARMLESS: dict[type, set[str]] = {
    Report: {"command", "files_checked", "summary", "versions"},
    Comparison: {
        *("before", "after", "provider", "policy", "model", "scope", "tokens", "why_reusable", "notes", "cost"),
        *("vendor_reason", "sections", "block", "survival"),
    },
    Finding: {
        *("code", "name", "severity", "confidence", "scope", "tokens_lost", "cost", "fingerprint", "vendor_reason"),
        "accepted",
    },
    RepairStep: {"code", "name", "recovers", "cumulative", "reusable", "token"},
    VaryingRegion: {"varies", "follows", "values"},
    Traced: {
        *("files", "lines", "bad_lines", "vocabulary", "exact", "reason", "hits", "caches", "moments", "bins", "curve"),
        *("middle", "unique_tokens", "broken"),
    },
    Group: {"by", "hits"},
    Session: {"kind", "requests", "retries", "hits"},
    Waste: {
        *("kind", "code", "name", "tokens", "requests", "avoidable", "cost", "dollars", "alone", "cumulative"),
    },
    Branch: {"depth", "tokens", "requests", "values", "warm", "saved"},
    Reconciliation: {"requests", "agree", "predicted", "reported", "reasons", "worst", "vendor_same"},
}
REDACTED: dict[type, set[str]] = {
    Report: {"comparisons", "findings", "skipped", "volatility", "traced"},
    Comparison: {"divergence", "place", "excerpt", "repairs", "marks"},
    Finding: {"message", "location", "marked", "related", "fix", "facts", "change"},
    RepairStep: {"path", "excerpt"},
    VaryingRegion: {"place", "examples"},
    Traced: {"groups", "sessions", "waste", "tree", "reconciliation", "notes", "findings"},
    Group: {"value"},
    Session: {"name", "parent"},
    Waste: {"path", "message", "place"},
    Branch: {"label", "parts", "children"},
    Reconciliation: {"vendor"},
}


@pytest.mark.parametrize("kind", HARMLESS)
def test_every_field_of_a_report_is_decided_on(kind: Any) -> None:
    assert {each.name for each in dataclasses.fields(kind)} == HARMLESS[kind] | REDACTED[kind]


def test_what_a_person_needs_of_a_replayed_log_stays() -> None:
    shown = formats.render("text", redacted(REPORTS["trace"], RULES), SETUP)
    for wanted in (
        "PL101 timestamp-in-prefix",
        "claude-sonnet-4-6",
        "system_changed",
        "logs/desk.jsonl:14:1",
        "31.4 %",
    ):
        assert wanted in shown
    assert RULES["PL101"].summary in shown


def test_regions_of_a_profile() -> None:
    region = VaryingRegion(sample_reports.place(path="tools[0].zanzibar"), "per user", ("user",), 2, ("quokka 7",))
    (shown,) = redacted(Report("diff", volatility=(region,)), RULES).volatility
    assert (shown.place.path, shown.examples, shown.varies) == ("tools[0].aaaaaaaa", ("aaaaaa 0",), "per user")
