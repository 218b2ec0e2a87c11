"""Groups of options for checks that a team runs: where the configuration is, what is compared, what is reported."""

from __future__ import annotations

import enum
import sys
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated

import typer

from promptlint.cli.options import (
    ChatTemplate,
    Ignore,
    Model,
    ModelConfig,
    Provider,
    RequestsPerDay,
    Select,
    TokenizerName,
    TokensPerSecond,
    WarmEntries,
    names,
)

if TYPE_CHECKING:
    from promptlint.config import Finder
    from promptlint.pipeline.jobs import Plan
    from promptlint.pipeline.options import Options


class SeverityName(enum.StrEnum):
    """What is reported at least."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class ConfidenceName(enum.StrEnum):
    """How sure a rule must be."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Prompting:
    """What is known about the prompts."""

    provider: Provider = None
    model: Model = None
    tokenizer: TokenizerName = None
    chat_template: ChatTemplate = None
    model_config: ModelConfig = None
    requests_per_day: RequestsPerDay = None
    warm_entries: WarmEntries = None
    tokens_per_second: TokensPerSecond = None


@dataclass(frozen=True, slots=True)
class Comparing:
    """What the prompts are compared with."""

    since: Annotated[
        str | None,
        typer.Option(
            metavar="REF",
            help="Compare with this git revision, at its merge base with HEAD; only what changed is read.",
        ),
    ] = None
    staged: Annotated[
        bool, typer.Option("--staged", help="Take the staged content as the later version (HEAD is the earlier one).")
    ] = False


@dataclass(frozen=True, slots=True)
class Configured:
    """Where the configuration is."""

    config: Annotated[str | None, typer.Option(metavar="FILE", help="Use this configuration file and no other.")] = None
    isolated: Annotated[bool, typer.Option("--isolated", help="Use no configuration file.")] = False

    def finder(self) -> Finder:
        from promptlint.cli.known import KNOWN
        from promptlint.config import Finder

        return Finder(KNOWN, self.config, isolated=self.isolated)


@dataclass(frozen=True, slots=True)
class Configuring(Configured):
    """Where the configuration is, and whether what was encoded before is used."""

    no_cache: Annotated[bool, typer.Option("--no-cache", help="Neither use nor keep what was encoded before.")] = False

    def cache(self) -> str | None:
        from promptlint.tokenizers import store

        return None if self.no_cache else store.folder()


@dataclass(frozen=True, slots=True)
class Filtering:
    """What is reported, and what a release may lose."""

    select: Select = None
    ignore: Ignore = None
    severity: Annotated[
        SeverityName | None, typer.Option("--severity", help="Report nothing below this severity.", show_default=False)
    ] = None
    min_confidence: Annotated[
        ConfidenceName | None, typer.Option(help="Report nothing below this confidence.", show_default=False)
    ] = None
    max_lost_tokens: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Budget: most cached tokens that a change may make cold.")
    ] = None
    max_lost_share: Annotated[
        float | None,
        typer.Option(metavar="N", min=0, max=1, help="Budget: largest share of cached tokens, 0 to 1."),
    ] = None
    max_cost: Annotated[
        float | None, typer.Option(metavar="USD", min=0, help="Budget: highest one-off cost in US dollars.")
    ] = None


def options(
    prompting: Prompting, filtering: Filtering | None = None, *, cache: str | None = None, survival: bool = False
) -> Options:
    """What the command line says about every prompt."""
    from promptlint.pipeline.options import Options

    said = Options(
        provider=prompting.provider,
        model=prompting.model,
        tokenizer=prompting.tokenizer,
        chat_template=prompting.chat_template,
        model_config=prompting.model_config,
        requests_per_day=prompting.requests_per_day,
        warm_entries=prompting.warm_entries,
        tokens_per_second=prompting.tokens_per_second,
        survival=survival,
        cache=cache,
    )
    if filtering is None:
        return said
    from promptlint.config import Budget

    cost = None if filtering.max_cost is None else Decimal(str(filtering.max_cost))
    budget = Budget(filtering.max_lost_tokens, filtering.max_lost_share, cost)
    return replace(
        said,
        select=names(filtering.select),
        ignore=names(filtering.ignore),
        min_severity=filtering.severity and filtering.severity.value,
        min_confidence=filtering.min_confidence and filtering.min_confidence.value,
        budget=None if budget == Budget() else budget,
    )


def planned(paths: list[str], comparing: Comparing, finder: Finder, given: Options) -> Plan:
    """The prompts that a check is about. Raises PromptlintError."""
    if comparing.since is None and not comparing.staged:
        from promptlint.pipeline.plan import plan

        return plan(paths, finder, given)
    from promptlint.pipeline.revision import plan_since

    return plan_since(paths, finder, given, since=comparing.since, staged=comparing.staged)


def say(*lines: str) -> None:
    """Lines for people on standard error."""
    from promptlint.reporters.visible import visible

    for line in lines:
        print(f"promptlint: {visible(line)}", file=sys.stderr)
