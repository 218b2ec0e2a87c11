"""Pages show what the command line prints, in blocks that are generated: `<!-- output of: promptlint … -->` marks them.

`<!-- first 12 lines of: promptlint … -->` shows the beginning only.

`python -m pytest tests/test_readme.py --update-readme` rewrites the blocks.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from support import ROOT, Run

from promptlint import rulebook
from promptlint.rulebook import pages

BLOCK = re.compile(
    r"(?P<head><!-- (?:output|first (?P<lines>\d+) lines) of: promptlint (?P<command>[^\n]+) -->\n```text\n)"
    r".*?(?P<end>```\n)",
    re.DOTALL,
)
PAGES = [ROOT / "README.md", *sorted((ROOT / "examples").rglob("*.md"))]
PAGES = [page for page in PAGES if BLOCK.search(page.read_text("utf-8"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_blocks_are_what_is_printed(page: Path, promptlint: Callable[..., Run], request: pytest.FixtureRequest) -> None:
    def printed(block: re.Match[str]) -> str:
        run = promptlint(*shlex.split(block["command"]))
        assert run.status in (0, 1), run.err
        lines = run.out.splitlines(keepends=True)
        return block["head"] + "".join(lines[: int(block["lines"] or len(lines))]) + block["end"]

    text = page.read_text("utf-8")
    current = BLOCK.sub(printed, text)
    if request.config.getoption("--update-readme"):
        page.write_text(current, "utf-8")
    else:
        assert text == current


def test_the_page_of_all_rules_is_what_the_rule_files_say(request: pytest.FixtureRequest) -> None:
    page = ROOT / "rules" / "README.md"
    current = pages.index(rulebook.load(examples=True).rules)
    if request.config.getoption("--update-readme"):
        page.write_text(current, "utf-8")
    else:
        assert page.read_text("utf-8") == current


def test_the_first_screen_runs_the_example_that_is_shown() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    (shown,) = re.findall(r"^<!-- output of: (promptlint diff .+) -->$", text, re.MULTILINE)
    assert f"\n.venv/bin/{shown}\n" in text
