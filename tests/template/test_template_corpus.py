"""The labelled corpus of templates: what is marked is reported, and nothing else."""

from __future__ import annotations

from collections import Counter

import pytest
from template_snippets import SYNTAXES, Snippet, snippets

ALL = [each for syntax in SYNTAXES for each in snippets(syntax)]
# What they find needs a syntax with loops or filters.
FEW = {"PL109", "PL203", "PL705"}


@pytest.mark.parametrize("each", ALL, ids=str)
def test_what_is_marked_is_what_is_reported(each: Snippet) -> None:
    findings = each.findings()
    assert [(finding.code, finding.marked) for finding in findings if finding.code != each.rule] == []
    assert each.places(findings) == each.marked


def test_every_rule_has_three_bad_and_three_good_snippets_in_every_syntax() -> None:
    counts = Counter((each.syntax, each.rule, each.bad) for each in ALL)
    rules = {each.rule for each in ALL} - FEW
    short = {(s, r) for s in SYNTAXES for r in rules if min(counts[s, r, True], counts[s, r, False]) < 3}
    assert short == set()


def test_bad_snippets_have_marks_and_good_ones_have_none() -> None:
    assert [str(each) for each in ALL if each.bad != bool(each.marked)] == []
