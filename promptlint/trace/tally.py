"""Sums over requests: of the whole log, by field, and over time. Two of them that saw other requests can be merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from promptlint import cost
from promptlint.model.policy import Reuse
from promptlint.model.traced import Group, Hits, Moment
from promptlint.trace.step import Step

_MOMENTS = 60  # stretches of time at most
_GROUPS = 200  # values of one field that are listed
_TIER = 1_000  # prices change at multiples of this many tokens
_MTOK = 1_000_000


@dataclass(slots=True)
class Outcome:
    """What a step adds to every sum it belongs to. `cost` in dollars, None where no price is known."""

    tokens: int
    read: int
    written: int
    reported: int
    reported_tokens: int
    cost: float | None


class Tally:
    """A sum of outcomes; its cost is known only where that of every request is."""

    __slots__ = ("cost", "read", "reported", "reported_tokens", "requests", "tokens", "unpriced", "written")

    def __init__(self) -> None:
        self.requests = self.tokens = self.read = self.written = self.reported = self.reported_tokens = 0
        self.cost = 0.0
        self.unpriced = 0

    def add(self, one: Outcome) -> None:
        self.requests += 1
        self.tokens += one.tokens
        self.read += one.read
        self.written += one.written
        self.reported += one.reported
        self.reported_tokens += one.reported_tokens
        if one.cost is None:
            self.unpriced += 1
        else:
            self.cost += one.cost

    def merge(self, other: Tally) -> None:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def hits(self) -> Hits:
        priced = None if self.unpriced or not self.requests else round(self.cost, 9)
        return Hits(
            self.requests, self.tokens, self.read, self.written, self.reported, self.reported_tokens, cost=priced
        )


class Prices:
    """Dollars of a request; prices are looked up once for each model and size of prompt."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, int, int | None], tuple[float, float, float] | None] = {}

    def of(self, step: Step, model: str, ttl: int | None) -> float | None:
        """By the simulated cache; where only the usage is known of the whole prompt, by that."""
        if not step.policy.hosted or not model:
            return None
        sums = _sums(step)
        if sums is None:
            return None
        tokens, read, written = sums
        key = (step.policy.id, model, -(-tokens // _TIER), ttl)
        if key not in self._known:
            prices = cost.prices_for(step.policy, model, tokens)
            found = cost.unit_prices(step.policy, prices, ttl) if prices else None
            self._known[key] = (float(found[0]), float(found[1]), float(found[2])) if found else None
        each = self._known[key]
        if each is None:
            return None
        return ((tokens - read - written) * each[0] + read * each[1] + written * each[2]) / _MTOK


def _simulated(step: Step) -> Reuse | None:
    """What was simulated of a whole prompt; of one that the log holds in part, what was reported says more."""
    usage = step.exchange.usage
    return None if step.exchange.partial and usage and usage.cached is not None else step.reuse


def _sums(step: Step) -> tuple[int, int, int] | None:
    """Tokens of the prompt, read and written."""
    usage, reuse = step.exchange.usage, _simulated(step)
    if reuse:
        return step.tokens, reuse.tokens, reuse.written
    if usage is None or usage.input is None or usage.cached is None:
        return None
    return usage.input, usage.cached, usage.written or 0


def outcome(step: Step, spent: float | None) -> Outcome:
    usage, reuse = step.exchange.usage, _simulated(step)
    known = usage is not None and usage.cached is not None
    return Outcome(
        tokens=step.tokens if reuse else 0,
        read=reuse.tokens if reuse else 0,
        written=reuse.written if reuse else 0,
        reported=(usage.cached or 0) if usage and known else 0,
        reported_tokens=(usage.input or step.tokens) if usage and known else 0,
        cost=spent,
    )


def value_of(step: Step, by: str) -> str:
    """The value of a field to group by; empty where the log does not say."""
    exchange = step.exchange
    if by in ("day", "hour"):
        if exchange.sent_at is None:
            return ""
        return datetime.fromtimestamp(exchange.sent_at, UTC).strftime("%Y-%m-%d" if by == "day" else "%Y-%m-%d %H:00")
    if by == "session":
        return step.session
    if by == "provider":
        return step.policy.family
    if by in ("user", "model", "file"):
        return str(getattr(exchange, by))
    return exchange.fields.get(by, "")


class Groups:
    """Sums by the fields that a user named."""

    def __init__(self, by: Sequence[str]) -> None:
        self._tallies: Mapping[str, dict[str, Tally]] = {name: {} for name in by}

    def add(self, step: Step, one: Outcome) -> None:
        for name, tallies in self._tallies.items():
            value = value_of(step, name)
            if value not in tallies:
                tallies[value] = Tally()
            tallies[value].add(one)

    def unknown(self) -> list[str]:
        """The fields that no request has."""
        return [name for name, tallies in self._tallies.items() if not any(tallies)]

    def result(self) -> tuple[Group, ...]:
        """By field, the values with most tokens first."""
        groups = [
            Group(name, value, tally.hits())
            for name, tallies in self._tallies.items()
            for value, tally in tallies.items()
        ]
        groups.sort(key=lambda group: (-group.hits.tokens, group.value))
        return tuple(group for name in self._tallies for group in [one for one in groups if one.by == name][:_GROUPS])


class Moments:
    """Sums over time, in stretches that grow with the log: at most _MOMENTS of them, whatever its length."""

    def __init__(self) -> None:
        self._tallies: dict[int, Tally] = {}
        self._width = 1.0

    def add(self, step: Step, one: Outcome) -> None:
        sent_at = step.exchange.sent_at
        place = int((step.number if sent_at is None else sent_at) // self._width)
        if place not in self._tallies:
            self._tallies[place] = Tally()
            while len(self._tallies) > 1 and max(self._tallies) - min(self._tallies) >= _MOMENTS:
                self._widen()
            place = int((step.number if sent_at is None else sent_at) // self._width)
        self._tallies[place].add(one)

    def _widen(self) -> None:
        self._width *= 2
        halved: dict[int, Tally] = {}
        for place, tally in self._tallies.items():
            halved.setdefault(place // 2, Tally()).merge(tally)
        self._tallies = halved

    def result(self) -> tuple[Moment, ...]:
        return tuple(Moment(place * self._width, tally.hits()) for place, tally in sorted(self._tallies.items()))
