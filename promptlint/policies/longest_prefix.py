"""The longest-prefix cache: what is reused is the longest stored prefix, rounded to blocks, above a minimum."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Any

from promptlint.model.policy import CachePolicy, Marks, Reuse
from promptlint.policies.block_pool import BlockPool
from promptlint.policies.radix import RadixTree
from promptlint.policies.salt import salted
from promptlint.policies.slots import Slots
from promptlint.policies.structure import Held, Structure
from promptlint.policies.wording import bounds, duration

# The coarsest rounding that any provider documents (OpenAI for gpt-5.5): the low end where one documents none.
COARSEST_BLOCK = 2_048


class LongestPrefixCache:
    """A cache of token sequences under `policy`.

    `capacity` None: everything is held until it expires. With one, the engine's own structure and eviction: blocks
    (the null block included) for vLLM, slots for llama.cpp, pages for SGLang, and for any other policy blocks, or
    tokens where it has no block. A `structure` given takes the place of that choice, and `salt` splits the prompts
    that it is given by their keys.
    """

    def __init__(
        self,
        policy: CachePolicy,
        capacity: int | None = None,
        *,
        structure: Structure | None = None,
        salt: Callable[[Any, Any], Any] = salted,
    ) -> None:
        self.policy = policy
        self.structure = structure or _structure(policy, capacity)
        self._salt = salt

    def store(self, ids: Sized, marks: Marks, time: float) -> None:
        """Keeps a prompt sent at `time` (seconds)."""
        self.structure.request(self._salt(ids, marks.keys), (), time)

    def lookup(self, ids: Sized, marks: Marks, time: float) -> Reuse:
        """What a prompt sent at `time` (seconds) takes from the cache, and in words why not more."""
        held = self.structure.match(self._salt(ids, marks.keys), time)
        return _Explanation(self.policy, held, len(ids), marks.exact).reuse()


def _structure(policy: CachePolicy, capacity: int | None) -> Structure:
    block = policy.block or 1
    if capacity is not None and policy.family == "vllm":
        return BlockPool(capacity, block)
    if capacity is not None and policy.family == "llama.cpp":
        return Slots(capacity)
    page = 1 if capacity is None else block
    return RadixTree(page, capacity, ttl=policy.ttl_default, refreshed=policy.ttl_refreshed)


class _Explanation:
    """Reuse of a prompt of `total` tokens of which `held` are in the cache: number, reason and uncertainty."""

    def __init__(self, policy: CachePolicy, held: Held, total: int, exact: bool) -> None:
        self.policy = policy
        self.shared, self.expired = held
        self.total = total
        self.exact = exact
        self.tokens = self._rule(self.shared, policy.block, policy.min_tokens)
        self.least, self.greatest = bounds(policy.min_tokens, policy.min_tokens_high, exact)

    def reuse(self) -> Reuse:
        policy = self.policy
        sure = policy.block_status.startswith("confirmed")
        possible = self.shared + (self.expired if policy.ttl_minimum else 0)
        low = self._rule(self.shared, policy.block if sure else policy.block or COARSEST_BLOCK, self.greatest)
        high = self._rule(possible, policy.block if sure else None, self.least)
        kept = self._rule(self.shared + self.expired, policy.block, policy.min_tokens)
        notes = tuple(self._notes(sure, possible))
        return Reuse(self.tokens, self._why(), low, high, notes=notes, expired=kept - self.tokens)

    def _rule(self, shared: int, block: int | None, minimum: int) -> int:
        if not shared or shared < minimum:
            return 0
        return _floor(min(shared, self.total - 1) if self.policy.last_token else shared, block)

    def _why(self) -> str:
        policy, shared, block = self.policy, self.shared, self.policy.block or 1
        late = f"{self.expired:,} {{}}expired after {duration(policy.ttl_default or 0)}" if self.expired else ""
        if not shared:
            return late.format("shared, but ") or "nothing shared"
        why = f"all {shared:,} shared" if shared == self.total else f"{shared:,} shared"
        if shared < policy.min_tokens:
            why += f", below this provider's minimum of {policy.min_tokens:,}"
        elif self.tokens < _floor(shared, block):
            last = "token" if block == 1 else "block"
            why += f", the last {last} is recomputed: an engine needs at least one new token"
        elif not self.tokens:
            why += f", less than one block of {block:,}"
        elif self.tokens < shared:
            why += f", {self.tokens:,} after rounding to {block:,}"
        return f"{why}; {late.format('more ')}" if late else why

    def _notes(self, sure: bool, possible: int) -> list[str]:
        policy, notes = self.policy, []
        if not sure and self.shared and policy.block is None:
            notes.append(f"how this provider rounds is not documented: the low end is for blocks of {COARSEST_BLOCK:,}")
        elif not sure and self.shared:
            notes.append(f"rounding to {policy.block:,} is not confirmed: the high end is without it")
        if self.least <= self.shared < self.greatest:
            high = policy.min_tokens_high
            of = f"{policy.min_tokens:,}" if high is None else f"{policy.min_tokens:,} to {high:,} (sources disagree)"
            notes.append(
                f"near this provider's minimum of {of}" + ("" if self.exact else ", token counts are estimates")
            )
        if policy.min_tokens and not policy.min_tokens_status.startswith("confirmed"):
            notes.append(f"the minimum of {policy.min_tokens:,} is not confirmed")
        if possible > self.shared:
            lifetime = duration(policy.ttl_default or 0)
            notes.append(f"{lifetime} is the shortest lifetime here: up to {possible:,} tokens may still be there")
        return notes


def _floor(tokens: int, block: int | None) -> int:
    return tokens // block * block if block else tokens
