"""A rule's examples run through the real readers, tokenizers and rules: what is marked must be what is reported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from promptlint.model.finding import Finding, Place, Scope
from promptlint.model.source import Source, Span
from promptlint.pipeline import Options, check, diff
from promptlint.rulebook import load
from promptlint.rulebook.examples import Input, inputs
from promptlint.rulebook.rule import Example, Rule

__all__ = ["Failure", "Shown", "failures", "own_files"]

_Place = tuple[str, int, int]  # a file, and a span in it


@dataclass(frozen=True, slots=True)
class Failure:
    """An example that does not hold: `bad[0]`, and what is wrong with it."""

    example: str
    why: str


@dataclass(frozen=True, slots=True)
class Shown:
    """What an example shows: all findings, the places that are marked in it, and those the rule reports."""

    findings: Sequence[Finding]
    marked: set[_Place]
    reported: set[_Place]


def failures(rule: Rule, show: Callable[[Rule, Example], Shown] | None = None) -> list[Failure]:
    """What is wrong with a rule's examples; empty when all hold. Raises RuleError for examples that cannot run.

    `show` runs one example; None: as a pair of requests, or a request or file alone.
    """
    found = []
    for kind, examples in (("bad", rule.bad), ("good", rule.good)):
        for index, example in enumerate(examples):
            why = _wrong(rule, example, (show or _shown)(rule, example), bad=kind == "bad")
            if why:
                found.append(Failure(f"{kind}[{index}]", why))
    return found


def own_files(rule: Rule) -> tuple[str, ...]:
    """The files of rules that a run needs besides those that come with promptlint."""
    bundled = Path(rule.file).resolve() in {Path(other.file).resolve() for other in load().rules}
    return () if bundled else (rule.file,)


def _wrong(rule: Rule, example: Example, shown: Shown, *, bad: bool) -> str | None:
    others = sorted({finding.code for finding in shown.findings} - {rule.code, *example.besides})
    if not bad:
        codes = sorted({finding.code for finding in shown.findings})
        return f"expected silence, found {', '.join(codes)}" if codes else None
    if others:
        return f"{', '.join(others)} reported besides or instead"
    if shown.reported == shown.marked:
        return None
    return f"marked {_listed(shown.marked)}, reported {_listed(shown.reported)}"


def _shown(rule: Rule, example: Example) -> Shown:
    before, after = inputs(example)
    options = Options(provider=example.provider, gateway=rule.scopes == (Scope.GATEWAY,), rules=own_files(rule))
    report = check([(None, after.source)], options) if before is None else diff([before.source, after.source], options)
    own = [finding for finding in report.findings if finding.code == rule.code]
    wanted = {_where(side, span) for side in (before, after) if side for span in side.marked}
    places = [finding.location for finding in own] + [
        related.location for finding in own for related in finding.related if related.message == "also here"
    ]
    return Shown(report.findings, wanted, {_text(place, before, after) for place in places})


def _where(side: Input, span: Span) -> _Place:
    return (side.source.name, span.start, span.end)


def _text(place: Place, before: Input | None, after: Input) -> _Place:
    source = before.source if before is not None and before.source.name == place.file else after.source
    return (place.file, _offset(source, place.line, place.column), _offset(source, place.end_line, place.end_column))


def _offset(source: Source, line: int, column: int) -> int:
    start = 0
    for _ in range(line - 1):
        start = source.text.index("\n", start) + 1
    return start + column - 1


def _listed(places: set[_Place]) -> str:
    return ", ".join(f"{file}[{start}:{end}]" for file, start, end in sorted(places)) or "nothing"
