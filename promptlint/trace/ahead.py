"""Fingerprints of a log, a batch at a time: while requests are replayed, the texts of the next ones are encoded.

It also takes the lines of a log, which are long, out of the way: what is done for one request after another finds its
data in the processor's caches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from promptlint.model.errors import InputError, Problems
from promptlint.model.traffic import BadLine, Exchange
from promptlint.trace.fingerprint import Fingerprint
from promptlint.trace.fingerprinter import Fingerprinter
from promptlint.trace.units import Draft

_REQUESTS = 256
_CHARACTERS = 250_000  # of new text, which ends a batch as well

OnBad = Callable[[BadLine], None]


def fingerprints(
    exchanges: Iterable[Exchange], fingerprinter: Fingerprinter, on_bad: OnBad
) -> Iterator[tuple[Exchange, Fingerprint]]:
    """Each exchange with its fingerprint; a body that is no request counts as a broken line."""
    library = fingerprinter.library
    before: list[Draft] = []
    try:
        for drafts in _batches(exchanges, fingerprinter, on_bad):
            library.advance()
            yield from _finished(before, fingerprinter, on_bad)
            before = drafts
        library.settle()
        yield from _finished(before, fingerprinter, on_bad)
    finally:
        library.waiting.stop()


def _batches(exchanges: Iterable[Exchange], fingerprinter: Fingerprinter, on_bad: OnBad) -> Iterator[list[Draft]]:
    waiting = fingerprinter.library.waiting
    drafts: list[Draft] = []
    for exchange in exchanges:
        try:
            drafts.append(fingerprinter.begin(exchange))
        except (InputError, Problems) as problem:
            on_bad(_bad(exchange, problem))
        if len(drafts) == _REQUESTS or waiting.characters > _CHARACTERS:
            waiting.expect_more()
            yield drafts
            drafts = []
    if drafts:
        yield drafts


def _finished(
    drafts: Iterable[Draft], fingerprinter: Fingerprinter, on_bad: OnBad
) -> Iterator[tuple[Exchange, Fingerprint]]:
    for draft in drafts:
        try:
            found = fingerprinter.finish(draft)
        except (InputError, Problems) as problem:
            on_bad(_bad(draft.exchange, problem))
            continue
        yield draft.exchange, found


def _bad(exchange: Exchange, problem: InputError | Problems) -> BadLine:
    first = problem.errors[0] if isinstance(problem, Problems) else problem
    return BadLine(exchange.file, exchange.line, first.message)
