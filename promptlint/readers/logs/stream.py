"""From a file to records: decompression, JSON Lines, one JSON document or CSV, and what to do with broken lines.

Records are large. A generator that still holds the last one while the next is parsed makes the allocator fetch new
memory each time, which costs half as much as the parsing; so they let go (`del`) of what they have yielded.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import Any, cast

import orjson

from promptlint.model.errors import InputError
from promptlint.readers.logs.lines import LIMIT, Line, Lines, Log
from promptlint.readers.logs.repeated import Parser

_HEAD_LINES = 20
_HEAD_BYTES = 256 << 10
_ESCAPED_PAIR = re.compile(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
_COLUMN = re.compile(r": line 1 column (\d+) \(char \d+\)$")

Record = tuple[int, Any]


def records(log: Log) -> Iterator[Record]:
    """Every record with the line where it begins: of JSON Lines, a JSON document (an array: its elements), or CSV rows.

    Raises InputError where the file cannot be opened or read.
    """
    try:
        with _opened(log.name) as raw, closing(Lines(raw, log)) as lines:
            yield from _unpacked(_records(lines, log))
    except IsADirectoryError:
        raise InputError("is a directory; name the logs in it", name=log.name) from None
    except FileNotFoundError:
        raise InputError("no such file", name=log.name) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", name=log.name) from error


def _opened(name: str) -> AbstractContextManager[BufferedReader]:
    if name == "-":
        if sys.stdin is None:  # closed by whoever started the command
            raise InputError("standard input is closed", name=name)
        return nullcontext(cast(BufferedReader, sys.stdin.buffer))
    if not name:
        raise InputError("the name of a log is empty")
    return Path(name).open("rb")


def _records(lines: Lines, log: Log) -> Iterator[Record]:
    """The container is found by the first lines: one of JSON Lines parses alone, one of a document does not."""
    head: list[Line] = []
    first = b""
    for number, data in lines:
        head.append((number, data))
        text = data.strip()
        first = first or text
        if text in (b"[", b"{") and text is first:
            break
        if text[:1] in (b"{", b"[") and parsed(data) is not None:
            return (yield from _json_lines(head, lines, log))
        if len(head) == _HEAD_LINES or len(data) > _HEAD_BYTES:
            break
    if first[:1] in (b"{", b"["):
        yield from _document(chain(head, lines), log)
    elif b"," in first and first.isascii() and b"{" not in first:
        yield from _csv(chain(head, lines), log)
    else:
        yield from _json_lines(head, lines, log)


def _json_lines(head: Sequence[Line], lines: Lines, log: Log) -> Iterator[Record]:
    yield from _parsed_alone(head, log)
    parser = Parser()
    parse = partial(parser.parse, lines)
    while lines.next(parser.known_end):
        value = _record(lines.number, parse, lines.line, log)
        if value is not None:
            yield lines.number, value
            del value


def _parsed_alone(lines: Sequence[Line], log: Log) -> Iterator[Record]:
    for number, data in lines:
        value = _record(number, partial(orjson.loads, data), partial(bytes, data), log)
        if value is not None:
            yield number, value


def _record(number: int, parse: Callable[[], Any], line: Callable[[], bytes], log: Log) -> Any:
    """The value in a line; None where the line is blank or was reported as bad."""
    try:
        value = parse()
    except orjson.JSONDecodeError as error:
        return _second_try(number, line(), log, error)
    if value is None:
        log.bad(number, "is null, which is no record")
    return value


def _second_try(number: int, data: bytes, log: Log, error: orjson.JSONDecodeError) -> Any:
    """Half a surrogate pair (emoji cut in two), which orjson refuses, becomes U+FFFD; else the line is bad."""
    if not data.strip():
        return None
    if b"\\u" in data and (value := parsed(_ESCAPED_PAIR.sub(_whole_pairs, data))) is not None:
        return value
    log.bad(number, _reason(data, error))
    return None


def _whole_pairs(match: re.Match[bytes]) -> bytes:
    escape = match.group()
    return rb"\ufffd" if len(escape) == 6 else escape


def _reason(data: bytes, error: orjson.JSONDecodeError) -> str:
    if b"\0" in data:
        return "holds NUL bytes; the log was cut off by a crash or is no text"
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "is UTF-16; save the log as UTF-8"
    try:
        data.decode()
    except UnicodeDecodeError as undecodable:
        return f"is not UTF-8 at byte {undecodable.start + 1}"
    if not data.endswith(b"\n"):
        return "is not whole JSON, and the file ends in it: the last record was cut off"
    return "is not JSON: " + _COLUMN.sub(r" at column \1", str(error))


def parsed(data: bytes | str) -> Any:
    """The value of a piece of JSON; None where it is none, or `null`."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return None


def _document(lines: Iterator[Line], log: Log) -> Iterator[Record]:
    """One JSON document over many lines, or several as `jq` prints them, each beginning at the margin."""
    numbered = list(lines)
    start = numbered[0][0]
    whole = b"".join(data for _, data in numbered)
    del numbered
    value = parsed(whole)
    if isinstance(value, list):
        begins = element_lines(whole, len(value))
        yield from ((start + line, element) for line, element in zip(begins, value, strict=True))
    elif value is not None:
        yield start, value
    else:
        for piece in re.split(rb"(?<=\n)(?=[{\[])", whole):
            yield from _parsed_alone([(start, piece)], log)
            start += piece.count(b"\n")


def element_lines(document: bytes, count: int) -> list[int]:
    """On which line after the first each of `count` objects of an indented array begins; all 0 where that is not clear.

    In an indented document the elements of one array stand at one depth, and no string holds a newline.
    """
    first = re.search(rb"\[\r?\n([ \t]*)\{", document)
    if first is None:
        return [0] * count
    begins = [match.start() for match in re.finditer(rb"\n" + first[1] + rb"\{", document)]
    if len(begins) != count:
        return [0] * count
    lines, last, line = [], 0, 0
    for begin in begins:
        line += document.count(b"\n", last, begin + 1)
        last = begin + 1
        lines.append(line)
    return lines


def _csv(lines: Iterator[Line], log: Log) -> Iterator[Record]:
    """Rows as objects of strings; a quoted field may hold newlines."""
    last = 0

    def text() -> Iterator[str]:
        nonlocal last
        for number, data in lines:
            last = number
            yield data.decode("utf-8", "replace").replace("\0", "\ufffd")

    csv.field_size_limit(LIMIT)
    rows = csv.reader(text())
    header: list[str] | None = None
    while True:
        begin = last + 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            log.bad(begin, f"is no CSV row: {error}")
            continue
        if header is None:
            header = row
        elif len(row) == len(header):
            yield begin, dict(zip(header, row, strict=True))
        elif row:
            log.bad(begin, f"has {len(row)} fields where the header has {len(header)}")


def _unpacked(found: Iterator[Record]) -> Iterator[Record]:
    """Lists, and the pages in which APIs wrap lists (`data`), one element at a time."""
    for number, value in found:
        if type(value) is dict and type(value.get("data")) is list and not value.keys() - _PAGE_FIELDS:
            value = value["data"]
        if type(value) is list and value and type(value[0]) is dict:
            yield from ((number, element) for element in value)
        else:
            yield number, value
        del value


# Of OpenAI and Anthropic; of Langfuse; of Helicone (`POST /v1/request/query`); of LiteLLM (`GET /spend/logs/ui`, of
# which no page was found that documents it: unconfirmed).
_PAGE_FIELDS = {"data", "object", "first_id", "last_id", "has_more", "next_page", "meta", "error"}
_PAGE_FIELDS |= {"total", "page", "page_size", "total_pages"}
