"""Requests for comparing a cache with a real engine: conversations that grow, edits, cuts, repeats and strangers."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeAlias

from promptlint.policies.salt import salted
from promptlint.policies.structure import Structure

Mix: TypeAlias = "Callable[[array[int], Iterable[tuple[int, str, str]]], array[int]]"


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request as an engine served it. `hit`: tokens taken from its cache, None where it refused the request."""

    ids: array[int]
    output: array[int]
    salt: str
    hit: int | None


@dataclass(frozen=True, slots=True)
class Configuration:
    """An engine with `capacity` blocks (pages) of `block` tokens, and traffic with prompts of up to `longest`."""

    engine: str
    seed: int
    capacity: int
    block: int
    longest: int

    def exchanges(self, send: Callable[[int, array[int], array[int], str], int | None], count: int) -> list[Exchange]:
        """`count` requests. `send` gets number, ids, output and salt, and answers with the tokens taken."""
        traffic = Traffic(self.seed, block=max(8, self.block), longest=self.longest)
        result = []
        for number in range(count):
            ids, output, salt = traffic.prompt(), traffic.fresh(traffic.below(40)), traffic.salt()
            result.append(Exchange(ids, output, salt, send(number, ids, output, salt)))
            traffic.remember(ids + output)
        return result


class Traffic:
    """Prompts from a seed, the same on every Python (only `random.random` is used).

    Most build on one of the `recent` sequences. Many are one of them cut to a multiple of `block`: of all prompts only
    these show the last-token rule.
    """

    def __init__(
        self, seed: int, *, block: int, longest: int, ids: Sequence[int] = range(50), recent: int = 60
    ) -> None:
        self._random = random.Random(seed).random
        self._block, self._longest, self._ids, self._most = block, longest, ids, recent
        self._recent: list[array[int]] = []

    def below(self, limit: int) -> int:
        return int(self._random() * limit)

    def fresh(self, count: int) -> array[int]:
        return array("I", (self._ids[self.below(len(self._ids))] for _ in range(count)))

    def prompt(self) -> array[int]:
        kind = self._random()
        if not self._recent or kind < 0.15:
            return self.fresh(1 + self.below(self._longest // 2))
        earlier = self._recent[self.below(len(self._recent))]
        if kind < 0.40:
            result = earlier + self.fresh(1 + self.below(3 * self._block))
        elif kind < 0.55:
            result = earlier[: self.below(len(earlier))] + self.fresh(1 + self.below(6 * self._block))
        elif kind < 0.80:
            result = earlier[: max(self._block, len(earlier) // self._block * self._block)]
        elif kind < 0.90:
            result = earlier[: 1 + self.below(len(earlier))]
        else:
            result = earlier[:]
        return result[: self._longest]

    def salt(self) -> str:
        return "tenant" if self._random() < 0.3 else ""

    def remember(self, sequence: array[int]) -> None:
        self._recent = [*self._recent, sequence][-self._most :]


def digest(exchanges: Iterable[Exchange]) -> str:
    """Tells whether two lists hold the same requests."""
    state = sha256()
    for exchange in exchanges:
        state.update(repr((list(exchange.ids), list(exchange.output), exchange.salt)).encode())
    return state.hexdigest()


def mismatches(structure: Structure, exchanges: Iterable[Exchange], mix: Mix = salted) -> int:
    """Requests for which `structure` names another number of tokens than the engine did."""
    wrong = 0
    for exchange in exchanges:
        keys = ((0, "cache_salt", exchange.salt),) if exchange.salt else ()
        wrong += structure.request(mix(exchange.ids, keys), exchange.output) != exchange.hit
    return wrong
