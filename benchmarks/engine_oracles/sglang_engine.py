"""SGLang's own RadixCache and allocators, driven as its scheduler drives them for one request at a time; on a CPU."""

# ruff: noqa: E402  # SGLang can only be imported after what stands in for torchvision
from __future__ import annotations

import sys
from array import array
from types import SimpleNamespace
from unittest.mock import MagicMock

import transformers.image_utils  # noqa: F401  # looks whether torchvision is there, before it seems to be

for _name in ("", ".io", ".transforms", ".transforms.functional", ".transforms.v2", ".transforms.v2.functional"):
    sys.modules.setdefault(f"torchvision{_name}", MagicMock())

import torch
from sglang.srt.mem_cache.allocation import (
    alloc_paged_token_slots_decode,
    alloc_paged_token_slots_extend,
    alloc_token_slots,
)
from sglang.srt.mem_cache.allocator.paged import PagedTokenToKVPoolAllocator
from sglang.srt.mem_cache.allocator.token import TokenToKVPoolAllocator
from sglang.srt.mem_cache.base_prefix_cache import MatchPrefixParams
from sglang.srt.mem_cache.cache_init_params import CacheInitParams
from sglang.srt.mem_cache.memory_pool import ReqToTokenPool
from sglang.srt.mem_cache.radix_cache import RadixCache, RadixKey

PACKAGE = "sglang"
SOURCE = "sglang/srt/mem_cache/radix_cache.py, allocation.py, allocator/"


class Engine:
    """A pool of `capacity` pages of `block` tokens, the tree, and the row of the one running request."""

    def __init__(self, capacity: int, block: int) -> None:
        self._page = block
        tokens = capacity * block
        kind = {"dtype": torch.float32, "device": "cpu", "kvcache": None, "need_sort": False}
        self._allocator = (
            TokenToKVPoolAllocator(tokens, **kind)
            if block == 1
            else PagedTokenToKVPoolAllocator(tokens, page_size=block, **kind)
        )
        self._rows = ReqToTokenPool(1, tokens, "cpu", enable_memory_saver=False)
        self._tree = RadixCache(
            CacheInitParams(
                disable=False,
                req_to_token_pool=self._rows,
                token_to_kv_pool_allocator=self._allocator,
                page_size=block,
            )
        )
        self._capacity = tokens

    def send(self, ids: array[int], output: array[int], salt: str) -> int | None:
        """Tokens that the tree gives to a request; None where the scheduler would not admit it."""
        sequence = array("q", [*ids, *output[:-1]])
        pages = -(-len(sequence) // self._page)
        if pages * self._page + (self._page if self._page > 1 else 0) > self._capacity:
            return None
        tree = self._tree
        matched = tree.match_prefix(
            MatchPrefixParams(key=RadixKey(sequence, limit=len(ids) - 1, cache_salt=salt or None))
        )
        hit = int(matched.device_prefix_len)
        request = self._request(ids, salt, hit, matched.last_device_node)
        row = self._rows.req_to_token[request.kv.req_pool_idx]
        row[:hit] = tree.path_device_indices(matched.last_device_node)
        row[hit : len(ids)] = self._extend(row, hit, len(ids))
        request.full_untruncated_fill_ids = sequence[: len(ids)]
        if len(sequence) > len(ids):
            tree.checkpoint(request, up_to=len(ids))
        for length in range(len(ids) + 1, len(sequence) + 1):
            row[length - 1] = self._decode(row, length)
        request.full_untruncated_fill_ids = sequence
        tree.checkpoint(request, up_to=len(sequence))
        kept = request.kv.cache_protected_len
        self._allocator.free_segment(row[kept : len(sequence)].to(torch.int64), start_pos=kept)
        tree.unlock(request.lock)
        assert self._allocator.available_size() + tree.evictable_size() == self._capacity, "pages went missing"
        return hit

    def _request(self, ids: array[int], salt: str, hit: int, node: object) -> SimpleNamespace:
        return SimpleNamespace(
            kv=SimpleNamespace(req_pool_idx=1, cache_protected_len=hit, cache_inserted_len=0, swa_evict_floor=0),
            extra_key=None,
            cache_salt=salt or None,
            priority=0,
            origin_input_ids=array("q", ids),
            last_node=node,
            lock=self._tree.lock(node),
        )

    def _extend(self, row: torch.Tensor, hit: int, length: int) -> torch.Tensor:
        if self._page == 1:
            return alloc_token_slots(self._tree, length - hit)
        lengths = torch.tensor([hit]), torch.tensor([length])
        last = row[hit - 1 : hit].to(torch.int64) if hit else torch.tensor([-1])
        return alloc_paged_token_slots_extend(
            self._tree, lengths[0], lengths[0], lengths[1], lengths[1], last, length - hit
        )

    def _decode(self, row: torch.Tensor, length: int) -> torch.Tensor:
        if self._page == 1:
            return alloc_token_slots(self._tree, 1)
        lengths = torch.tensor([length])
        return alloc_paged_token_slots_decode(
            self._tree, lengths, lengths, row[length - 2 : length - 1].to(torch.int64)
        )
