"""What each lost token was lost to: every token that a request did not take from the cache gets exactly one cause."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from promptlint.model.finding import Finding, Scope
from promptlint.model.policy import Matching
from promptlint.policies.longest_prefix import COARSEST_BLOCK
from promptlint.trace.diagnosis import Cause, Diagnoses, Diagnosis
from promptlint.trace.openings import Openings
from promptlint.trace.repair import Repair
from promptlint.trace.step import Step

_SMALL = 16  # tokens; less is rounding or a marker of the wire format, and no diagnosis is worth it
_NEARLY = 0.9  # of the longest known opening: nothing in it changed
_HOUR = 3600
_INDEX = re.compile(r"\[[0-9]+\]")
_NUMBERED = ("messages", "input", "contents", "tools")
_MODEL = "PL601"
_ON_MARKERS, _NO_MARKER = "PL5", "PL502"


@dataclass(frozen=True, slots=True)
class Key:
    """What lost tokens are summed by; `kind`, `code` and `path` as in Waste."""

    kind: str
    code: str = ""
    path: str = ""


@dataclass(slots=True)
class Part:
    """Some of the lost tokens of one request, with the finding that explains them where a rule does.

    `repair`: how that is undone. `across`: the request was compared with one of another conversation.
    """

    key: Key
    tokens: int
    name: str = ""
    finding: Finding | None = None
    repair: Repair | None = None
    across: bool = False


_TTL, _RULES, _COLD = (Part(Key(kind), 0) for kind in ("ttl", "rules", "cold"))
_NEW, _UNEXPLAINED = Part(Key("new"), 0), Part(Key("unexplained"), 0)


class Splitter:
    """Splits the lost tokens of each request among causes. Steps have to come in order."""

    def __init__(self, diagnoses: Diagnoses) -> None:
        self.diagnoses = diagnoses
        self._openings = Openings()
        self._longest: dict[tuple[str, str], int] = {}
        self._met: set[tuple[str, str]] = set()
        self.latest: Diagnosis | None = None  # of the request that was split last

    def split(self, step: Step) -> list[Part]:
        """The parts of `step.tokens - step.reuse.tokens`, one a cause, none empty; nothing where there is no prompt."""
        if step.reuse is None:
            return []
        diagnosis = self.latest = self._diagnosis(step)
        found: dict[Key, tuple[Part, int]] = {}
        at = step.reuse.tokens
        for part, end in self._ends(step, diagnosis):
            end = min(end, step.tokens)
            if end > at:
                first, tokens = found.get(part.key, (part, 0))
                found[part.key] = first, tokens + end - at
                at = end
        self._met.add((step.policy.id, step.exchange.model))
        return [
            Part(part.key, tokens, part.name, part.finding, part.repair, part.across) for part, tokens in found.values()
        ]

    def _ends(self, step: Step, diagnosis: Diagnosis | None) -> Iterator[tuple[Part, int]]:
        """Causes in the order in which they cut the prefix short, each with the token to which it is to blame."""
        assert step.reuse is not None
        same = diagnosis.same if diagnosis else max(step.shared, step.seen)
        if late(step):
            yield _TTL, same
        yield _TTL, step.reuse.tokens + step.reuse.expired
        if diagnosis and diagnosis.causes:
            for cause in diagnosis.causes[:-1]:
                yield _of_cause(cause, diagnosis), min(cause.shared, diagnosis.reusable)
            yield _of_cause(diagnosis.causes[-1], diagnosis), diagnosis.reusable
        yield self._kept_less(step, diagnosis), max(same, step.seen)
        if step.previous is not None and goes_on(step):
            if not self._worth_it(step):
                yield _RULES, step.previous.tokens
            elif diagnosis is None or not diagnosis.complete:
                yield _UNEXPLAINED, step.previous.tokens
        yield _NEW, step.tokens

    def _worth_it(self, step: Step) -> bool:
        """Whether so much of the request before was lost that it is worth a diagnosis."""
        assert step.reuse is not None
        assert step.previous is not None
        return min(step.previous.tokens, step.tokens) - step.reuse.tokens > _least(step)

    def _kept_less(self, step: Step, diagnosis: Diagnosis | None) -> Part:
        """Why the provider gives less than what is the same: a rule on markers says so, or its own rules do."""
        if step.previous is None and self._elsewhere(step):
            return _COLD
        about = [each for each in diagnosis.about if each.code.startswith(_ON_MARKERS)] if diagnosis else []
        worst = max(about, key=lambda finding: finding.severity.rank, default=None)
        if worst is None:
            return _RULES
        unmarked = worst.code == _NO_MARKER and step.exchange.wire == "anthropic"
        repair = Repair("markers", ()) if unmarked else None
        return Part(Key("rule", worst.code, steady(worst.location.path)), 0, worst.name, worst, repair)

    def _elsewhere(self, step: Step) -> bool:
        """Whether it was another cache that had the prefix: of another model, or of another tenant."""
        assert step.reuse is not None
        if (step.policy.id, step.exchange.model) not in self._met:
            return True
        rounding = step.policy.block or COARSEST_BLOCK
        long_enough = step.seen >= max(step.policy.min_tokens, step.policy.min_tokens_high or 0)
        unrounded = step.policy.matching is Matching.LONGEST_PREFIX and step.seen - step.reuse.tokens > rounding
        return long_enough and unrounded

    def _diagnosis(self, step: Step) -> Diagnosis | None:
        """The diagnosis of a step against the one before it, or the most similar opening; None where none is needed."""
        assert step.reuse is not None
        if not isinstance(step.exchange.body, dict):
            return None
        if step.previous is not None and goes_on(step):
            worth_it = self._worth_it(step) or rerouted(step, step.previous)
            return self.diagnoses.of(step.previous, step, one_conversation=True) if worth_it else None
        key = (step.policy.id, step.exchange.model)
        longest = self._longest.get(key, 0)
        if longest and step.seen >= _NEARLY * longest and step.seen - step.reuse.tokens <= _least(step):
            return None
        other = self._openings.most_alike(step)
        found = self.diagnoses.of(other, step, one_conversation=False) if other is not None else None
        self._longest[key] = max(longest, found.same if found else step.seen)
        return found


def _least(step: Step) -> int:
    """Tokens up to which a loss is rounding."""
    return max(_SMALL, step.policy.block or 0)


def _of_cause(cause: Cause, diagnosis: Diagnosis) -> Part:
    kind = "model" if cause.code == _MODEL else "rule"
    across = diagnosis.scope is not Scope.SAME_CONVERSATION
    return Part(Key(kind, cause.code, steady(cause.path)), 0, cause.name, cause.finding, cause.repair, across)


def steady(path: str) -> str:
    """A path without the numbers of messages and tools, which differ from request to request."""
    return _INDEX.sub("[]", path) if path.startswith(_NUMBERED) else path


def late(step: Step) -> bool:
    """Whether a request comes later than what the one before it left in the cache lives."""
    lifetime = step.policy.ttl_default
    if step.previous is None or step.idle is None or lifetime is None or step.idle <= lifetime:
        return False
    if _HOUR in step.policy.ttl_options and _asks_for_an_hour(step.previous):
        lifetime = _HOUR
    return step.idle > lifetime


def _asks_for_an_hour(step: Step) -> bool:
    usage = step.exchange.usage
    if usage is not None and usage.written_long:
        return True
    return '"ttl":"1h"' in json.dumps(step.exchange.body, separators=(",", ":"))


def goes_on(step: Step) -> bool:
    """Whether a request is to be what the one before it was."""
    return step.previous is not None and step.relation != "auxiliary"


def rerouted(step: Step, before: Step) -> bool:
    """Whether the key that leads requests of one prefix to one machine is another one than before."""
    key = step.policy.routing_key
    bodies = before.exchange.body, step.exchange.body
    old, new = (body.get(key) if isinstance(body, dict) and key else None for body in bodies)
    return bool(old and new and old != new)
