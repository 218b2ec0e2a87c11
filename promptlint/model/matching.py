"""What a matcher is given and what it answers: the contract between the rulebook and the ways to detect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from promptlint.model.finding import Scope, Severity
from promptlint.model.known import Known
from promptlint.model.policy import CachePolicy, Marks
from promptlint.model.prompt import Component, Prompt, Section
from promptlint.model.source import Span


@dataclass(frozen=True, slots=True)
class Hunk:
    """The first differing region of two component texts, grown to whole words (offsets in each text).

    `first` is the first differing character (both texts are equal before it).
    """

    before: Span
    after: Span
    first: int


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """The first divergence that is left. Components stand in cache order; causes already explained are set equal.

    A change is only itself, so that what was found out about it can be kept (see alignment).

    `at_before` and `at_after` index the first components that differ (equal to the length at the end of a side).
    `hunk` is there where both stand in the same slot (same section, kind and role), so that their texts compare.
    `known`: what earlier changes of the same comparison have shown of its messages.
    """

    before: tuple[Component, ...]
    after: tuple[Component, ...]
    at_before: int
    at_after: int
    hunk: Hunk | None
    scope: Scope
    prompt_before: Prompt
    prompt_after: Prompt
    policy: CachePolicy
    known: Known = field(default_factory=Known)

    @property
    def component_before(self) -> Component | None:
        return self.before[self.at_before] if self.at_before < len(self.before) else None

    @property
    def component_after(self) -> Component | None:
        return self.after[self.at_after] if self.at_after < len(self.after) else None


@dataclass(frozen=True, slots=True)
class FromAfter:
    """Keep (or move here) component `index` of the later prompt."""

    index: int


@dataclass(frozen=True, slots=True)
class FromBefore:
    """Take component `index` of the earlier prompt."""

    index: int


@dataclass(frozen=True, slots=True)
class Spliced:
    """Component `after` of the later prompt with `after_span` replaced by `before_span` of component `before`.

    It stands in the frame that `before` has in the earlier prompt. `more` are further spans behind these, in order:
    (of `after`, of `before`).
    """

    after: int
    after_span: Span
    before: int
    before_span: Span
    more: tuple[tuple[Span, Span], ...] = ()


@dataclass(frozen=True, slots=True)
class Rearranged:
    """Component `after` of the later prompt, its text put together anew from spans of it; it becomes `before`."""

    after: int
    before: int
    spans: tuple[Span, ...]


Part = FromAfter | FromBefore | Spliced | Rearranged


@dataclass(frozen=True, slots=True)
class Repair:
    """Sets a region equal: components `start` to `stop` of the later prompt become `parts`."""

    start: int
    stop: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """Text in a component: what a finding points at. `index` counts in the change's components of that side."""

    index: int
    span: Span


@dataclass(frozen=True, slots=True)
class Match:
    """A matcher's answer. `after` is the primary place; None: the place where the component is gone (`before` then).

    `facts` fill the rule's message. `weight` ranks matches of rules that do not beat each other: higher is narrower.
    `also` are further places of the same cause, each as (after, before). `harmless` says why the difference costs
    nothing that the caller could save: it is set equal, and no finding.
    """

    after: Mark | None
    before: Mark | None
    repair: Repair
    facts: Mapping[str, str] = field(default_factory=dict)
    weight: int = 0
    also: tuple[tuple[Mark | None, Mark | None], ...] = ()
    harmless: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two whole requests, for rules on settings, markers and distances. `ends_*`: tokens to each component's end.

    `appended`: the later rendering is one text that begins with all of the earlier one. `explained`: the codes of
    rules that explain a difference, each with the content block of the later prompt in which it is.
    """

    before: Prompt
    after: Prompt
    components_before: tuple[Component, ...]
    components_after: tuple[Component, ...]
    ends_before: tuple[int, ...]
    ends_after: tuple[int, ...]
    marks_before: Marks
    marks_after: Marks
    scope: Scope
    policy: CachePolicy
    shared: int
    appended: bool = False
    explained: tuple[tuple[str, tuple[Section, int, int]], ...] = ()


@dataclass(frozen=True, slots=True)
class Single:
    """One request on its own, for rules that need no second one."""

    prompt: Prompt
    components: tuple[Component, ...]
    ends: tuple[int, ...]
    marks: Marks
    policy: CachePolicy
    exact: bool
    pair: Pair | None = None  # with the earlier request, where there is one


@dataclass(frozen=True, slots=True)
class Note:
    """Answer of a rule on a pair or a single request: where, and the facts of its message.

    `span` counts in the component's text; None with a `setting` path points at the request field instead.
    `level_token`: the token from which on the cache is lost, where the rule knows it (changed settings).
    `lost`: tokens that are computed again because of it. `severity` and `confidence` overrule those of the rule.
    """

    component: Component | None
    span: Span | None
    setting: str | None
    facts: Mapping[str, str] = field(default_factory=dict)
    level_token: int | None = None
    lost: int | None = None
    severity: Severity | None = None
    confidence: str = ""
