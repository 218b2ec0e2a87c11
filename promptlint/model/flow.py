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
    Of tools, `description` is the order of lines within one, `schema` that of a list in its schema, `tools` the rest.

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


# What changes, and what of a prompt it reaches, in words.
KINDS = {
    "clock": "a time of day",
    "date": "a date",
    "random": "a random value or an id made anew",
    "sample": "a random choice or order",
    "identity": "who the user, tenant or conversation is",
    "environment": "the folder, machine or process",
    "counter": "a count that grows with the conversation",
    "retrieval": "what was looked up for one question",
    "file": "a file that changes during a session",
    "order": "items in no fixed order",
}
PARTS = {
    "system": "the system prompt",
    "tools": "the tools",
    "messages": "the messages",
    "cache_key": "the cache key",
    "request": "a request: its arguments system, tools, messages and their like are the parts",
}


@dataclass(frozen=True, slots=True)
class Additions:
    """House wrappers: (kind, dotted name) of calls that give what changes, (part, name) of calls, variables, arguments
    and functions that are part of a prompt, and (kind, dotted name) of calls whose result no longer changes in this
    way. Kinds are those of KINDS, parts those of PARTS.
    """

    sources: tuple[tuple[str, str], ...] = ()
    sinks: tuple[tuple[str, str], ...] = ()
    sanitizers: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.sources or self.sinks or self.sanitizers)
