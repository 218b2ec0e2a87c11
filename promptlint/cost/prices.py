"""Input, cache-read and cache-write prices of a model, from genai-prices without importing it where possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from promptlint.cost.pricebook import LONGEST_NAME, Entry, amount, entry_at, families, find_entries, load_index, utc
from promptlint.model.policy import CachePolicy

# genai-prices states a price for the provider's ordinary cache lifetime, whatever that is, and one for an hour.
DEFAULT_TTL = 0
_FIVE_MINUTES = 300
_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Prices:
    """List prices in US dollars per million tokens, for one prompt size and one moment.

    `writes_mtok` maps a cache lifetime in seconds (`DEFAULT_TTL` where the lifetime is not known) to the price of a
    token written to the cache, which is paid instead of the input price. `source` names the package and version,
    `date` (ISO) how recent its data is at least. `notes` say which of several prices was taken.
    """

    input_mtok: Decimal
    read_mtok: Decimal | None
    writes_mtok: Mapping[int, Decimal]
    source: str
    date: str
    notes: tuple[str, ...] = ()


def prices_for(policy: CachePolicy, model: str, prompt_tokens: int, at: datetime | None = None) -> Prices | None:
    """Prices of `model` at the policy's provider, or None where either is unknown to genai-prices.

    `prompt_tokens` is the whole prompt, cached parts included: it selects the tier. `at` selects dated and
    time-of-day prices; without it today's prices (UTC) hold, outside hours that have a price of their own, so that
    the answer does not depend on the hour at which promptlint runs.
    """
    provider = families().get(policy.family)
    if provider is None or not model or len(model) > LONGEST_NAME:
        return None
    entries, source, dated = _lookup(provider, model)
    if not entries:
        return None
    moment = utc(at or datetime.now(UTC))
    entry = entry_at(entries, moment.date(), None if at is None else moment.time())
    input_mtok = amount(entry.get("input"), prompt_tokens)
    if input_mtok is None:
        return None
    return Prices(
        input_mtok=input_mtok,
        read_mtok=amount(entry.get("read"), prompt_tokens),
        writes_mtok=_writes(entry, policy.ttl_default or DEFAULT_TTL, prompt_tokens),
        source=source,
        date=dated,
        notes=_notes(entries, entry, moment.date(), prompt_tokens),
    )


def _lookup(provider: str, model: str) -> tuple[list[Entry] | None, str, str]:
    """Entries of the model, with the name and date of where they come from."""
    index = load_index()
    if not _index_is_current():
        from promptlint.cost import genai  # 0.2 s: only where the index was made from another version

        try:
            return genai.ask(provider, model), *_installed()
        except (ImportError, TypeError):
            pass  # a version that this promptlint cannot read: the index, which names its own version
    return find_entries(index, provider, model), f"genai-prices {index['genai_prices']}", index["date"]


@cache
def _index_is_current() -> bool:
    """Whether the index was made from the installed genai-prices, or none is installed.

    Looks for the version's metadata folder beside the package: 0.5 ms, where importlib.metadata takes 20 to 40.
    """
    spec = find_spec("genai_prices")
    if spec is None or spec.origin is None:
        return True
    site = Path(spec.origin).parent.parent
    return (site / f"genai_prices-{load_index()['genai_prices']}.dist-info").is_dir()


@cache
def _installed() -> tuple[str, str]:
    from importlib.metadata import version

    from promptlint.cost import genai

    newest = genai.newest_date(genai.providers(), datetime.now(UTC).date())
    return f"genai-prices {version('genai-prices')}", newest


def _writes(entry: Entry, default_ttl: int, prompt_tokens: int) -> dict[int, Decimal]:
    writes = {}
    for key, ttl in (("write", default_ttl), ("write_5m", _FIVE_MINUTES), ("write_1h", _HOUR)):
        price = amount(entry.get(key), prompt_tokens)
        if price is not None:
            writes[ttl] = price
    return writes


def _notes(entries: list[Entry], entry: Entry, day: date, prompt_tokens: int) -> tuple[str, ...]:
    notes = []
    if isinstance(entry["input"], list):
        notes.append(_tier_note(entry["input"], prompt_tokens))
    if "daily" in entry:
        notes.append("The price is that of {} to {} UTC.".format(*_hours(entry)))
    else:
        hours = dict.fromkeys("{} to {}".format(*_hours(one)) for one in entries if "daily" in one)
        if hours:
            notes.append(f"Another price holds daily from {' and '.join(hours)} UTC.")
    if "from" in entry:
        notes.append(f"The price holds since {entry['from']}.")
    changes = sorted(one["from"] for one in entries if one.get("from", "") > day.isoformat())
    if changes:
        notes.append(f"The price changes on {changes[0]}.")
    return tuple(notes)


def _hours(entry: Entry) -> tuple[str, str]:
    start, end = entry["daily"]
    return start[:5], end[:5]


def _tier_note(price: list[Any], prompt_tokens: int) -> str:
    below = [start for start, _ in price[1:] if prompt_tokens > start]
    if below:
        return f"The price is that of prompts over {below[-1]:,} tokens."
    return f"The price is that of prompts up to {price[1][0]:,} tokens."
