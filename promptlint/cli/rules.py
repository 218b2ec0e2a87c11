"""`promptlint rules`: the rulebook as a list and as pages."""

from __future__ import annotations

from typing import Annotated

import typer

from promptlint.cli import DONE, FOUND
from promptlint.cli.options import PageFormat
from promptlint.cli.output import as_json, deliver, painted, targets


def list_rules(format: PageFormat = None) -> None:
    """List all rules by code."""
    wanted = targets(format)
    from promptlint import rulebook
    from promptlint.cli import rule_pages

    rules = rulebook.load().rules
    deliver(
        wanted,
        {
            "text": lambda terminal: painted(rule_pages.listed(rules), terminal),
            "json": lambda _: as_json([rule_pages.summary(rule) for rule in rules]),
        },
    )


def show_rule(
    code: Annotated[str, typer.Argument(metavar="CODE")],
    format: PageFormat = None,
) -> None:
    """Show what a rule (its code or name) finds, why it matters and how to mend it."""
    wanted = targets(format)
    from promptlint import rulebook
    from promptlint.cli import rule_pages

    rule = rulebook.load(examples=True).rule(code)
    deliver(
        wanted,
        {
            "text": lambda terminal: painted(rule_pages.shown(rule), terminal),
            "json": lambda _: as_json(rule_pages.page(rule)),
        },
    )


def test_rules(
    paths: Annotated[list[str], typer.Argument(metavar="PATHS...")],
) -> int:
    """Run rule files (or folders of them) against their own examples.

    Bad examples must be reported where `[|…|]` marks them and by no other rule, good ones by none. Exit status 1
    where an example does not hold.
    """
    from promptlint.cli.output import show
    from promptlint.rulebook.load import files_in, read_file
    from promptlint.trace.selftest import failures

    failed = 0
    for path in files_in(paths):
        rule = read_file(path, trusted=False)
        problems = failures(rule)
        failed += bool(problems)
        verdict = "fails" if problems else f"{len(rule.bad)} bad and {len(rule.good)} good examples hold"
        show(f"{path}: {rule.code} {rule.name}: {verdict}\n")
        for problem in problems:
            show(f"  {problem.example}: {problem.why}\n")
    return FOUND if failed else DONE
