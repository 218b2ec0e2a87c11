"""The labelled corpus of source code: what is marked is reported, and nothing else."""

from __future__ import annotations

from collections import Counter

import pytest
from corpus_reader import SUFFIXES, Snippet, snippets

ALL = [each for language in SUFFIXES for each in snippets(language)]

# Rules that have nothing to find in a language: there tables keep the order of insertion, or are serialised sorted.
ABSENT = {("typescript", "PL202"), ("typescript", "PL204"), ("go", "PL202"), ("go", "PL204")}


@pytest.mark.parametrize("each", ALL, ids=str)
def test_what_is_marked_is_what_is_reported(each: Snippet) -> None:
    findings = each.findings()
    assert [finding.code for finding in findings if finding.code != each.rule] == []
    assert each.places(findings) == each.marked


def test_every_rule_has_three_bad_and_three_good_snippets_in_every_language() -> None:
    counts = Counter((each.language, each.rule, each.bad) for each in ALL)
    rules = {each.rule for each in ALL}
    short = {
        (language, rule)
        for language in SUFFIXES
        for rule in rules
        if min(counts[language, rule, True], counts[language, rule, False]) < 3
    }
    assert short == ABSENT


def test_bad_snippets_have_marks_and_good_ones_have_none() -> None:
    assert [str(each) for each in ALL if each.bad != bool(each.marked)] == []
