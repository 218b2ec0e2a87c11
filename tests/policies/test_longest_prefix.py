"""The longest-prefix cache: numbers, the reason in words, uncertainty, expiry and capacity."""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.model.policy import CachePolicy, Fact, Marks, Matching, Reuse
from promptlint.model.prompt import Section
from promptlint.policies.longest_prefix import LongestPrefixCache
from promptlint.policies.radix import RadixTree
from promptlint.policies.slots import Slots
from promptlint.policies.structure import Held

POLICY = CachePolicy(
    id="generic",
    family="generic",
    matching=Matching.LONGEST_PREFIX,
    order=(Section.TOOLS, Section.SYSTEM, Section.MESSAGES),
    fact=Fact((), "2026-11-30"),
)
VLLM = replace(POLICY, family="vllm", block=16, last_token=True)
HOSTED = replace(POLICY, block=128, min_tokens=1024)


def ids(count: int, start: int = 0) -> array[int]:
    return array("I", range(start, start + count))


def parted(count: int, at: int) -> array[int]:
    """`count` ids, the first `at` of them those of `ids(count)`."""
    return ids(at) + ids(count - at, 1_000_000)


def pair(policy: CachePolicy, before: array[int], after: array[int], **marks: Any) -> Reuse:
    cache = LongestPrefixCache(policy)
    cache.store(before, Marks(), 0.0)
    return cache.lookup(after, Marks(**marks), 1.0)


@pytest.mark.parametrize(
    ("policy", "before", "after", "tokens", "why"),
    [
        (POLICY, ids(100), ids(100, 500), 0, "nothing shared"),
        (POLICY, ids(1500), parted(1500, 1190), 1190, "1,190 shared"),
        (POLICY, ids(1500), ids(1500), 1500, "all 1,500 shared"),
        (HOSTED, ids(1500), parted(1500, 1190), 1152, "1,190 shared, 1,152 after rounding to 128"),
        (HOSTED, ids(1500), parted(1500, 1152), 1152, "1,152 shared"),
        (HOSTED, ids(1500), ids(1500), 1408, "all 1,500 shared, 1,408 after rounding to 128"),
        (HOSTED, ids(1500), parted(1500, 1023), 0, "1,023 shared, below this provider's minimum of 1,024"),
        (HOSTED, ids(1500), parted(1500, 1024), 1024, "1,024 shared"),
        (replace(HOSTED, block=2048), ids(1500), ids(1500), 0, "all 1,500 shared, less than one block of 2,048"),
        (
            replace(POLICY, last_token=True),
            ids(300),
            ids(300),
            299,
            "all 300 shared, the last token is recomputed: an engine needs at least one new token",
        ),
        (
            VLLM,
            ids(2048),
            ids(2048),
            2032,
            "all 2,048 shared, the last block is recomputed: an engine needs at least one new token",
        ),
        (VLLM, ids(2050), ids(2050), 2048, "all 2,050 shared, 2,048 after rounding to 16"),
        (VLLM, ids(2048), ids(2049), 2048, "2,048 shared"),
    ],
)
def test_one_pair(policy: CachePolicy, before: array[int], after: array[int], tokens: int, why: str) -> None:
    reuse = pair(policy, before, after)
    assert (reuse.tokens, reuse.low, reuse.high, reuse.why) == (tokens, tokens, tokens, why)
    assert not reuse.notes


def test_a_rounding_that_is_not_confirmed_leaves_a_range() -> None:
    reuse = pair(replace(HOSTED, block_status="unconfirmed (empirical)"), ids(1500), parted(1500, 1190))
    assert (reuse.low, reuse.tokens, reuse.high) == (1152, 1152, 1190)
    assert reuse.notes == ("rounding to 128 is not confirmed: the high end is without it",)


def test_a_rounding_that_is_not_documented_leaves_a_range() -> None:
    reuse = pair(replace(POLICY, block_status="undocumented"), ids(5000), parted(5000, 4500))
    assert (reuse.low, reuse.tokens, reuse.high) == (4096, 4500, 4500)
    assert reuse.notes == ("how this provider rounds is not documented: the low end is for blocks of 2,048",)


@pytest.mark.parametrize(("shared", "low"), [(1500, 0), (2048, 2048), (1000, 0)])
def test_minimums_on_which_sources_disagree_leave_a_range(shared: int, low: int) -> None:
    reuse = pair(replace(HOSTED, min_tokens_high=2048), ids(3000), parted(3000, shared))
    assert reuse.low == low
    assert bool(reuse.notes) == (1024 <= shared < 2048)


def test_near_a_minimum_estimated_counts_leave_a_range() -> None:
    reuse = pair(HOSTED, ids(1500), parted(1500, 1000), exact=False)
    assert (reuse.low, reuse.tokens, reuse.high) == (0, 0, 896)
    assert reuse.notes == ("near this provider's minimum of 1,024, token counts are estimates",)


def test_a_setting_parts_prompts_from_its_position_on() -> None:
    reuse = pair(POLICY, ids(300), ids(300), keys=((200, "tool_choice", '"auto"'),))
    assert (reuse.tokens, reuse.why) == (200, "200 shared")
    assert pair(POLICY, ids(300), ids(300), keys=((0, "model", "x"),)).why == "nothing shared"


