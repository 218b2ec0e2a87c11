"""One provider family from its YAML file: entries as cache policies, each with its sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from promptlint import yamlfile
from promptlint.model.errors import ConfigError
from promptlint.model.policy import CachePolicy, Fact, Invalidator, Matching
from promptlint.model.prompt import Section

DATA = Path(__file__).parent / "data"

_STATUSES = {"min_tokens_status": "minimum", "block_status": "block", "order_status": "order of sections"}
_OWN = {
    "sources",
    "checked",
    "as_of",
    "status",
    "order_status",
    "when",
    "read_overrides",
    "min_overrides",
    "reasoning_dropped",
}
_TUPLES = {"models", "exclude_models", "ttl_options", "notes", "uncacheable", "routing_alternatives"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A policy and how it is chosen.

    `when`: empty, `markers` (only for requests with cache markers) or `named` (only by its id). The overrides give
    a read multiplier or a minimum by model glob; `reasoning_dropped` are globs of models without the reasoning of
    ended turns.
    """

    policy: CachePolicy
    when: str
    read_overrides: Mapping[str, float]
    min_overrides: Mapping[str, int]
    reasoning_dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Family:
    """`upstream` maps model vendors to the families behind a gateway (empty for every other provider)."""

    name: str
    summary: str
    default: str
    entries: tuple[Entry, ...]
    upstream: Mapping[str, str]


@cache
def family(name: str) -> Family:
    """The family of file `name`.yaml. Raises ConfigError with file and key for a file that does not hold one."""
    body = _body(name)
    defaults = body.get("defaults", {})
    entries = tuple(_entry(name, _merged(defaults, entry)) for entry in body["entries"])
    return Family(name, body["summary"], body["default"], entries, body.get("upstream", {}))


def mentions(name: str, policy_id: str) -> bool:
    """Whether the file of a family can hold an entry of that id, without parsing it."""
    text = (DATA / f"{name}.yaml").read_text(encoding="utf-8")
    return f"id: {policy_id}\n" in text or "\nextends:" in text


def _body(name: str) -> dict[str, Any]:
    path = DATA / f"{name}.yaml"
    body: Any = yamlfile.load(path.read_text(encoding="utf-8"), path.name)
    if "extends" not in body:
        return dict(body)
    base = _body(body["extends"])
    old, new = next(iter(body["rename"].items()))
    entries = [entry | {"id": entry["id"].replace(old, new, 1)} for entry in base["entries"]]
    return {**base, **body, "entries": entries, "defaults": {**base["defaults"], **body["defaults"]}}


def _merged(defaults: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry over its family's defaults; notes add up, everything else is replaced."""
    notes = [*defaults.get("notes", []), *entry.get("notes", [])]
    return {**defaults, **entry, "notes": notes}


def _entry(name: str, raw: dict[str, Any]) -> Entry:
    try:
        values = {key: value for key, value in raw.items() if key not in _OWN}
        values |= {key: tuple(values[key]) for key in _TUPLES & values.keys()}
        values["family"] = name
        values["matching"] = Matching(raw["matching"])
        values["order"] = _sections(raw["order"])
        values["fact"] = Fact(
            tuple(raw["sources"]), raw["checked"], raw.get("status", "confirmed"), raw.get("as_of", "")
        )
        values["invalidators"] = tuple(_invalidator(item) for item in raw.get("invalidators", []))
        if "marker_sections" in raw:
            values["marker_sections"] = _sections(raw["marker_sections"])
        values["notes"] = (*_status_notes(raw), *values["notes"])
        policy = CachePolicy(**values)
    except (KeyError, TypeError, ValueError) as problem:
        raise ConfigError(f"entry {raw.get('id')!r}: {problem}", name=f"{name}.yaml") from problem
    return Entry(
        policy,
        raw.get("when", ""),
        raw.get("read_overrides", {}),
        raw.get("min_overrides", {}),
        tuple(raw.get("reasoning_dropped", [])),
    )


def _sections(values: list[str]) -> tuple[Section, ...]:
    return tuple(Section(value) for value in values)


def _invalidator(raw: dict[str, Any]) -> Invalidator:
    level = None if raw["level"] == "all" else Section(raw["level"])
    return Invalidator(**(raw | {"level": level}))


def _status_notes(raw: Mapping[str, Any]) -> list[str]:
    return [f"{what}: {raw[key]}" for key, what in _STATUSES.items() if raw.get(key, "confirmed") != "confirmed"]


def overridden(entry: Entry, read_glob: str | None, min_glob: str | None) -> CachePolicy:
    """The entry's policy with the values of the globs that the model matched."""
    policy = entry.policy
    if read_glob is not None:
        policy = replace(policy, read_multiplier=entry.read_overrides[read_glob])
    if min_glob is not None:
        policy = replace(policy, min_tokens=entry.min_overrides[min_glob])
    return policy
