"""Two lists side by side in about linear time: where items go on alike, and the gaps between."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator, Sequence

_LOOK = 16  # items that are tried beyond the first place where both sides meet again
_FAR = 128  # the same, where they meet in so few items that it may be a coincidence
_FEW = 3
_WORK = 32  # looks for each item of both lists; when they are used up, items are taken to stand in for each other
_RUN = 8  # equal items in a row that settle where both sides meet again
_SKEW = 3  # items that may be stepped over to meet again in a single short one
_LONG = 40  # characters of a text that is no coincidence


def blocks(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[tuple[int, int, int, int, bool]]:
    """Two lists side by side: (from, to) in the old and in the new one, and whether it is a gap (equal items else)."""

    def equal(left: int, right: int) -> bool:
        return old[left] == new[right]

    def length(left: int) -> int:
        return len(str(old[left]))

    walk = Walk(old, new, equal, equal, length)
    left = right = 0
    while left < len(old) or right < len(new):
        to_left, to_right, is_gap = walk.block(left, right)
        yield left, to_left, right, to_right, is_gap
        left, right = to_left, to_right


class Walk:
    """Goes along two lists; where they part, looks for the nearest place where they go on alike."""

    def __init__(
        self,
        keys_old: Sequence[Hashable],
        keys_new: Sequence[Hashable],
        equal: Callable[[int, int], bool],
        like: Callable[[int, int], bool],
        length: Callable[[int], int],
    ) -> None:
        """`length`: characters of an item of the old list."""
        self.old, self.new = len(keys_old), len(keys_new)
        self.keys_old, self.keys_new = keys_old, keys_new
        self.equal, self.like, self.length = equal, like, length
        self._left = _WORK * (self.old + self.new)
        self._places: dict[bool, dict[Hashable, list[int]]] = {}

    def block(self, left: int, right: int) -> tuple[int, int, bool]:
        """Up to where both lists go on alike from here, or else (True) where the gap ends that begins here."""
        if left == self.old or right == self.new:
            return self.old, self.new, True
        run = 0
        while left + run < self.old and right + run < self.new and self.equal(left + run, right + run):
            run += 1
        if run:
            return left + run, right + run, False
        step_old, step_new = self._meeting(left, right)
        return left + step_old, right + step_new, True

    def _run(self, left: int, right: int) -> int:
        """How many of the next _RUN items are equal, as long as all are at least alike and the first is equal.

        What goes on to the end of the old list goes on for good, and so does what is mostly equal for so long.
        """
        found = 0
        for count in range(_RUN):
            if left + count == self.old:
                return _RUN if found > 1 else found
            if right + count == self.new:
                return found
            if self.equal(left + count, right + count):
                found += 1
            elif count == 0 or not self.like(left + count, right + count):
                return found
        return _RUN if 2 * found > _RUN else found

    def _meeting(self, left: int, right: int) -> tuple[int, int]:
        """How many items to step over on each side until both go on alike; all of them where they never do."""
        if self._exchanged(left, right):
            return 1, 1
        best: tuple[int, int, int] | None = None  # run, minus what is stepped over, minus skew
        found = (self.old - left, self.new - right) if self._left > 0 else (1, 1)
        limit = self.old - left
        for step in range(self.old - left):
            self._left -= 1
            if step > limit or self._left < 0:
                break
            other = self._next(self.keys_old[left + step], right, old=False)
            for candidate in {other, right + step if right + step < self.new else None} - {None}:
                assert candidate is not None
                run = self._run(left + step, candidate) if step + candidate - right else 0
                total, skew = step + candidate - right, abs(step - (candidate - right))
                if run == 0 or (run == 1 and skew > _SKEW and self.length(left + step) < _LONG):
                    continue
                if best is None or (run, -total, -skew) > best:
                    best, found = (run, -total, -skew), (step, candidate - right)
                    limit = min(limit, total + (_LOOK if run >= _FEW else _FAR))
            if best is not None and best[0] == _RUN:
                break
        return found

    def _exchanged(self, left: int, right: int) -> bool:
        """Whether one item took the place of another: what follows goes on, and neither is known to the other side."""
        if left + 1 >= self.old or right + 1 >= self.new or not self.equal(left + 1, right + 1):
            return False
        if left + 2 < self.old and right + 2 < self.new and self.equal(left + 2, right + 2):
            return True
        gone = self._next(self.keys_old[left], right, old=False) is None
        return gone and self._next(self.keys_new[right], left, old=True) is None

    def _next(self, key: Hashable, start: int, *, old: bool) -> int | None:
        """The first item of one list from `start` on that has this key."""
        if old not in self._places:
            places: dict[Hashable, list[int]] = {}
            for index, each in enumerate(self.keys_old if old else self.keys_new):
                places.setdefault(each, []).append(index)
            self._places[old] = places
        found = self._places[old].get(key, [])
        at = bisect_left(found, start)
        return found[at] if at < len(found) else None
