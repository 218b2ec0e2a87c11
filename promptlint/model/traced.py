"""What a replayed log shows, in the shape that every reporter prints: hits, causes, sessions, shared prefixes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from promptlint.model.cost import CostEstimate
from promptlint.model.finding import Finding, Place
from promptlint.model.traffic import BadLine


@dataclass(frozen=True, slots=True)
class Hits:
    """Sums over requests, in tokens of prompts that were replayed; 0 where only usage is known.

    `read` came from the simulated cache, `written` was put there at a premium.

    `reported` of `reported_tokens` prompt tokens were cached as the provider says, over requests with usage only.
    `cost` in US dollars for the prompts (None: no price is known).
    """

    requests: int = 0
    tokens: int = 0
    read: int = 0
    written: int = 0
    reported: int = 0
    reported_tokens: int = 0
    cost: float | None = None

    @property
    def rate(self) -> float:
        """Token-weighted hit rate of the simulated cache, 0 to 1."""
        return self.read / self.tokens if self.tokens else 0.0

    @property
    def reported_rate(self) -> float | None:
        return self.reported / self.reported_tokens if self.reported_tokens else None


@dataclass(frozen=True, slots=True)
class Simulated:
    """One cache that the log was replayed through; `capacity` in words (`unbounded`, `10,000 blocks of 16`)."""

    name: str
    policy: str
    capacity: str
    hits: Hits
    note: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """The requests whose field `by` (session, user, model, day, …) has `value`."""

    by: str
    value: str
    hits: Hits


@dataclass(frozen=True, slots=True)
class Waste:
    """Lost tokens with one cause; every lost token of the log is in exactly one.

    `kind`: `rule` (then `code` and `path` say which and where), or `cold`, `ttl`, `capacity`, `model`, `provider`
    (prefix stable and warm, no hit: not the caller's fault), `rules` (below a minimum or block, the last token), `new`
    (text that no earlier request held: nothing could be reused), `unexplained`. `place` is the request in the log that
    lost most. `alone` and `cumulative`: hit rate of the log with this cause repaired alone, and with all before it as
    well (None: not replayed).
    """

    kind: str
    code: str
    name: str
    path: str
    message: str
    tokens: int
    requests: int
    avoidable: bool
    place: Place | None = None
    cost: CostEstimate | None = None
    dollars: float | None = None
    alone: float | None = None
    cumulative: float | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """A stretch of time: `start` in Unix seconds (or the number of the first request, where no time is known)."""

    start: float
    hits: Hits


@dataclass(frozen=True, slots=True)
class Bin:
    """Requests whose prompt parts from its predecessor between tokens `start` and `end`, and the tokens they lose."""

    start: int
    end: int
    requests: int
    lost: int


@dataclass(frozen=True, slots=True)
class Branch:
    """A prefix that several requests share: `depth` tokens from token 0, `tokens` of its own beyond its parent.

    `label` names the component where the branch ends, `parts` is the text there on which its children part, shortened.
    `values` counts the distinct values of each field (user, session, …) among its requests. `warm`: worth sending
    once before traffic comes, because so many sessions begin with it; `saved` are the tokens that would read.
    """

    depth: int
    tokens: int
    requests: int
    label: str
    parts: str = ""
    values: Mapping[str, int] = field(default_factory=dict)
    warm: bool = False
    saved: int = 0
    children: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Hit rate of a least-recently-used cache of `tokens` tokens."""

    tokens: int
    rate: float


@dataclass(frozen=True, slots=True)
class Middle:
    """Text that repeats inside prompts but not at their beginning: prefix caching cannot reuse it.

    `tokens` of `of` are such repetitions; an upper bound of what other methods could recover, never added to savings.
    """

    tokens: int
    of: int
    reference: str = ""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A request where prediction (`low` to `high`) and report differ, with the explanation if one was found."""

    file: str
    line: int
    low: int
    high: int
    reported: int
    why: str


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Predicted against reported cached tokens, over requests where both are known.

    Of the requests for which the provider gave a reason of its own, our diagnosis names the same for `vendor_same`.
    """

    requests: int
    agree: int
    predicted: int
    reported: int
    reasons: Mapping[str, int] = field(default_factory=dict)  # why they differ → requests
    vendor: Mapping[str, int] = field(default_factory=dict)  # the provider's own reasons → requests
    worst: tuple[Disagreement, ...] = ()
    vendor_same: int = 0


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation. `kind`: main, fork, auxiliary, subagent; `parent` is the session it came from."""

    name: str
    kind: str
    parent: str
    requests: int
    retries: int
    hits: Hits


@dataclass(frozen=True, slots=True)
class Traced:
    """The whole result. `bad_lines` of `lines` records could not be read, `broken` are the first few of them.

    `unique_tokens` were held once each. `findings`: those of the log rules and of the ranked causes, places in the log.
    """

    files: tuple[str, ...]
    lines: int
    bad_lines: int
    vocabulary: str
    exact: bool
    reason: str
    hits: Hits
    caches: tuple[Simulated, ...] = ()
    groups: tuple[Group, ...] = ()
    sessions: tuple[Session, ...] = ()
    waste: tuple[Waste, ...] = ()
    moments: tuple[Moment, ...] = ()
    bins: tuple[Bin, ...] = ()
    tree: Branch | None = None
    curve: tuple[CurvePoint, ...] = ()
    middle: Middle | None = None
    reconciliation: Reconciliation | None = None
    unique_tokens: int = 0
    notes: tuple[str, ...] = ()
    broken: tuple[BadLine, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def replayed(self) -> bool:
        """Whether prompts went through a simulated cache; a log of usage alone has reported figures only."""
        return self.hits.tokens > 0

    @property
    def tokens(self) -> int:
        """Tokens of all prompts: those that were replayed, or as reported where none could be."""
        return self.hits.tokens or self.hits.reported_tokens

    @property
    def rate(self) -> float | None:
        """Hit rate as simulated, as reported where nothing could be replayed, None where neither is known."""
        return self.hits.rate if self.replayed else self.hits.reported_rate
