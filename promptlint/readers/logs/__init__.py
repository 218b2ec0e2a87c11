"""Logs of requests, streamed: every format becomes exchanges, and a line that cannot be read is reported, not fatal."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from types import ModuleType

import orjson

from promptlint.model.errors import ConfigError, InputError
from promptlint.model.traffic import BadLine, Exchange
from promptlint.readers.logs.lines import Log
from promptlint.readers.logs.stream import Record, records

# Format → the module that reads it, the most telling forms first: a record is of the first format that knows it.
_MODULES = {
    "claude-code": "claude_code",
    "codex": "codex",
    "otel": "otel",
    "har": "har",
    "litellm": "litellm",
    "helicone": "helicone",
    "langfuse": "langfuse",
    "openai-usage": "openai_usage",
    "anthropic-usage": "anthropic_usage",
    "swe-agent": "swe_agent",
    "openhands": "openhands",
    "sharegpt": "sharegpt",
    "blocks": "blocks",
    "token-ids": "token_ids",
    "bodies": "bodies",
}
FORMATS = {name: importlib.import_module(f"{__name__}.{module}").SUMMARY for name, module in _MODULES.items()}
# Lines of other kinds that a log may begin with before one tells its format.
_UNDECIDED_LINES = 200


def read(
    path: str,
    form: str | None,
    on_bad: Callable[[BadLine], None],
    on_read: Callable[[int], None] | None = None,
) -> Iterator[Exchange]:
    """The exchanges of the log `path` (`-`: standard input) in their order, one record in memory at a time.

    `form` (one of FORMATS) forces a format, which else is found by content; gzip and zstd are unpacked. Every line that
    cannot be read goes to `on_bad`; `on_read` is told how many more bytes of the file were read. Raises InputError
    where the file cannot be read or is of no known format, and ConfigError for an unknown `form`.
    """
    if form is not None and form not in FORMATS:
        raise ConfigError(f"unknown log format {form!r}; known are {', '.join(FORMATS)}")
    log = Log(path, on_bad, on_read)
    found: Iterator[Record] = records(log)
    if form is None:
        form, head = _detected(found, log)
        found = chain(head, found)
    return _reader(form).exchanges(found, log)  # type: ignore[no-any-return]


def is_log(text: str) -> bool:
    """Whether a text has a JSON object on each of its first lines, two at least, and one that a format knows."""
    lines = [line for line in text.split("\n", _UNDECIDED_LINES)[:_UNDECIDED_LINES] if line.strip()]
    try:
        found = [orjson.loads(line) for line in lines]
    except orjson.JSONDecodeError:
        return False
    if len(found) < 2 or not all(type(record) is dict for record in found):
        return False
    readers = [_reader(name) for name in _MODULES]
    return any(reader.matches(record) for record in found for reader in readers)


def _reader(form: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{_MODULES[form]}")


def _detected(found: Iterable[Record], log: Log) -> tuple[str, list[Record]]:
    """The format of the first record that any format knows, and the records that were read to find it."""
    readers = {name: _reader(name) for name in _MODULES}
    head: list[Record] = []
    for record in found:
        head.append(record)
        for name, reader in readers.items():
            if reader.matches(record[1]):
                return name, head
        if len(head) == _UNDECIDED_LINES:
            break
    if head:
        message = "no known log format: none of its records holds a request or a usage; `--format-in` names the format"
        raise InputError(message, name=log.name, line=head[0][0])
    return "bodies", head
