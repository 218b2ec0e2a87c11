"""Recall and precision of the rules on templates over the labelled corpus, for each rule and syntax."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "template"))

from template_snippets import SYNTAXES, Snippet, snippets  # noqa: E402

TABLE = Path(__file__).with_suffix(".md")
HEAD = """# Rules on templates over the labelled corpus

Written by `python benchmarks/template_corpus.py`. A report at a place that is not marked is false,
whatever its rule.

| syntax | rule | bad | good | found | missed | false | recall | precision |
|---|---|---|---|---|---|---|---|---|
"""


def tally(each: Snippet, counts: Counter[tuple[str, str, str]], *, explain: bool) -> None:
    """Found, missed and false reports of one snippet; a report of any rule at an unmarked place is false."""
    findings = each.findings()
    got = each.places(findings)
    others = [f for f in findings if f.code != each.rule]
    found, missed, wrong = len(got & each.marked), len(each.marked - got), len(got - each.marked) + len(others)
    for name, number in (("found", found), ("missed", missed), ("false", wrong)):
        counts[each.syntax, each.rule, name] += number
    counts[each.syntax, each.rule, "bad" if each.bad else "good"] += 1
    if explain and (missed or wrong):
        shown = [f"{f.code} {f.marked!r}" for f in findings]
        print(f"!! {each}: missed {[each.text[a:b] for a, b in each.marked - got]}, reported {shown}", file=sys.stderr)


def main() -> int:
    counts: Counter[tuple[str, str, str]] = Counter()
    for syntax in SYNTAXES:
        for each in snippets(syntax):
            tally(each, counts, explain="--explain" in sys.argv)
    rows = [
        _row(syntax, rule, {key[2]: number for key, number in counts.items() if key[:2] == (syntax, rule)})
        for syntax, rule in sorted({key[:2] for key in counts})
    ]
    total: Counter[str] = Counter()
    for (_, _, name), number in counts.items():
        total[name] += number
    rows.append(_row("all", "all", total))
    TABLE.write_text(HEAD + "".join(f"{row}\n" for row in rows), "utf-8")
    print(HEAD + "\n".join(rows))
    return 0


def _row(syntax: str, rule: str, of: dict[str, int]) -> str:
    found, missed, wrong = of.get("found", 0), of.get("missed", 0), of.get("false", 0)
    recall = found / (found + missed) if found + missed else 1.0
    precision = found / (found + wrong) if found + wrong else 1.0
    counted = (of.get("bad", 0), of.get("good", 0), found, missed, wrong)
    return "| " + " | ".join(map(str, (syntax, rule, *counted, f"{recall:.2f}", f"{precision:.2f}"))) + " |"


if __name__ == "__main__":
    raise SystemExit(main())
