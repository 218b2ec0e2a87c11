"""What a log lost and why, as one analysis: causes, rules on logs, and prediction against report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from promptlint.model.finding import Finding, Severity
from promptlint.model.traced import Waste
from promptlint.model.traffic import Exchange
from promptlint.trace.attribution import Attribution
from promptlint.trace.causes import Key, steady
from promptlint.trace.fingerprinter import Fingerprinter
from promptlint.trace.options import TraceOptions
from promptlint.trace.reconcile import Reconciling
from promptlint.trace.repaired import Rates, replayed
from promptlint.trace.reported import named
from promptlint.trace.step import Step
from promptlint.trace.usage import UsageRules

_MOST = 4  # causes that are replayed
_LEAST = 0.01  # of all that was lost; what is less changes no rate that is worth a replay
_CONFIDENCES = ("low", "medium", "high")


class Losses:
    """An analysis of steps. `again` reads the log once more, for the replay with repairs; None: it cannot be."""

    def __init__(
        self, options: TraceOptions, fingerprinter: Fingerprinter, again: Callable[[], Iterator[Exchange]] | None
    ) -> None:
        self._options = options
        self._fingerprinter = fingerprinter
        self._again = again
        self._attribution = Attribution(options)
        self._rules = UsageRules(self._attribution.diagnoses.component_at)
        self._reconciling = Reconciling()
        if options.rules or options.select or options.ignore:
            self._attribution.diagnoses.reported  # noqa: B018  # a wrong name is to end the run before the log is read
        self._sessions: dict[tuple[str, int], list[str]] = {}

    def add(self, step: Step) -> None:
        self._attribution.add(step)
        self._rules.add(step)
        if not step.exchange.partial:  # what is missing in front would differ by its own length
            self._reconciling.add(step, self._attribution.reason)
        if step.reuse is not None and isinstance(step.exchange.body, dict):
            self._sessions.setdefault((step.exchange.file, step.exchange.line), []).append(step.session)

    def result(self) -> Mapping[str, Any]:
        """Fields of Traced: `waste`, `reconciliation`, `findings`, `notes`."""
        found = dict(self._attribution.result())
        on_usage = self._rules.findings(lambda: self._attribution.diagnoses.reported)
        found["waste"], notes = self._repaired(named(found["waste"], on_usage))
        found["notes"] = (*found["notes"], *notes)
        every = map(self._judged, (*found["findings"], *(finding for finding, _ in on_usage)))
        found["findings"] = _numbered([each for each in every if self._wanted(each)])
        return found | dict(self._reconciling.result())

    def _repaired(self, waste: Sequence[Waste]) -> tuple[tuple[Waste, ...], list[str]]:
        """Waste with the hit rates that repairing its first causes brings, and what these assume."""
        known = self._attribution.repairs()
        total = sum(each.tokens for each in waste if each.kind != "new")
        first = [each for each in waste if _key(each) in known and each.tokens >= _LEAST * total][:_MOST]
        if not first:
            return tuple(waste), []
        if self._again is None:
            return tuple(waste), ["Standard input cannot be read twice: no repair was replayed."]
        repairs = [known[_key(each)] for each in first]
        rates = replayed(self._again(), repairs, self._sessions, self._fingerprinter)
        of = {_key(each): rate for each, rate in zip(first, rates, strict=True)}
        pairs = list(zip(first, repairs, strict=True))
        notes = [f"{each.code} in {each.path}: replayed as if {repair.assumption}." for each, repair in pairs]
        return tuple(_with(each, of.get(_key(each))) for each in waste), notes

    def _judged(self, finding: Finding) -> Finding:
        from promptlint.pipeline.release import severity_of

        said = severity_of(finding, self._options.severity)
        return replace(finding, severity=said) if said else finding

    def _wanted(self, finding: Finding) -> bool:
        least, sure = self._options.min_severity, self._options.min_confidence
        severe = not least or finding.severity.rank >= Severity(least).rank
        return severe and (not sure or _CONFIDENCES.index(finding.confidence) >= _CONFIDENCES.index(sure))


def _numbered(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    if not findings:
        return ()
    from promptlint.rulebook import fingerprints

    return fingerprints.numbered(findings)


def _key(waste: Waste) -> Key:
    return Key(waste.kind, waste.code, steady(waste.path))


def _with(waste: Waste, rates: Rates | None) -> Waste:
    return replace(waste, alone=rates.alone, cumulative=rates.cumulative) if rates else waste
