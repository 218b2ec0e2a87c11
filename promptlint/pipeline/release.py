"""A release against its budget: which edits make more of the cached state cold than a prompt may lose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from promptlint.config import Budget
from promptlint.model.finding import Finding, Place, Related, Scope, Severity
from promptlint.model.policy import Reuse
from promptlint.model.prompt import Skip
from promptlint.model.report import RepairStep
from promptlint.pipeline.advice import cheaper
from promptlint.pipeline.costs import Pricing
from promptlint.pipeline.prepare import Prepared, Workshop
from promptlint.pipeline.survival import reused
from promptlint.rulebook import fingerprints
from promptlint.rulebook.explain import Step
from promptlint.rulebook.findings import Cause
from promptlint.suppressions.comments import names

# What nobody does by accident: whether such a change is an error, the budget decides and not the rule.
_UNEXPLAINED = "PL304"
EDITS = ("PL301", "PL303", "PL304")
USUAL_MINIMUM = 1_024  # tokens; the most common minimum, for providers that state none


class Release:
    """The two versions of one prompt, and what the later one may lose. `reuse`: what it takes from the cache."""

    def __init__(
        self,
        old: Prepared,
        new: Prepared,
        reuse: Reuse,
        repairs: Sequence[RepairStep],
        found: Sequence[Cause],
        pricing: Pricing,
        workshop: Workshop,
    ) -> None:
        self._old = old
        self._new = new
        self._reusable = reuse.tokens
        self._repaired = repairs[-1].reusable if repairs else reuse.tokens
        self._last = next((cause.step for cause in reversed(found) if cause.step), None)
        self._pricing = pricing
        self._workshop = workshop
        self._cached = reused(old, old, pricing.policy).tokens
        self._failed = False
        self.skipped: dict[Skip, None] = {}

    def judged(self, finding: Finding, cause: Cause, reusable: int) -> Finding:
        """The finding with the severity that the budget gives it; `reusable`: with every cause before it undone."""
        said = severity_of(finding, self._pricing.options.severity)
        within = Severity.INFO if finding.code in EDITS and said is None else said or finding.severity
        lost = max(0, self._repaired - reusable)
        exceeded = self._exceeded(lost, finding.location.file)
        if exceeded is None:
            return replace(finding, severity=within)
        self._failed = True
        message = f"{finding.message}; {lost:,} cached tokens go cold: {exceeded}"
        advice = self._advice(cause.step, reusable) if cause.step else None
        related = (*finding.related, advice) if advice else finding.related
        return replace(finding, severity=Severity.ERROR, message=message, related=related)

    def _advice(self, step: Step, reusable: int) -> Related | None:
        assert self._last is not None
        repaired = replace(self._new, rendering=replace(self._new.rendering, slots=self._last.slots))
        return cheaper(step, repaired, self._old, step.total - reusable, self._pricing.policy, self._workshop)

    def unexplained(self, place: Place | None) -> list[Finding]:
        """A finding where more is lost than allowed and no cause says so, such as text that grew inside of a block."""
        rule = self._workshop.book.rule(_UNEXPLAINED)
        place = place or _end_of(self._new)
        if self._failed or place is None or not self._workshop.reported.holds(rule):
            return []
        lost = min(self._cached, len(self._new.tokens)) - self._reusable
        exceeded = self._exceeded(lost, place.file)
        if exceeded is None:
            return []
        texts = [slot.component.text for each in (self._old, self._new) for slot in each.rendering.slots]
        return [
            Finding(
                code=rule.code,
                name=rule.name,
                severity=Severity.ERROR,
                confidence=rule.confidence,
                scope=Scope.RELEASE,
                message=f"the prompt was edited here; {lost:,} cached tokens go cold: {exceeded}",
                location=place,
                tokens_lost=lost,
                cost=self._pricing.of(lost),
                fingerprint=fingerprints.joined(rule.code, place.path),
                change=fingerprints.joined(*texts),
            )
        ]

    def _exceeded(self, lost: int, file: str) -> str | None:
        """Which limit is exceeded, in words; None within the budget."""
        budget = self._pricing.options.budget
        if budget is None or budget == Budget():
            minimum = self._pricing.policy.min_tokens
            least = minimum or USUAL_MINIMUM
            what = "the provider's minimum" if minimum else "the usual minimum"
            return f"the budget is less than {least:,}, {what}" if lost >= least else None
        if budget.max_lost_tokens is not None and lost > budget.max_lost_tokens:
            return f"the budget is {budget.max_lost_tokens:,}"
        share = lost / self._cached if self._cached else 0.0
        if budget.max_lost_share is not None and share > budget.max_lost_share:
            return f"{100 * share:.0f} % of what is cached, and the budget is {100 * budget.max_lost_share:.0f} %"
        if budget.max_cost is not None and lost > 0:
            return self._too_dear(lost, budget.max_cost, file)
        return None

    def _too_dear(self, lost: int, most: Decimal, file: str) -> str | None:
        estimate = self._pricing.of(lost)
        amount = None if estimate is None else estimate.per_event if estimate.total is None else estimate.total
        if amount is None:
            self.skipped[Skip(file, "max-cost cannot be checked: no price is known for this model")] = None
            return None
        return f"${amount.normalize():f} once, and the budget is ${most:f}" if amount > most else None


def severity_of(finding: Finding, said: tuple[tuple[str, str], ...]) -> Severity | None:
    """What the configuration says about a finding's rule; the last entry that names it decides."""
    found = [severity for rule, severity in said if names(rule, finding.code, finding.name)]
    return Severity(found[-1]) if found else None


def _end_of(prepared: Prepared) -> Place | None:
    """The end of the prompt, as a place in its last file."""
    if not prepared.rendering.slots:
        return None
    location = prepared.rendering.slots[-1].component.location
    position = location.source.position(location.span.end)
    return Place.between(location.source.name, location.path, position, position)
