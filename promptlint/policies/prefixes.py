"""Stores of token sequences: whole prompts for the longest shared prefix, and exact prefixes with a value each."""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any, Generic, Protocol, TypeVar

from promptlint.model.common import common_prefix
from promptlint.policies.salt import salted

V = TypeVar("V")


class Prompts:
    """Prompts in lexicographic order: the one that shares most with another stands next to where that would stand."""

    def __init__(self) -> None:
        self._sorted: list[array[int]] = []

    def add(self, ids: array[int]) -> None:
        """Keeps `ids`; a prompt that another one begins with is not kept beside it."""
        at = bisect_left(self._sorted, ids)
        if at < len(self._sorted) and self._sorted[at][: len(ids)] == ids:
            return
        if at and ids[: len(self._sorted[at - 1])] == self._sorted[at - 1]:
            self._sorted[at - 1] = ids
        else:
            self._sorted.insert(at, ids)

    def shared(self, ids: array[int]) -> int:
        """Tokens of the longest prefix that `ids` shares with any prompt."""
        at = bisect_left(self._sorted, ids)
        return max((common_prefix(ids, other) for other in self._sorted[max(0, at - 1) : at + 1]), default=0)


class Store(Protocol):
    """What a cache keeps its prompts in: whole ones, and values for exact prefixes of them.

    Prompts are arrays of ids, or what else stands for such arrays in one store: a cache passes them on, no more.
    """

    def salted(self, ids: Any, keys: Iterable[tuple[int, str, str]]) -> Any:
        """The prompt split off from others by its keys (see promptlint/policies/salt.py)."""
        ...

    def add(self, ids: Any) -> None:
        """Keeps a prompt."""
        ...

    def shared(self, ids: Any) -> int:
        """Tokens of the longest prefix that a prompt shares with any that is kept."""
        ...

    def put(self, ids: Any, end: int, value: Any) -> None:
        """Stores `value` for the first `end` tokens of `ids`, in place of an earlier value for them."""
        ...

    def matching(self, ids: Any) -> list[tuple[int, Any]]:
        """Every stored prefix of `ids` as (its tokens, its value), shortest first."""
        ...


class ArrayStore:
    """Prompts as arrays of token ids."""

    def __init__(self) -> None:
        self._prompts = Prompts()
        self._values: PrefixTable[Any] = PrefixTable()
        self.add, self.shared = self._prompts.add, self._prompts.shared
        self.put, self.matching = self._values.put, self._values.matching
        self.salted = salted


class PrefixTable(Generic[V]):
    """Values by exact prefix. Finding all stored prefixes of a prompt costs one pass over it."""

    def __init__(self) -> None:
        self._values: dict[tuple[int, bytes], V] = {}
        self._ends: list[int] = []  # each end once, ascending

    def put(self, ids: array[int], end: int, value: V) -> None:
        """Stores `value` for the first `end` tokens of `ids`, in place of an earlier value for them."""
        for key in _digests(ids, (end,)):
            self._values[key] = value
            at = bisect_left(self._ends, end)
            if at == len(self._ends) or self._ends[at] != end:
                insort(self._ends, end)

    def matching(self, ids: array[int]) -> list[tuple[int, V]]:
        """Every stored prefix of `ids` as (its tokens, its value), shortest first."""
        return [(key[0], self._values[key]) for key in _digests(ids, self._ends) if key in self._values]


def _digests(ids: array[int], ends: Iterable[int]) -> Iterator[tuple[int, bytes]]:
    state, done = blake2b(digest_size=16), 0
    for end in ends:
        if end > len(ids):
            return
        state.update(ids[done:end].tobytes())
        done = end
        yield end, state.copy().digest()
