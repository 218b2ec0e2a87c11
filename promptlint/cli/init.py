"""`promptlint init`: configuration, hook and CI job for the repository it stands in."""

from __future__ import annotations

from typing import Annotated

import typer

from promptlint.cli import DONE


def init(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be written, and write nothing.")] = False,
) -> int:
    """Write a configuration, a pre-commit hook and a CI job for the git repository around the current folder.

    Prompt files (by name and by what they hold), the model, the default branch and the kind of CI are found out. Files
    that exist are left as they are; what to add to them is printed.
    """
    from promptlint import scaffold
    from promptlint.cli.output import show
    from promptlint.reporters.amounts import count
    from promptlint.reporters.visible import visible

    seen = scaffold.survey(".")
    files = scaffold.planned(seen)
    new = {each.path: each.text for each in files if not each.skipped}
    if not dry_run:
        scaffold.write(seen.top, new)
    for each in files:
        said = each.skipped or ("would be written" if dry_run else "written")
        show(f"{each.path}: {said}\n")
        if each.text and (each.skipped or dry_run):
            show("".join(f"    {visible(line)}\n".rstrip(" ") for line in each.text.splitlines()))
    model = f"{seen.model.model} ({seen.model.family})" if seen.model else "no model is named"
    found = f"{count(len(seen.prompts), 'prompt file')}, {count(len(seen.code), 'source file')}"
    show(f"{found}; {visible(model)}\n")
    if not seen.prompts:
        show("No prompt files were found: name yours under `include` of the configuration, or declare a prompt.\n")
    return DONE
