"""The whole flow on one page: logs → exchanges in order → fingerprints → steps → analyses → what a log shows."""

from __future__ import annotations

import gc
import heapq
import sys
from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from operator import itemgetter
from typing import Any

from promptlint.model.errors import InputError
from promptlint.model.traced import Traced
from promptlint.model.traffic import BadLine, Exchange
from promptlint.readers import logs
from promptlint.trace.ahead import fingerprints
from promptlint.trace.fingerprint import Fingerprint
from promptlint.trace.fingerprinter import Fingerprinter
from promptlint.trace.losses import Losses
from promptlint.trace.options import TraceOptions
from promptlint.trace.positions import Positions
from promptlint.trace.replay import Replay
from promptlint.trace.step import Analysis
from promptlint.trace.usual import completed

_WINDOW = 32  # requests that wait for one which was sent before them: logs are written when requests end
_SHOWN = 20  # broken lines that are named
_PARTIAL = (
    "Requests in transcripts, which leave out the system prompt or the tools: {:,}. What is computed holds for the "
    "rest of these prompts, what the provider reported for the whole; the two are not compared."
)

Progress = Callable[[str], Callable[[int], None]]


class Broken:
    """Lines that could not be read. With `strict` the first one ends the run.

    `first`: by their places in the logs, whatever the order in which they were found out.
    """

    def __init__(self, strict: bool) -> None:
        self._strict = strict
        self.count = 0
        self.first: list[BadLine] = []

    def __call__(self, bad: BadLine) -> None:
        if self._strict:
            raise InputError(
                f"{bad.why}; without --strict the line is counted and left out", name=bad.file, line=bad.line
            )
        self.count += 1
        insort(self.first, bad, key=lambda each: (each.file, each.line))
        del self.first[_SHOWN:]


def run(paths: Sequence[str], options: TraceOptions, *, progress: Progress | None = None) -> Traced:
    """What the logs at `paths` (`-`: standard input) show, each read once. Several logs are put together by time.

    `progress` is told what a pass over the logs is for, and gives what is told how many more bytes were read in it.
    Raises PromptlintError.
    """
    paths = tuple(dict.fromkeys(paths))
    broken = Broken(options.strict)

    def read(what: str, on_bad: Callable[[BadLine], None]) -> Iterator[Exchange]:
        on_read = progress(what) if progress else None
        found = in_order([logs.read(path, options.form, on_bad, on_read) for path in paths])
        return completed(found, options) if options.usual_provider or options.usual_model else found

    again = (
        None if "-" in paths else partial(read, "replaying repairs", lambda _: None)
    )  # what is broken is known by then
    with for_long_logs():
        return trace(read("reading", broken), options, broken, files=paths, again=again)


@contextmanager
def for_long_logs() -> Iterator[None]:
    """Settings of Python that suit a trace.

    What it keeps holds few cycles, and looking for them again and again costs a quarter of its time. And threads that
    read and encode ask for Python's lock only for moments: they are not to wait 5 ms for each.
    """
    usual, interval = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(200_000, 50, 100)
    sys.setswitchinterval(0.0005)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        sys.setswitchinterval(interval)


def trace(
    exchanges: Iterable[Exchange],
    options: TraceOptions,
    broken: Broken,
    *,
    files: tuple[str, ...] = (),
    again: Callable[[], Iterator[Exchange]] | None = None,
) -> Traced:
    """The same for exchanges in the order in which they were sent; `again` gives them once more, where it can."""
    fingerprinter = Fingerprinter(options)
    replay = Replay(options, fingerprinter.library)
    counts = Counts()
    looks = analyses(options, replay, fingerprinter, again)
    read = 0
    for exchange, found in fingerprints(exchanges, fingerprinter, broken):
        step = replay.add(exchange, found)
        counts.add(exchange, found)
        for look in looks:
            look.add(step)
        read += 1
    fields = _together([replay.result(), counts.result(), *(look.result() for look in looks)])
    return Traced(files=files, lines=read + broken.count, bad_lines=broken.count, broken=tuple(broken.first), **fields)


def analyses(
    options: TraceOptions,
    replay: Replay,
    fingerprinter: Fingerprinter,
    again: Callable[[], Iterator[Exchange]] | None,
) -> list[Analysis]:
    """What looks at every step."""
    return [Losses(options, fingerprinter, again), Positions()]


def in_order(streams: Sequence[Iterator[Exchange]]) -> Iterator[Exchange]:
    """The exchanges of all logs by the time they were sent; one that names no time stays behind its forerunner."""
    timed = [_timed(stream, number) for number, stream in enumerate(streams)]
    return (exchange for *_, exchange in heapq.merge(*timed, key=itemgetter(0, 1, 2)))


def _timed(stream: Iterator[Exchange], log: int) -> Iterator[tuple[float, int, int, Exchange]]:
    """With (time, log, place in it); what was written a little late is put back in its place."""
    waiting: list[tuple[float, int, int, Exchange]] = []
    before = float("-inf")
    for place, exchange in enumerate(stream):
        before = before if exchange.sent_at is None else exchange.sent_at
        heapq.heappush(waiting, (before, log, place, exchange))
        if len(waiting) > _WINDOW:
            yield heapq.heappop(waiting)
    while waiting:
        yield heapq.heappop(waiting)


class Counts:
    """How tokens were counted, over all requests."""

    def __init__(self) -> None:
        self._vocabularies: dict[str, int] = {}
        self._reasons: dict[str, int] = {}
        self._exact = True
        self._partial = 0

    def add(self, exchange: Exchange, found: Fingerprint) -> None:
        self._partial += exchange.partial
        self._vocabularies[found.vocabulary] = self._vocabularies.get(found.vocabulary, 0) + 1
        if not found.exact:
            self._exact = False
            self._reasons[found.reason] = self._reasons.get(found.reason, 0) + 1

    def result(self) -> dict[str, Any]:
        names = sorted(filter(None, self._vocabularies), key=lambda name: -self._vocabularies[name])
        reason = max(self._reasons, key=lambda text: self._reasons[text], default="")
        notes = (_PARTIAL.format(self._partial),) if self._partial else ()
        return {"vocabulary": ", ".join(names), "exact": self._exact, "reason": reason, "notes": notes}


def _together(results: Sequence[Any]) -> dict[str, Any]:
    """Fields by name; findings and notes of several analyses one after another."""
    fields: dict[str, Any] = {}
    for result in results:
        for name, value in result.items():
            fields[name] = (*fields.get(name, ()), *value) if name in ("findings", "notes") else value
    return fields
