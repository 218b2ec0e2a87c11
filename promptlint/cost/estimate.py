"""What lost tokens cost: recurring (each request) or one-off (each warm cache entry, after a release), never mixed.

A lost token is paid as input, or as a cache write where the provider takes a premium for writing, instead of as a
cache read. Money is Decimal, in US dollars. Every figure comes with the assumptions that it stands on.
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from typing import TypedDict, Unpack

from promptlint.cost.prefill import kv_bytes, prefill_flops
from promptlint.cost.prices import DEFAULT_TTL, Prices
from promptlint.cost.shapes import ModelShape
from promptlint.model.cost import CostEstimate
from promptlint.model.errors import ConfigError
from promptlint.model.policy import CachePolicy

_MTOK = Decimal(1_000_000)
# Published multipliers are rounded (0.0333 for a thirtieth); a wider gap is a disagreement between the sources.
_ROUNDING = Decimal("0.02")


class Given(TypedDict, total=False):
    """What is known about prices and hardware; each may be left out.

    `prices` as `prices_for` gives them. `ttl`: seconds, where the request asks for a cache lifetime of its own.
    `exact`: token counts are the provider's own. For self-hosted models `shape`, with `tokens_per_second` (prefill
    throughput) or `throughput_tflops` (TFLOP/s that prefill reaches); the former wins.
    """

    prices: Prices | None
    ttl: int | None
    exact: bool
    shape: ModelShape | None
    tokens_per_second: float | None
    throughput_tflops: float | None


def recurring(
    policy: CachePolicy,
    model: str,
    prompt_tokens: int,
    tokens_lost: int,
    *,
    requests_per_day: float | None = None,
    **given: Unpack[Given],
) -> CostEstimate:
    """Extra cost of each request that loses `tokens_lost` of its `prompt_tokens`; per day where traffic is given.

    Raises ConfigError on traffic or throughput that is no sensible number.
    """
    requests = _sensible("requests per day", requests_per_day, zero=True)
    traffic = "The cost is per request: no traffic was given."
    if requests is not None:
        traffic = f"Each of {requests:,f} requests a day loses these tokens."
    one = _one_event("recurring", traffic, policy, model, prompt_tokens, tokens_lost, given)
    if one.per_event is None or requests is None:
        return one
    return replace(one, per_day=one.per_event * requests)


def one_off(
    policy: CachePolicy,
    model: str,
    prompt_tokens: int,
    tokens_lost: int,
    *,
    warm_entries: int | None = None,
    **given: Unpack[Given],
) -> CostEstimate:
    """Cost of a release: every warm cache entry is computed anew once, after which requests hit again.

    `per_event` is the cost per warm entry, `total` that of all `warm_entries`. Raises ConfigError as `recurring`.
    """
    entries = _sensible("warm entries", warm_entries, zero=True)
    release = "Paid once for each cache entry that is warm at the release ({}); later requests hit again.".format(
        "their number was not given" if entries is None else f"{entries:,f}"
    )
    one = _one_event("one-off", release, policy, model, prompt_tokens, tokens_lost, given)
    if one.per_event is None or entries is None:
        return one
    return replace(one, total=one.per_event * entries)


def _one_event(
    kind: str, opening: str, policy: CachePolicy, model: str, prompt_tokens: int, tokens_lost: int, given: Given
) -> CostEstimate:
    prices = given.get("prices")
    per_event, money = _money(policy, model, tokens_lost, prices, given.get("ttl"))
    flops, state, shape = _prefill(prompt_tokens, tokens_lost, given.get("shape"))
    seconds, speed = _seconds(tokens_lost, flops, given.get("tokens_per_second"), given.get("throughput_tflops"))
    counts = () if given.get("exact") else ("Token counts are estimates; the provider's own count decides.",)
    return CostEstimate(
        kind=kind,
        tokens=tokens_lost,
        per_event=per_event,
        flops=flops,
        kv_bytes=state,
        seconds=seconds,
        price_source=prices.source if prices else "",
        price_date=prices.date if prices else "",
        assumptions=(opening, *money, *shape, *speed, *counts),
    )


def _money(
    policy: CachePolicy, model: str, lost: int, prices: Prices | None, ttl: int | None
) -> tuple[Decimal | None, tuple[str, ...]]:
    """Extra dollars of one miss, and the assumptions; nothing to say about money where the model is self-hosted."""
    if not policy.hosted:
        return None, ()
    if prices is None:
        return None, (f"No price is known for {model or 'a request that names no model'} at {policy.family}.",)
    said = [f"Prices: {prices.source}, data of {prices.date}.", *prices.notes]
    said.append("List prices: no batch, priority or negotiated discount.")
    read, why_read = _read_price(policy, prices)
    paid, why_paid = _paid_price(policy, prices, policy.ttl_default if ttl is None else ttl)
    said += [*why_read, *why_paid]
    if read is None:
        return None, tuple(said)
    return lost * (paid - read) / _MTOK, tuple(said)


def unit_prices(policy: CachePolicy, prices: Prices, ttl: int | None) -> tuple[Decimal, Decimal, Decimal]:
    """Dollars per million tokens that are computed, read from the cache, and written to it for `ttl` seconds.

    A read costs what a computed token does where no price of it is known.
    """
    read, _ = _read_price(policy, prices)
    paid, _ = _paid_price(policy, prices, policy.ttl_default if ttl is None else ttl)
    return prices.input_mtok, prices.input_mtok if read is None else read, paid


def _read_price(policy: CachePolicy, prices: Prices) -> tuple[Decimal | None, list[str]]:
    stated, ratio = prices.read_mtok, _ratio(policy.read_multiplier)
    if stated is None and ratio is None:
        return None, ["No cache-read price is known, so the difference to a hit is not either."]
    if stated is None:
        assert ratio is not None
        return prices.input_mtok * ratio, [
            f"The cache-read price is derived: {ratio} times the input price, by the provider's rules "
            f"({policy.fact.checked}); {prices.source} has none."
        ]
    return stated, _disagreement("a cache read", stated, ratio, prices)


def _paid_price(policy: CachePolicy, prices: Prices, ttl: int | None) -> tuple[Decimal, list[str]]:
    """What a lost token is paid at: the write price where the policy has a premium for this lifetime, else input."""
    lifetime = ttl if ttl is not None else DEFAULT_TTL
    ratio = _ratio(policy.write_multipliers.get(lifetime))
    if ratio is None and policy.write_multipliers and lifetime == DEFAULT_TTL:
        lifetime = min(policy.write_multipliers)
        ratio = _ratio(policy.write_multipliers[lifetime])
    if ratio is None or ratio <= 1:
        said = ["Lost tokens are paid as input: the provider's rules know no premium for writing."]
        if any(price > prices.input_mtok for price in prices.writes_mtok.values()):
            said.append(f"{prices.source} lists a dearer cache write; it is not counted.")
        return prices.input_mtok, said
    written = f"Lost tokens are written to the cache again (lifetime {lifetime:,} s)"
    stated = prices.writes_mtok.get(lifetime)
    if stated is None:
        return prices.input_mtok * ratio, [
            f"{written} at {ratio} times the input price, by the provider's rules ({policy.fact.checked}); "
            f"{prices.source} has no price for it."
        ]
    return stated, [f"{written} at a premium.", *_disagreement("a cache write", stated, ratio, prices)]


def _disagreement(what: str, stated: Decimal, ratio: Decimal | None, prices: Prices) -> list[str]:
    if ratio is None or abs(stated - prices.input_mtok * ratio) <= _ROUNDING * stated:
        return []
    seen = (stated / prices.input_mtok).quantize(Decimal("0.0001")).normalize() if prices.input_mtok else stated
    return [
        f"Sources disagree: {what} costs {seen:f} times the input price in {prices.source}, {ratio} times by the "
        f"provider's rules; {prices.source} is used."
    ]


def _prefill(tokens: int, lost: int, shape: ModelShape | None) -> tuple[float | None, int | None, tuple[str, ...]]:
    if shape is None:
        return None, None, ()
    cached = max(0, tokens - lost)
    checked = f", {shape.checked}" if shape.checked else ""
    doubt = "" if shape.verified else "; not verified"
    return (
        prefill_flops(shape, cached + lost, cached),
        kv_bytes(shape, cached + lost, cached),
        (
            f"Model shape: {shape.name} ({shape.source}{checked}{doubt}); keys and values of 2 bytes.",
            "The lost tokens are taken as the last of the prompt, where attention costs most.",
        ),
    )


def _seconds(
    lost: int, flops: float | None, tokens_per_second: float | None, tflops: float | None
) -> tuple[float | None, tuple[str, ...]]:
    """Time to first token that recomputing adds."""
    speed = _sensible("tokens per second", tokens_per_second)
    rate = _sensible("TFLOP/s", tflops)
    if speed is not None:
        return lost / float(speed), (f"Prefill at the stated {speed:,f} tokens a second, without queueing.",)
    if flops is not None and rate is not None:
        return flops / (float(rate) * 1e12), (f"Prefill at the stated {rate:,f} TFLOP/s, without queueing.",)
    return None, ()


def _ratio(multiplier: float | None) -> Decimal | None:
    return None if multiplier is None else Decimal(str(multiplier))


def _sensible(what: str, value: float | None, *, zero: bool = False) -> Decimal | None:
    if value is None:
        return None
    if not math.isfinite(value) or value < 0 or (value == 0 and not zero):
        raise ConfigError(f"{what} must be a number {'of at least' if zero else 'above'} 0, not {value}")
    return Decimal(str(value))
