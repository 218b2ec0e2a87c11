"""The options that commands share, with their help."""

from __future__ import annotations

import enum
import math
from typing import Annotated

import typer

from promptlint.reporters.formats import FORMATS


class FailOn(enum.StrEnum):
    """The lowest severity that ends a run with exit status 1."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    NEVER = "never"


def _finite(value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter("must be a number")
    return value


Provider = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Cache rules to apply: a family or an id of `promptlint providers list`.",
        show_default=False,
    ),
]
Model = Annotated[
    str | None, typer.Option(metavar="NAME", help="Model, where the request names none or another is meant.")
]
TokenizerName = Annotated[
    str | None,
    typer.Option(
        "--tokenizer",
        metavar="NAME|PATH",
        help="A vocabulary (o200k_base, cl100k_base), a tokenizer.json, or a model's folder.",
    ),
]
ChatTemplate = Annotated[
    str | None, typer.Option(metavar="FILE", help="Chat template to render requests of self-hosted models with.")
]
ModelConfig = Annotated[
    str | None, typer.Option(metavar="FILE", help="The model's config.json, for prefill work and KV memory.")
]
RequestsPerDay = Annotated[
    float | None, typer.Option(metavar="N", min=0, callback=_finite, help="Traffic, for the cost of a day.")
]
WarmEntries = Annotated[
    int | None, typer.Option(metavar="N", min=0, help="Cache entries that a release makes cold, for its cost.")
]
TokensPerSecond = Annotated[
    float | None,
    typer.Option(metavar="N", min=1, callback=_finite, help="Prefill speed, for the time to the first token."),
]
By = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUES",
        help="What tells versions apart: user=a,b,a, a request field (user=metadata.user_id) or part of the file name "
        "(day=/[0-9-]+/). Repeatable.",
    ),
]
Rules = Annotated[
    list[str] | None,
    typer.Option(metavar="PATH", help="Rule files of your own, or folders of them. Repeatable."),
]
Gateway = Annotated[bool, typer.Option("--gateway", help="BEFORE is a request as written, AFTER as it left a gateway.")]
Select = Annotated[
    list[str] | None,
    typer.Option(metavar="RULES", help="Report these rules only: codes, names or prefixes, with commas."),
]
Ignore = Annotated[list[str] | None, typer.Option(metavar="RULES", help="Leave these rules out.")]
FailOnOption = Annotated[
    FailOn | None,
    typer.Option(
        "--fail-on",
        help="Lowest severity that ends the run with exit status 1 (default: error).",
        show_default=False,
    ),
]
Format = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FORMAT[=FILE]",
        help=f"{', '.join(FORMATS)}; with =FILE into a file. May be repeated. Default: text.",
    ),
]
PageFormat = Annotated[
    list[str] | None,
    typer.Option("--format", metavar="FORMAT[=FILE]", help="text (default) or json; with =FILE into a file."),
]
Redact = Annotated[
    bool, typer.Option("--redact", help="Show no word of a prompt: letters as a, digits as 0, in every format.")
]


def names(values: list[str] | None) -> tuple[str, ...]:
    """Rule names, given once or several times, separated by commas."""
    return tuple(name.strip() for value in values or () for name in value.split(","))
