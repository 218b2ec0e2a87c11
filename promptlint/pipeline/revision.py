"""Which prompts a check against a git revision is about: what has changed, each with its earlier version."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from promptlint.config import Config, Declaration, Finder, Part
from promptlint.pipeline import declared
from promptlint.pipeline.declared import Files, Listing
from promptlint.pipeline.jobs import Job, Plan, Trailer, of_file, path_in
from promptlint.pipeline.options import Options
from promptlint.pipeline.plan import as_declared, configs_of, keeper, leads_elsewhere, name_of, refuse_links
from promptlint.sources.files import decode, read_file
from promptlint.sources.history import History
from promptlint.sources.versions import Chosen, choose, read

_TRAILER = "Promptlint-Accept"


def plan_since(paths: Sequence[str], finder: Finder, given: Options, *, since: str | None, staged: bool) -> Plan:
    """All prompts among `paths` that differ from a revision (HEAD for None). Raises PromptlintError or Problems."""
    history = History(since, staged=staged)
    chosen, skips = choose(history, paths)
    changed = {each.change.path: each for each in chosen}
    jobs: list[Job] = []
    members: set[str] = set()
    for config in configs_of(finder, paths, [each.name for each in chosen]):
        prompts = _Prompts(history, config)
        skips += declared.check(config, [(each, prompts.after(each)) for each in config.prompts])
        for each in config.prompts:
            after, before = prompts.after(each), prompts.before(each)
            own = {prompts.top(path) for path in (*after.paths, *before.paths)}
            members |= own
            if own & changed.keys() or (prompts.file in changed and after.paths != before.paths):
                jobs.append(prompts.job(each, after, before, given))
    keep = keeper(finder)
    alone = [_kept(each, keep(each.name, each.prompt)) for each in chosen if each.change.path not in members]
    versions = read(history, alone, skips)
    for earlier, later in versions.pairs:
        config = finder.for_file(later.name)
        options = of_file(config, given)
        jobs.append(Job((as_declared(later, config),), options, config, before=(earlier,) if earlier else None))
    notes = (history.note,) if history.note else ()
    return Plan(tuple(jobs), versions.skipped, notes, tuple(_trailers(history, jobs)))


def _kept(each: Chosen, keep: bool) -> Chosen:
    return Chosen(each.change, each.name, each.walked, keep or not each.walked)


class _Prompts:
    """The declared prompts of one configuration, on both sides of a comparison."""

    def __init__(self, history: History, config: Config) -> None:
        self._history = history
        self._config = config
        top = os.path.relpath(os.path.realpath(config.root), history.repository.top).replace(os.sep, "/")
        self._prefix = "" if top == "." else f"{top}/"
        self.file = self.top(path_in(config, config.file)) if config.file else ""
        self._earlier = self._earlier_parts() if self.file in history.changes else {}

    def top(self, path: str) -> str:
        """A path of the configuration as a path of the repository."""
        return self._prefix + path

    def _below(self, paths: Iterable[str]) -> list[str]:
        return [path.removeprefix(self._prefix) for path in paths if path.startswith(self._prefix)]

    def after(self, each: Declaration) -> Files:
        return declared.resolve(each, declared.among(self._below(self._history.new_files)))

    def before(self, each: Declaration) -> Files:
        parts = self._earlier.get(each.name, each.parts)
        return declared.resolve(Declaration(each.name, parts, breakpoints=each.breakpoints), self._old_files())

    def _old_files(self) -> Listing:
        """Earlier files by pattern: those that bear a name it matches, and those that were renamed to one."""
        named = declared.among(self._below(self._history.old_files))
        renamed = {
            change.path.removeprefix(self._prefix): change.old_path.removeprefix(self._prefix)
            for change in self._history.changes.values()
            if change.old_path != change.path and change.old_blob and change.path.startswith(self._prefix)
        }
        moved = declared.among(renamed)
        return lambda pattern: {*named(pattern), *(renamed[path] for path in moved(pattern))}

    def _earlier_parts(self) -> dict[str, tuple[Part, ...]]:
        """The parts that the earlier version of the configuration declared; nothing where it cannot be read."""
        import tomllib

        blob = self._history.old_files.get(self.file)
        if blob is None:
            return {}
        try:
            data: Any = tomllib.loads(self._history.blobs([blob])[blob].decode())
            table = data if self.file.endswith("promptlint.toml") else data["tool"]["promptlint"]
            return {
                name: tuple(Part(os.path.normpath(part).replace(os.sep, "/")) for part in prompt["parts"])
                for name, prompt in table.get("prompts", {}).items()
            }
        except (ValueError, KeyError, TypeError, AttributeError):
            return {}

    def job(self, each: Declaration, after: Files, before: Files, given: Options) -> Job:
        history, config = self._history, self._config
        refuse_links(config, each, (path for path in after.paths if self._is_link(path)))
        staged = {path: history.staged_files[self.top(path)] for path in after.paths} if history.staged else {}
        blobs = history.blobs((*staged.values(), *(history.old_files[self.top(path)] for path in before.paths)))
        later = [
            decode(name_of(config, path), blobs[staged[path]]) if path in staged else read_file(name_of(config, path))
            for path in after.paths
        ]
        earlier = tuple(
            decode(f"{history.label}:{name_of(config, path)}", blobs[history.old_files[self.top(path)]])
            for path in before.paths
        )
        marked = {name_of(config, path) for path in after.marked}
        marked |= {f"{history.label}:{name_of(config, path)}" for path in before.marked}
        options = of_file(config, given, each.settings)
        return Job(tuple(later), options, config, earlier or None, each.name, frozenset(marked), history.label)

    def _is_link(self, path: str) -> bool:
        if self._history.staged:
            return self.top(path) not in self._history.staged_files
        return leads_elsewhere(self._config, path)


def _trailers(history: History, jobs: Sequence[Job]) -> list[Trailer]:
    """What commits since the base accept: `Promptlint-Accept: PATH reason`, for the file as it was in that commit."""
    found = []
    for commit, value in history.trailers(_TRAILER):
        path, _, reason = value.strip().partition(" ")
        for job in jobs:
            for source in job.after:
                if job.name != path and os.path.normpath(history.path_of(source.name)) != os.path.normpath(path):
                    continue
                text = history.text_at(commit, history.path_of(source.name))
                if text is not None:
                    found.append(Trailer(source.name, text, reason.strip() or "no reason is given"))
    return found
