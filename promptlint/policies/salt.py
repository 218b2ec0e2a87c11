"""Settings that split caches, mixed into the token ids, so that every cache compares ids and nothing else."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from hashlib import blake2b

from promptlint.model.tokens import SYNTHETIC


def salted(ids: array[int], keys: Iterable[tuple[int, str, str]]) -> array[int]:
    """`ids` with each key (token position, setting path, value) mixed into the id at its position.

    Sequences whose keys differ part at the first such position at the latest. A key at or behind the end splits
    nothing. The replaced ids are synthetic and the same in every process.
    """
    mixed: dict[int, list[tuple[str, str]]] = {}
    for position, path, value in keys:
        if position < len(ids):
            mixed.setdefault(position, []).append((path, value))
    if not mixed:
        return ids
    result = ids[:]
    for position, settings in mixed.items():
        text = repr((ids[position], sorted(settings)))
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).digest()
        result[position] = SYNTHETIC | int.from_bytes(digest, "big")
    return result
