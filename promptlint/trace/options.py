"""What a user may say about replaying a log."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """Names and paths as on the command line; None or empty: found out from the log, or left out.

    `form`: the format of the log (promptlint.readers.logs.FORMATS). `strict`: a line that cannot be read ends the run.
    `by`: fields to group the requests by (`session`, `user`, `model`, `provider`, `day`, `hour`, or a name in
    `Exchange.fields`). `caches`: further caches to replay the log through, each as `ENGINE:CAPACITY`
    (promptlint.trace.simulate). `rules`: rule files of one's own; `select`, `ignore`: codes, names or prefixes.
    `min_hit_rate` (0 to 1): a lower rate is a finding. `usual_provider` and `usual_model` hold for requests that name
    none, and the provider only where it serves their model.
    """

    provider: str | None = None
    model: str | None = None
    tokenizer: str | None = None
    chat_template: str | None = None
    form: str | None = None
    strict: bool = False
    by: tuple[str, ...] = ()
    caches: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, str], ...] = ()
    min_severity: str | None = None
    min_confidence: str | None = None
    min_hit_rate: float | None = None
    usual_provider: str | None = None
    usual_model: str | None = None
