"""Runs the real program over a case and compares what it says with the truth."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field

from promptlint.model.finding import Finding
from promptlint.model.report import Report
from promptlint.pipeline import Options, diff

from .cases import Case
from .mutation import Expected, Mutation
from .truth import Encoded, encode_pair, shared, source
from .wires import Sent

# Codes that are right beside an expected one, with the reason.
ALLOWED: dict[str, dict[str, str]] = {
    "PL403": {"PL501": "the replayed message that lost the note is a marked one, so its marker sits on changing text"},
    "PL509": {"PL502": "the request on the wire has no marker left at all"},
}
# What changes in a marked block makes its marker pointless as well: PL501 is right beside these, in such a block.
VOLATILE = ("PL101", "PL102", "PL103", "PL104", "PL105", "PL106", "PL107", "PL108")


@dataclass(frozen=True)
class Cause:
    """An expected cause and how the report did on it. `first` and `repair` are None where the cause has no place."""

    code: str
    found: bool
    first: bool | None
    repair: bool | None


@dataclass
class Verdict:
    """`false`: codes of findings that are none of the expected ones; `notes`: what was wrong, in words."""

    case: str
    causes: list[Cause] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Stage:
    """A pair of requests, the report on it, and its truth."""

    before: Sent
    after: Sent
    report: Report
    old: Encoded
    new: Encoded

    gateway: bool = False

    @property
    def shared(self) -> int:
        """Tokens in common. A gateway's two sides are compared in a form of their own; their contents are equal."""
        return self.report.comparisons[0].tokens.after if self.gateway else shared(self.old, self.new)


def run(case: Case, repaired: Iterable[int] = ()) -> Stage:
    before, after = case.pair(frozenset(repaired))
    provider = case.base.profile.provider
    gateway = any(mutation.gateway for mutation in case.mutations)
    report = diff([source(before), source(after)], Options(provider=provider, gateway=gateway))
    return Stage(before, after, report, *encode_pair(before, after, provider), gateway)


def judge(case: Case, existing: Set[str]) -> Verdict:
    """How the report on a case compares with the truth; cases of rules that do not exist yet are only counted."""
    verdict = Verdict(case.name, missing=case.codes - existing)
    if verdict.missing:
        return verdict
    stage = run(case)
    expected = [(mutation, each) for mutation in case.mutations for each in mutation.expected]
    unclaimed = list(stage.report.findings)
    found = {}
    for mutation, each in expected:
        claimed = [item for item in unclaimed if points(item, each, stage)]
        found[each] = bool(claimed)
        for finding in claimed if each.where == "" else claimed[:1]:
            unclaimed.remove(finding)
        if not claimed:
            verdict.notes.append(f"{each.code} at {places(each, stage)} is not reported ({mutation.kind})")
    allowed = {code for mutation, each in expected for code in _allowed(mutation, each, case)}
    _false(verdict, unclaimed, allowed, "reported")
    _divergence(verdict, stage)
    first, repair, repaired, last = _positions(case, verdict, stage)
    for _, each in expected:
        verdict.causes.append(Cause(each.code, found[each], first.get(each.code), repair.get(each.code)))
    if case.mutations:
        everything = len(repaired) == len(case.mutations)
        clean = last if everything else run(case, range(len(case.mutations)))
        _false(verdict, clean.report.findings, set(), "reported when all is repaired")
    return verdict


def _allowed(mutation: Mutation, each: Expected, case: Case) -> set[str]:
    codes = {*mutation.allowed, *ALLOWED.get(each.code, {})}
    part = case.base.after.find(each.names[0])
    if each.code in VOLATILE and part is not None and part.mark is not None:
        codes.add("PL501")
    return codes


def _false(verdict: Verdict, findings: Iterable[Finding], allowed: set[str], what: str) -> None:
    for finding in findings:
        if finding.code not in allowed:
            verdict.false.append(finding.code)
            verdict.notes.append(f"{finding.code} {what} at {finding.location.path}: {finding.message}")


def places(expected: Expected, stage: Stage) -> set[str]:
    """The field paths that are right for a finding; empty where any is."""
    if not expected.where:
        return set()
    known = [
        sent.blocks.get(name) if sent.blocks else sent.paths.get(name)
        for sent in (stage.before, stage.after)
        for uid in expected.names
        for name in (uid, f"{uid}@")
    ]
    return {path for path in known if path is not None} or set(expected.names)


def points(finding: Finding, expected: Expected, stage: Stage) -> bool:
    """Whether a finding is the expected one, in the right place."""
    right = places(expected, stage)
    return finding.code == expected.code and (not right or any(related(finding.location.path, path) for path in right))


