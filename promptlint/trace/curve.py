"""Hit rate against cache size for a least-recently-used cache of blocks, from a sample of the blocks.

A block is sampled by the hash of its prefix, so that all uses of it are seen or none, and the distances between them
in the sample, divided by the sampling rate, stand for those in the whole (SHARDS: Waldspurger et al., FAST 2015). The
rate falls by half whenever the sample or the work on it grows too large.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import exp, log

from promptlint.model.traced import CurvePoint
from promptlint.trace.tree import Node

BLOCK = 256  # tokens, where the log itself does not speak of blocks
_SAMPLE = 8_192  # blocks in the sample at most
_SPARE, _WORK = 4_096, 1  # uses of sampled blocks: so many, and so many more for each request
_SPACE = 1 << 24
_STEPS = 64  # distances are kept in steps of e^(1/64), 1.6 %
_POINTS = 24


class Curve:
    """Least recently used blocks go first, of a prompt those at its end before those at its beginning."""

    def __init__(self) -> None:
        self._block = 0
        self._threshold = _SPACE
        self._clock = 0
        self._requests = self._used = 0
        self._tokens = self._whole = 0  # of all prompts, and of all full blocks in them
        self._samples: dict[int, list[tuple[int, int]]] = {}  # origin → (block, hash), ascending
        self._measured: dict[int, int] = {}  # origin → block up to which it was sampled
        self._last: dict[tuple[int, int], int] = {}  # sampled block → when it was used last
        self._times: list[int] = []  # the same times, ascending
        self._distances: dict[int, float] = {}  # step of the distance in tokens → uses
        self._uses = 0.0

    def add(self, nodes: Sequence[Node], tokens: int, block: int = 0) -> None:
        """A prompt by its nodes in the tree. `block`: the size of a block in tokens, as the first prompt has it."""
        self._block = self._block or block or BLOCK
        self._requests += 1
        self._tokens += tokens
        self._whole += tokens // self._block * self._block
        used = [(node.origin, place) for node in nodes for place in self._sampled(node)]
        weight = _SPACE / self._threshold
        for key in used:
            before = self._last.get(key)
            if before is not None:
                self._hit((len(self._times) - bisect_left(self._times, before)) * self._block * weight, weight)
        self._uses += len(used) * weight
        for key in reversed(used):
            self._touch(key)
        self._used += len(used)
        if len(self._last) > _SAMPLE or self._used > _SPARE + _WORK * self._requests:
            self._thin()

    def result(self) -> tuple[CurvePoint, ...]:
        """Points from one block to the size that holds everything; nothing where no block was used twice."""
        if not self._distances or not self._tokens:
            return ()
        share = self._whole / self._tokens / self._uses
        steps = sorted(self._distances)
        found, hits = [], 0.0
        largest = steps[-1]
        wanted = [steps[0] + round((largest - steps[0]) * at / (_POINTS - 1)) for at in range(_POINTS)]
        for step in range(steps[0], largest + 1):
            hits += self._distances.get(step, 0.0)
            if step in wanted:
                found.append(CurvePoint(round(exp((step + 1) / _STEPS)), min(1.0, hits * share)))
        return tuple(found)

    def _sampled(self, node: Node) -> Sequence[int]:
        """The sampled blocks that end in the node's edge, ascending."""
        first, last = node.start // self._block + 1, node.end // self._block  # blocks count from 1, by their ends
        if first > last:
            return ()
        known = self._samples.setdefault(node.origin, [])
        done = self._measured.get(node.origin, 0)
        if done < last:  # a node that was split is known up to its end
            known += [
                (place, value)
                for place in range(max(first, done + 1), last + 1)
                if (value := hash((node.origin, place)) % _SPACE) < self._threshold
            ]
            self._measured[node.origin] = last
        return [place for place, _ in known[bisect_left(known, (first, 0)) : bisect_right(known, (last, _SPACE))]]

    def _hit(self, distance: float, weight: float) -> None:
        step = int(log(distance) * _STEPS)
        self._distances[step] = self._distances.get(step, 0.0) + weight

    def _touch(self, key: tuple[int, int]) -> None:
        before = self._last.get(key)
        if before is not None:
            del self._times[bisect_left(self._times, before)]
        self._clock += 1
        self._last[key] = self._clock
        self._times.append(self._clock)

    def _thin(self) -> None:
        """Half the sample from here on."""
        self._threshold //= 2
        self._used //= 2
        self._samples = {
            origin: [one for one in known if one[1] < self._threshold] for origin, known in self._samples.items()
        }
        self._last = {key: time for key, time in self._last.items() if hash(key) % _SPACE < self._threshold}
        self._times = sorted(self._last.values())
