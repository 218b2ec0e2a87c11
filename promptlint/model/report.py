"""The report: all that a run found, in the shape that every reporter prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from promptlint.model.cost import CostEstimate
from promptlint.model.divergence import Divergence
from promptlint.model.finding import Finding, Place
from promptlint.model.prompt import Skip

if TYPE_CHECKING:  # a comparison does without
    from promptlint.model.traced import Traced


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Text around the divergence: at most 40 characters of shared text before it and of each side's text from there.

    The first `before_differs` and `after_differs` characters of a side are what differs (0: only the other side has
    text here), the rest is common to both again; None: not known.
    """

    shared: str
    before: str
    after: str
    before_differs: int | None = None
    after_differs: int | None = None


@dataclass(frozen=True, slots=True)
class RepairStep:
    """Fixing this cause and all before it shares `cumulative` tokens, `recovers` more than without this one.

    `reusable` is what the provider would then take from its cache. `token` tokens of the later prompt stand before
    the cause (None: not known); `excerpt` is the text around it.
    """

    code: str
    name: str
    path: str
    recovers: int
    cumulative: int
    reusable: int
    token: int | None = None
    excerpt: Excerpt | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """A section of the later prompt in cache order: tokens `start` to `end`, half-open."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Boundary:
    """A breakpoint: `token` tokens stand before it; `label` says whose it is and in which field."""

    token: int
    label: str


@dataclass(frozen=True, slots=True)
class Survival:
    """What one provider's rules would let survive of the same pair, in that provider's order of sections.

    Of `after` tokens `shared` are the same from token 0 on and `reusable` (between `low` and `high`) come from the
    cache. All providers are counted with one vocabulary, that of the comparison.
    """

    provider: str
    policy: str
    shared: int
    reusable: int
    low: int
    high: int
    after: int
    why: str


@dataclass(frozen=True, slots=True)
class TokenCounts:
    before: int
    after: int
    shared: int
    reusable: int
    reusable_low: int
    reusable_high: int
    lost: int  # tokens of `after` that must be computed: after - reusable
    exact: bool
    vocabulary: str
    reason: str


@dataclass(frozen=True, slots=True)
class Comparison:
    before: str
    after: str
    provider: str
    policy: str
    model: str
    scope: str
    tokens: TokenCounts
    why_reusable: str
    notes: tuple[str, ...]
    divergence: Divergence | None
    place: Place | None  # of the divergence in the later file
    excerpt: Excerpt | None
    repairs: tuple[RepairStep, ...]
    cost: CostEstimate | None
    vendor_reason: str = ""  # the one that the provider's own diagnosis would give, which names the first cause only
    sections: tuple[Stretch, ...] = ()
    marks: tuple[Boundary, ...] = ()  # in token order
    block: int | None = None  # tokens; the provider keeps whole blocks only
    survival: tuple[Survival, ...] = ()  # empty unless it was asked for


@dataclass(frozen=True, slots=True)
class VaryingRegion:
    """A part of a prompt that is not the same in all versions.

    `varies` names the coarsest thing that decides it (`per day`, `per user`, …, `per request` where nothing known
    does); `follows` all that would, which few versions cannot tell apart. `values` counts distinct texts.
    """

    place: Place
    varies: str
    follows: tuple[str, ...]
    values: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    command: str
    comparisons: tuple[Comparison, ...] = ()
    findings: tuple[Finding, ...] = ()
    skipped: tuple[Skip, ...] = ()
    files_checked: int = 0
    summary: Mapping[str, int] = field(default_factory=dict)
    versions: int = 0  # of one prompt, where more than two were compared
    volatility: tuple[VaryingRegion, ...] = ()
    traced: Traced | None = None  # of `trace`
