"""What survives: a provider's cache rules as data, and a cache as the three ways of matching implement it."""

from __future__ import annotations

import enum
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from promptlint.model.prompt import Section


class Matching(enum.Enum):
    LONGEST_PREFIX = "longest-prefix"
    BREAKPOINT = "breakpoint"
    LEARNED_UNITS = "learned-units"


@dataclass(frozen=True, slots=True)
class Fact:
    """Where a number comes from: sources (URLs or package files) and the day they were checked.

    `as_of` is the date or version that the sources themselves carry.
    """

    sources: tuple[str, ...]
    checked: str
    status: str = "confirmed"
    as_of: str = ""


@dataclass(frozen=True, slots=True)
class Invalidator:
    """A request setting that splits caches: from `level` on nothing is shared when its value differs.

    `level` None: the whole prompt (tools included). `certain` false: documented as model-specific or unconfirmed.
    `default` is the value (compact JSON) that counts like leaving the setting out, where one is documented.
    `ordered`: the value's text stands in the prompt (a schema), so that the order of its keys counts.
    """

    setting: str
    level: Section | None
    certain: bool = True
    note: str = ""
    default: str | None = None
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class CachePolicy:
    """One provider entry. Token counts in tokens, times in seconds, prices as multiples of the input price.

    `order` is the order of sections in the prompt. `block` None: no rounding. `min_tokens` is the documented
    minimum, `min_tokens_high` the upper end where sources disagree. `last_token` true: the last prompt token is
    always recomputed (self-hosted engines).
    """

    id: str
    family: str
    matching: Matching
    order: tuple[Section, ...]
    fact: Fact
    models: tuple[str, ...] = ()
    exclude_models: tuple[str, ...] = ()
    min_tokens: int = 0
    min_tokens_high: int | None = None
    min_tokens_status: str = "confirmed"
    block: int | None = None
    block_status: str = "confirmed"
    last_token: bool = False
    breakpoints_max: int = 0
    breakpoints_overflow: str = "refused"  # more markers than that: refused (an API error), or only the latest count
    lookback_blocks: int | None = None
    lookback_runs: bool = False  # a run of tool_use (or of tool_result) blocks counts as one position
    lookups_max: int | None = None  # without a look-back: looks only at its own breakpoints, the latest so many
    marker_sections: tuple[Section, ...] = (Section.TOOLS, Section.SYSTEM, Section.MESSAGES)
    implicit_breakpoints: bool = False  # the provider places one at the latest eligible message
    ttl_default: int | None = None
    ttl_options: tuple[int, ...] = ()
    ttl_refreshed: bool = True
    ttl_minimum: bool = False  # the lifetime is a lower bound: an older entry may still be there
    read_multiplier: float | None = None
    write_multipliers: Mapping[int, float] = field(default_factory=dict)
    invalidators: tuple[Invalidator, ...] = ()
    longer_ttl_first: bool = False  # a longer lifetime behind a shorter one is refused
    uncacheable: tuple[str, ...] = ()  # what takes no marker: `reasoning`, `blank`, `nested` (a block inside a source)
    routing_key: str | None = None
    routing_alternatives: tuple[str, ...] = ()  # other fields of the body that route like it
    routing_key_helps: bool = True  # false: requests find their cache without a key
    key_order_matters: bool = False  # the host minds the order of the request body's keys
    hosted: bool = True
    drops_reasoning: bool = False  # the provider leaves the reasoning of ended turns out of the prompt by itself
    vendor_reasons: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A place where breakpoint providers may cut: the end of a content block, in tokens.

    `marked` is the cache marker's lifetime in seconds, or None; `run` names runs that count as one position
    (`tool_use`, `tool_result`, or empty); `eligible`: an implicit breakpoint may stand here. `speaker` says whose words
    it holds (`tool definition`, `developer`, `tool response`, or the role), `message` is the index of its message.
    """

    end: int
    section: Section
    path: str
    marked: int | None = None
    run: str = ""
    eligible: bool = False
    speaker: str = ""
    message: int = -1


@dataclass(frozen=True, slots=True)
class Marks:
    """What a cache must know of a request besides its ids.

    `keys`: (token position, setting path, value) of settings that split caches from that position on.
    `exact` false: token positions are estimates, so that what lies near a threshold is uncertain.
    """

    blocks: tuple[Block, ...] = ()
    keys: tuple[tuple[int, str, str], ...] = ()
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Reuse:
    """Tokens that a request takes from the cache, and in words why it is not more.

    `low` and `high` bound the number where facts are uncertain (equal otherwise); `written` is what this policy
    would write at a premium for this request; `expired` is how many more it would take if nothing had expired.
    """

    tokens: int
    why: str
    low: int
    high: int
    written: int = 0
    notes: tuple[str, ...] = ()
    expired: int = 0


class Cache(Protocol):
    """A policy is a cache: a pair is a trace of two requests, a log a trace of many. Times in seconds."""

    def store(self, ids: array[int], marks: Marks, time: float) -> None: ...

    def lookup(self, ids: array[int], marks: Marks, time: float) -> Reuse: ...
