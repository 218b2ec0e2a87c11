"""The whole flow on one page: sources, readers, render, tokenizers, diff, policies, rulebook, cost, report."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from promptlint import readers
from promptlint.model.errors import ConfigError, InputError, Problems, PromptlintError
from promptlint.model.finding import Finding, Scope
from promptlint.model.prompt import Prompt, Skip
from promptlint.model.report import Comparison, Report
from promptlint.model.source import Source
from promptlint.pipeline import gateway, volatility
from promptlint.pipeline.compare import Outcome, compare
from promptlint.pipeline.options import Options
from promptlint.pipeline.prepare import Workshop
from promptlint.rulebook import fingerprints

if TYPE_CHECKING:  # what only checks need is loaded there: a single pair is to start fast
    from promptlint.pipeline.checking import Checked
    from promptlint.pipeline.jobs import Plan

__all__ = ["Options", "check", "diff", "report_of"]


def diff(sources: Sequence[Source], options: Options) -> Report:
    """Versions of a prompt or request, the earliest first; each is compared with its predecessor.

    More than two get a volatility profile. Raises PromptlintError.
    """
    prompts = _read(sources)
    if options.gateway and len(prompts) != 2:
        raise ConfigError("--gateway compares one request as written with one as it left the gateway")
    workshop = Workshop(options)
    known = volatility.dimensions(prompts, options.by)
    outcomes = []
    skipped = dict.fromkeys(skip for prompt in prompts for skip in prompt.skipped)
    for index, (before, after) in enumerate(pairwise(prompts), 1):
        _check_kinds(before, after, options)
        if options.gateway:
            skipped |= dict.fromkeys(gateway.skipped(before, after))
        scope = Scope.GATEWAY if options.gateway else volatility.scope_between(known, index) if options.by else None
        outcomes.append(compare(before, after, workshop, scope))
    report = _report("diff", outcomes, files=len(sources), skipped=skipped)
    if len(prompts) == 2:
        return report
    found = volatility.profile(prompts, known)
    identity = workshop.book.rule("PL104")
    findings = tuple(found.relabelled(finding, identity) for finding in report.findings)
    return replace(
        report, findings=findings, versions=len(prompts), volatility=found.regions, summary=_counts(findings)
    )


def _check_kinds(before: Prompt, after: Prompt, options: Options) -> None:
    if before.wire != after.wire and not options.gateway:
        from promptlint.pipeline.checking import kind_of

        raise InputError(
            f"this is {kind_of(after)}, but {before.source.name} is {kind_of(before)}: give versions of one format",
            name=after.source.name,
            line=1,
            column=1,
        )


def check(pairs: Sequence[tuple[Source | None, Source]], options: Options) -> Report:
    """Prompt files, each with its earlier version or None, without any configuration or baseline.

    Raises PromptlintError, Problems for several files.
    """
    from promptlint.config import Config
    from promptlint.pipeline import checking
    from promptlint.pipeline.jobs import Job, Plan

    config = Config(os.path.abspath("."))  # noqa: PTH100
    jobs = tuple(Job((new,), options, config, before=(old,) if old else None) for old, new in pairs)
    return report_of(checking.run(Plan(jobs), baselines=False), Plan(jobs))


def report_of(checked: Checked, plan: Plan) -> Report:
    """The report of a check."""
    outcomes = [_noted(outcome, plan.notes) for outcome in checked.outcomes]
    files = len({source.name for job in plan.jobs for source in job.after})
    report = _report("check", outcomes, files=files, skipped=checked.skipped)
    findings = tuple(each.finding for each in checked.reported)
    return replace(report, findings=findings, summary=_counts(findings))


def _noted(outcome: Outcome, notes: tuple[str, ...]) -> Outcome:
    """The outcome with what holds for the whole run among the notes of its comparison."""
    if outcome.comparison is None or not notes:
        return outcome
    return replace(outcome, comparison=replace(outcome.comparison, notes=(*notes, *outcome.comparison.notes)))


def _read(sources: Iterable[Source]) -> list[Prompt]:
    """All sources as prompts; the errors of all of them at once."""
    prompts: list[Prompt] = []
    errors: list[PromptlintError] = []
    for source in sources:
        try:
            prompts.append(readers.read(source))
        except PromptlintError as error:
            errors += error.errors if isinstance(error, Problems) else (error,)
    _raise(errors)
    return prompts


def _raise(errors: Sequence[PromptlintError]) -> None:
    if errors:
        raise errors[0] if len(errors) == 1 else Problems(tuple(errors))


def _report(command: str, outcomes: Sequence[Outcome], *, files: int, skipped: Iterable[Skip]) -> Report:
    comparisons: list[Comparison] = [outcome.comparison for outcome in outcomes if outcome.comparison]
    findings = fingerprints.numbered(finding for outcome in outcomes for finding in outcome.findings)
    return Report(
        command=command,
        comparisons=tuple(comparisons),
        findings=findings,
        skipped=(*skipped, *(skip for outcome in outcomes for skip in outcome.skipped)),
        files_checked=files,
        summary=_counts(findings),
    )


def _counts(findings: Sequence[Finding]) -> dict[str, int]:
    return {each: sum(finding.severity.value == each for finding in findings) for each in ("error", "warning", "info")}
