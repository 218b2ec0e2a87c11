"""Breakpoint caches rule by rule, on both sides of each number."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace

import pytest

from promptlint.model.policy import Block, CachePolicy, Fact, Marks, Matching, Reuse
from promptlint.model.prompt import Section
from promptlint.policies import cache_for
from promptlint.policies.breakpoint import BreakpointCache

ORDER = (Section.TOOLS, Section.SYSTEM, Section.MESSAGES)
FACT = Fact(("https://example.org",), "2026-11-30")
CLAUDE = CachePolicy(
    id="x",
    family="x",
    matching=Matching.BREAKPOINT,
    order=ORDER,
    fact=FACT,
    min_tokens=1024,
    breakpoints_max=4,
    lookback_blocks=20,
    lookback_runs=True,
    ttl_default=300,
    ttl_options=(300, 3600),
)
GPT = replace(
    CLAUDE,
    lookback_blocks=None,
    lookback_runs=False,
    breakpoints_overflow="latest",
    lookups_max=80,
    implicit_breakpoints=True,
    ttl_default=1800,
    ttl_minimum=True,
)
IDS = array("I", range(1, 30_001))


def marks(
    ends: Sequence[int],
    marked: Sequence[int] = (),
    *,
    ttl: int = 300,
    runs: dict[int, str] | None = None,
    eligible: Sequence[int] = (),
    exact: bool = True,
) -> Marks:
    """Blocks that end at `ends`; `marked` and `eligible` name some of them by their end."""
    blocks = tuple(
        Block(
            end,
            Section.MESSAGES,
            f"messages[{index}]",
            ttl if end in marked else None,
            (runs or {}).get(end, ""),
            end in eligible,
        )
        for index, end in enumerate(ends)
    )
    return Marks(blocks, exact=exact)


def reuse(
    policy: CachePolicy,
    first: Marks,
    second: Marks,
    *,
    before: array[int] = IDS,
    after: array[int] = IDS,
    seconds: float = 0,
) -> Reuse:
    cache = BreakpointCache(policy)
    cache.store(before, first, 0)
    return cache.lookup(after, second, seconds)


def edited(at: int) -> array[int]:
    ids = IDS[:]
    ids[at] = 99_999
    return ids


def thousands(last: int) -> list[int]:
    return list(range(1000, last + 1, 1000))


def test_dispatch() -> None:
    assert isinstance(cache_for(CLAUDE), BreakpointCache)


def test_hit_exactly_where_it_was_written() -> None:
    ends = thousands(30_000)
    found = reuse(CLAUDE, marks(ends, [20_000, 30_000]), marks(ends, [20_000, 30_000]), after=edited(25_354))
    assert (found.tokens, found.low, found.high) == (20_000, 20_000, 20_000)
    assert found.why == "25,354 shared, 20,000 up to the last breakpoint written before token 25,354"
    assert found.written == 10_000


def test_the_highest_hit_wins() -> None:
    ends = thousands(30_000)
    found = reuse(CLAUDE, marks(ends, [20_000, 29_000]), marks(ends, [20_000, 30_000]))
    assert found.tokens == 29_000


def test_a_long_shared_prefix_alone_is_no_hit() -> None:
    ends = thousands(30_000)
    found = reuse(CLAUDE, marks(ends, [30_000]), marks(ends, [30_000]), after=edited(354))
    assert (found.tokens, found.why) == (0, "no breakpoint was written before token 354")
    assert found.written == 30_000


def test_without_any_marker() -> None:
    found = reuse(CLAUDE, marks(thousands(30_000)), marks(thousands(30_000)))
    assert (found.tokens, found.why, found.written) == (0, "no breakpoint was written before token 30,000", 0)


def test_marker_dropped_in_the_second_request() -> None:
    found = reuse(CLAUDE, marks(thousands(30_000), [30_000]), marks(thousands(30_000)))
    assert (found.tokens, found.why) == (0, "this request has no cache marker, so nothing is looked up")


@pytest.mark.parametrize(("end", "tokens"), [(1023, 0), (1024, 1024), (1025, 1025)])
def test_minimum(end: int, tokens: int) -> None:
    found = reuse(CLAUDE, marks([end, 30_000], [end]), marks([end, 30_000], [end]))
    assert (found.tokens, found.written) == (tokens, 0)
    if not tokens:
        assert found.why.endswith("below this model's 1,024")


@pytest.mark.parametrize(("end", "written"), [(1023, 0), (1024, 1024)])
def test_nothing_is_written_below_the_minimum(end: int, written: int) -> None:
    assert BreakpointCache(CLAUDE).lookup(IDS, marks([end], [end]), 0).written == written


@pytest.mark.parametrize(("positions", "tokens"), [(20, 2000), (21, 0), (36, 0)])
def test_lookback_counts_the_breakpoint_as_the_first(positions: int, tokens: int) -> None:
    ends = list(range(2000, 2000 + positions * 10, 10))
    found = reuse(CLAUDE, marks(ends[:1], [2000]), marks(ends, [ends[-1]]), before=IDS[:2000], after=IDS[: ends[-1]])
    assert found.tokens == tokens
    if not tokens:
        expected = f"the last written breakpoint (token 2,000) lies {positions} positions back, "
        assert found.why == expected + "this provider looks back 20"


def test_lookback_resumes_at_each_marker() -> None:
    ends = list(range(2000, 2400, 10))
    middle = ends[19]
    assert reuse(CLAUDE, marks(ends, [2000]), marks(ends, [middle, ends[-1]])).tokens == 2000
    assert reuse(CLAUDE, marks(ends, [2000]), marks(ends, [ends[20], ends[-1]])).tokens == 0


@pytest.mark.parametrize(("counted", "tokens"), [(True, 2000), (False, 0)])
def test_a_run_of_calls_or_results_is_one_position(counted: bool, tokens: int) -> None:
    ends = list(range(2000, 2310, 10))  # 2000, 15 calls, 15 results
    runs = dict.fromkeys(ends[1:16], "tool_use") | dict.fromkeys(ends[16:], "tool_result")
    policy = replace(CLAUDE, lookback_runs=counted)
    assert reuse(policy, marks(ends, [2000]), marks(ends, [ends[-1]], runs=runs)).tokens == tokens


@pytest.mark.parametrize(("texts", "tokens"), [(17, 2000), (18, 0)])
def test_a_run_counts_once_and_not_less(texts: int, tokens: int) -> None:
    ends = list(range(2000, 2000 + 10 * (texts + 9), 10))  # 2000, the texts, 4 calls, 4 results
    runs = dict.fromkeys(ends[-8:-4], "tool_use") | dict.fromkeys(ends[-4:], "tool_result")
    assert reuse(CLAUDE, marks(ends, [2000]), marks(ends, [ends[-1]], runs=runs)).tokens == tokens


def test_text_between_calls_ends_a_run() -> None:
    ends = list(range(2000, 2410, 10))
    runs = dict.fromkeys(ends[1::2], "tool_use")  # call, text, call, text, …
    assert reuse(CLAUDE, marks(ends, [2000]), marks(ends, [ends[-1]], runs=runs)).tokens == 0


def test_an_entry_behind_the_last_marker_or_inside_a_block() -> None:
    behind = reuse(CLAUDE, marks([2000, 5000], [5000]), marks([2000, 5000], [2000]))
    assert (behind.tokens, behind.why) == (
        0,
        "the last written breakpoint (token 5,000) lies behind the last marker of this request",
    )
    inside = reuse(CLAUDE, marks([2000, 5000], [2000]), marks([5000], [5000]))
    assert (inside.tokens, inside.why) == (0, "the last written breakpoint (token 2,000) ends no block here")


@pytest.mark.parametrize(("count", "tokens"), [(4, 10_000), (5, 0)])
def test_more_markers_than_allowed_are_refused(count: int, tokens: int) -> None:
    ends = thousands(30_000)
    five = [10_000, 15_000, 20_000, 25_000, 30_000][:count]
    later = reuse(CLAUDE, marks(ends, [10_000]), marks(ends, five), after=edited(12_000))
    assert later.tokens == tokens
    earlier = reuse(CLAUDE, marks(ends, five), marks(ends, [10_000]), after=edited(12_000))
    assert earlier.tokens == tokens
    if not tokens:
        assert later.why == "this request has 5 cache markers, this provider takes 4 and refuses more"
        assert later.written == 0
        assert earlier.why.startswith("the earlier request has 5 cache markers")
        assert earlier.why.endswith("nothing was written")


def test_more_markers_than_allowed_where_only_the_latest_count() -> None:
    ends = thousands(30_000)
    policy = replace(CLAUDE, breakpoints_overflow="latest")
    five = [10_000, 15_000, 20_000, 25_000, 30_000]
    assert reuse(policy, marks(ends, five), marks(ends, [10_000])).tokens == 0
    assert reuse(policy, marks(ends, five), marks(ends, [15_000])).tokens == 15_000
    assert reuse(policy, marks(ends, [10_000]), marks(ends, five), after=edited(10_001)).tokens == 10_000
    fine = list(range(2000, 3000, 10))
    far = [2000, 2400, 2600, 2800, 2990]  # from 2,400 the look-back ends at 2,210
    assert reuse(policy, marks(fine, [2000]), marks(fine, far)).tokens == 0
    assert reuse(policy, marks(fine, [2000]), marks(fine, far[:4])).tokens == 2000


@pytest.mark.parametrize(("seconds", "tokens"), [(0, 2000), (300, 2000), (300.5, 0), (360, 0)])
def test_lifetime(seconds: float, tokens: int) -> None:
    found = reuse(CLAUDE, marks([2000], [2000]), marks([2000], [2000]), seconds=seconds)
    assert (found.tokens, found.high, found.expired) == (tokens, tokens, 2000 - tokens)


def test_lifetime_in_words() -> None:
    found = reuse(CLAUDE, marks([2000], [2000]), marks([2000], [2000]), seconds=360)
    assert found.why == "the entry written 6 minutes ago expired after 5 minutes"


@pytest.mark.parametrize(("seconds", "tokens"), [(3600, 2000), (3601, 0)])
def test_lifetime_of_the_marker(seconds: float, tokens: int) -> None:
    first = marks([2000], [2000], ttl=3600)
    assert reuse(CLAUDE, first, marks([2000], [2000]), seconds=seconds).tokens == tokens


@pytest.mark.parametrize(("refreshed", "tokens"), [(True, 2000), (False, 0)])
def test_a_hit_refreshes(refreshed: bool, tokens: int) -> None:
    cache = BreakpointCache(replace(CLAUDE, ttl_refreshed=refreshed))
    cache.store(IDS, marks([2000, 5000], [2000]), 0)
    cache.store(IDS, marks([2000, 5000], [5000]), 200)  # reads 2,000, writes 5,000
    found = cache.lookup(IDS, marks([2000, 5000], [2000]), 450)
    assert found.tokens == tokens
    late = cache.lookup(IDS, marks([2000, 5000], [2000]), 501)
    assert late.tokens == 0
    if refreshed:
        assert "5,000" in late.why  # the longest entry that is missed is the one explained


@pytest.mark.parametrize(("refreshed", "tokens"), [(True, 2000), (False, 0)])
def test_marking_again_refreshes_only_where_hits_do(refreshed: bool, tokens: int) -> None:
    cache = BreakpointCache(replace(CLAUDE, ttl_refreshed=refreshed))
    cache.store(IDS, marks([2000], [2000]), 0)
    cache.store(IDS, marks([2000], [2000]), 200)
    assert cache.lookup(IDS, marks([2000], [2000]), 450).tokens == tokens


def test_every_marked_entry_is_refreshed_not_only_the_longest() -> None:
    cache = BreakpointCache(CLAUDE)
    for seconds in (0, 200):
        cache.store(IDS, marks([2000, 5000], [2000, 5000]), seconds)
    assert cache.lookup(IDS, marks([2000, 5000], [2000]), 450).tokens == 2000


@pytest.mark.parametrize("refreshed", [True, False])
def test_an_expired_entry_is_written_anew_with_its_new_lifetime(refreshed: bool) -> None:
    cache = BreakpointCache(replace(CLAUDE, ttl_refreshed=refreshed))
    cache.store(IDS, marks([2000], [2000], ttl=3600), 0)
    cache.store(IDS, marks([2000], [2000], ttl=300), 4000)
    assert cache.lookup(IDS, marks([2000], [2000]), 4300).tokens == 2000
    assert cache.lookup(IDS, marks([2000], [2000]), 4301).tokens == 0


def test_a_shorter_marker_does_not_shorten_an_entry() -> None:
    cache = BreakpointCache(CLAUDE)
    cache.store(IDS, marks([2000], [2000], ttl=3600), 0)
    cache.store(IDS, marks([2000], [2000], ttl=300), 10)
    assert cache.lookup(IDS, marks([2000], [2000]), 3610).tokens == 2000


def test_the_age_of_an_entry_counts_from_its_last_use() -> None:
    cache = BreakpointCache(CLAUDE)
    cache.store(IDS, marks([2000, 5000], [2000]), 0)
    cache.store(IDS, marks([2000, 5000], [5000]), 240)
    found = cache.lookup(edited(3000), marks([2000, 5000], [2000]), 600)
    assert found.why == "the entry last used 6 minutes ago expired after 5 minutes"


def test_lookup_changes_nothing() -> None:
    cache = BreakpointCache(CLAUDE)
    cache.store(IDS, marks([2000], [2000]), 0)
    cache.lookup(IDS, marks([2000], [2000]), 200)
    assert cache.lookup(IDS, marks([2000], [2000]), 450).tokens == 0


def test_settings_split_the_cache_from_their_level_on() -> None:
    ends = [2000, 5000]
    plain, thinking = marks(ends, ends), replace(marks(ends, ends), keys=((3000, "thinking", "{}"),))
    found = reuse(CLAUDE, plain, thinking)
    assert (found.tokens, found.why) == (
        2000,
        "3,000 shared, 2,000 up to the last breakpoint written before token 3,000",
    )
    assert reuse(CLAUDE, thinking, thinking).tokens == 5000
    model = replace(plain, keys=((0, "model", '"other"'),))
    assert (reuse(CLAUDE, plain, model).tokens, reuse(CLAUDE, model, model).tokens) == (0, 5000)


@pytest.mark.parametrize(
    ("end", "bounds"),
    [
        (869, (0, 0, 0)),
        (870, (0, 0, 870)),
        (1023, (0, 0, 1023)),
        (1024, (0, 1024, 1024)),
        (1177, (0, 1177, 1177)),
        (1178, (1178, 1178, 1178)),
    ],
)
def test_estimates_near_the_minimum_give_a_range(end: int, bounds: tuple[int, int, int]) -> None:
    estimated = marks([end, 5000], [end], exact=False)
    found = reuse(CLAUDE, estimated, estimated)
    assert (found.low, found.tokens, found.high) == bounds
    assert bool(found.notes) is (found.low != found.high)
    if found.notes:
        assert found.notes[0].startswith("near this model's minimum of 1,024, token counts are estimates")


def test_a_minimum_on_which_sources_disagree_gives_a_range() -> None:
    policy = replace(CLAUDE, min_tokens_high=2048)
    for end, low in ((2047, 0), (2048, 2048)):
        found = reuse(policy, marks([end], [end]), marks([end], [end]))
        assert (found.low, found.tokens, found.high) == (low, end, end)


def test_implicit_breakpoint_at_the_latest_eligible_block() -> None:
    first = marks([2000, 5000], eligible=[2000, 5000])
    assert reuse(GPT, first, marks([2000, 5000, 6000], eligible=[2000, 5000, 6000])).tokens == 5000
    missed = reuse(GPT, first, marks([2000, 5000], eligible=[2000]))
    assert (missed.tokens, missed.why) == (
        0,
        "the last written breakpoint (token 5,000) is no breakpoint of this request, "
        "and this provider looks nowhere else",
    )
    assert reuse(GPT, first, marks([2000], eligible=[2000]), after=IDS[:2000]).tokens == 0  # only the latest is written


def test_the_implicit_breakpoint_takes_one_of_four_slots() -> None:
    ends = thousands(10_000)
    four = [1000 * n for n in (2, 3, 4, 5)]
    first = marks(ends, four, eligible=[10_000])
    for end, tokens in ((2000, 0), (3000, 3000)):
        assert reuse(GPT, first, marks(ends, [end]), after=edited(9_500)).tokens == tokens
    explicit_only = marks(ends, four)
    assert reuse(GPT, explicit_only, marks(ends, [2000]), after=edited(9_500)).tokens == 2000


@pytest.mark.parametrize(("later", "tokens"), [(79, 2000), (80, 0)])
def test_only_the_latest_breakpoints_are_looked_at(later: int, tokens: int) -> None:
    ends = list(range(2000, 2000 + 10 * (later + 1), 10))
    found = reuse(GPT, marks([2000], [2000]), marks(ends, ends), before=IDS[:2000])
    assert found.tokens == tokens


@pytest.mark.parametrize(("seconds", "tokens"), [(1800, 2000), (1801, 0)])
def test_a_least_lifetime_leaves_the_upper_bound(seconds: int, tokens: int) -> None:
    found = reuse(GPT, marks([2000], eligible=[2000]), marks([2000], eligible=[2000]), seconds=seconds)
    assert (found.tokens, found.low, found.high) == (tokens, tokens, 2000)
    assert bool(found.notes) is (tokens == 0)


def test_an_empty_cache() -> None:
    found = BreakpointCache(CLAUDE).lookup(IDS, marks([2000, 5000], [2000, 5000]), 0)
    assert (found.tokens, found.written) == (0, 5000)