def related(one: str, other: str) -> bool:
    """Whether two field paths are equal or one leads through the other."""
    shorter, longer = sorted((one, other), key=len)
    return one == other or (bool(shorter) and longer.startswith(shorter) and longer[len(shorter)] in ".[")


def _divergence(verdict: Verdict, stage: Stage) -> None:
    """The first divergent token of the report against that of two full encodings."""
    comparison = stage.report.comparisons[0]
    if comparison.tokens.shared != stage.shared:
        verdict.notes.append(f"{comparison.tokens.shared} tokens shared, in truth {stage.shared}")
    divergence = comparison.divergence
    if divergence is not None and divergence.token != stage.shared:
        verdict.notes.append(f"first divergent token {divergence.token}, in truth {stage.shared}")


def _positions(case: Case, verdict: Verdict, stage: Stage) -> tuple[dict[str, bool], dict[str, bool], list[int], Stage]:
    """For each cause with a place: whether it begins, and its repair ends, at exactly the right token.

    The causes are repaired one after the other, in render order, on the requests themselves; their numbers and the
    last pair of requests come back too.
    """
    exact = stage.report.comparisons[0].tokens.shared == stage.shared
    first = {each.code: exact for mutation in case.mutations for each in mutation.expected if not each.positional}
    repair: dict[str, bool] = {}
    order = _render_order(case, stage)
    steps = {step.code: step for step in stage.report.comparisons[0].repairs}
    if [code for code, _ in order] != [step.code for step in stage.report.comparisons[0].repairs]:
        said = [step.code for step in stage.report.comparisons[0].repairs]
        verdict.notes.append(f"repairs {said}, in truth {[code for code, _ in order]}")
    repaired: list[int] = []
    for code, number in order:
        step = steps.get(code)
        start = _reach(case, stage, repaired)
        repaired.append(number)
        stage = run(case, repaired)
        end = _reach(case, stage, repaired, said=True)
        if step is None:
            continue
        first[code] = step.cumulative - step.recovers == start
        repair[code] = step.cumulative == end
        if not (first[code] and repair[code]):
            told = f"{step.cumulative - step.recovers} to {step.cumulative}"
            verdict.notes.append(f"{code} repairs {told}, in truth {start} to {end}")
    return first, repair, repaired, stage


def _render_order(case: Case, stage: Stage) -> list[tuple[str, int]]:
    """Codes and numbers of the causes with a place, in the order of their tokens; settings before text."""
    placed = []
    for number, mutation in enumerate(case.mutations):
        each = next((item for item in mutation.expected if item.positional), None)
        if each is None:
            continue
        others = frozenset(range(len(case.mutations))) - {number}
        level = stage.old.level(each.names[0]) if each.code in ("PL601", "PL602") else None
        if level is None:
            alone = stage if len(case.mutations) == 1 else _encoded(case, others)
            placed.append((alone.shared, 1, number, each.code))
        else:
            placed.append((level, 0, number, each.code))
    said = [step.code for step in stage.report.comparisons[0].repairs]
    rank = {code: index for index, code in reversed(list(enumerate(said)))}
    # Settings that split the cache at one token come in any order.
    placed.sort(key=lambda item: (item[0], item[1], rank.get(item[3], 0), item[2]))
    return [(code, number) for _, _, number, code in placed]


@dataclass(frozen=True)
class _Alone:
    shared: int


def _encoded(case: Case, repaired: frozenset[int]) -> _Alone:
    before, after = case.pair(repaired)
    return _Alone(shared(*encode_pair(before, after, case.base.profile.provider)))


def _reach(case: Case, stage: Stage, repaired: Sequence[int], *, said: bool = False) -> int:
    """Tokens that are shared, settings that still split the cache counted in; `said`: as the program counts them."""
    levels = [
        stage.old.level(each.names[0])
        for number, mutation in enumerate(case.mutations)
        for each in mutation.expected
        if number not in repaired and each.code in ("PL601", "PL602")
    ]
    text = stage.report.comparisons[0].tokens.shared if said else stage.shared
    return min([text, *(level for level in levels if level is not None)])


def judge_all(cases: Sequence[Case], existing: Set[str], jobs: int = 1) -> list[Verdict]:
    """Verdicts in the order of the cases; `jobs` processes, which inherit the cases by forking."""
    if jobs < 2 or not hasattr(os, "fork"):
        return [judge(case, existing) for case in cases]
    import multiprocessing

    _Shared.cases, _Shared.existing = cases, frozenset(existing)
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        return pool.map(_judge_number, range(len(cases)), chunksize=8)


class _Shared:
    """What worker processes inherit: a case holds functions, which cannot be sent to them."""

    cases: Sequence[Case] = ()
    existing: frozenset[str] = frozenset()


def _judge_number(number: int) -> Verdict:
    return judge(_Shared.cases[number], _Shared.existing)
