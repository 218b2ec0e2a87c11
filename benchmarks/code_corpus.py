"""Recall and precision of the rules on source code over the labelled corpus, for each rule and language."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "tests" / "code")]

from corpus_reader import SUFFIXES, snippets  # noqa: E402
from corpus_table import table  # noqa: E402


def main() -> None:
    """Prints the page and writes it beside this file."""
    groups = ((each, snippets(each)) for each in SUFFIXES)
    page = table(
        "Rules on source code over the labelled corpus", "language", "python benchmarks/code_corpus.py", groups
    )
    Path(__file__).with_suffix(".md").write_text(page, "utf-8")
    print(page, end="")


if __name__ == "__main__":
    main()