def test_an_entry_expires_and_a_read_renews_it() -> None:
    cache = LongestPrefixCache(replace(POLICY, ttl_default=300))
    cache.store(ids(100), Marks(), 0.0)
    assert cache.lookup(ids(100), Marks(), 300.0).tokens == 100
    assert cache.lookup(ids(100), Marks(), 600.0).tokens == 100
    reuse = cache.lookup(ids(100), Marks(), 901.0)
    assert (reuse.tokens, reuse.high, reuse.why) == (0, 0, "100 shared, but expired after 5 minutes")


def test_a_read_renews_only_what_it_reads() -> None:
    cache = LongestPrefixCache(replace(POLICY, ttl_default=300))
    cache.store(ids(100), Marks(), 0.0)
    assert cache.lookup(parted(100, 40), Marks(), 200.0).tokens == 40
    reuse = cache.lookup(ids(100), Marks(), 400.0)
    assert (reuse.tokens, reuse.expired) == (40, 60)
    assert reuse.why == "40 shared; 60 more expired after 5 minutes"


def test_a_lifetime_counts_from_the_writing_where_reads_do_not_renew() -> None:
    cache = LongestPrefixCache(replace(POLICY, ttl_default=300, ttl_refreshed=False))
    cache.store(ids(100), Marks(), 0.0)
    cache.store(ids(100), Marks(), 200.0)
    assert cache.lookup(ids(100), Marks(), 300.0).tokens == 100
    assert cache.lookup(ids(100), Marks(), 301.0).tokens == 0
    cache.store(ids(100), Marks(), 302.0)
    assert cache.lookup(ids(100), Marks(), 600.0).tokens == 100


def test_a_lifetime_that_is_a_lower_bound_leaves_a_range() -> None:
    cache = LongestPrefixCache(replace(POLICY, ttl_default=300, ttl_minimum=True))
    cache.store(ids(100), Marks(), 0.0)
    reuse = cache.lookup(ids(100), Marks(), 301.0)
    assert (reuse.low, reuse.tokens, reuse.high) == (0, 0, 100)
    assert reuse.notes == ("5 minutes is the shortest lifetime here: up to 100 tokens may still be there",)


@pytest.mark.parametrize(
    ("policy", "capacity"),
    [
        (VLLM, 11),
        (replace(POLICY, family="llama.cpp"), 1),
        (replace(VLLM, family="sglang", block=None), 160),
        (VLLM, None),
    ],
)
def test_what_does_not_fit_is_evicted(policy: CachePolicy, capacity: int | None) -> None:
    cache = LongestPrefixCache(policy, capacity)
    cache.store(ids(100), Marks(), 0.0)
    assert cache.lookup(ids(101), Marks(), 1.0).tokens >= 96
    cache.store(ids(160, 5000), Marks(), 2.0)
    assert (cache.lookup(ids(101), Marks(), 3.0).tokens == 0) == (capacity is not None)


def test_a_structure_takes_the_place_of_the_family_s() -> None:
    cache = LongestPrefixCache(POLICY, structure=Slots(2))
    for start in (0, 1000, 2000):
        cache.store(ids(100, start), Marks(), 0.0)
    assert [cache.lookup(ids(100, start), Marks(), 1.0).tokens for start in (0, 1000, 2000)] == [0, 100, 100]


@pytest.mark.parametrize("policy", [POLICY, VLLM, HOSTED])
def test_empty_prompts(policy: CachePolicy) -> None:
    cache = LongestPrefixCache(policy)
    for capacity in (None, 8):
        cache = LongestPrefixCache(policy, capacity)
        assert cache.lookup(array("I"), Marks(), 0.0).tokens == 0
        cache.store(array("I"), Marks(), 0.0)
        assert cache.lookup(array("I"), Marks(), 0.0).why == "nothing shared"


SEQUENCES = st.lists(st.lists(st.integers(0, 3), max_size=12).map(lambda tokens: array("I", tokens)), max_size=12)


@given(SEQUENCES, st.sampled_from([1, 2, 3]))
def test_a_tree_holds_the_longest_prefix_of_anything_stored(sequences: list[array[int]], page: int) -> None:
    tree = RadixTree(page)
    for number, sequence in enumerate(sequences):
        shared = 0
        for earlier in sequences[:number]:
            whole = earlier[: len(earlier) // page * page]
            length = next((at for at in range(len(whole)) if whole[at : at + 1] != sequence[at : at + 1]), len(whole))
            shared = max(shared, length // page * page)
        assert tree.match(sequence) == Held(shared)
        tree.request(sequence)


@given(SEQUENCES, st.integers(1, 20))
def test_a_tree_stays_within_its_capacity(sequences: list[array[int]], capacity: int) -> None:
    tree = RadixTree(1, capacity)
    for sequence in sequences:
        assert (tree.request(sequence) is None) == (len(sequence) > capacity)
        assert tree.size <= capacity


@given(SEQUENCES)
def test_reuse_is_within_its_range_and_never_more_than_shared(sequences: list[array[int]]) -> None:
    policy = replace(POLICY, block=2, block_status="unconfirmed", min_tokens=3, min_tokens_high=5, last_token=True)
    cache = LongestPrefixCache(policy)
    for sequence in sequences:
        reuse = cache.lookup(sequence, Marks(), 0.0)
        assert 0 <= reuse.low <= reuse.tokens <= reuse.high <= max(0, len(sequence) - 1)
        cache.store(sequence, Marks(), 0.0)
