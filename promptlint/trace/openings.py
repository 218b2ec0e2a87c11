"""Which earlier conversation a new one is most like, by their first requests."""

from __future__ import annotations

from promptlint.trace.differences import ALIKE, Opening, alike
from promptlint.trace.step import Step

_KEPT = 12  # first requests that are held, each another kind of prompt


class Openings:
    """First requests of conversations, the latest of each kind."""

    def __init__(self) -> None:
        self._held: dict[str, list[tuple[Step, Opening]]] = {}

    def most_alike(self, step: Step) -> Step | None:
        """The earlier first request that this one has most in common with; it takes that one's place."""
        texts = Opening(step.exchange.body)
        held = self._held.setdefault(step.policy.family, [])
        scores = [alike(texts, other) for _, other in held]
        best = max(range(len(held)), key=scores.__getitem__, default=None)
        found = None
        if best is not None and scores[best] >= ALIKE:
            found, _ = held.pop(best)
        held.append((step, texts))
        del held[:-_KEPT]
        return found
