"""Where prompts part from the one that they continue: a histogram over positions, with the tokens lost behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from promptlint.model.traced import Bin
from promptlint.trace.step import Step

_FIRST = 256  # tokens: the end of the first bin; each further one ends at twice as many


class Positions:
    """An analysis of steps: requests by the token at which they part from their predecessor."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[int, int]] = {}  # number of the bin → requests, tokens lost

    def add(self, step: Step) -> None:
        """A prompt that only grew parts nowhere. What both had behind that place is lost."""
        before = step.previous
        if before is None or step.reuse is None or before.reuse is None or step.shared >= before.tokens:
            return
        number = max(0, (step.shared // _FIRST).bit_length())
        requests, lost = self._found.get(number, (0, 0))
        behind = max(0, min(before.tokens, step.tokens) - step.shared)
        self._found[number] = requests + 1, lost + behind

    def result(self) -> Mapping[str, Any]:
        """`bins` of `Traced`, from the first that holds a request to the last."""
        if not self._found:
            return {"bins": ()}
        numbers = range(min(self._found), max(self._found) + 1)
        return {"bins": tuple(Bin(*_edges(number), *self._found.get(number, (0, 0))) for number in numbers)}


def _edges(number: int) -> tuple[int, int]:
    """Bin 0 is 0 to 256, bin 1 to 512, bin 2 to 1,024 and so on."""
    return (_FIRST << number >> 1 if number else 0), _FIRST << number
