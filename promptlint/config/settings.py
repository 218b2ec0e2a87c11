"""What a configuration may say: settings of a prompt or file, declared prompts, and what holds for a whole run."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from typing import TypeVar

from promptlint.config.globs import matches
from promptlint.model.flow import Additions
from promptlint.model.template import Names

_T = TypeVar("_T", bound="Budget | Traffic | Settings")

BASELINE = "promptlint-baseline.json"


@dataclass(frozen=True, slots=True)
class Budget:
    """What a release may lose of a prompt's cached state; None: not limited in this way.

    `max_lost_tokens` in tokens, `max_lost_share` of the tokens that were cached (0 to 1), `max_cost` in US dollars.
    A budget without any limit is the default one: the provider's minimum cacheable length.
    """

    max_lost_tokens: int | None = None
    max_lost_share: float | None = None
    max_cost: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Traffic:
    """What the cost estimate counts with; None: not known."""

    requests_per_day: float | None = None
    warm_entries: int | None = None
    tokens_per_second: float | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """How one prompt or file is checked; None: not said. Names and paths as on the command line, paths absolute.

    `severity`: (rule, severity) pairs; `select` and `ignore` are codes, names or prefixes of rules.
    """

    provider: str | None = None
    model: str | None = None
    tokenizer: str | None = None
    chat_template: str | None = None
    model_config: str | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    severity: tuple[tuple[str, str], ...] = ()
    min_severity: str | None = None
    min_confidence: str | None = None
    budget: Budget = field(default_factory=Budget)
    traffic: Traffic = field(default_factory=Traffic)


@dataclass(frozen=True, slots=True)
class Part:
    """A file, or a glob of files, of a declared prompt, with the place in the configuration that names it."""

    pattern: str
    line: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True)
class Declaration:
    """A prompt that is put together from parts, in this order. `settings` are complete (its own over the file's).

    `breakpoints`: the parts at whose end the program sets a cache marker; empty: not said.
    """

    name: str
    parts: tuple[Part, ...]
    settings: Settings = field(default_factory=Settings)
    breakpoints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Config:
    """One configuration. `root` is the folder that its patterns and paths count from; `file` is None without a file.

    `code`: what a house adds to the sources, sinks and sanitizers of source code. `placeholders`: what it says about
    the names of placeholders in templates. `rules`: rule files of one's own, as absolute paths. `by` and
    `min_hit_rate` (0 to 1) are for replayed logs.
    """

    root: str
    file: str | None = None
    settings: Settings = field(default_factory=Settings)
    fail_on: str | None = None
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    per_path_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    baseline: str = BASELINE
    prompts: tuple[Declaration, ...] = ()
    code: Additions = field(default_factory=Additions)
    placeholders: Names = field(default_factory=Names)
    rules: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    min_hit_rate: float | None = None

    def excluded(self, path: str) -> bool:
        """Whether a file that was found in a folder is left out; `path` counts from `root`, with slashes."""
        return any(matches(pattern, path) for pattern in self.exclude)

    def included(self, path: str) -> bool:
        """Whether a file is a prompt although its name does not say so."""
        return any(matches(pattern, path) for pattern in self.include)

    def ignored(self, path: str) -> tuple[str, ...]:
        """Rules that are not reported in a file."""
        return tuple(rule for pattern, rules in self.per_path_ignores if matches(pattern, path) for rule in rules)


def over(own: _T, base: _T) -> _T:
    """What `own` says, and what `base` says where it is silent."""
    said = {}
    for each in fields(own):
        value, below = getattr(own, each.name), getattr(base, each.name)
        if isinstance(value, Budget | Traffic):
            said[each.name] = over(value, below)
        elif each.name == "severity":
            said[each.name] = (*below, *value)  # the last one decides
        else:
            said[each.name] = below if value is None else value
    return replace(own, **said)
