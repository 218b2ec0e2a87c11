"""Requests of a log that go on from each other, as the rules on logs see them, and what such a rule answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from promptlint.model.policy import CachePolicy, Matching, Reuse

SURELY_WARM = 300.0  # seconds: no provider that we know forgets a prefix sooner
NEAR_THE_END = 0.9  # of a lifetime; clocks and the time that an answer takes decide what comes later
IN_FLIGHT = 2.0  # seconds: the request before may not have been answered yet, and what is not yet there cannot hit
_SLACK = 1024  # tokens
_COARSEST_BLOCK = 2048  # tokens; OpenAI for gpt-5.5, the coarsest rounding that is documented


@dataclass(frozen=True, slots=True)
class Turn:
    """One request with usage. Counts in tokens as the provider reported them, times in seconds.

    `line` of `file` is its record. `written` 0 where nothing was reported. `expected`: what the simulated cache gives
    (None: the log has no text). `process`: what sent it, where the log says. `floor` names the component of the
    prompt in which `cached` ends, where that was worth finding out. `known`: the log itself says the session.
    `unused`: how long ago a request to the same cache began with what this one shares with any.
    """

    number: int
    file: str
    line: int
    sent_at: float | None
    policy: CachePolicy
    model: str
    session: str
    known: bool
    input: int
    cached: int
    written: int = 0
    written_long: int = 0
    process: str = ""
    expected: Reuse | None = None
    unused: float | None = None
    floor: str = ""

    @property
    def slack(self) -> int:
        """Tokens that rounding and a few new words explain."""
        block = self.policy.block or (_COARSEST_BLOCK if self.policy.matching is not Matching.BREAKPOINT else 0)
        return max(_SLACK, 2 * block)


@dataclass(frozen=True, slots=True)
class Strand:
    """Requests to one model in order, each at least as long as the one before and taken to begin with it.

    `certain`: the prompts themselves, or their lengths and the log's own session, leave no doubt about that.
    """

    turns: tuple[Turn, ...]
    certain: bool

    def successions(self) -> Sequence[Succession]:
        """Each request with the one before it."""
        lifetimes = self._lifetimes()
        return [
            Succession(before, turn, lifetime)
            for (before, turn), lifetime in zip(pairwise(self.turns), lifetimes, strict=True)
        ]

    def _lifetimes(self) -> list[float | None]:
        """Seconds that a prefix lives without use after each request but the last; None: not documented."""
        found: list[float | None] = []
        hour = False
        for turn in self.turns[:-1]:
            hour = hour or turn.written_long > 0
            policy = turn.policy
            lifetime = policy.ttl_default if policy.ttl_default is not None else max(policy.ttl_options, default=None)
            found.append(max(3600, lifetime or 0) if hour else lifetime)
        return found


@dataclass(frozen=True, slots=True)
class Succession:
    """A request and the one that it goes on from. `lifetime` in seconds, None where none is documented."""

    before: Turn
    turn: Turn
    lifetime: float | None

    @property
    def idle(self) -> float | None:
        """Seconds between the two, None where the log has no times."""
        if self.before.sent_at is None or self.turn.sent_at is None:
            return None
        return self.turn.sent_at - self.before.sent_at

    @property
    def lost(self) -> int:
        """Tokens that the request before already held and that did not come from the cache."""
        return max(0, min(self.before.input, self.turn.input) - self.turn.cached)

    @property
    def missed(self) -> bool:
        """Whether most of what the request before held was lost, and more than rounding explains."""
        return self.lost >= self.turn.slack and self.turn.cached * 2 < self.before.input

    @property
    def long_enough(self) -> bool:
        """Whether the request before was above the minimum, also where sources disagree about it."""
        policy = self.before.policy
        return self.before.input >= max(policy.min_tokens, policy.min_tokens_high or 0)

    @property
    def warm(self) -> bool:
        """Whether what the request before left must still be there, and be there already."""
        return surely_warm(self.idle, self.lifetime)

    @property
    def expired(self) -> bool:
        """Whether the request came later than the longest documented lifetime."""
        idle = self.idle
        return idle is not None and self.lifetime is not None and idle > self.lifetime


def surely_warm(idle: float | None, lifetime: float | None) -> bool:
    """Whether a prefix that was used `idle` seconds ago is in a cache that keeps it for `lifetime` (None: unknown)."""
    latest = SURELY_WARM if lifetime is None else NEAR_THE_END * lifetime
    return idle is not None and IN_FLIGHT <= idle <= latest


@dataclass(frozen=True, slots=True)
class LogNote:
    """Answer of a rule on logs: the request to point at, what it cost, and the facts of the message.

    `lost` tokens over all `requests` that show it, `also` some more of them. Notes with the same `key` are one finding.
    """

    turn: Turn
    lost: int
    requests: int
    key: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    also: tuple[Turn, ...] = ()
