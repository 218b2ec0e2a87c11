"""What a user may say about a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # most of it only a configuration says, and a single pair is compared without one
    from promptlint.config import Budget
    from promptlint.model.flow import Additions
    from promptlint.model.template import Names


@dataclass(frozen=True, slots=True)
class Options:
    """Names and paths as on the command line; None: found out from the request, or left out.

    `tokenizer`: a vocabulary name, a tokenizer.json or a folder with one. `chat_template`: a template file or folder.
    `model_config`: a Hugging Face config.json. Traffic and throughput feed the cost estimate only.
    `severity`: (rule, severity) pairs, the last one that names a rule decides. `budget`: what a release may lose.
    `code`: what a house adds to the sources, sinks and sanitizers of source code.
    `placeholders`: what a house says about the names of placeholders in templates.
    `rules`: rule files of one's own, or folders of them. `by`: what tells several versions apart,
    `NAME=…` each (promptlint/pipeline/volatility.py).
    `cache`: a folder for the token ids of texts, None for no cache.
    `survival`: also work out what every other provider would let survive (takes longer; only some reports show it).
    """

    provider: str | None = None
    model: str | None = None
    tokenizer: str | None = None
    chat_template: str | None = None
    model_config: str | None = None
    requests_per_day: float | None = None
    warm_entries: int | None = None
    tokens_per_second: float | None = None
    gateway: bool = False
    survival: bool = False
    cache: str | None = None
    by: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, str], ...] = ()
    min_severity: str | None = None
    min_confidence: str | None = None
    budget: Budget | None = None
    code: Additions | None = None
    placeholders: Names | None = None
