"""Turns what the genai-prices package knows into plain data: the only module that imports the package.

The package takes about 0.2 s to import, so its contents also ship as an index (see `compile_prices`).
Everything here raises TypeError on a clause or condition of a kind that it does not know, rather than guess.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Any

PRICE_KEYS = {
    "input": "input_mtok",
    "read": "cache_read_mtok",
    "write": "cache_write_mtok",
    "write_5m": "cache_write_5m_mtok",
    "write_1h": "cache_write_1h_mtok",
}


def providers() -> list[Any]:
    """The package's own providers, from the data that it carries (never from the network)."""
    from genai_prices.data import providers as found

    return list(found)


def ask(provider_id: str, model: str) -> list[dict[str, Any]] | None:
    """Price entries of a model as the installed package finds it, or None where it knows none."""
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, found = get_snapshot().find_provider_model(model, None, provider_id, None)
    except LookupError:
        return None
    return price_entries(found)


def newest_date(found: list[Any], today: date) -> str:
    """Start of the newest dated price that is in force on `today`: how recent the data is at least."""
    starts = [
        condition.constraint.start_date
        for provider in found
        for model in provider.models
        if isinstance(model.prices, list)
        for condition in model.prices
        if hasattr(condition.constraint, "start_date")
    ]
    return max((start for start in starts if start <= today), default=date.min).isoformat()


def provider_data(provider: Any) -> dict[str, Any]:
    """A provider as the index holds it: models in matching order, and where to look for a model it lacks."""
    return {
        "fallback": list(provider.fallback_model_providers or ()),
        "models": [[_clause(model.match), price_entries(model)] for model in provider.models],
    }


def price_entries(model: Any) -> list[dict[str, Any]]:
    """Entries of one model: of those whose condition holds the last counts, and the first if none does."""
    prices = model.prices
    if not isinstance(prices, list):
        return [_entry(prices)]
    return [_condition(one.constraint) | _entry(one.prices) for one in prices]


def _clause(clause: Any) -> dict[str, Any]:
    match vars(clause):
        case {"or_": parts}:
            return {"or": [_clause(part) for part in parts]}
        case {"and_": parts}:
            return {"and": [_clause(part) for part in parts]}
        case {"regex": pattern}:
            return {"regex": pattern}
        case {"equals": text}:
            return {"equals": text.lower()}
        case {"starts_with": text}:
            return {"starts_with": text.lower()}
        case {"ends_with": text}:
            return {"ends_with": text.lower()}
        case {"contains": text}:
            return {"contains": text.lower()}
    raise TypeError(f"genai-prices matches models in an unknown way: {clause!r}")


def _condition(constraint: Any) -> dict[str, Any]:
    if constraint is None:
        return {}
    match vars(constraint):
        case {"start_date": start}:
            return {"from": start.isoformat()}
        case {"start_time": start, "end_time": end}:
            return {"daily": [_utc(start), _utc(end)]}
    raise TypeError(f"genai-prices has a price under an unknown condition: {constraint!r}")


def _utc(moment: time) -> str:
    if moment.tzinfo is not None:
        moment = datetime.combine(date(2000, 1, 1), moment).astimezone(UTC).time()
    return moment.isoformat()


def _entry(prices: Any) -> dict[str, Any]:
    stored = vars(prices)
    return {ours: _amount(stored[theirs]) for ours, theirs in PRICE_KEYS.items() if stored.get(theirs) is not None}


def _amount(price: Any) -> str | list[Any]:
    """A price as text (money is never a float), or `[base, [start, price], …]` where it depends on prompt size."""
    if hasattr(price, "tiers"):
        return [str(price.base), *([tier.start, str(tier.price)] for tier in price.tiers)]
    return str(price)
