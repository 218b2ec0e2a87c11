"""Learned units: the provider's documented example, and each bound."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint import providers
from promptlint.model.common import common_prefix
from promptlint.model.policy import Marks
from promptlint.policies.learned_units import LearnedUnitsCache

POLICY = providers.policies("deepseek")[0]
NONE = Marks()


def prompt(*parts: tuple[int, int]) -> array[int]:
    """Parts of (id, length)."""
    return array("I", [token for token, length in parts for _ in range(length)])


def test_the_documented_example() -> None:
    cache = LearnedUnitsCache(POLICY)
    start = (1, 1000)
    cache.store(prompt(start, (2, 500)), NONE, 0)
    second = cache.lookup(prompt(start, (3, 500)), NONE, 1)
    assert (second.tokens, second.low, second.high) == (0, 0, 960)
    assert second.why.startswith("1,000 shared, but no unit ends there")
    assert second.notes == ("units at fixed intervals (64 tokens, unconfirmed) may hold up to 960 tokens",)
    cache.store(prompt(start, (3, 500)), NONE, 1)
    third = cache.lookup(prompt(start, (4, 500)), NONE, 2)
    assert (third.tokens, third.low, third.high) == (1000, 1000, 1000)
    assert third.why == "1,000 shared, all of them a stored unit"
    assert third.notes == ()


def test_growth_takes_the_whole_earlier_prompt() -> None:
    cache = LearnedUnitsCache(POLICY)
    cache.store(prompt((1, 1003)), NONE, 0)
    assert cache.lookup(prompt((1, 1003), (2, 50)), NONE, 1).tokens == 1003
    assert cache.lookup(prompt((1, 1002), (2, 50)), NONE, 1).tokens == 0


def test_the_longest_unit_that_matches_whole() -> None:
    cache = LearnedUnitsCache(POLICY)
    cache.store(prompt((1, 500)), NONE, 0)
    cache.store(prompt((1, 500), (2, 500)), NONE, 1)
    found = cache.lookup(prompt((1, 500), (2, 499), (3, 1)), NONE, 2)
    assert (found.tokens, found.high) == (500, 960)
    assert found.why == "999 shared, but the longest unit that is stored whole ends at token 500"


@pytest.mark.parametrize(("length", "tokens"), [(63, 0), (64, 64)])
def test_minimum(length: int, tokens: int) -> None:
    cache = LearnedUnitsCache(POLICY)
    cache.store(prompt((1, length)), NONE, 0)
    found = cache.lookup(prompt((1, length), (2, 10)), NONE, 1)
    assert (found.tokens, found.high) == (tokens, tokens)
    if not tokens:
        assert found.why == "63 shared, below this model's 64"


def test_intervals_smaller_than_the_minimum_hold_nothing() -> None:
    cache = LearnedUnitsCache(replace(POLICY, block=16))
    cache.store(prompt((1, 100)), NONE, 0)
    assert cache.lookup(prompt((1, 63), (2, 37)), NONE, 1).high == 0
    assert cache.lookup(prompt((1, 64), (2, 36)), NONE, 1).high == 64
    assert cache.lookup(prompt((1, 85), (2, 15)), NONE, 1).high == 80


def test_another_user_id_shares_nothing() -> None:
    cache = LearnedUnitsCache(POLICY)
    cache.store(prompt((1, 1000)), Marks(keys=((0, "user_id", '"a"'),)), 0)
    assert cache.lookup(prompt((1, 1000)), Marks(keys=((0, "user_id", '"b"'),)), 1).high == 0
    assert cache.lookup(prompt((1, 1000)), Marks(keys=((0, "user_id", '"a"'),)), 1).tokens == 1000


sequences = st.lists(st.integers(1, 2), min_size=60, max_size=70).map(lambda ids: array("I", [7] * 60 + ids))


@given(st.lists(sequences, max_size=6), sequences)
def test_against_the_rule_spelled_out(stored: list[array[int]], asked: array[int]) -> None:
    cache = LearnedUnitsCache(POLICY)
    units = set()
    for number, ids in enumerate(stored):
        cache.store(ids, NONE, number)
        ends = {len(ids), max((common_prefix(ids, other) for other in stored[:number]), default=0)}
        units |= {tuple(ids[:end]) for end in ends if end >= 64}
    expected = max((len(unit) for unit in units if tuple(asked[: len(unit)]) == unit), default=0)
    found = cache.lookup(asked, NONE, 9)
    shared = max((common_prefix(asked, ids) for ids in stored), default=0)
    assert found.tokens == expected
    assert found.low <= found.tokens <= found.high <= shared
