"""The price index: finds a model by name and the entry that is in force, with the rules of genai-prices.

Matching rules (genai-prices 0.2.3): names are compared in lower case; the first model that matches counts; a provider
may fall back, one step, to others; a compact date in a name (`-20251211`) is tried in its dashed form last.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
INDEX = DATA / "prices.json"

# No real model name is longer; the bound keeps hostile names away from the package's patterns.
LONGEST_NAME = 300

_COMPACT_DATE = re.compile(r"(?<=-)(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)")

Entry = dict[str, Any]


@cache
def load_index() -> dict[str, Any]:
    """The shipped index: `genai_prices` (version), `date` and `providers`."""
    index: dict[str, Any] = json.loads(INDEX.read_bytes())
    return index


@cache
def families() -> dict[str, str]:
    """promptlint's provider family → id of the provider in genai-prices."""
    mapping: dict[str, str] = json.loads((DATA / "families.json").read_bytes())
    return mapping


def find_entries(index: dict[str, Any], provider: str, model: str) -> list[Entry] | None:
    """Price entries of `model` at `provider`, or None where the index knows no such model."""
    providers = index["providers"]
    if provider not in providers:
        return None
    name = model.lower()
    for candidate in dict.fromkeys((name, _COMPACT_DATE.sub(_dashed, name))):
        for where in (provider, *providers[provider]["fallback"]):
            for clause, entries in providers[where]["models"]:
                if _matches(clause, candidate):
                    found: list[Entry] = entries
                    return found
    return None


def entry_at(entries: list[Entry], day: date, clock: time | None) -> Entry:
    """The entry in force: the last whose condition holds, else the first. Without `clock` no daily hours count."""
    for entry in reversed(entries):
        if "from" in entry:
            holds = day >= date.fromisoformat(entry["from"])
        elif "daily" in entry:
            holds = clock is not None and _within(clock, *map(time.fromisoformat, entry["daily"]))
        else:
            holds = True
        if holds:
            return entry
    return entries[0]


def amount(price: str | list[Any] | None, prompt_tokens: int) -> Decimal | None:
    """US dollars per million tokens for a prompt of this size; a tier's price holds for the whole prompt."""
    if price is None:
        return None
    if isinstance(price, str):
        return Decimal(price)
    chosen = price[0]
    for start, tier in price[1:]:
        if prompt_tokens > start:
            chosen = tier
    return Decimal(chosen)


def utc(at: datetime) -> datetime:
    """`at` in UTC; a time without a zone is taken as UTC, as genai-prices does."""
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _within(clock: time, start: time, end: time) -> bool:
    if end < start:
        return clock >= start or clock < end
    return start <= clock < end


def _dashed(found: re.Match[str]) -> str:
    try:
        return date(int(found[1]), int(found[2]), int(found[3])).isoformat()
    except ValueError:  # 30 February
        return found[0]


def _matches(clause: dict[str, Any], name: str) -> bool:
    ((kind, value),) = clause.items()
    match kind:
        case "equals":
            return bool(name == value)
        case "or":
            return any(_matches(part, name) for part in value)
        case "and":
            return all(_matches(part, name) for part in value)
        case "starts_with":
            return name.startswith(value)
        case "ends_with":
            return name.endswith(value)
        case "contains":
            return value in name
        case "regex":
            return re.search(value, name) is not None
    raise TypeError(f"unknown clause in {INDEX.name}: {kind}")
