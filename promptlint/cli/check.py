"""`promptlint check`: prompts of a repository, alone or against a git revision."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from promptlint.cli import DONE, FOUND
from promptlint.cli.groups import grouped
from promptlint.cli.living import Comparing, Configuring, Filtering, Prompting, options, planned, say
from promptlint.cli.options import FailOn, FailOnOption, Format, Redact
from promptlint.cli.output import Target, show, targets
from promptlint.cli.reports import deliver_report
from promptlint.reporters.amounts import count
from promptlint.reporters.formats import FORMATS

if TYPE_CHECKING:
    from promptlint.config import Finder
    from promptlint.model.report import Report
    from promptlint.pipeline.checking import Checked
    from promptlint.pipeline.jobs import Plan


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ends and what it prints."""

    fail_on: FailOnOption = None
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="End with 0 even if there are findings.")] = False
    format: Format = None
    redact: Redact = False
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Print how often each rule was found instead of the text report.")
    ] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print findings only.")] = False
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say on standard error what was read and what was silenced.")
    ] = False
    show_settings: Annotated[bool, typer.Option("--show-settings", help="Show the settings in force and end.")] = False
    show_files: Annotated[bool, typer.Option("--show-files", help="List the files that would be checked and end.")] = (
        False
    )


@grouped
def check(
    paths: Annotated[list[str], typer.Argument(metavar="PATHS...")],
    comparing: Comparing,
    prompting: Prompting,
    filtering: Filtering,
    configuring: Configuring,
    ending: Ending,
) -> int:
    """Check prompts and what builds them, alone or against a git revision.

    PATHS are files, or folders in which they are looked for: text, Markdown, requests as JSON, prompt templates, chat
    templates, source code (Python, TypeScript, JavaScript, Go, Rust) and notebooks. Prompts that the configuration
    declares are checked as a whole when one of their parts is among them.
    """
    wanted = targets(ending.format, paths, FORMATS)
    finder = configuring.finder()
    survival = any(target.format == "html" for target in wanted)
    given = options(prompting, filtering, cache=configuring.cache(), survival=survival)
    if ending.show_settings:
        from promptlint.cli.shown import settings

        show(settings(finder, paths, given))
        return DONE
    plan = planned(paths, comparing, finder, given)
    if ending.show_files:
        from promptlint.reporters.visible import visible

        rows = ["\t".join(map(visible, row)).rstrip("\t") for row in _files(plan)]
        show("".join(f"{row}\n" for row in rows))
        return DONE
    from promptlint.pipeline import checking, report_of

    checked = checking.run(plan)
    if not plan.jobs and not comparing.since and not comparing.staged:
        say(f"{', '.join(paths)}: no prompt, template or source file is there (see promptlint check --help)")
    if ending.verbose:
        _explain(plan, checked, finder)
    _deliver(report_of(checked, plan), wanted, ending, finder)
    return DONE if ending.exit_zero or not _fails(checked, ending.fail_on) else FOUND


def _files(plan: Plan) -> list[tuple[str, str]]:
    return [(source.name, job.name) for job in plan.jobs for source in job.after]


def _fails(checked: Checked, given: FailOn | None) -> bool:
    """Whether a finding is as severe as the command line, or else the file's own configuration, does not allow."""
    from promptlint.model.finding import Severity

    for each in checked.reported:
        lowest = given.value if given else each.job.config.fail_on or FailOn.ERROR.value
        if lowest != FailOn.NEVER.value and each.finding.severity.rank >= Severity(lowest).rank:
            return True
    return False


def _deliver(report: Report, wanted: list[Target], ending: Ending, finder: Finder) -> None:
    fail_on = ending.fail_on or FailOn(finder.for_folder(".").fail_on or FailOn.ERROR)
    if ending.statistics:
        wanted = [target for target in wanted if target.format != "text"]
    elif ending.quiet and all(target.format == "text" for target in wanted):
        report = replace(report, comparisons=(), skipped=())
    if wanted:
        deliver_report(report, wanted, fail_on, redact=ending.redact)
    if ending.statistics:
        counts = Counter((finding.code, finding.name) for finding in report.findings)
        rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        show("".join(f"{number:>6,}  {code}  {name}\n" for (code, name), number in rows) or "no findings\n")


def _explain(plan: Plan, checked: Checked, finder: Finder) -> None:
    files = {job.config.file or "none" for job in plan.jobs} or {finder.for_folder(".").file or "none"}
    say(f"configuration: {', '.join(sorted(files))}", *plan.notes)
    say(f"{count(len(plan.jobs), 'prompt')} of {count(len(_files(plan)), 'file')}")
    silenced = count(checked.silenced, "finding")
    say(f"{silenced} silenced by comments or per-path-ignores, {checked.known} known to the baseline")
