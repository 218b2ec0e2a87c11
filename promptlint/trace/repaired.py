"""The log replayed once more with its first causes repaired: the hit rate that each repair brings, alone and in turn.

Nothing is estimated: repaired bodies get fingerprints of their own and go through caches of their own. What they hold
is kept in the library of the first replay, so the second one needs memory for what repairs make new, for a tree of
each variant, and for the first body of each conversation that is still going on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from promptlint.model.errors import InputError, Problems
from promptlint.model.traffic import Exchange
from promptlint.trace.fingerprint import Fingerprint
from promptlint.trace.fingerprinter import Fingerprinter
from promptlint.trace.repair import Repair, Repairer
from promptlint.trace.simulate import Caches
from promptlint.trace.trail import Trail
from promptlint.trace.tree import Tree


@dataclass(frozen=True, slots=True)
class Rates:
    """Hit rates (0 to 1) with one cause repaired alone, and with all before it as well."""

    alone: float
    cumulative: float


class _Variant:
    """One replay of the log with some repairs."""

    def __init__(self, repairs: Sequence[Repair], fingerprinter: Fingerprinter) -> None:
        self._repairer = Repairer(repairs)
        self._fingerprinter = fingerprinter
        self._tree = Tree(fingerprinter.library)
        self._caches = Caches(fingerprinter.library)
        self._tokens = self._read = 0

    def add(self, exchange: Exchange, found: Fingerprint, session: str, *, last: bool) -> None:
        body = self._repairer.apply(exchange.body, session, last=last)
        if body is not exchange.body:
            exchange = replace(exchange, body=body)
            found = self._fingerprinter.of(exchange)
        nodes, _ = self._tree.add(found.chunks, found.tokens)
        trail = Trail(self._tree, nodes, found.tokens)
        reuse = self._caches.own(exchange, found, trail, exchange.sent_at or 0.0)
        self._tokens += found.tokens
        self._read += reuse.tokens

    @property
    def rate(self) -> float:
        return self._read / self._tokens if self._tokens else 0.0


def replayed(
    exchanges: Iterable[Exchange],
    repairs: Sequence[Repair],
    sessions: Mapping[tuple[str, int], Sequence[str]],
    fingerprinter: Fingerprinter,
) -> list[Rates]:
    """The rates of each repair, the first cause first. `sessions`: of the requests of each record, by file and line."""
    alone = [_Variant([repair], fingerprinter) for repair in repairs]
    in_turn = [alone[0], *(_Variant(repairs[: end + 1], fingerprinter) for end in range(1, len(repairs)))]
    variants = [*alone, *in_turn[1:]]
    coming = {record: iter(names) for record, names in sessions.items()}
    left = Counter(name for names in sessions.values() for name in names)
    for exchange in exchanges:
        session = next(coming.get((exchange.file, exchange.line), iter(())), None)
        if session is None or not isinstance(exchange.body, dict):
            continue
        left[session] -= 1
        try:
            found = fingerprinter.of(exchange)
            for variant in variants:
                variant.add(exchange, found, session, last=not left[session])
        except (InputError, Problems):  # a log that changed since it was read first
            continue
    return [Rates(one.rate, both.rate) for one, both in zip(alone, in_turn, strict=True)]
