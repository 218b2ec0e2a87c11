"""What stands behind each varying region of a template: tokens of fixed text, a history, and where it could move to."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from promptlint.model.template import Fixed, Region, Standing, Template

_CALM = ("", "stable", "history")  # kinds of regions that end nothing
_PHRASE = 8  # tokens of a text that says where something goes
_LITTLE = 20  # tokens of fixed text between two regions that are moved together


@dataclass(frozen=True, slots=True)
class Move:
    """A region moved behind the text `behind`, and `others` with it: `saved` more tokens are shared."""

    behind: Fixed | None
    saved: int
    others: int


class Layout:
    """A template with its tokens. Text in a loop or branch counts only for what stands in there with it."""

    def __init__(self, template: Template, count: Callable[[str], int]) -> None:
        self._template = template
        self._tokens: dict[int, int] = {}
        self._places: dict[int, int] = {}
        # Of each block: the indices of its own texts, and the tokens up to and with each.
        self._ends: dict[tuple[int, ...], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        self._histories = [
            index for index, part in enumerate(template.parts) if isinstance(part, Region) and part.kind == "history"
        ]
        if not any(isinstance(part, Region) and part.kind not in _CALM[:2] for part in template.parts):
            return
        for index, part in enumerate(template.parts):
            self._places[id(part)] = index
            if isinstance(part, Fixed) and part.text.strip():
                self._tokens[index] = count(part.text)
                indices, sums = self._ends[part.within]
                indices.append(index)
                sums.append(self._tokens[index] + (sums[-1] if sums else 0))

    def standings(self) -> Iterator[Standing]:
        """Every region whose kind says that it changes, and that does not stand in the newest message."""
        newest = self._template.newest
        # Between messages a history stands where it belongs; in one text it is what a user fills in.
        calm = _CALM if any(self._template.roles) else _CALM[:2]
        for index, part in enumerate(self._template.parts):
            if isinstance(part, Region) and part.kind not in calm and part.message < newest:
                history = bool(self._histories) and self._histories[-1] > index
                yield Standing(part, self._behind(index, part.within), history)

    def _behind(self, index: int, within: tuple[int, ...]) -> int:
        total = 0
        for depth in range(len(within) + 1):
            indices, sums = self._ends.get(within[:depth], ([], []))
            before = bisect_right(indices, index)
            if sums:
                total += sums[-1] - (sums[before - 1] if before else 0)
        return total

    def reordering(self, region: Region) -> Move:
        """The cheapest one: behind the fixed text that follows, with the regions that little text parts from it."""
        last: Fixed | None = None
        saved = others = passed = 0
        for index in range(self._places[id(region)] + 1, len(self._template.parts)):
            part = self._template.parts[index]
            if isinstance(part, Region):
                if part.kind not in _CALM and saved >= _LITTLE:
                    break
                passed += part.kind not in _CALM
            elif index in self._tokens and part.within == region.within[: len(part.within)]:
                saved += self._tokens[index]
                if last is None or self._tokens[index] >= _PHRASE:
                    last, others = part, passed
        return Move(last, saved, others)
