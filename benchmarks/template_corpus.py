"""Recall and precision of the rules on templates over the labelled corpus, for each rule and syntax."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "tests" / "template")]

from corpus_table import table  # noqa: E402
from template_snippets import SYNTAXES, snippets  # noqa: E402


def main() -> None:
    """Prints the page and writes it beside this file."""
    groups = ((each, snippets(each)) for each in SYNTAXES)
    page = table(
        "Rules on templates over the labelled corpus", "syntax", "python benchmarks/template_corpus.py", groups
    )
    Path(__file__).with_suffix(".md").write_text(page, "utf-8")
    print(page, end="")


if __name__ == "__main__":
    main()
