"""The scores of a corpus run as the table that is kept in the repository: no times, nothing of the machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from .cases import Case
from .evaluate import ALLOWED, VOLATILE, Verdict

# Rules of these groups that no pair of requests can show.
ELSEWHERE = {"PL109": "seen in source code and by probing", "PL204": "seen in source code"}


@dataclass
class Score:
    """How one rule did: causes planted, found, other findings of its code, and exact places and repairs."""

    cases: int = 0
    found: int = 0
    false: int = 0
    placed: list[bool] = field(default_factory=list)
    repaired: list[bool] = field(default_factory=list)

    @property
    def recall(self) -> float:
        return self.found / self.cases if self.cases else 1.0

    @property
    def precision(self) -> float:
        return self.found / (self.found + self.false) if self.found + self.false else 1.0

    @property
    def first(self) -> float:
        return sum(self.placed) / len(self.placed) if self.placed else 1.0

    @property
    def repair(self) -> float | None:
        return sum(self.repaired) / len(self.repaired) if self.repaired else None


def scores(verdicts: Sequence[Verdict]) -> dict[str, Score]:
    """Scores by code, sorted."""
    found: dict[str, Score] = {}
    for verdict in verdicts:
        for cause in verdict.causes:
            score = found.setdefault(cause.code, Score())
            score.cases += 1
            score.found += cause.found
            score.placed += [] if cause.first is None else [cause.first]
            score.repaired += [] if cause.repair is None else [cause.repair]
        for code in verdict.false:
            found.setdefault(code, Score()).false += 1
    return dict(sorted(found.items()))


def total(found: dict[str, Score]) -> Score:
    """All rules together."""
    whole = Score()
    for score in found.values():
        whole.cases += score.cases
        whole.found += score.found
        whole.false += score.false
        whole.placed += score.placed
        whole.repaired += score.repaired
    return whole


def missing(verdicts: Sequence[Verdict]) -> Counter[str]:
    """Rules that the corpus asks for and the rulebook does not have, with the number of cases left out for them."""
    return Counter(code for verdict in verdicts for code in verdict.missing)


def page(cases: Sequence[Case], verdicts: Sequence[Verdict], seed: int, command: str) -> str:
    """The whole page as Markdown."""
    counts = Counter(min(len(case.mutations), 4) for case in cases)
    bases = len({case.base.profile.name for case in cases})
    found = scores(verdicts)
    lacking = missing(verdicts)
    lines = [
        "# Mutation corpus",
        "",
        f"Written by `{command}` (seed {seed}). {bases} base requests; {counts[1]:,} cases of one cause,",
        f"{counts[2]:,} of two and {counts[3]:,} of three, {counts[0]:,} harmless changes.",
        "`tests/corpus/` makes and judges them.",
        "",
        "- **recall**: planted causes that are reported at the right field",
        "- **precision**: of all findings of the rule, in broken and in harmless pairs, those that were planted",
        "- **first token**: the cause begins at exactly the token where two full encodings part",
        "- **repair**: with the cause and those before it undone in the request itself, exactly as many tokens are",
        "  shared as the report said (– for rules that have no place in the tokens)",
        "",
        "| rule | cases | recall | precision | first token | repair |",
        "|---|---:|---:|---:|---:|---:|",
        *(_row(code, score) for code, score in found.items()),
        _row("**all**", total(found)),
        "",
        f"Rules that are missing: {', '.join(sorted(lacking)) or 'none'}. "
        + " ".join(f"{code} is {why}." for code, why in ELSEWHERE.items()),
        "",
        "Findings that are right beside a planted cause:",
        "",
        f"- PL501 beside {VOLATILE[0]} to {VOLATILE[-1]} where the changing text stands in a marked block",
        *(f"- {other} beside {code}: {why}" for code, others in ALLOWED.items() for other, why in others.items()),
    ]
    return "\n".join(lines) + "\n"


def _row(code: str, score: Score) -> str:
    repair = "–" if score.repair is None else f"{score.repair:.3f}"
    return f"| {code} | {score.cases:,} | {score.recall:.3f} | {score.precision:.3f} | {score.first:.3f} | {repair} |"
