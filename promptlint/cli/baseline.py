"""`promptlint accept` and `promptlint baseline`: breaks that are wanted, and findings that are known."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from promptlint.cli import DONE
from promptlint.cli.groups import grouped
from promptlint.cli.living import Comparing, Configuring, Filtering, Prompting, options, planned, say
from promptlint.cli.output import show
from promptlint.model.errors import ConfigError, InputError
from promptlint.reporters.amounts import count

if TYPE_CHECKING:
    from promptlint.config import Finder
    from promptlint.pipeline.checking import Placed
    from promptlint.pipeline.jobs import Plan

Paths = Annotated[list[str], typer.Argument(metavar="PATHS...")]


Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why this break is wanted.")]


@grouped
def accept(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A prompt file, or the name of a declared prompt.")],
    reason: Reason,
    comparing: Comparing,
    prompting: Prompting,
    configuring: Configuring,
) -> int:
    """Accept a break of the cache in the open: this very edit, with a reason, in the committed baseline.

    The edit is looked for against HEAD, or against --since as `promptlint check` does.
    """
    from promptlint import suppressions
    from promptlint.pipeline import checking
    from promptlint.pipeline.revision import plan_since

    if not reason.strip():
        raise ConfigError("--reason: say why this break is wanted")
    finder = configuring.finder()
    given = options(prompting, cache=configuring.cache())
    paths = [path] if os.path.lexists(path) else _home_of(path, finder)
    plan = plan_since(paths, finder, given, since=comparing.since, staged=comparing.staged)
    found = [each for each in checking.run(plan).found if each.breaks]
    found = [each for each in found if os.path.normpath(each.finding.location.file) == os.path.normpath(path)] or [
        each for each in found if each.job.name == path or os.path.lexists(path)
    ]
    if not found:
        since = comparing.since or "HEAD"
        why = f"no edit since {since} is beyond its budget and not accepted yet: there is nothing to accept"
        raise InputError(why, name=path)
    for file, group in _by_baseline(found).items():
        base = suppressions.load(file)
        new = [suppressions.Accepted(e.file, e.finding.code, e.finding.change, reason.strip()) for e in group]
        suppressions.save(file, suppressions.Baseline(base.findings, (*base.accepted, *new)))
        for each in group:
            place = each.finding.location
            show(f"{place.file}:{place.line}: {each.finding.code} is accepted in {os.path.relpath(file)}\n")
    return DONE


def _home_of(name: str, finder: Finder) -> list[str]:
    """The folder in which a declared prompt has its parts. Raises InputError."""
    config = finder.for_folder(".")
    if all(prompt.name != name for prompt in config.prompts):
        raise InputError("no such file, and no prompt of that name is declared", name=name)
    return [os.path.relpath(config.root)]


def _by_baseline(found: Iterable[Placed]) -> dict[str, list[Placed]]:
    groups: dict[str, list[Placed]] = {}
    for each in found:
        groups.setdefault(each.baseline, []).append(each)
    return groups


@grouped
def create(
    paths: Paths, comparing: Comparing, prompting: Prompting, filtering: Filtering, configuring: Configuring
) -> int:
    """Write a new baseline with all findings there are now, so that only new ones are reported."""
    return _write(paths, comparing, prompting, filtering, configuring, "create")


@grouped
def update(
    paths: Paths, comparing: Comparing, prompting: Prompting, filtering: Filtering, configuring: Configuring
) -> int:
    """Replace the findings of the checked files in the baseline by those there are now."""
    return _write(paths, comparing, prompting, filtering, configuring, "update")


@grouped
def prune(
    paths: Paths, comparing: Comparing, prompting: Prompting, filtering: Filtering, configuring: Configuring
) -> int:
    """Take out of the baseline what is no longer found; acceptances only with --since."""
    return _write(paths, comparing, prompting, filtering, configuring, "prune")


def _write(
    paths: list[str],
    comparing: Comparing,
    prompting: Prompting,
    filtering: Filtering,
    configuring: Configuring,
    action: str,
) -> int:
    from promptlint.pipeline import checking

    finder = configuring.finder()
    plan = planned(paths, comparing, finder, options(prompting, filtering, cache=configuring.cache()))
    checked = checking.run(plan)
    groups = {os.path.join(job.config.root, job.config.baseline): list[checking.Placed]() for job in plan.jobs}  # noqa: PTH118
    groups |= _by_baseline(checked.found)
    here = finder.for_folder(".")
    for file in groups or [os.path.join(here.root, here.baseline)]:  # noqa: PTH118
        _write_one(file, groups.get(file, []), plan, action, compared=comparing.since is not None)
    lasting = [each for each in checked.found if each.lasting]
    if lasting and action != "prune":
        codes = ", ".join(sorted({each.finding.code for each in lasting}))
        kept_out = count(len(lasting), "finding")
        say(f"not taken: {kept_out} ({codes}) that cost on every request; mend or ignore them in place")
    return DONE


def _write_one(file: str, found: list[Placed], plan: Plan, action: str, *, compared: bool) -> None:
    from promptlint import suppressions
    from promptlint.pipeline.jobs import path_in

    if action == "create" and os.path.lexists(file):
        raise InputError("exists already; `promptlint baseline update` changes it", name=os.path.relpath(file))
    base = suppressions.load(file)
    now = {
        suppressions.Known(each.file, each.finding.code, each.finding.name, each.finding.fingerprint)
        for each in found
        if not each.edit and not each.lasting
    }
    root = os.path.dirname(file)  # noqa: PTH120
    checked = {path_in(job.config, source.name) for job in plan.jobs for source in job.after}
    others = {each for each in base.findings if each.file not in checked and _exists(root, each.file)}
    kept = {each for each in base.findings if each.fingerprint in {known.fingerprint for known in now}}
    changes = {each.finding.change for each in found}
    accepted = [each for each in base.accepted if action != "prune" or not compared or each.change in changes]
    findings = others | (kept if action == "prune" else now)
    suppressions.save(file, suppressions.Baseline(tuple(findings), tuple(accepted)))
    numbers = f"{count(len(findings), 'known finding')}, {count(len(accepted), 'accepted break')}"
    show(f"{os.path.relpath(file)}: {numbers}\n")


def _exists(root: str, file: str) -> bool:
    return os.path.lexists(os.path.join(root, file))  # noqa: PTH118
