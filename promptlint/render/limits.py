"""Bounds on what a chat template may do: steps, processor time, and the size of every value it builds."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, KeysView, ValuesView
from itertools import islice

MAX_STEPS = 5_000_000
MAX_SECONDS = 2.0  # of this thread's processor time
MAX_VALUE = 16_000_000  # characters of one string the template builds
MAX_NODES = 500_000  # items of one list or mapping, those of nested ones counted
MAX_BUILT = 500_000_000  # characters of all strings together
MAX_OUTPUT = 50_000_000  # characters
MAX_BITS = 4096  # of an integer

_CLOCK_EVERY = 4  # steps; a single step is bounded by the sizes above


class LimitExceeded(Exception):
    """The template asked for more than any honest one needs."""


class Meter:
    """What one run has used. Steps make the result the same on every machine; time stops what steps do not see."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._steps = 0
        self._built = 0
        self._next_look = 0
        self._deadline = time.thread_time() + MAX_SECONDS

    def step(self, count: int = 1) -> None:
        self._steps += count
        if self._steps > MAX_STEPS:
            raise LimitExceeded(f"it does not end within {MAX_STEPS:,} steps")
        if self._steps >= self._next_look:
            self._next_look = self._steps + _CLOCK_EVERY
            if time.thread_time() > self._deadline:
                raise LimitExceeded(f"it does not end within {MAX_SECONDS:g} seconds")

    def build(self, characters: int) -> None:
        """Call before a string of this length comes to be."""
        self._built += characters
        if characters > MAX_VALUE or self._built > MAX_BUILT:
            raise LimitExceeded(f"it builds more than {MAX_VALUE:,} characters of text")

    def counted(self, values: Iterable[object]) -> Iterator[object]:
        for value in values:
            self.step()
            yield value

    def listed(self, values: Iterable[object]) -> list[object]:
        found = list(islice(self.counted(values), MAX_NODES + 1))
        _check_nodes(len(found))
        return found


def weigh(*values: object) -> int:
    """Characters that the values would print as, about; walks each nested value as often as it occurs.

    Raises LimitExceeded for more than MAX_NODES items or MAX_VALUE characters, so a list that holds itself many
    times over is found before anything compares or prints it.
    """
    stack, nodes, characters = list(values), len(values), 0
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            characters += len(value) + 4
        elif isinstance(value, dict):
            nodes += 2 * len(value)
            _check_nodes(nodes)
            stack.extend(value)
            stack.extend(value.values())
        elif isinstance(value, (list, tuple, set, frozenset, KeysView, ValuesView)):
            nodes += len(value)
            _check_nodes(nodes)
            stack.extend(value)
        else:
            characters += 8
    if characters > MAX_VALUE:
        raise LimitExceeded(f"it builds more than {MAX_VALUE:,} characters of text")
    return characters + 2 * nodes


def _check_nodes(nodes: int) -> None:
    if nodes > MAX_NODES:
        raise LimitExceeded(f"it builds a list of more than {MAX_NODES:,} items")
