"""Fingerprints of parts of a log, made apart from each other, put together as if they had been made in one run."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from promptlint.model.traffic import Exchange
from promptlint.trace.fingerprint import Fingerprint
from promptlint.trace.library import Library
from promptlint.trace.options import TraceOptions
from promptlint.trace.replay import Replay


@dataclass(slots=True)
class Part:
    """Some requests of a log, without their bodies. It can be pickled, sent elsewhere, and merged there."""

    library: Library = field(default_factory=Library)
    requests: list[tuple[Exchange, Fingerprint]] = field(default_factory=list)

    def add(self, exchange: Exchange, found: Fingerprint) -> None:
        """`found` must come from this part's library."""
        self.requests.append((replace(exchange, body=None, reply=None), found))


def merge(left: Part, right: Part) -> Part:
    """Both parts as one, in the order in which their requests were sent; `left` is used up.

    Requests without a time, or of one moment, keep the order of their places in the logs.
    """
    chunks, messages = left.library.absorb(right.library)
    found = [(exchange, _renumbered(each, chunks, messages)) for exchange, each in right.requests]
    return Part(left.library, sorted([*left.requests, *found], key=_sent))


def replayed(part: Part, options: TraceOptions) -> Replay:
    """The aggregate stage over a part, or over all of them merged."""
    replay = Replay(options, part.library)
    for exchange, found in part.requests:
        replay.add(exchange, found)
    return replay


def _sent(request: tuple[Exchange, Fingerprint]) -> tuple[float, str, int]:
    exchange = request[0]
    return (exchange.sent_at or 0.0, exchange.file, exchange.line)


def _renumbered(found: Fingerprint, chunks: Sequence[int], messages: Sequence[int]) -> Fingerprint:
    return replace(
        found,
        chunks=_mapped(found.chunks, chunks),
        history=_mapped(found.history, messages),
        preamble=messages[found.preamble] if messages else 0,
    )


def _mapped(numbers: Iterable[int], to: Sequence[int]) -> array[int]:
    return array("I", map(to.__getitem__, numbers))
