"""What a chat template does to the prefix of a prompt, as running it has shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from promptlint.model.source import Span


@dataclass(frozen=True, slots=True)
class Symptom:
    """`kind`: `clock` (finer than a day) or `date` is printed, `history` is not continued, `tools` move with the last
    user message, `position`: a condition asks how far a message is from the end, `stopped` by the sandbox.

    `span` counts in the template's text; `related` are further places in it. `lost` tokens of a conversation of
    twenty turns are computed again for it (None: not known). `facts` go into the rule's message.
    """

    kind: str
    span: Span
    lost: int | None = None
    related: tuple[tuple[str, Span], ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
