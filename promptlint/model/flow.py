"""A value that changes, followed through source code to the place of a prompt where it lands."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.model.source import Source


@dataclass(frozen=True, slots=True)
class Station:
    """A place that a flow passes: what happens there, in which file, and where (code points)."""

    what: str
    source: Source
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Flow:
    """From what changes (`kind`: clock, date, random, …) to a part of a prompt (`sink`: system, tools, history, …).

    `source` is the file with the origin at `span` (code points); `stations` lead from there to the place where it
    lands, that place last. `after` is the fixed text behind it there, as far as it is known (None: not known).
    `what` is the origin as it is written, `target` what it lands in.
    """

    kind: str
    sink: str
    source: Source
    span: tuple[int, int]
    stations: tuple[Station, ...]
    what: str = ""
    target: str = ""
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Additions:
    """House wrappers: (kind, dotted name) of calls that give what changes, (part, name) of calls and variables that
    are part of a prompt, and calls that make an order stable. Parts are system, tools, messages and cache_key.
    """

    sources: tuple[tuple[str, str], ...] = ()
    sinks: tuple[tuple[str, str], ...] = ()
    sanitizers: tuple[str, ...] = ()
