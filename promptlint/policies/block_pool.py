"""A pool of blocks with chained hashes and a free queue, as vLLM's KVCacheManager keeps its cache."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b

from promptlint.policies.structure import Held, kept


class BlockPool:
    """`blocks` blocks of `block` tokens, one of them the engine's null block, which holds nothing.

    A block's key chains over everything before it. The free queue is the eviction order: a finished request gives its
    hashed blocks back to the end of the queue, last block first, and its unfinished block to the front. A block that
    was computed although an equal one is held stays beside it; the older one answers
    (vllm/v1/core/block_pool.py and single_type_kv_cache_manager.py, 0.32.0).
    """

    def __init__(self, blocks: int, block: int) -> None:
        self.block = block
        # The free queue in its three stretches; blocks that were never used are only counted, as there may be millions.
        self._unfinished: list[int] = []  # the last one comes first
        self._new, self._end = 1, max(1, blocks)
        self._free: OrderedDict[int, None] = OrderedDict()
        self._holders: dict[bytes, dict[int, None]] = {}
        self._key_of: dict[int, bytes] = {}

    def match(self, ids: array[int], now: float = 0.0) -> Held:
        """What is held of `ids`, in whole blocks. Changes nothing."""
        return Held(len(self._held(self._keys(ids))) * self.block)

    def request(self, ids: array[int], output: Sequence[int] = (), now: float = 0.0) -> int | None:
        """Serves one request alone: tokens taken from the cache, None if it can never fit."""
        sequence = kept(ids, output)
        keys = self._keys(sequence)
        mine = self._held(keys[: max(0, len(ids) - 1) // self.block])
        hit = len(mine)
        needed = self._count(len(ids)) - hit
        if needed > self._left() - sum(number in self._free for number in mine):
            return None
        for number in mine:
            self._free.pop(number, None)
        grown = min(self._count(len(sequence)), hit + self._left())
        mine += [self._take() for _ in range(grown - hit)]
        for number, key in zip(mine[hit:], keys[hit:], strict=False):
            self._key_of[number] = key
            self._holders.setdefault(key, {})[number] = None
        self._give_back(mine)
        return hit * self.block if grown == self._count(len(sequence)) else None

    def _left(self) -> int:
        return len(self._unfinished) + self._end - self._new + len(self._free)

    def _count(self, tokens: int) -> int:
        return -(-tokens // self.block)

    def _keys(self, ids: array[int]) -> list[bytes]:
        keys, parent = [], b""
        for end in range(self.block, len(ids) + 1, self.block):
            parent = blake2b(parent + ids[end - self.block : end].tobytes(), digest_size=16).digest()
            keys.append(parent)
        return keys

    def _held(self, keys: Sequence[bytes]) -> list[int]:
        held = []
        for key in keys:
            holders = self._holders.get(key)
            if not holders:
                break
            held.append(next(iter(holders)))
        return held

    def _take(self) -> int:
        if self._unfinished:
            return self._unfinished.pop()
        if self._new < self._end:
            self._new += 1
            return self._new - 1
        number, _ = self._free.popitem(last=False)
        key = self._key_of.pop(number)
        holders = self._holders[key]
        del holders[number]
        if not holders:
            del self._holders[key]
        return number

    def _give_back(self, mine: Sequence[int]) -> None:
        for number in reversed(mine):
            if number in self._key_of:
                self._free[number] = None
            else:
                self._unfinished.append(number)
