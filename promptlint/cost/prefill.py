"""What self-hosting pays for lost tokens: FLOPs of prefill, and bytes of cached state to be rebuilt.

Per token 2 FLOPs for each active weight, and attention to the tokens before it: all of them in a full layer, at most
the window in a sliding-window layer, a constant that is left out in a linear layer. For full layers that sums to
2·P·(n−c) + 2·L·H·d·(n²−c²) for n tokens of which c are cached (P active weights, L layers, H heads of dimension d).
MLA is counted in its expanded form, H·(d_nope + d_rope + d_v)·(n²−c²) a layer. The output head runs once a request
whether or not tokens are cached, and is left out.
"""

from __future__ import annotations

from promptlint.cost.shapes import ModelShape


def prefill_flops(shape: ModelShape, tokens: int, cached: int) -> float:
    """FLOPs to prefill a prompt of `tokens` of which the first `cached` are in the cache (0 ≤ cached ≤ tokens)."""
    _check(tokens, cached)
    pairs = shape.full_layers * (_pairs(tokens, None) - _pairs(cached, None))
    pairs += shape.swa_layers * (_pairs(tokens, shape.window) - _pairs(cached, shape.window))
    return 2.0 * shape.active_matmul * (tokens - cached) + shape.attention_flops_per_layer() * pairs


def kv_bytes(shape: ModelShape, tokens: int, cached: int, dtype_bytes: int = 2) -> int:
    """Bytes of keys and values of the tokens that are not cached; a sliding-window layer keeps only its window.

    The constant-size state of linear layers is left out.
    """
    _check(tokens, cached)
    lost = tokens - cached
    in_window = lost if shape.window is None else min(lost, shape.window)
    return shape.kv_bytes_per_layer(dtype_bytes) * (shape.full_layers * lost + shape.swa_layers * in_window)


def _pairs(tokens: int, window: int | None) -> float:
    """Pairs of a token and one that it attends to, in a prompt of `tokens`."""
    if window is None or tokens <= window:
        return tokens**2 / 2
    return window**2 / 2 + window * (tokens - window)


def _check(tokens: int, cached: int) -> None:
    if not 0 <= cached <= tokens:
        raise ValueError(f"cached tokens ({cached}) must lie between 0 and the prompt's {tokens}")
