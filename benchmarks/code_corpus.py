"""Recall and precision of the rules on source code over the labelled corpus, for each rule and language."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "code"))

from corpus_reader import SUFFIXES, Snippet, snippets  # noqa: E402


def tally(each: Snippet, counts: Counter[tuple[str, str, str]], *, explain: bool) -> None:
    """Found, missed and false reports of one snippet; a report of any rule at an unmarked place is false."""
    findings = each.findings()
    got = each.places(findings)
    others = [f for f in findings if f.code != each.rule]
    found, missed, wrong = len(got & each.marked), len(each.marked - got), len(got - each.marked) + len(others)
    for name, number in (("found", found), ("missed", missed), ("false", wrong)):
        counts[each.language, each.rule, name] += number
    counts[each.language, each.rule, "bad" if each.bad else "good"] += 1
    if explain and (missed or wrong):
        shown = [f"{f.code} {f.marked!r}" for f in findings]
        print(f"!! {each}: missed {[each.text[a:b] for a, b in each.marked - got]}, reported {shown}", file=sys.stderr)


def main() -> int:
    explain = "--explain" in sys.argv
    counts: Counter[tuple[str, str, str]] = Counter()
    for language in SUFFIXES:
        for each in snippets(language):
            tally(each, counts, explain=explain)
    print("# Rules on source code over the labelled corpus\n")
    print("Written by `python benchmarks/code_corpus.py`. A report at a place that is not marked is false,")
    print("whatever its rule.\n")
    print("| language | rule | bad | good | found | missed | false | recall | precision |")
    print("|---|---|---|---|---|---|---|---|---|")
    for language, rule in sorted({key[:2] for key in counts}):
        print(_row(language, rule, {key[2]: number for key, number in counts.items() if key[:2] == (language, rule)}))
    total: Counter[str] = Counter()
    for (_, _, name), number in counts.items():
        total[name] += number
    print(_row("all", "all", total))
    return 0


def _row(language: str, rule: str, of: dict[str, int]) -> str:
    found, missed, wrong = of.get("found", 0), of.get("missed", 0), of.get("false", 0)
    recall = found / (found + missed) if found + missed else 1.0
    precision = found / (found + wrong) if found + wrong else 1.0
    cells = (
        language,
        rule,
        of.get("bad", 0),
        of.get("good", 0),
        found,
        missed,
        wrong,
        f"{recall:.2f}",
        f"{precision:.2f}",
    )
    return "| " + " | ".join(map(str, cells)) + " |"


if __name__ == "__main__":
    raise SystemExit(main())
