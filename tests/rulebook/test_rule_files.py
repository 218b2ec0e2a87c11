"""The rules themselves: examples hold, files are small, codes are those of the catalogue."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from pathlib import Path

import pytest

from promptlint import rulebook
from promptlint.model.errors import RuleError
from promptlint.rulebook.detect import Detect
from promptlint.rulebook.load import folder, read
from promptlint.rulebook.rule import Rule
from promptlint.trace.selftest import failures

RULES = rulebook.load(examples=True).rules
GROUPS = {
    "1": "volatile",
    "2": "order",
    "3": "tools",
    "4": "history",
    "5": "breakpoints",
    "6": "request",
    "7": "template",
    "8": "log",
    "9": "history",
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_what_is_marked_is_what_is_reported(rule: Rule) -> None:
    assert failures(rule) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_file_is_short_and_has_enough_examples(rule: Rule) -> None:
    path = Path(rule.file)
    assert path.stem == rule.name
    assert path.parent.name == GROUPS[rule.code[2]]
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 60
    assert len(rule.bad) >= 2
    assert len(rule.good) >= 2
    assert rule.references


def test_codes_and_names_are_unique_and_beaten_codes_exist() -> None:
    codes = [rule.code for rule in RULES]
    assert len(set(codes)) == len(codes)
    assert len({rule.name for rule in RULES}) == len(RULES)
    for rule in RULES:
        for beaten in rule.beats:
            assert len(beaten) < 5 or beaten in codes, f"{rule.code} beats {beaten}, which is no rule"


def test_every_file_under_rules_is_loaded() -> None:
    assert len(list(folder().glob("**/*.yaml"))) == len(RULES)


def test_a_run_has_the_same_rules_without_their_examples() -> None:
    bare = tuple(dataclasses.replace(rule, bad=(), good=()) for rule in RULES)
    assert rulebook.load().rules == bare


GOOD = (folder() / "volatile" / "date-in-prefix.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("code: PL102", "kode: PL102", "unknown key 'kode'"),
        ("severity: warning", "severity: fatal", "'severity' must be"),
        ("confidence:", "confidence: sure #", "'confidence' must be"),
        (
            "also:",
            "also:\n  - {subject: code, message: 5, detect: {matcher: value_flow}}",
            "'message' in an item of 'also'",
        ),
        ("subject: divergence", "subject: prompts", "'subject' must be"),
        ("matcher: volatile_value", "matcher: os", "there is no matcher"),
        ("matcher: volatile_value", "matcher: _values", "not the name of a matcher"),
        ("{after_value}", "{value_after}", "the message names {value_after}"),
        ("  sections:", "  section:", "has no parameter 'section'"),
        ("scope: [request]", "scope: [weekly]", "unknown scope"),
        ("summary:", "summary: one\nsummary:", "summary"),
    ],
)
def test_a_broken_rule_file_says_where(old: str, new: str, message: str) -> None:
    with pytest.raises(RuleError) as caught:
        read(GOOD.replace(old, new, 1), "mine.yaml")
    assert message in str(caught.value)
    assert caught.value.name == "mine.yaml"
    assert caught.value.line is not None


def test_no_module_outside_the_matchers_can_be_named() -> None:
    for name in ("os", "..cost", "promptlint.cost", "__init__", ""):
        with pytest.raises(RuleError):
            _ = Detect(name, {}, "mine.yaml").module


def test_what_shows_besides_must_be_named() -> None:
    rule = rulebook.load(examples=True).rule("PL501")
    alone = replace(rule, bad=(replace(rule.bad[0], besides=()),))
    assert [failure.why for failure in failures(alone)] == ["PL101 reported besides or instead"]
