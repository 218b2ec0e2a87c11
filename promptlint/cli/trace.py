"""`promptlint trace`: what hit rate logged traffic gets, why it is not better, and what to fix first."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Annotated

import typer

from promptlint.cli.groups import grouped
from promptlint.cli.living import Configured
from promptlint.cli.options import (
    ChatTemplate,
    FailOn,
    FailOnOption,
    Format,
    Ignore,
    Model,
    Provider,
    Redact,
    Rules,
    Select,
    TokenizerName,
    names,
)
from promptlint.cli.output import targets
from promptlint.cli.reports import deliver_report
from promptlint.model.errors import ConfigError, InputError
from promptlint.reporters.formats import FORMATS

if TYPE_CHECKING:
    from promptlint.config import Config
    from promptlint.model.report import Report
    from promptlint.model.traced import Traced
    from promptlint.trace.options import TraceOptions


@dataclass(frozen=True, slots=True)
class Reading:
    """How the log is read."""

    format_in: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Format of the log, where it is not found by content; a wrong name lists all."
        ),
    ] = None
    strict: Annotated[bool, typer.Option("--strict", help="End with 2 at the first record that cannot be read.")] = (
        False
    )
    provider: Provider = None
    model: Model = None
    tokenizer: TokenizerName = None
    chat_template: ChatTemplate = None


@dataclass(frozen=True, slots=True)
class Replaying:
    """What is simulated, and how requests are grouped."""

    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD",
            help="Also show hits by session, user, model, provider, day, hour, or a field of the log. Repeatable.",
        ),
    ] = None
    cache: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ENGINE:SIZE",
            help="Also replay through this cache: vllm:10000 (blocks), sglang:160000 (tokens), llama.cpp:4 (slots), "
            "unbounded. Repeatable.",
        ),
    ] = None
    min_hit_rate: Annotated[
        float | None, typer.Option(metavar="N", min=0, max=1, help="A lower hit rate (0 to 1) ends the run with 1.")
    ] = None


@dataclass(frozen=True, slots=True)
class Reporting:
    """What is reported, and how the run ends."""

    select: Select = None
    ignore: Ignore = None
    rules: Rules = None
    fail_on: FailOnOption = None
    format: Format = None
    redact: Redact = False


@grouped
def trace(
    logs: Annotated[list[str], typer.Argument(metavar="LOG...")],
    reading: Reading,
    replaying: Replaying,
    configured: Configured,
    reporting: Reporting,
) -> int:
    """Replay logs of requests: what hit rate they get, what each lost token was lost to, and what to fix first.

    LOG is a log of requests or of usage, plain or compressed; - is standard input. Its format is found by content.
    What the command line leaves open is taken from the configuration of the current folder; its provider and model
    hold for requests that name none.
    """
    wanted = targets(reporting.format, logs, FORMATS)
    if replaying.min_hit_rate is not None and isnan(replaying.min_hit_rate):  # is in every range
        raise ConfigError("--min-hit-rate nan: give a number from 0 to 1")
    config = configured.finder().for_folder(".")
    from promptlint.cli.progress import shown
    from promptlint.trace.run import run

    said = _options(reading, replaying, reporting, config)
    with shown(logs) as progress:
        traced = run(logs, said, progress=progress)
    if traced.broken and not traced.hits.requests:  # nothing was looked at: that is no clean run
        first = traced.broken[0]
        raise InputError(f"no record could be read; the first one: {first.why}", name=first.file, line=first.line)
    if said.min_hit_rate is not None and traced.hits.requests and traced.rate is None:
        raise InputError("no prompt and no cached count is in this log, so --min-hit-rate has nothing to judge")
    lowest = reporting.fail_on or FailOn(config.fail_on or FailOn.ERROR)
    found, rate = report_of(traced), said.min_hit_rate
    return deliver_report(found, wanted, lowest, redact=reporting.redact, min_hit_rate=rate)


def _options(reading: Reading, replaying: Replaying, reporting: Reporting, config: Config) -> TraceOptions:
    """What the command line says, and what the configuration says where it is silent."""
    from promptlint.trace.options import TraceOptions

    settings, rate = config.settings, replaying.min_hit_rate
    return TraceOptions(
        provider=reading.provider,
        model=reading.model,
        tokenizer=reading.tokenizer or settings.tokenizer,
        chat_template=reading.chat_template or settings.chat_template,
        form=reading.format_in,
        strict=reading.strict,
        by=tuple(replaying.by or config.by),
        caches=tuple(replaying.cache or ()),
        rules=(*(reporting.rules or ()), *config.rules),
        select=names(reporting.select) or settings.select or (),
        ignore=(*names(reporting.ignore), *(settings.ignore or ())),
        severity=settings.severity,
        min_severity=settings.min_severity,
        min_confidence=settings.min_confidence,
        min_hit_rate=config.min_hit_rate if rate is None else rate,
        usual_provider=settings.provider,
        usual_model=settings.model,
    )


def report_of(traced: Traced) -> Report:
    """The result with its findings, and with the records that could not be read as skipped."""
    from promptlint.model.prompt import Skip
    from promptlint.model.report import Report

    skipped = [Skip(f"{each.file}:{each.line}", each.why) for each in traced.broken]
    if more := traced.bad_lines - len(traced.broken):
        skipped.append(Skip(", ".join(traced.files), f"{more:,} more records could not be read"))
    return Report("trace", (), traced.findings, tuple(skipped), files_checked=len(traced.files), traced=traced)
