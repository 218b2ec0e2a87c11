"""The cases of a corpus: single causes, causes in company, and harmless changes, all from one seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from . import mutations
from .bases import PROFILES, Base, base
from .harmless import CHANGES, Change
from .mutation import MUTATORS, Mutation, overlap
from .wires import Sent, send

__all__ = ["Case", "build", "mutations"]


@dataclass(frozen=True)
class Case:
    """A pair of requests: mutations of a base, or (none of them) a harmless change of it."""

    name: str
    base: Base
    mutations: tuple[Mutation, ...] = ()
    change: Change | None = None

    @property
    def codes(self) -> set[str]:
        return {expected.code for mutation in self.mutations for expected in mutation.expected}

    def pair(self, repaired: frozenset[int] = frozenset()) -> tuple[Sent, Sent]:
        """Both requests as files, with the mutations of the given numbers repaired."""
        if self.change is not None:
            made = CHANGES[self.change.kind](self.base, Random(self.change.seed))
            assert made is not None, self.name
            return send(made[0], "before"), send(made[1], "after")
        gateway = any(mutation.gateway for mutation in self.mutations)
        fresh = any(mutation.fresh for mutation in self.mutations)
        before = (self.base.after if gateway else self.base.before).copy()
        after = (self.base.fresh if fresh else self.base.after).copy()
        for number, mutation in enumerate(self.mutations):
            mended = number in repaired
            early = mutation.good if mutation.early is None or (mutation.static and mended) else mutation.early
            early(before)
            (mutation.good if mended else mutation.bad)(after)
        return send(before, "before"), send(after, "after")


def build(seed: int, variants: int = 2, bases: tuple[str, ...] | None = None) -> list[Case]:
    """All cases: `variants` of every mutator on every base, a third of them in company, and as many harmless ones."""
    names = [profile.name for profile in PROFILES if bases is None or profile.name in bases]
    bad = list(_bad(seed, variants, names))
    return bad + list(_harmless(seed, names, len(bad)))


def _bad(seed: int, variants: int, names: list[str]) -> Iterator[Case]:
    for name in names:
        found = base(name, seed)
        singles = list(_singles(found, name, seed, variants))
        yield from (Case(f"{name}/{label}", found, (mutation,)) for label, mutation in singles)
        yield from _company(found, name, seed, singles)


def _singles(found: Base, name: str, seed: int, variants: int) -> Iterator[tuple[str, Mutation]]:
    for code, mutators in sorted(MUTATORS.items()):
        for mutator in mutators:
            for variant in range(variants):
                label = f"{code}-{mutator.__name__}-{variant}"
                mutation = mutator(found, Random(f"{seed} {name} {label}"))
                if mutation is not None:
                    yield label, mutation


def _company(found: Base, name: str, seed: int, singles: list[tuple[str, Mutation]]) -> Iterator[Case]:
    """Half as many cases as there are single ones, of two or three causes that leave each other alone."""
    rng = Random(f"{seed} {name} company")
    pool = [mutation for _, mutation in singles if not mutation.alone]
    wanted, number = (len(singles) + 1) // 2, 0
    for attempt in range(wanted * 20):
        chosen = rng.sample(pool, min(len(pool), 2 + attempt % 2))
        if number < wanted and compatible(chosen):
            yield Case(f"{name}/company-{number}", found, tuple(chosen))
            number += 1


def compatible(chosen: list[Mutation]) -> bool:
    """Whether mutations can stand in one case: other rules, other zones, no history that is not there."""
    codes = [expected.code for mutation in chosen for expected in mutation.expected]
    if len(set(codes)) < len(codes) or not any(expected.positional for item in chosen for expected in item.expected):
        return False
    if any(mutation.fresh for mutation in chosen) and any(not _survives(mutation) for mutation in chosen):
        return False
    return not any(overlap(one, other) for index, one in enumerate(chosen) for other in chosen[:index])


def _survives(mutation: Mutation) -> bool:
    """Whether a mutation is about what another conversation has as well: tools and system text."""
    return mutation.fresh or all(zone.startswith(("tool", "s0", "s1", "s2")) for zone in mutation.zones)


def _harmless(seed: int, names: list[str], wanted: int) -> Iterator[Case]:
    """Every kind of harmless change that a base can have, in turn, until there are enough."""
    bases = [base(name, seed) for name in names]
    fitting = [
        (found, kind) for kind, change in CHANGES.items() for found in bases if change(found, Random(seed)) is not None
    ]
    for number in range(wanted):
        found, kind = fitting[number % len(fitting)]
        name = f"{found.profile.name}/harmless-{kind}-{number // len(fitting)}"
        yield Case(name, found, change=Change(kind, name))


def sample(seed: int) -> list[Case]:
    """A slice for every test run: each mutator on two bases, some company, some harmless changes of every kind."""
    cases = build(seed, 1)
    by_mutator: dict[str, list[Case]] = {}
    for case in cases:
        if len(case.mutations) == 1:
            by_mutator.setdefault(case.name.rpartition("/")[2], []).append(case)
    chosen = [
        found[(index + turn * len(found) // 2) % len(found)]
        for index, found in enumerate(by_mutator.values())
        for turn in range(min(2, len(found)))
    ]
    company = [case for case in cases if len(case.mutations) > 1]
    changes = [case for case in cases if case.change is not None]
    return chosen + company[:: len(company) // 50] + changes[: len(changes) // 4 : 3]
