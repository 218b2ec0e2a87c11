"""One request of a log after its session was found and the caches were asked: what the analyses are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from promptlint.model.policy import CachePolicy, Reuse
from promptlint.model.traffic import Exchange


@dataclass(slots=True)
class Step:
    """Counts in tokens, times in seconds. Steps come in the order in which requests were sent.

    `relation` to `previous`: `first` (no previous), `continues`, `retry` (the same prompt again), `fork` (continues an
    older state of the conversation), `auxiliary` (a title, summary or sub-agent call that goes its own way).
    `previous` is the step that this one continues, forked from or repeats; its own `previous` is None, so that memory
    stays bounded. `shared` tokens are the same as in `previous`; `seen` is the longest prefix that any earlier request
    of the log had, `unused` the time since one to the same cache had it. `reuse` is what the provider's own cache gives
    under its rules; `others` that of further caches by name. A log without text or ids (usage alone) has `tokens` from
    the usage and `reuse` None.
    """

    number: int
    exchange: Exchange
    policy: CachePolicy
    tokens: int
    exact: bool
    session: str
    relation: str
    previous: Step | None = None
    shared: int = 0
    seen: int = 0
    idle: float | None = None
    unused: float | None = None
    reuse: Reuse | None = None
    others: Mapping[str, Reuse] = field(default_factory=dict)


class Analysis(Protocol):
    """One look at a log: it is given every step once, in the order in which they were sent."""

    def add(self, step: Step) -> None: ...

    def result(self) -> Mapping[str, Any]:
        """Fields of `Traced` by name; `findings` and `notes` of several analyses are put together."""
        ...
