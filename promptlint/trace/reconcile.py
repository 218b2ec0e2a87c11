"""Predicted against reported cached tokens, request by request, with what explains the difference."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping
from typing import Any

from promptlint.model.policy import Reuse
from promptlint.model.strand import IN_FLIGHT, NEAR_THE_END, SURELY_WARM
from promptlint.model.traced import Disagreement, Reconciliation
from promptlint.trace.step import Step

_SHOWN = 10
_STEP = 128  # tokens: hits are reported in steps of that size by several providers
_INEXACT = 0.05  # of the prompt: where the vocabulary is not the model's own, parts of a prompt count differently
_COARSE = 2048  # tokens, the coarsest rounding that a provider documents
_NO_HIT = 0.1  # of what was predicted

LESS, MORE = "less than predicted: ", "more than predicted: "


class Reconciling:
    """An analysis of steps. Counts are compared in the provider's tokens: ours are scaled to its prompt length."""

    def __init__(self) -> None:
        self._requests = self._agree = self._predicted = self._reported = self._same_reason = 0
        self._reasons: Counter[str] = Counter()
        self._vendor: Counter[str] = Counter()
        self._worst: list[tuple[int, int, Disagreement]] = []

    def add(self, step: Step, reason: str | None = None) -> None:
        """`reason`: what our own diagnosis of the request would be in the provider's words; None: there is none."""
        usage = step.exchange.usage
        if usage is None:
            return
        self._compare_reasons(usage.miss_reason, reason)
        if step.reuse is None or step.exchange.partial or usage.cached is None or not usage.input or not step.tokens:
            return
        scale = usage.input / step.tokens
        low, high = round(step.reuse.low * scale), round(step.reuse.high * scale)
        room = max(step.policy.block or 0, _STEP) + (0 if step.exact else round(_INEXACT * usage.input))
        self._requests += 1
        self._predicted += round(step.reuse.tokens * scale)
        self._reported += usage.cached
        if low - room <= usage.cached <= high + room:
            self._agree += 1
            return
        less = usage.cached < low
        why = _less(step, step.reuse, usage.cached, low) if less else _more(step, step.reuse, usage.cached, high)
        self._reasons[(LESS if less else MORE) + why] += 1
        gap = low - usage.cached if less else usage.cached - high
        shown = Disagreement(step.exchange.file, step.exchange.line, low, high, usage.cached, why)
        heapq.heappush(self._worst, (gap, -step.number, shown))
        if len(self._worst) > _SHOWN:
            heapq.heappop(self._worst)

    def result(self) -> Mapping[str, Any]:
        """`reconciliation`: None where nothing could be compared."""
        if not self._requests and not self._vendor:
            return {}
        found = Reconciliation(
            requests=self._requests,
            agree=self._agree,
            predicted=self._predicted,
            reported=self._reported,
            reasons=dict(self._reasons.most_common()),
            vendor=dict(self._vendor.most_common()),
            vendor_same=self._same_reason,
            worst=tuple(shown for _, _, shown in sorted(self._worst, key=lambda item: (-item[0], -item[1]))),
        )
        return {"reconciliation": found}

    def _compare_reasons(self, theirs: str, ours: str | None) -> None:
        if theirs:
            self._vendor[theirs] += 1
            self._same_reason += theirs == ours


def _less(step: Step, reuse: Reuse, cached: int, low: int) -> str:
    policy, idle = step.policy, step.idle
    if idle is not None and idle < IN_FLIGHT:
        return "the request before it may not have been answered yet"
    if idle is not None and policy.ttl_default is not None and idle > NEAR_THE_END * policy.ttl_default:
        return "near the end of the lifetime"
    if idle is not None and policy.ttl_default is None and idle > SURELY_WARM:
        return "this provider does not document how long it keeps a prefix"
    if policy.min_tokens and reuse.tokens < 2 * policy.min_tokens:
        return "near the minimum"
    if cached < _NO_HIT * low:
        return "the provider reported no hit on a prefix that was the same and warm"
    if low - cached <= _COARSE:
        return "rounded to coarser steps than documented"
    return "unexplained"


def _more(step: Step, reuse: Reuse, cached: int, high: int) -> str:
    if reuse.expired:
        return "the provider kept the prefix longer than it documents"
    if step.relation != "continues" or step.number == 0:
        return "traffic that is not in this log had sent the same prefix"
    if not reuse.tokens and step.shared < max(step.policy.min_tokens, step.policy.min_tokens_high or 0):
        return "the minimum is lower than documented"
    if cached - high <= _COARSE:
        return "the provider rounds less than documented"
    return "unexplained"
