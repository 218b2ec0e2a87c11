"""A slice of the mutation corpus on every run; `python -m tests.corpus` runs all of it."""

from __future__ import annotations

from random import Random

import pytest

from promptlint.readers import read
from promptlint.rulebook import load

from . import table
from .bases import PROFILES, Profile, base
from .cases import Case, build, sample
from .evaluate import Verdict, judge, related
from .harmless import Change
from .mutation import MUTATORS, Expected, Mutation, nothing
from .truth import source

SEED, PARTS = 7, 4


@pytest.fixture(scope="module")
def existing() -> set[str]:
    return {rule.code for rule in load().rules}


def wrong(verdicts: list[Verdict]) -> list[str]:
    return [f"{verdict.case}: {note}" for verdict in verdicts for note in verdict.notes]


@pytest.mark.parametrize("part", range(PARTS))
def test_slice(part: int, existing: set[str]) -> None:
    verdicts = [judge(case, existing) for case in sample(SEED)[part::PARTS]]
    found = table.scores(verdicts)
    notes = "\n".join(wrong(verdicts))
    assert {code: score.recall for code, score in found.items() if score.recall < 0.98} == {}, notes
    assert {code: score.precision for code, score in found.items() if score.precision < 0.98} == {}, notes
    assert {code: score.first for code, score in found.items() if score.first < 1} == {}, notes
    assert {code: score.repair for code, score in found.items() if (score.repair or 1) < 1} == {}, notes


def test_every_rule_that_a_pair_can_show_has_a_mutator(existing: set[str]) -> None:
    pairs = {code for code in existing if code[2] in "123456" or code == "PL901"} - set(table.ELSEWHERE)
    planted = set(MUTATORS) | {"PL501"}
    assert pairs <= planted
    assert planted <= existing, "rules that do not exist yet"


def test_the_corpus_is_large_enough_and_the_same_every_time() -> None:
    cases = build(SEED, 1)
    again = {case.name: case for case in build(SEED, 1, ("clinic", "grading"))}
    same = [case for case in cases if case.name in again and case.mutations]
    assert len(same) > 60
    assert all(case.pair() == again[case.name].pair() for case in same[::7])
    company = sum(len(case.mutations) > 1 for case in cases)
    bad = sum(bool(case.mutations) for case in cases)
    assert 3 * company >= bad
    assert len(cases) - bad == bad
    requests = [profile for profile in PROFILES if profile.wire != "text"]
    assert len(requests) >= 12
    assert {profile.wire for profile in requests} >= {
        "anthropic",
        "openai-chat",
        "openai-responses",
        "gemini",
        "bedrock",
    }


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_base_requests_are_read_as_what_they_are_and_clean(profile: Profile) -> None:
    found = base(profile.name, SEED)
    case = Case("growth", found, change=Change("growth" if found.after.messages else "text appended", "1"))
    prompt = read(source(case.pair()[1]))
    assert prompt.wire == profile.wire
    markers = sum(component.breakpoint is not None for component in prompt.components)
    assert markers == (0 if profile.marks is None else 3 if profile.provider == "dashscope" else 4)
    assert judge(case, set()).notes == []


def test_a_repaired_request_is_the_one_without_the_cause() -> None:
    for case in build(SEED, 1, ("support-desk",)):
        if len(case.mutations) == 1 and not case.mutations[0].static:
            broken, mended = case.pair(), case.pair(frozenset({0}))
            assert broken[1].text != mended[1].text, case.name
            assert broken[0].text == mended[0].text, case.name


@pytest.fixture
def clock_case() -> Case:
    found = base("travel-desk", SEED)
    mutation = next(
        made for turn in range(20) if (made := MUTATORS["PL101"][0](found, Random(turn))) and "s0" in made.zones[0]
    )
    return Case("clock", found, (mutation,))


def test_a_right_report_is_right(clock_case: Case, existing: set[str]) -> None:
    verdict = judge(clock_case, existing)
    assert (verdict.notes, verdict.false) == ([], [])
    assert [(cause.code, cause.found, cause.first, cause.repair) for cause in verdict.causes] == [
        ("PL101", True, True, True)
    ]


def test_what_is_not_reported_lowers_recall(clock_case: Case, existing: set[str]) -> None:
    (clock,) = clock_case.mutations
    other = Mutation(clock.kind, (Expected("PL102", clock.expected[0].where),), clock.bad, clock.good)
    verdict = judge(Case("other", clock_case.base, (other,)), existing)
    score = table.scores([verdict])
    assert (score["PL102"].recall, score["PL101"].precision) == (0.0, 0.0)


def test_a_report_at_another_place_is_wrong(clock_case: Case, existing: set[str]) -> None:
    (clock,) = clock_case.mutations
    other = Mutation(clock.kind, (Expected("PL101", "m0.0"),), clock.bad, clock.good)
    verdict = judge(Case("other", clock_case.base, (other,)), existing)
    assert (verdict.causes[0].found, verdict.false) == (False, ["PL101"])


def test_a_repair_that_does_not_hold_is_noticed(clock_case: Case, existing: set[str]) -> None:
    (clock,) = clock_case.mutations
    stubborn = Mutation(clock.kind, clock.expected, clock.bad, clock.bad, early=clock.good)
    verdict = judge(Case("stubborn", clock_case.base, (stubborn,)), existing)
    assert verdict.causes[0].repair is False
    assert "PL101" in verdict.false, "reported when all is repaired"


def test_cases_of_missing_rules_are_counted_and_not_judged(clock_case: Case, existing: set[str]) -> None:
    verdict = judge(clock_case, existing - {"PL101"})
    assert (verdict.missing, verdict.causes, verdict.false) == ({"PL101"}, [], [])


@pytest.mark.parametrize(
    ("one", "other", "right"),
    [
        ("messages[1]", "messages[1].content[0].text", True),
        ("messages[1]", "messages[10]", False),
        ("", "", True),
        ("", "system", False),
        ("system", "system[0].text", True),
    ],
)
def test_related_paths(one: str, other: str, right: bool) -> None:
    assert related(one, other) is right


def test_nothing_changes_nothing() -> None:
    request = base("tutor", SEED).after.copy()
    nothing(request)
    assert request == base("tutor", SEED).after
