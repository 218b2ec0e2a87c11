"""Lost tokens of a whole log by cause, ranked, with what they cost: the `waste` of a traced log and its findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from promptlint import cost
from promptlint.model.cost import CostEstimate
from promptlint.model.finding import Finding, Place
from promptlint.model.policy import CachePolicy
from promptlint.model.traced import Waste
from promptlint.trace.causes import Key, Part, Splitter, steady
from promptlint.trace.diagnosis import Diagnoses
from promptlint.trace.options import TraceOptions
from promptlint.trace.repair import SORTING, Repair
from promptlint.trace.reported import Reported, evicted
from promptlint.trace.step import Step
from promptlint.trace.usage import has_prompt

_NAMES = {
    "new": ("new text", "text that no earlier request began with: nothing could be reused"),
    "cold": ("cold start", "the first request to this model; the same text had been sent to another one"),
    "ttl": ("expired", "sent later than the provider keeps a prefix without use"),
    "capacity": ("evicted", "the cache was full and dropped it"),
    "rules": ("provider's rules", "below the minimum, less than a whole block, or not written at that place"),
    "provider": ("provider miss", "the same prefix, and warm: the provider reported no hit, which is not your fault"),
    "unexplained": ("unexplained", "the prompts part, and no rule explains how"),
}
_BY_RULES = ("rules", "ttl", "cold")  # the cache itself says in numbers why it gave no more
_AVOIDABLE = ("rule", "model", "ttl")


@dataclass(slots=True)
class _Tally:
    """Sums of one cause. `across`: lost against another conversation. `first` and `worst` are requests that show it."""

    first: Step
    tokens: int = 0
    across: int = 0
    requests: int = 0
    dollars: Decimal | None = None
    most: int = -1
    worst: Step | None = None
    part: Part | None = None


class Attribution:
    """An analysis of steps: every lost token of every request in exactly one cause.

    What the provider missed although its cache must have held it (`provider`), and what the log's own engine would drop
    under a stated capacity (`capacity`), come on top of what the unbounded cache lost. Where the log leaves out prompts
    or parts of them, what was lost is what the provider did not report as cached.
    """

    def __init__(self, options: TraceOptions) -> None:
        self.diagnoses = Diagnoses(options)
        self._splitter = Splitter(self.diagnoses)
        self._reported = Reported()
        self._tallies: dict[Key, _Tally] = {}
        self._further: dict[Key, tuple[Finding, Step]] = {}
        self._rates: dict[tuple[str, str, bool], Decimal | None] = {}

    def add(self, step: Step) -> None:
        whole = has_prompt(step)
        parts = [*self._splitter.split(step), *self._reported.missed(step)] if whole else self._reported.split(step)
        for part in (*parts, *evicted(step)):
            self._count(step, part)
        if whole and self._splitter.latest:
            for finding in self._splitter.latest.about:
                key = Key("", finding.code, steady(finding.location.path))
                self._further.setdefault(key, (finding, replace(step, previous=None)))

    def result(self) -> Mapping[str, Any]:
        """`waste`, most tokens first but new text last; `findings` of the rules among them; `notes`."""
        ranked = sorted(self._tallies.items(), key=lambda item: (item[0].kind == "new", -item[1].tokens))
        findings = [found for key, tally in ranked if (found := self._finding(tally)) is not None]
        said = {(finding.code, steady(finding.location.path)) for finding in findings}
        findings += [
            _in_log(finding, step) for key, (finding, step) in self._further.items() if (key.code, key.path) not in said
        ]
        return {
            "waste": tuple(self._waste(key, tally) for key, tally in ranked),
            "findings": tuple(findings),
            "notes": tuple(self._notes()),
        }

    def repairs(self) -> Mapping[Key, Repair]:
        """How causes are undone in the whole log, for those where that is known.

        What changes only within conversations is kept as each began; what also differs between them, as the log began.
        """
        found = {}
        for key, tally in self._tallies.items():
            repair = tally.part.repair if tally.part else None
            if repair is not None:
                found[key] = replace(repair, everywhere=tally.across > 0 or repair.kind in SORTING)
        return found

    @property
    def reason(self) -> str | None:
        """The provider's own word for what our diagnosis of the latest request says; None where there was none."""
        latest = self._splitter.latest
        return latest.reason if latest else None

    def _count(self, step: Step, part: Part) -> None:
        tally = self._tallies.get(part.key)
        if tally is None:
            tally = self._tallies[part.key] = _Tally(replace(step, previous=None))
        tally.tokens += part.tokens
        tally.across += part.tokens if part.across else 0
        tally.requests += 1
        rate = self._rate(step)
        if rate is not None and part.key.kind != "new":
            tally.dollars = (tally.dollars or Decimal(0)) + rate * part.tokens
        if part.tokens > tally.most:
            tally.most, tally.worst, tally.part = part.tokens, replace(step, previous=None), part

    def _rate(self, step: Step) -> Decimal | None:
        """What losing a token costs against reading it, in dollars; None where no price is known."""
        model = step.exchange.model
        key = (step.policy.id, model, step.tokens > 200_000)  # no price that we know has a step elsewhere
        if key not in self._rates:
            one = _per_request(step.policy, model, step.tokens, 1_000_000)
            self._rates[key] = one.per_event / 1_000_000 if one.per_event is not None else None
        return self._rates[key]

    def _waste(self, key: Key, tally: _Tally) -> Waste:
        step, part = tally.worst, tally.part
        assert step is not None
        assert part is not None
        finding = part.finding
        name, message = _NAMES.get(key.kind, (part.name, finding.message if finding else ""))
        if key.kind in _BY_RULES and step.reuse is not None:
            message += f"; where most was lost: {step.reuse.why}"
        path = finding.location.path if finding else key.path
        mean = tally.tokens // tally.requests
        return Waste(
            kind=key.kind,
            code=key.code,
            name=name,
            path=path,
            message=message,
            tokens=tally.tokens,
            requests=tally.requests,
            avoidable=key.kind in _AVOIDABLE,
            place=place_of(step, path),
            cost=None if key.kind == "new" else _per_request(step.policy, step.exchange.model, step.tokens, mean),
            dollars=None if tally.dollars is None else float(tally.dollars),
        )

    def _finding(self, tally: _Tally) -> Finding | None:
        part, step = tally.part, tally.worst
        if part is None or part.finding is None or step is None:
            return None
        plural = "request" if tally.requests == 1 else "requests"
        since = tally.first.exchange.fields.get("step", "")  # of trajectories, which hold many requests in one record
        since = f", from step {since} on" if since else ""
        total = f"{tally.tokens:,} tokens lost in {tally.requests:,} {plural} of this log{since}"
        return replace(
            _in_log(part.finding, step),
            message=f"{part.finding.message} ({total})",
            tokens_lost=tally.tokens,
            cost=_per_request(step.policy, step.exchange.model, step.tokens, tally.tokens // tally.requests),
        )

    def _notes(self) -> list[str]:
        diagnoses = self.diagnoses
        if not diagnoses.done:
            return []
        notes = [
            f"Pairs of requests that were diagnosed in full: {diagnoses.done:,}. Pairs that part in the same way as "
            f"one of them, so that its causes were taken over with their places moved: {diagnoses.grouped:,}."
        ]
        if diagnoses.refused:
            notes.append(
                f"{diagnoses.refused:,} pairs part in too many other ways to be diagnosed: their loss is unexplained."
            )
        return notes


def _in_log(finding: Finding, step: Step) -> Finding:
    """A finding on a request as one on its record. Edits cannot be made in a log."""
    return replace(finding, location=place_of(step, finding.location.path), related=(), fix=None)


def place_of(step: Step, path: str) -> Place:
    """A field of a request in the log. A log is read by records, so only the line is known."""
    exchange = step.exchange
    return Place(exchange.file, path, exchange.line, 1, exchange.line, 1)


def _per_request(policy: CachePolicy, model: str, tokens: int, lost: int) -> CostEstimate:
    return cost.recurring(policy, model, tokens, lost, prices=cost.prices_for(policy, model, tokens))
