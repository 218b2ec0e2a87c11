"""`promptlint diff`: two or more versions of one prompt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import click
import typer

from promptlint.cli.groups import grouped
from promptlint.cli.living import Prompting, options
from promptlint.cli.options import By, FailOn, FailOnOption, Format, Gateway, Ignore, Redact, Rules, Select, names
from promptlint.cli.output import targets
from promptlint.cli.reports import deliver_report
from promptlint.reporters.formats import FORMATS


@dataclass(frozen=True, slots=True)
class Explaining:
    """How versions are compared, and what is reported of it."""

    gateway: Gateway = False
    by: By = None
    select: Select = None
    ignore: Ignore = None
    rules: Rules = None
    fail_on: FailOnOption = None
    format: Format = None
    redact: Redact = False


@grouped
def diff(
    versions: Annotated[list[str], typer.Argument(metavar="BEFORE AFTER...")],
    prompting: Prompting,
    explaining: Explaining,
) -> int:
    """Explain one pair: where the prefix breaks, why, what survives, and what it costs.

    BEFORE and AFTER are two versions of a prompt file or of a request body (JSON); - is standard input. Of more
    than two versions each is compared with the one before it, and a profile tells what varies along what. No
    configuration is read. A log of many requests is for `promptlint trace`.
    """
    if len(versions) < 2:
        raise click.UsageError("AFTER is missing: give at least two versions, the earliest first")
    wanted = targets(explaining.format, versions, FORMATS)
    from promptlint import pipeline
    from promptlint.sources.files import Found, read_all

    said = replace(
        options(prompting, survival=any(target.format == "html" for target in wanted)),
        gateway=explaining.gateway,
        by=tuple(explaining.by or ()),
        rules=tuple(explaining.rules or ()),
        select=names(explaining.select),
        ignore=names(explaining.ignore),
    )
    sources, _ = read_all([Found(version, walked=False) for version in versions])
    lowest = explaining.fail_on or FailOn.ERROR
    return deliver_report(pipeline.diff(sources, said), wanted, lowest, redact=explaining.redact)
