"""A policy is a cache: three ways of matching, one interface (`promptlint.model.policy.Cache`)."""

from __future__ import annotations

from promptlint.model.policy import Cache, CachePolicy, Matching
from promptlint.policies.marks import marks

__all__ = ["cache_for", "marks"]


def cache_for(policy: CachePolicy, *, capacity: int | None = None) -> Cache:
    """An empty cache that follows `policy`. `capacity` bounds a longest-prefix cache (see there for its unit)."""
    if policy.matching is Matching.BREAKPOINT:
        from promptlint.policies.breakpoint import BreakpointCache

        return BreakpointCache(policy)
    if policy.matching is Matching.LEARNED_UNITS:
        from promptlint.policies.learned_units import LearnedUnitsCache

        return LearnedUnitsCache(policy)
    from promptlint.policies.longest_prefix import LongestPrefixCache

    return LongestPrefixCache(policy, capacity)
