"""The caches that a log is replayed through: the provider's own, and further ones with a stated capacity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from promptlint import providers
from promptlint.model.errors import ConfigError
from promptlint.model.policy import Cache, CachePolicy, Marks, Matching, Reuse
from promptlint.model.traffic import Exchange
from promptlint.policies.breakpoint import BreakpointCache
from promptlint.policies.learned_units import LearnedUnitsCache
from promptlint.policies.longest_prefix import LongestPrefixCache
from promptlint.trace.fingerprint import Fingerprint
from promptlint.trace.library import Library
from promptlint.trace.trail import Trail, TrailStore, TrailStructure

# What a capacity counts, by engine.
ENGINES = {"vllm": "blocks", "sglang": "tokens", "llama.cpp": "slots"}
UNBOUNDED = "unbounded"
# Fields of a log by which hosted caches are kept apart: workspaces (Anthropic), organisations, projects.
_TENANTS = ("workspace", "workspace_id", "organization", "organization_id", "project", "project_id")


@dataclass(frozen=True, slots=True)
class Asked:
    """A cache that the user asked for. `capacity` None: unbounded."""

    name: str
    engine: str
    capacity: int | None

    @property
    def words(self) -> str:
        return UNBOUNDED if self.capacity is None else f"{self.capacity:,} {ENGINES[self.engine]}"


def asked(text: str) -> Asked:
    """`vllm:10000` (blocks), `sglang:200000` (tokens), `llama.cpp:4` (slots) or `unbounded`. Raises ConfigError."""
    engine, _, size = text.strip().partition(":")
    if engine == UNBOUNDED and not size:
        return Asked(text, "generic", None)
    capacity = int(size) if size.isascii() and size.isdigit() and len(size) < 20 else 0
    if engine not in ENGINES or capacity < 1:
        forms = ", ".join(f"{name}:N ({unit})" for name, unit in ENGINES.items())
        raise ConfigError(f"unknown cache {text!r}; give {forms} or {UNBOUNDED}")
    return Asked(text.strip(), engine, capacity)


class Caches:
    """Replays requests, which are to come in the order in which they were sent. Times in seconds."""

    def __init__(self, library: Library, caches: Sequence[str] = ()) -> None:
        self._library = library
        self._own: dict[tuple[str, str, str], Cache] = {}
        self.asked = tuple(asked(text) for text in caches)
        self._others: dict[tuple[str, str, int], LongestPrefixCache] = {}

    def own(self, exchange: Exchange, found: Fingerprint, trail: Trail, time: float) -> Reuse:
        """What the request takes from the provider's own cache, which then holds it as well."""
        key = _key(exchange, found)
        cache = self._own.get(key)
        if cache is None:
            cache = self._own[key] = on_trails(found.policy)
        return _served(cache, trail, found.marks, time)

    def unused(self, exchange: Exchange, found: Fingerprint, trail: Trail, time: float) -> float | None:
        """Seconds since a request to the same cache had what this one shares with any of them; None: nothing is."""
        key, last = _key(exchange, found), None
        for node in trail.nodes:
            used = node.passed.get(key)
            if used is None:
                break
            last = used
        for node in trail.nodes:
            node.passed[key] = time
        return None if last is None else time - last

    def others(self, found: Fingerprint, trail: Trail, time: float) -> Mapping[str, Reuse]:
        """The same for the caches that were asked for, by name. An engine serves one model."""
        if not self.asked:
            return {}
        ids = None
        reuses = {}
        for each in self.asked:
            key = (each.name, found.model, found.block)
            cache = self._others.get(key)
            if cache is None:
                cache = self._others[key] = _engine(each, found.block)
            if each.capacity is None:
                reuses[each.name] = _served(cache, trail, Marks(exact=found.exact), time)
            else:
                ids = self._library.flat(found.chunks) if ids is None else ids
                reuses[each.name] = _served(cache, ids, Marks(exact=found.exact), time)
        return reuses


def _key(exchange: Exchange, found: Fingerprint) -> tuple[str, str, str]:
    """What keeps the caches of a provider apart."""
    fields = exchange.fields
    tenant = next((fields[name] for name in _TENANTS if name in fields), "") if fields else ""
    return found.policy.id, found.model, tenant if found.policy.hosted else ""


def on_trails(policy: CachePolicy) -> Cache:
    """An empty, unbounded cache under `policy` that is given trails instead of ids."""
    cache: Cache
    if policy.matching is Matching.BREAKPOINT:
        cache = BreakpointCache(policy, TrailStore())
    elif policy.matching is Matching.LEARNED_UNITS:
        cache = LearnedUnitsCache(policy, TrailStore())
    else:
        structure = TrailStructure(ttl=policy.ttl_default, refreshed=policy.ttl_refreshed)
        cache = LongestPrefixCache(policy, structure=structure, salt=structure.salted)
    return cache


def _engine(each: Asked, block: int) -> LongestPrefixCache:
    policy = providers.find(each.engine, "", "")
    if block and policy.block is not None:
        policy = replace(policy, block=block)
    if each.capacity is None:
        structure = TrailStructure()
        return LongestPrefixCache(policy, structure=structure, salt=structure.salted)
    in_tokens = ENGINES[each.engine] == "tokens"  # such an engine holds the whole pages that fit into them
    return LongestPrefixCache(policy, each.capacity // (policy.block or 1) if in_tokens else each.capacity)


def _served(cache: Cache, ids: Any, marks: Marks, time: float) -> Reuse:
    reuse = cache.lookup(ids, marks, time)
    cache.store(ids, marks, time)
    return reuse
