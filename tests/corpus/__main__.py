"""Runs the whole corpus, prints a score for each rule and rewrites benchmarks/corpus.md: `python -m tests.corpus`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from promptlint import rulebook

from . import table
from .cases import build
from .evaluate import judge_all

PAGE = Path(__file__).resolve().parents[2] / "benchmarks" / "corpus.md"
SEED, VARIANTS = 7, 2
COMMAND = "python -m tests.corpus"
RECALL, PRECISION = 0.98, 0.98


def main() -> int:
    """Exit status 0 where every goal is reached, 1 otherwise."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED, help="another corpus; the page is not rewritten")
    parser.add_argument("--variants", type=int, default=VARIANTS, help="of every cause on every base request")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="only cases whose name holds this text; the page is not rewritten")
    parser.add_argument("--explain", action="store_true", help="print what was wrong with each case that failed")
    options = parser.parse_args()
    cases = [case for case in build(options.seed, options.variants) if options.only in case.name]
    verdicts = judge_all(cases, {rule.code for rule in rulebook.load().rules}, options.jobs)
    page = table.page(cases, verdicts, options.seed, COMMAND)
    print(page)
    if options.explain:
        for verdict in verdicts:
            print(*(f"{verdict.case}: {note}" for note in verdict.notes), sep="\n", end="\n" if verdict.notes else "")
    if (options.seed, options.variants, options.only) == (SEED, VARIANTS, ""):
        PAGE.write_text(page, encoding="utf-8")
    found = table.scores(verdicts)
    whole = table.total(found)
    reached = all(score.recall >= RECALL and score.precision >= PRECISION for score in (*found.values(), whole))
    exact = whole.first == 1.0 and whole.repair == 1.0
    return 0 if reached and exact and not table.missing(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
