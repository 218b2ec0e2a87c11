"""Running the jobs of a check, and what a team has said about findings: severities, ignores, baseline, acceptance."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from promptlint import readers, rulebook, suppressions
from promptlint.model.errors import Problems, PromptlintError
from promptlint.model.finding import Finding, Scope, Severity
from promptlint.model.prompt import Prompt, Skip
from promptlint.model.source import Source
from promptlint.pipeline import chat, code, templates
from promptlint.pipeline.compare import Outcome, compare, look_at
from promptlint.pipeline.jobs import Job, Plan, Trailer, path_in
from promptlint.pipeline.options import Options
from promptlint.pipeline.prepare import Workshop
from promptlint.pipeline.release import severity_of
from promptlint.readers import parts, template
from promptlint.readers.code import is_code
from promptlint.readers.template import prompts
from promptlint.readers.template.chat import is_chat_file
from promptlint.rulebook import fingerprints
from promptlint.sources.files import raise_all
from promptlint.suppressions import Baseline, Comment, names

_ALONE = ("prompt", "template", "chat-template", "code")  # subjects of rules that need no earlier version
_CONFIDENCES = ("low", "medium", "high")
# What recurs on every request cannot be put off: no baseline and no acceptance silences an error of this group.
_RECURRING = "PL1"


@dataclass(frozen=True, slots=True)
class Placed:
    """A finding with the prompt it belongs to; `file` and `baseline` as the configuration calls them."""

    finding: Finding
    job: Job
    file: str
    baseline: str

    @property
    def edit(self) -> bool:
        """Whether this is an edit of a release, which can be accepted; everything else can stand in a baseline."""
        return self.finding.scope is Scope.RELEASE and bool(self.finding.change)

    @property
    def breaks(self) -> bool:
        """Whether this is an edit that fails and that may be accepted."""
        recurring = self.finding.code.startswith(_RECURRING)
        return self.edit and not recurring and self.finding.severity is Severity.ERROR

    @property
    def lasting(self) -> bool:
        """Whether it costs on every request, and must be mended or ignored where it stands."""
        return self.finding.code.startswith(_RECURRING) and self.finding.severity is Severity.ERROR


@dataclass(frozen=True, slots=True)
class Checked:
    """Outcomes in the order of the jobs; `found`: all findings before the baseline, `reported`: those that are left."""

    outcomes: tuple[Outcome, ...]
    found: tuple[Placed, ...]
    reported: tuple[Placed, ...]
    skipped: tuple[Skip, ...]
    silenced: int = 0  # by comments and per-path ignores
    known: int = 0  # by baselines


def run(plan: Plan, *, baselines: bool = True) -> Checked:
    """Raises PromptlintError, Problems for several files."""
    skipped = list(plan.skipped)
    outcomes = _outcomes(plan.jobs, skipped)
    placed = _placed(outcomes)
    house = _House(plan, baselines, [source for _, outcome in outcomes for source in outcome.included])
    kept = [each for each in placed if not house.silences(each)]
    kept = [replace(each, finding=house.accepted(each)) for each in kept]
    kept = [each for each in kept if _wanted(each.finding, each.job.options)]
    reported = [each for each in kept if not house.knows(each)]
    return Checked(
        outcomes=tuple(outcome for _, outcome in outcomes),
        found=tuple(kept),
        reported=tuple(reported),
        skipped=tuple(dict.fromkeys((*skipped, *house.unused(outcomes)))),
        silenced=house.silenced,
        known=len(kept) - len(reported),
    )


def _outcomes(jobs: Sequence[Job], skipped: list[Skip]) -> list[tuple[Job, Outcome]]:
    readable = _readable(jobs, skipped)
    workshops = {options: Workshop(options) for options in dict.fromkeys(job.options for job, _ in readable)}
    in_code = code.outcomes(((job.options, each) for job, each in readable), workshops)
    found = []
    errors: list[PromptlintError] = []
    for job, prompt in readable:
        workshop = workshops[job.options]
        if isinstance(prompt, Source):
            found.append((job, in_code.get(prompt.name) or _looked_at(prompt, workshop, errors)))
            continue
        skipped += prompt.skipped
        earlier = _earlier(job, prompt, skipped)
        outcome = look_at(prompt, workshop) if earlier is None else compare(earlier, prompt, workshop, Scope.RELEASE)
        found.append((job, templates.with_regions(outcome, job.after, workshop)))
    for workshop in workshops.values():
        workshop.remember()
    raise_all(errors)
    distinct = templates.distinct(outcome for _, outcome in found)
    return [(job, outcome) for (job, _), outcome in zip(found, distinct, strict=True)]


def _looked_at(source: Source, workshop: Workshop, errors: list[PromptlintError]) -> Outcome:
    """A chat template; one that was only found in a folder may be none."""
    try:
        outcome = chat.look_at(source, workshop)
        return templates.with_regions(outcome, (replace(source, walked=True),), workshop)
    except PromptlintError as error:
        if source.walked:
            return Outcome(None, (), (Skip(source.name, error.message),))
        errors += error.errors if isinstance(error, Problems) else (error,)
        return Outcome(None, ())


def _readable(jobs: Sequence[Job], skipped: list[Skip]) -> list[tuple[Job, Prompt | Source]]:
    """The later versions as prompts, source code and chat templates as they are.

    A file that was only found in a folder may be no prompt.
    """
    found: list[tuple[Job, Prompt | Source]] = []
    errors: list[PromptlintError] = []
    for job in jobs:
        if not job.name and (is_code(job.after[0].name) or is_chat_file(job.after[0])):
            found.append((job, job.after[0]))
            continue
        try:
            prompt = _prompt(job, job.after)
            if prompt is not None:
                found.append((job, prompt))
        except PromptlintError as error:
            if job.after[0].walked:
                skipped.append(Skip(job.after[0].name, str(error.message)))
            else:
                errors += error.errors if isinstance(error, Problems) else (error,)
    raise_all(errors)
    return found


def _prompt(job: Job, sources: Sequence[Source]) -> Prompt | None:
    """None for YAML that was found in a folder and holds no prompt."""
    if not job.name:
        prompt = prompts.read(sources[0])
        return prompt or (None if prompts.of_no_use(sources[0]) else readers.read(sources[0]))
    name = job.name if sources is job.after else f"{job.label}:{job.name}"
    return parts.read(name, sources, job.marked)


def _earlier(job: Job, later: Prompt, skipped: list[Skip]) -> Prompt | None:
    """The earlier version; a past one that cannot be read or compared is skipped, because nobody can mend it."""
    if not job.before:
        return None
    if not job.name and template.is_page(later.source):
        why = "is a page for people and not compared; if it is a prompt, name the file or list it under include"
        skipped.append(Skip(later.source.name, why))
        return None
    if not later.components:
        skipped.append(
            Skip(later.source.name, "holds several prompts; they are not compared with their earlier versions")
        )
        return None
    try:
        prompt = _prompt(job, job.before)
    except PromptlintError as error:
        skipped.append(Skip(job.before[0].name, f"the earlier version cannot be read: {error.message}"))
        return None
    if prompt is None:
        return None
    if prompt.wire != later.wire:
        skipped.append(Skip(later.source.name, f"was {kind_of(prompt)} and is now {kind_of(later)}"))
        return None
    return prompt


def kind_of(prompt: Prompt) -> str:
    """What a prompt was read as, in words."""
    return "plain text" if prompt.wire == "text" else f"a request in the {prompt.wire} format"


def _placed(outcomes: Iterable[tuple[Job, Outcome]]) -> list[Placed]:
    """All findings with severities as configured and with their final fingerprints."""
    found = []
    for job, outcome in outcomes:
        named = partial(path_in, job.config)
        for finding in outcome.findings:
            said = severity_of(finding, job.options.severity)
            if said and not (finding.scope is Scope.RELEASE and finding.change):  # those follow the budget
                finding = replace(finding, severity=said)
            file = named(finding.location.file)
            found.append(Placed(finding, job, file, os.path.join(job.config.root, job.config.baseline)))  # noqa: PTH118
    files = {each.finding.location.file: each.file for each in found}
    final = fingerprints.numbered((each.finding for each in found), files.__getitem__)
    return [replace(each, finding=finding) for each, finding in zip(found, final, strict=True)]


def _wanted(finding: Finding, options: Options) -> bool:
    if options.min_severity and finding.severity.rank < Severity(options.min_severity).rank:
        return False
    least = options.min_confidence
    return least is None or _CONFIDENCES.index(finding.confidence) >= _CONFIDENCES.index(least)


class _House:
    """Comments, per-path ignores, baselines and acceptances of one run."""

    def __init__(self, plan: Plan, baselines: bool, included: Iterable[Source]) -> None:
        self._comments = [
            comment
            for source in {each.name: each for each in (*included, *_sources(plan))}.values()
            for comment in suppressions.comments(source)
        ]
        self._texts = {source.name: source.text for source in _sources(plan)}
        self._trailers = {(each.file, each.text): each for each in plan.accepted}
        self._baselines: dict[str, Baseline] = {}
        self._use = baselines
        self._needed: set[Comment] = set()
        self.silenced = 0

    def silences(self, each: Placed) -> bool:
        """Whether a comment or the configuration says that this is not to be reported."""
        finding = each.finding
        found = [comment for comment in self._comments if comment.silences(finding)]
        self._needed.update(found)
        ignored = any(names(rule, finding.code, finding.name) for rule in each.job.config.ignored(each.file))
        self.silenced += bool(found or ignored)
        return bool(found or ignored)

    def accepted(self, each: Placed) -> Finding:
        """The finding as information where somebody accepted this very edit."""
        finding = each.finding
        if not each.edit or finding.code.startswith(_RECURRING):
            return finding
        reason = self._baseline(each.baseline).reason(each.file, finding.change)
        if reason is None:
            trailer = self._trailer(finding)
            reason = trailer.reason if trailer else None
        if reason is None:
            return finding
        message = f"{finding.message} (accepted: {reason})"
        return replace(finding, severity=Severity.INFO, message=message, accepted=reason)

    def _trailer(self, finding: Finding) -> Trailer | None:
        file = finding.location.file
        return self._trailers.get((file, self._texts.get(file, "")))

    def knows(self, each: Placed) -> bool:
        """Whether the baseline holds this finding. An edit is not a lasting finding, and what recurs is never known."""
        if not self._use or each.edit or each.lasting:
            return False
        return each.finding.fingerprint in self._baseline(each.baseline).fingerprints

    def unused(self, outcomes: Sequence[tuple[Job, Outcome]]) -> Iterator[Skip]:
        """Comments that silence nothing although all that they name was looked for; and those that name no rule."""
        if not self._comments:
            return
        books = {options: rulebook.load_with(options.rules) for options in {job.options for job, _ in outcomes}}
        rules = {rule.code: rule for book in books.values() for rule in book.rules}.values()
        ran = {s.name: _ran(job, outcome, books[job.options]) for job, outcome in outcomes for s in job.after}
        for each in self._comments:
            meant = {rule.code for rule in rules if each.means(rule.code, rule.name)}
            where = f"{each.file}:{each.line}"
            if not meant:
                yield Skip(where, f"suppression ({each}) of a rule that does not exist")
            elif each not in self._needed and meant <= ran.get(each.file, frozenset()):
                yield Skip(where, f"unused suppression ({each}): it silences nothing")

    def _baseline(self, path: str) -> Baseline:
        if path not in self._baselines:
            self._baselines[path] = suppressions.load(path)
        return self._baselines[path]


def _sources(plan: Plan) -> Iterator[Source]:
    return (source for job in plan.jobs for source in job.after)


def _ran(job: Job, outcome: Outcome, book: rulebook.Rulebook) -> frozenset[str]:
    """The codes of the rules that a job was checked with."""
    chosen = book.chosen(job.options.select, job.options.ignore)
    return frozenset(rule.code for rule in chosen.rules if outcome.comparison or rule.subject in _ALONE)
