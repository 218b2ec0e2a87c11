"""DeepSeek's cache: a request hits only whole units, which form where requests end and where requests part."""

from __future__ import annotations

from collections.abc import Sized

from promptlint.model.policy import CachePolicy, Marks, Reuse
from promptlint.policies.prefixes import ArrayStore, Store


class LearnedUnitsCache:
    """Units end where a prompt ends and where two prompts part (https://api-docs.deepseek.com/guides/kv_cache).

    So A+B then A+C misses, and the third, A+D, hits A. The guide also names units at fixed intervals without their
    size; the announcement of 2024 said 64 tokens. They make the upper bound, in steps of the policy's `block`.
    """

    def __init__(self, policy: CachePolicy, store: Store | None = None) -> None:
        self._policy = policy
        self._store: Store = ArrayStore() if store is None else store

    def store(self, ids: Sized, marks: Marks, time: float) -> None:
        ids = self._store.salted(ids, marks.keys)
        for end in {self._store.shared(ids), len(ids)}:
            if end >= max(1, self._policy.min_tokens):
                self._store.put(ids, end, None)
        self._store.add(ids)

    def lookup(self, ids: Sized, marks: Marks, time: float) -> Reuse:
        ids = self._store.salted(ids, marks.keys)
        shared = self._store.shared(ids)
        tokens = max((end for end, _ in self._store.matching(ids)), default=0)
        block = self._policy.block or 1
        stepped = shared // block * block
        high = max(tokens, stepped if stepped >= self._policy.min_tokens else 0)
        notes: tuple[str, ...] = ()
        if high > tokens:
            notes = (f"units at fixed intervals ({block} tokens, unconfirmed) may hold up to {high:,} tokens",)
        return Reuse(tokens=tokens, why=self._why(shared, tokens), low=tokens, high=high, notes=notes)

    def _why(self, shared: int, tokens: int) -> str:
        if 0 < shared < self._policy.min_tokens:
            return f"{shared:,} shared, below this model's {self._policy.min_tokens:,}"
        if tokens == shared:
            return f"{shared:,} shared, all of them a stored unit" if shared else "0 shared"
        if tokens:
            return f"{shared:,} shared, but the longest unit that is stored whole ends at token {tokens:,}"
        return f"{shared:,} shared, but no unit ends there: a shared start becomes one once two requests part after it"
