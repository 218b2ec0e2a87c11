"""What follows from the mechanism itself, for every policy of every family."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptlint import providers
from promptlint.model.common import common_prefix
from promptlint.model.policy import Block, CachePolicy, Marks, Matching, Reuse
from promptlint.model.prompt import Section
from promptlint.policies import cache_for

POLICIES = providers.all_policies()
every_policy = pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.id)

TOTAL = 30_000
IDS = array("I", range(1, TOTAL + 1))


def marked_at(policy: CachePolicy, end: int, total: int, step: int = 5_000) -> Marks:
    """Blocks of `step` tokens and one that ends at `end`, which is marked; the last ends a user message."""
    ends = sorted({*range(step, total, step), end, total})
    blocks = tuple(
        Block(
            at,
            Section.MESSAGES,
            "",
            marked=300 if at == end else None,
            eligible=policy.implicit_breakpoints and at == total,
        )
        for at in ends
    )
    return Marks(blocks)


def reuse(policy: CachePolicy, before: array[int], after: array[int], mark: int) -> Reuse:
    cache = cache_for(policy)
    cache.store(before, marked_at(policy, mark, len(before)), 0)
    return cache.lookup(after, marked_at(policy, mark, len(after)), 1)


def edited(ids: array[int], at: int) -> array[int]:
    changed = ids[:]
    changed[at] = 77_777
    return changed


def blocks_below(policy: CachePolicy, tokens: int) -> int:
    return tokens // (policy.block or 1) * (policy.block or 1)


@every_policy
def test_an_edit_at_token_12_leaves_at_most_12(policy: CachePolicy) -> None:
    found = reuse(policy, IDS, edited(IDS, 12), 29_000)
    assert found.tokens <= found.high <= 12


@every_policy
def test_an_edit_at_the_last_token_leaves_what_lies_before_it(policy: CachePolicy) -> None:
    found = reuse(policy, IDS, edited(IDS, TOTAL - 1), 29_000)
    if policy.matching is Matching.BREAKPOINT:
        assert (found.tokens, found.high) == (29_000, 29_000)
    elif policy.matching is Matching.LONGEST_PREFIX:
        assert found.tokens == blocks_below(policy, TOTAL - 1)
    else:
        assert (found.tokens, found.high) == (0, blocks_below(policy, TOTAL - 1))


@every_policy
def test_an_appended_turn_costs_only_its_own_tokens(policy: CachePolicy) -> None:
    found = reuse(policy, IDS, IDS + array("I", [88_888] * 1_000), 29_000)
    expected = blocks_below(policy, TOTAL)
    if policy.matching is Matching.BREAKPOINT:
        expected = 29_000
    elif policy.matching is Matching.LEARNED_UNITS:
        expected = TOTAL
    assert found.tokens == expected


@every_policy
def test_a_prepended_token_leaves_nothing(policy: CachePolicy) -> None:
    found = reuse(policy, IDS, array("I", [88_888]) + IDS, 29_000)
    assert (found.tokens, found.high) == (0, 0)


@every_policy
def test_an_empty_cache_and_an_empty_prompt(policy: CachePolicy) -> None:
    assert cache_for(policy).lookup(IDS, marked_at(policy, 29_000, TOTAL), 0).tokens == 0
    cache = cache_for(policy)
    cache.store(IDS, marked_at(policy, 29_000, TOTAL), 0)
    cache.store(array("I"), Marks(), 0)
    assert cache.lookup(array("I"), Marks(), 0).tokens == 0


@every_policy
def test_another_model_shares_nothing(policy: CachePolicy) -> None:
    assert any(invalidator.setting in ("model", "modelId") for invalidator in policy.invalidators)
    plain = marked_at(policy, 29_000, TOTAL)
    cache = cache_for(policy)
    cache.store(IDS, Marks(plain.blocks, ((0, "model", '"a"'),)), 0)
    assert cache.lookup(IDS, Marks(plain.blocks, ((0, "model", '"b"'),)), 0).high == 0
    assert cache.lookup(IDS, Marks(plain.blocks, ((0, "model", '"a"'),)), 0).tokens >= 29_000 - (policy.block or 1)


@every_policy
@settings(max_examples=15)
@given(
    edits=st.lists(st.integers(0, 8_999), min_size=1, max_size=3),
    cut=st.integers(0, 9_000),
    mark=st.integers(1, 9_000),
    seconds=st.integers(0, 100_000),
    exact=st.booleans(),
)
def test_reusable_is_never_more_than_shared(
    policy: CachePolicy, edits: Sequence[int], cut: int, mark: int, seconds: int, exact: bool
) -> None:
    before = IDS[:9_000]
    after = before[:]
    for at in edits:
        after[at] += 100_000
    after = after[:cut] + array("I", [55_555] * (9_000 - cut))
    request = Marks(marked_at(policy, mark, 9_000, 500).blocks, exact=exact)
    cache = cache_for(policy)
    cache.store(before, request, 0)
    found = cache.lookup(after, request, seconds)
    assert 0 <= found.low <= found.tokens <= found.high <= common_prefix(before, after)
    assert found.why
