"""What the ways of holding sequences have in common: serving requests one after another, and being asked."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol


class Held(NamedTuple):
    """Tokens of a prompt that a cache holds (the last one included), and how many follow that have expired."""

    tokens: int
    expired: int = 0


class Structure(Protocol):
    """Sequences of token ids, array('I'), or what stands for them, under an engine's own rules. Times in seconds."""

    def match(self, ids: Any, now: float = 0.0) -> Held:
        """What is held of `ids`. Being read may renew a lifetime, nothing else."""
        ...

    def request(self, ids: Any, output: Sequence[int] = (), now: float = 0.0) -> int | None:
        """Serves one request alone: the tokens it takes from the cache, None if it can never fit.

        Afterwards the cache holds the prompt and the `output`.
        """
        ...


def kept(ids: array[int], output: Sequence[int]) -> array[int]:
    """Prompt and output without the last sampled token: no engine computes that one's state."""
    return ids + array("I", output[:-1])
