"""What a check is made of: one prompt at a time, with its earlier version and the settings that hold for it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from promptlint.config import Config, Settings, Traffic, over
from promptlint.model.prompt import Skip
from promptlint.model.source import Source
from promptlint.pipeline.options import Options


@dataclass(frozen=True, slots=True)
class Job:
    """One prompt to check: a file, or (with a `name`) a declared prompt of several parts.

    `before` is None for a prompt that is new, or where no revision was asked for. `marked`: names of the sources of
    either side at whose end the program sets a cache marker. `label`: what the earlier version is called.
    """

    after: tuple[Source, ...]
    options: Options
    config: Config
    before: tuple[Source, ...] | None = None
    name: str = ""
    marked: frozenset[str] = frozenset()
    label: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """All jobs of a run. `notes` say what holds for all of them; `accepted` is what commits say."""

    jobs: tuple[Job, ...]
    skipped: tuple[Skip, ...] = ()
    notes: tuple[str, ...] = ()
    accepted: tuple[Trailer, ...] = ()


@dataclass(frozen=True, slots=True)
class Trailer:
    """A break that a commit accepts: the file as it was in that commit, and why."""

    file: str
    text: str
    reason: str


def configured(settings: Settings, given: Options) -> Options:
    """What the command line says, and what the configuration says where it is silent.

    `--ignore` adds to what the configuration leaves out; every other option takes its place.
    """
    said = over(_settings_of(given), replace(settings, ignore=None))
    return replace(
        given,
        provider=said.provider,
        model=said.model,
        tokenizer=said.tokenizer,
        chat_template=said.chat_template,
        model_config=said.model_config,
        requests_per_day=said.traffic.requests_per_day,
        warm_entries=said.traffic.warm_entries,
        tokens_per_second=said.traffic.tokens_per_second,
        select=said.select or (),
        ignore=(*given.ignore, *(settings.ignore or ())),
        severity=said.severity,
        min_severity=said.min_severity,
        min_confidence=said.min_confidence,
        budget=given.budget or settings.budget,
    )


def of_file(config: Config, given: Options, settings: Settings | None = None) -> Options:
    """What holds for a file of its own under a configuration, or for a declared prompt with these settings."""
    said = configured(settings or config.settings, given)
    rules = (*given.rules, *config.rules)
    return replace(said, code=config.code, placeholders=config.placeholders, rules=rules)


def _settings_of(given: Options) -> Settings:
    return Settings(
        provider=given.provider,
        model=given.model,
        tokenizer=given.tokenizer,
        chat_template=given.chat_template,
        model_config=given.model_config,
        select=given.select or None,
        severity=given.severity,
        min_severity=given.min_severity,
        min_confidence=given.min_confidence,
        traffic=Traffic(given.requests_per_day, given.warm_entries, given.tokens_per_second),
    )


def path_in(config: Config, name: str) -> str:
    """A file as patterns and the baseline call it: counted from the configuration's folder, with slashes."""
    if name == "-":
        return name
    return os.path.relpath(Path(name), config.root).replace(os.sep, "/")
