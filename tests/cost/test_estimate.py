"""Recurring and one-off cost: exact money, prefill work, and the assumptions that go with them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.cost import kv_bytes, one_off, prefill_flops, prices_for, recurring, shape_for
from promptlint.cost.prices import Prices
from promptlint.model.errors import ConfigError
from promptlint.model.policy import CachePolicy, Fact, Matching
from promptlint.model.prompt import Section

AT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ANTHROPIC = CachePolicy(
    id="anthropic-opus-5",
    family="anthropic",
    matching=Matching.BREAKPOINT,
    order=tuple(Section),
    fact=Fact((), "2026-11-30"),
    ttl_default=300,
    read_multiplier=0.1,
    write_multipliers={300: 1.25, 3600: 2.0},
)
AUTOMATIC = replace(
    ANTHROPIC, id="auto", family="mistral", matching=Matching.LONGEST_PREFIX, ttl_default=None, write_multipliers={}
)
VLLM = replace(AUTOMATIC, id="vllm", family="vllm", hosted=False, read_multiplier=None)
OPUS = prices_for(ANTHROPIC, "claude-opus-5", 10_000, AT)


def listed(
    input_mtok: str = "4",
    read: str | None = "0.4",
    writes: Mapping[int, str] | None = None,
    notes: tuple[str, ...] = (),
) -> Prices:
    return Prices(
        input_mtok=Decimal(input_mtok),
        read_mtok=None if read is None else Decimal(read),
        writes_mtok={ttl: Decimal(price) for ttl, price in (writes or {}).items()},
        source="genai-prices 9.9",
        date="2026-11-09",
        notes=notes,
    )


def test_a_miss_pays_the_cache_write_instead_of_the_read() -> None:
    cost = recurring(ANTHROPIC, "claude-opus-5", 10_000, 2_000, prices=OPUS)
    assert cost.kind == "recurring"
    assert cost.tokens == 2_000
    assert cost.per_event == Decimal("0.0115")  # 2,000 × (6.25 − 0.50) / 1,000,000
    assert cost.per_day is None and cost.total is None
    assert (cost.price_source, cost.price_date) == (OPUS.source, OPUS.date) if OPUS else False


def test_a_longer_lifetime_pays_its_own_premium() -> None:
    cost = recurring(ANTHROPIC, "claude-opus-5", 10_000, 2_000, prices=OPUS, ttl=3600)
    assert cost.per_event == Decimal("0.019")  # 2,000 × (10.00 − 0.50) / 1,000,000
    assert any("lifetime 3,600 s" in line for line in cost.assumptions)


def test_without_a_premium_a_miss_pays_input() -> None:
    cost = recurring(AUTOMATIC, "m", 10_000, 2_000, prices=listed())
    assert cost.per_event == Decimal("0.0072")
    assert any("paid as input" in line for line in cost.assumptions)


def test_traffic_gives_a_day_and_nothing_else() -> None:
    cost = recurring(ANTHROPIC, "claude-opus-5", 10_000, 2_000, prices=OPUS, requests_per_day=1_500.5)
    assert cost.per_day == Decimal("17.25575")
    assert cost.total is None
    assert "Each of 1,500.5 requests a day loses these tokens." in cost.assumptions


def test_a_release_is_paid_once_a_warm_entry() -> None:
    cost = one_off(ANTHROPIC, "claude-opus-5", 10_000, 2_000, prices=OPUS, warm_entries=40)
    assert cost.kind == "one-off"
    assert (cost.per_event, cost.total) == (Decimal("0.0115"), Decimal("0.46"))
    assert cost.per_day is None
    unknown = one_off(ANTHROPIC, "claude-opus-5", 10_000, 2_000, prices=OPUS)
    assert (unknown.per_event, unknown.total) == (Decimal("0.0115"), None)
    assert any("number was not given" in line for line in unknown.assumptions)


def test_no_warm_entry_and_no_traffic_cost_nothing() -> None:
    assert one_off(ANTHROPIC, "claude-opus-5", 10, 2, prices=OPUS, warm_entries=0).total == 0
    assert recurring(ANTHROPIC, "claude-opus-5", 10, 2, prices=OPUS, requests_per_day=0).per_day == 0


@given(
    st.integers(0, 2_000_000),
    st.integers(0, 10**9),
    st.decimals("0.001", "100", places=4),
    st.decimals("0", "1", places=3),
)
def test_money_is_exact(lost: int, requests: int, input_mtok: Decimal, ratio: Decimal) -> None:
    prices = listed(str(input_mtok), str(input_mtok * ratio))
    cost = recurring(AUTOMATIC, "m", 2_000_000, lost, prices=prices, requests_per_day=requests)
    assert cost.per_event is not None and cost.per_day is not None
    assert cost.per_event * 1_000_000 == lost * input_mtok * (1 - ratio)
    assert cost.per_day == cost.per_event * requests


def test_a_missing_read_price_is_derived_and_said_so() -> None:
    cost = recurring(AUTOMATIC, "m", 10_000, 1_000, prices=listed(read=None))
    assert cost.per_event == Decimal("0.0036")
    assert (
        "The cache-read price is derived: 0.1 times the input price, by the provider's rules (2026-11-30); "
        "genai-prices 9.9 has none."
    ) in cost.assumptions


def test_a_missing_write_price_is_derived_and_said_so() -> None:
    cost = recurring(ANTHROPIC, "m", 10_000, 1_000, prices=listed())
    assert cost.per_event == Decimal("0.0046")  # 1,000 × (5.00 − 0.40) / 1,000,000
    assert any("1.25 times the input price" in line and "has no price for it" in line for line in cost.assumptions)


def test_a_policy_that_names_no_default_lifetime_writes_at_its_shortest() -> None:
    policy = replace(ANTHROPIC, ttl_default=None)
    cost = recurring(policy, "m", 10_000, 1_000, prices=listed(writes={300: "5"}))
    assert cost.per_event == Decimal("0.0046")


def test_no_read_price_at_all_gives_no_money() -> None:
    policy = replace(AUTOMATIC, read_multiplier=None)
    cost = recurring(policy, "m", 10_000, 1_000, prices=listed(read=None), requests_per_day=9)
    assert (cost.per_event, cost.per_day) == (None, None)
    assert any("No cache-read price is known" in line for line in cost.assumptions)


def test_sources_that_disagree_are_named_and_genai_prices_is_used() -> None:
    cost = recurring(ANTHROPIC, "m", 10_000, 1_000, prices=listed(read="2", writes={300: "8"}))
    assert cost.per_event == Decimal("0.006")
    told = [line for line in cost.assumptions if line.startswith("Sources disagree")]
    assert told == [
        "Sources disagree: a cache read costs 0.5 times the input price in genai-prices 9.9, 0.1 times by the "
        "provider's rules; genai-prices 9.9 is used.",
        "Sources disagree: a cache write costs 2 times the input price in genai-prices 9.9, 1.25 times by the "
        "provider's rules; genai-prices 9.9 is used.",
    ]


def test_a_rounded_multiplier_is_no_disagreement() -> None:
    policy = replace(AUTOMATIC, read_multiplier=0.0333)
    cost = recurring(policy, "m", 10, 1, prices=listed("0.66", "0.022"))
    assert not any("disagree" in line for line in cost.assumptions)


def test_a_free_model_costs_nothing() -> None:
    assert recurring(AUTOMATIC, "m", 10, 1, prices=listed("0", "0")).per_event == 0


def test_a_listed_write_price_that_the_rules_do_not_know_is_told() -> None:
    cost = recurring(AUTOMATIC, "m", 10_000, 1_000, prices=listed(writes={0: "5"}))
    assert cost.per_event == Decimal("0.0036")
    assert "genai-prices 9.9 lists a dearer cache write; it is not counted." in cost.assumptions


def test_an_unknown_price_is_said_so() -> None:
    cost = one_off(ANTHROPIC, "claude-next", 10_000, 1_000, warm_entries=3)
    assert (cost.per_event, cost.total, cost.price_source) == (None, None, "")
    assert "No price is known for claude-next at anthropic." in cost.assumptions
    nameless = recurring(ANTHROPIC, "", 10_000, 1_000)
    assert "No price is known for a request that names no model at anthropic." in nameless.assumptions


def test_assumptions_name_prices_notes_and_what_is_left_out() -> None:
    cost = recurring(AUTOMATIC, "m", 10, 1, prices=listed(notes=("The price changes on 2026-12-01.",)))
    assert cost.assumptions == (
        "The cost is per request: no traffic was given.",
        "Prices: genai-prices 9.9, data of 2026-11-09.",
        "The price changes on 2026-12-01.",
        "List prices: no batch, priority or negotiated discount.",
        "Lost tokens are paid as input: the provider's rules know no premium for writing.",
        "Token counts are estimates; the provider's own count decides.",
    )
    assert not any("estimates" in line for line in recurring(AUTOMATIC, "m", 10, 1, exact=True).assumptions)


def test_self_hosted_work_without_throughput() -> None:
    shape = shape_for("meta-llama/Llama-3.1-70B")
    assert shape is not None
    cost = recurring(VLLM, "meta-llama/Llama-3.1-70B", 10_000, 4_000, shape=shape, exact=True)
    assert cost.flops == prefill_flops(shape, 10_000, 6_000)
    assert cost.kv_bytes == kv_bytes(shape, 10_000, 6_000) == 4_000 * 327_680
    assert (cost.per_event, cost.seconds) == (None, None)
    assert not any("price" in line.lower() for line in cost.assumptions)
    assert any("aiconfigurator" in line and "2026-11-30" in line for line in cost.assumptions)


def test_unverified_shapes_are_told() -> None:
    told = recurring(VLLM, "m", 10, 1, shape=shape_for("Qwen2.5-72B")).assumptions
    assert any("from memory" in line and "not verified" in line for line in told)


def test_time_to_first_token() -> None:
    shape = shape_for("Qwen3-8B")
    assert shape is not None
    by_speed = recurring(VLLM, "m", 10_000, 4_000, shape=shape, tokens_per_second=8_000, throughput_tflops=1)
    assert by_speed.seconds == 0.5
    by_rate = one_off(VLLM, "m", 10_000, 4_000, shape=shape, throughput_tflops=200.0)
    assert by_rate.seconds == pytest.approx(prefill_flops(shape, 10_000, 6_000) / 200e12)
    assert recurring(VLLM, "m", 10_000, 4_000, throughput_tflops=200.0).seconds is None
    assert any("8,000 tokens a second" in line for line in by_speed.assumptions)


def test_more_lost_than_the_prompt_holds_is_taken_as_lost() -> None:
    shape = shape_for("Qwen3-8B")
    assert shape is not None
    assert recurring(VLLM, "m", 10, 50, shape=shape).flops == prefill_flops(shape, 50, 0)


@pytest.mark.parametrize("value", [-1, math.nan, math.inf])
def test_numbers_that_make_no_sense_are_refused(value: float) -> None:
    with pytest.raises(ConfigError, match="requests per day"):
        recurring(ANTHROPIC, "m", 10, 1, requests_per_day=value)
    with pytest.raises(ConfigError, match="warm entries"):
        one_off(ANTHROPIC, "m", 10, 1, warm_entries=value)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="tokens per second"):
        recurring(ANTHROPIC, "m", 10, 1, tokens_per_second=value)
    with pytest.raises(ConfigError, match="TFLOP/s"):
        recurring(ANTHROPIC, "m", 10, 1, throughput_tflops=value)


def test_zero_throughput_is_refused() -> None:
    with pytest.raises(ConfigError, match="above 0"):
        recurring(ANTHROPIC, "m", 10, 1, tokens_per_second=0)
