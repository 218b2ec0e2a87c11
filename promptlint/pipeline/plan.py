"""Which prompts a check is about, as they stand: files of their own and declared prompts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from promptlint.config import Config, Declaration, Finder
from promptlint.model.errors import ConfigError, PromptlintError
from promptlint.model.prompt import Skip
from promptlint.model.source import Source
from promptlint.pipeline import declared
from promptlint.pipeline.declared import Files
from promptlint.pipeline.jobs import Job, Plan, of_file, path_in
from promptlint.pipeline.options import Options
from promptlint.readers.code import is_code, speaks
from promptlint.sources.files import Keep, expand, raise_all, read_all, read_file


def plan(paths: Sequence[str], finder: Finder, given: Options) -> Plan:
    """All prompts among `paths` (files or folders), without earlier versions. Raises PromptlintError or Problems."""
    found = expand(paths, keeper(finder))
    jobs: list[Job] = []
    skips: list[Skip] = []
    members: set[str] = set()
    for config in configs_of(finder, paths, [each.name for each in found]):
        resolved = [(each, declared.resolve(each, declared.on_disk(config))) for each in config.prompts]
        skips += declared.check(config, resolved)
        for each, files in resolved:
            names = [os.path.abspath(name_of(config, path)) for path in files.paths]  # noqa: PTH100
            members.update(names)
            if any(_reaches(path, name) for name in names for path in paths):
                jobs.append(_job(config, each, files, given))
    alone = [each for each in found if os.path.abspath(each.name) not in members]  # noqa: PTH100
    sources, skipped = read_all(alone, lambda source: _light(source, finder))
    for source in sources:
        config = finder.for_file(source.name)
        jobs.append(Job((as_declared(source, config),), of_file(config, given), config))
    return Plan(tuple(jobs), (*skips, *skipped))


def as_declared(source: Source, config: Config) -> Source:
    """The source, marked where the configuration includes it."""
    return replace(source, declared=config.included(path_in(config, source.name)))


def _light(source: Source, finder: Finder) -> Source:
    """A source file as it is, or without its text where that says nothing: the texts of all files are held at once."""
    if not is_code(source.name) or "promptlint:" in source.text:
        return source
    return source if speaks(source, finder.for_file(source.name).code) else replace(source, text="")


def keeper(finder: Finder) -> Keep:
    """Decides about files found in folders, as `include` and `exclude` of their configuration say."""

    def keep(name: str, usual: bool) -> bool:
        config = finder.for_file(name)
        path = path_in(config, name)
        return (usual or config.included(path)) and not config.excluded(path) and path != config.baseline

    return keep


def configs_of(finder: Finder, paths: Iterable[str], files: Iterable[str]) -> list[Config]:
    """The configurations that named folders and the files in question fall under, each once."""
    found = [finder.for_folder(path) for path in paths if Path(path).is_dir()]
    found += [finder.for_file(name) for name in files]
    return list({config.root: config for config in found}.values())


def name_of(config: Config, path: str) -> str:
    """A file of a configuration as the user would type it."""
    return os.path.relpath(Path(config.root, path))


def _reaches(path: str, name: str) -> bool:
    """Whether a named path is the file, or a folder above it."""
    return path != "-" and Path(name).is_relative_to(os.path.abspath(path))  # noqa: PTH100


def _job(config: Config, each: Declaration, files: Files, given: Options) -> Job:
    refuse_links(config, each, (path for path in files.paths if leads_elsewhere(config, path)))
    errors: list[PromptlintError] = []
    sources = []
    for path in files.paths:
        try:
            sources.append(read_file(name_of(config, path)))
        except PromptlintError as error:
            errors.append(error)
    raise_all(errors)
    marked = frozenset(name_of(config, path) for path in files.marked)
    return Job(tuple(sources), of_file(config, given, each.settings), config, name=each.name, marked=marked)


def leads_elsewhere(config: Config, path: str) -> bool:
    """Whether a file is a link, or lies behind one that leads out of the configuration's folder."""
    place = Path(config.root, path)
    return place.is_symlink() or not Path(os.path.realpath(place)).is_relative_to(os.path.realpath(config.root))


def refuse_links(config: Config, each: Declaration, links: Iterable[str]) -> None:
    """Raises ConfigError or Problems: git keeps where a link leads and not what stands there."""
    message = f"a part of prompt {each.name!r} is a symbolic link; name the file that it leads to"
    raise_all([ConfigError(message, name=name_of(config, path)) for path in links])
