"""Logged traffic: one exchange is one request that was sent, with what the provider reported of it."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request as the provider reported them; None where it reported nothing.

    `input` counts the whole prompt, tokens read from and written to the cache included. `written_long` is the part of
    `written` that lives for an hour. `miss_reason` is the provider's own diagnosis, in its words.
    """

    input: int | None = None
    cached: int | None = None
    written: int | None = None
    written_long: int | None = None
    output: int | None = None
    miss_reason: str = ""


@dataclass(slots=True)
class Exchange:
    """One request of a log. What a log does not say is empty or None.

    `line` (1-based) is where the record begins in `file`. `sent_at` in Unix seconds. `wire` is the format of `body`
    (promptlint.readers.WIRES); `body` is the parsed JSON of the request and not to be changed: requests of one
    transcript share their messages. Instead of a body a log may hold `ids` (token ids of the whole prompt), or `blocks`
    (chained hashes of blocks of `block_size` tokens; the prompt's length is then `usage.input`). `reply` is what the
    model answered, in the wire's own form, where the log has it: the message that a next request would repeat (chat,
    Anthropic, Gemini, Bedrock), a list of items (Responses) or a text (completions). `status` is that of HTTP. `fields`
    are further values by name, to group by. `partial`: the log leaves out parts of what was sent (the system prompt and
    tools in transcripts), so that `body` is shorter than the prompt. `requests`: how many requests the record sums up
    (exports of usage); 0: not known.
    """

    file: str
    line: int
    sent_at: float | None = None
    provider: str = ""
    model: str = ""
    wire: str = ""
    body: Any = None
    ids: array[int] | None = None
    blocks: Sequence[int] | None = None
    block_size: int = 0
    reply: Any = None
    usage: Usage | None = None
    request_id: str = ""
    session: str = ""
    user: str = ""
    status: int | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    partial: bool = False
    requests: int = 1


@dataclass(frozen=True, slots=True)
class BadLine:
    """A record that could not be read: where it begins (1-based), and why in one line without any of its text."""

    file: str
    line: int
    why: str
