"""The table of a labelled corpus: recall and precision for each group of snippets (a language, a syntax) and rule."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Set
from typing import Protocol

from promptlint.model.finding import Finding


class Snippet(Protocol):
    """A labelled snippet; places are (start, end) in `text`."""

    @property
    def rule(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def bad(self) -> bool: ...
    @property
    def marked(self) -> Set[tuple[int, int]]: ...
    def findings(self) -> list[Finding]: ...
    def places(self, findings: list[Finding], /) -> Set[tuple[int, int]]: ...


def table(title: str, column: str, command: str, groups: Iterable[tuple[str, Iterable[Snippet]]]) -> str:
    """A Markdown page. With `--explain` on the command line, what is wrong goes to stderr."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for group, snippets in groups:
        for each in snippets:
            _tally(group, each, counts)
    total: Counter[str] = Counter()
    for (_, _, name), number in counts.items():
        total[name] += number
    lines = [
        f"# {title}",
        "",
        f"Written by `{command}`. A report at a place that is not marked is false,",
        "whatever its rule.",
        "",
        f"| {column} | rule | bad | good | found | missed | false | recall | precision |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for group, rule in sorted({key[:2] for key in counts}):
        lines.append(_row(group, rule, {key[2]: n for key, n in counts.items() if key[:2] == (group, rule)}))
    return "\n".join([*lines, _row("all", "all", total)]) + "\n"


def _tally(group: str, each: Snippet, counts: Counter[tuple[str, str, str]]) -> None:
    """Found, missed and false reports of one snippet; a report of any rule at an unmarked place is false."""
    findings = each.findings()
    got = each.places(findings)
    others = [f for f in findings if f.code != each.rule]
    found, missed, wrong = len(got & each.marked), len(each.marked - got), len(got - each.marked) + len(others)
    for name, number in (("found", found), ("missed", missed), ("false", wrong)):
        counts[group, each.rule, name] += number
    counts[group, each.rule, "bad" if each.bad else "good"] += 1
    if "--explain" in sys.argv and (missed or wrong):
        shown = [f"{f.code} {f.marked!r}" for f in findings]
        print(f"!! {each}: missed {[each.text[a:b] for a, b in each.marked - got]}, reported {shown}", file=sys.stderr)


def _row(group: str, rule: str, of: dict[str, int]) -> str:
    found, missed, wrong = of.get("found", 0), of.get("missed", 0), of.get("false", 0)
    recall = found / (found + missed) if found + missed else 1.0
    precision = found / (found + wrong) if found + wrong else 1.0
    counted = (of.get("bad", 0), of.get("good", 0), found, missed, wrong)
    return "| " + " | ".join(map(str, (group, rule, *counted, f"{recall:.2f}", f"{precision:.2f}"))) + " |"
