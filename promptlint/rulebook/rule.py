"""A rule as data, and the book that holds them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType

from promptlint.model.errors import ConfigError
from promptlint.model.finding import Scope, Severity
from promptlint.rulebook.detect import Detect

SUBJECTS = ("divergence", "pair", "prompt", "template", "chat-template", "code", "log", "probe")


@dataclass(frozen=True, slots=True)
class Example:
    """A pair (or one request) in which `[|…|]` marks exactly what must be reported; none in a good example.

    `before` is None for rules on a single request. Both are what a request body holds, or a text. `besides` names
    rules that a bad example shows as well, because one cause cannot be there without the other. `file`: its name,
    where the kind of the file matters (`prompt.py`).
    """

    before: object
    after: object
    provider: str | None = None
    note: str = ""
    besides: tuple[str, ...] = ()
    file: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One YAML file.

    `scopes` limits a rule to some relations of the two prompts (empty: all); `tail` lets it look at the newest input,
    where all other rules are silent. `also`: the same rule for other subjects, each with its own way to detect.
    """

    code: str
    name: str
    summary: str
    severity: Severity
    confidence: str
    since: str
    why: str
    fix: str
    message: str
    subject: str
    detect: Detect
    file: str
    references: tuple[str, ...] = ()
    not_when: str = ""
    bad: tuple[Example, ...] = ()
    good: tuple[Example, ...] = ()
    providers: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ()
    beats: tuple[str, ...] = ()
    tail: bool = False
    also: tuple[Rule, ...] = ()

    @property
    def matcher(self) -> ModuleType:
        """The module of promptlint.matchers that detects, with these `params`. Both raise RuleError."""
        return self.detect.module

    @property
    def params(self) -> object:
        return self.detect.params

    def outranks(self, other: Rule) -> bool:
        """Whether this rule's `beats` names the other by code or by group (`PL4`)."""
        return self is not other and any(other.code.startswith(code) for code in self.beats)


@dataclass(frozen=True, slots=True)
class Rulebook:
    rules: tuple[Rule, ...]

    def rule(self, name: str) -> Rule:
        """The rule with this code or name. Raises ConfigError."""
        for rule in self.rules:
            if name.upper() == rule.code or name == rule.name:
                return rule
        raise ConfigError(self._unknown(name))

    def on(self, *subjects: str) -> tuple[Rule, ...]:
        """The rules on these subjects; a rule that covers several comes in its form for the subject."""
        forms = (form for rule in self.rules for form in (rule, *rule.also))
        return tuple(form for form in forms if form.subject in subjects)

    def chosen(self, select: Iterable[str], ignore: Iterable[str]) -> Rulebook:
        """The rules that are reported: by code, prefix (`PL1`) or name. Raises ConfigError for what names no rule."""
        selected, ignored = self._named(select), self._named(ignore)
        kept = tuple(rule for rule in self.rules if (not selected or rule in selected) and rule not in ignored)
        return Rulebook(kept)

    def holds(self, rule: Rule) -> bool:
        """Whether the rule, in any of its forms, is in the book."""
        return any(rule.code == other.code for other in self.rules)

    def _named(self, names: Iterable[str]) -> list[Rule]:
        found: list[Rule] = []
        for name in names:
            rules = [rule for rule in self.rules if rule.name == name or rule.code.startswith(name.upper())]
            if not name or not rules:
                raise ConfigError(self._unknown(name))
            found.extend(rules)
        return found

    def _unknown(self, name: str) -> str:
        from difflib import get_close_matches  # only for this message

        known = [*(rule.code for rule in self.rules), *(rule.name for rule in self.rules)]
        close = get_close_matches(name.upper(), known, n=2) or get_close_matches(name.lower(), known, n=2)
        hint = f"did you mean {' or '.join(close)}? " if close else ""
        return f"unknown rule {name!r}: {hint}`promptlint rules list` shows all codes and names"
