"""The fingerprint of a request: all that sessions and caches need of it, small, and independent of other requests."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field

from promptlint.model.policy import CachePolicy, Marks
from promptlint.model.prompt import Section


@dataclass(slots=True)
class Fingerprint:
    """`chunks` are numbers in the library that made it, and so are `history` (its messages, in order) and `preamble`.

    `preamble` stands for the first `head` chunks, which come before the messages. `starts` are the tokens before each
    section that the prompt has.
    A request of which only the usage is known has no chunks. `exact` and `reason` are those of the token count.
    """

    policy: CachePolicy
    model: str
    tokens: int
    chunks: array[int]
    marks: Marks
    exact: bool
    vocabulary: str = ""
    reason: str = ""
    history: array[int] = field(default_factory=lambda: array("I"))
    preamble: int = 0
    head: int = 0
    starts: Mapping[Section, int] = field(default_factory=dict)
    block: int = 0  # of a log of block hashes: their size
