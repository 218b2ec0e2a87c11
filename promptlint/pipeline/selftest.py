"""A rule's examples run through the real readers, tokenizers and rules: what is marked must be what is reported."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from promptlint.model.finding import Place, Scope
from promptlint.model.source import Source, Span
from promptlint.pipeline import Options, check, diff
from promptlint.rulebook import load
from promptlint.rulebook.examples import Input, inputs
from promptlint.rulebook.rule import Example, Rule

__all__ = ["Failure", "failures"]


@dataclass(frozen=True, slots=True)
class Failure:
    """An example that does not hold: `bad[0]`, and what is wrong with it."""

    example: str
    why: str


def failures(rule: Rule) -> list[Failure]:
    """What is wrong with a rule's examples; empty when all hold. Raises RuleError for examples that cannot run."""
    found = []
    for kind, examples in (("bad", rule.bad), ("good", rule.good)):
        for index, example in enumerate(examples):
            why = _wrong(rule, example, bad=kind == "bad")
            if why:
                found.append(Failure(f"{kind}[{index}]", why))
    return found


def _wrong(rule: Rule, example: Example, *, bad: bool) -> str | None:
    before, after = inputs(example)
    bundled = Path(rule.file).resolve() in {Path(other.file).resolve() for other in load().rules}
    own_rule = () if bundled else (rule.file,)
    options = Options(provider=example.provider, gateway=rule.scopes == (Scope.GATEWAY,), rules=own_rule)
    report = check([(None, after.source)], options) if before is None else diff([before.source, after.source], options)
    others = sorted({finding.code for finding in report.findings if finding.code not in (rule.code, *example.besides)})
    own = [finding for finding in report.findings if finding.code == rule.code]
    if not bad:
        codes = sorted({finding.code for finding in report.findings})
        return f"expected silence, found {', '.join(codes)}" if codes else None
    if others:
        return f"{', '.join(others)} reported besides or instead"
    wanted = {_where(side, span) for side in (before, after) if side for span in side.marked}
    places = [finding.location for finding in own] + [
        related.location for finding in own for related in finding.related if related.message == "also here"
    ]
    got = {_text(place, before, after) for place in places}
    return None if got == wanted else f"marked {_shown(wanted)}, reported {_shown(got)}"


def _where(side: Input, span: Span) -> tuple[str, int, int]:
    return (side.source.name, span.start, span.end)


def _text(place: Place, before: Input | None, after: Input) -> tuple[str, int, int]:
    source = before.source if before is not None and before.source.name == place.file else after.source
    return (place.file, _offset(source, place.line, place.column), _offset(source, place.end_line, place.end_column))


def _offset(source: Source, line: int, column: int) -> int:
    start = 0
    for _ in range(line - 1):
        start = source.text.index("\n", start) + 1
    return start + column - 1


def _shown(places: set[tuple[str, int, int]]) -> str:
    return ", ".join(f"{file}[{start}:{end}]" for file, start, end in sorted(places)) or "nothing"
