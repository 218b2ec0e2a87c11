"""One request on its way into the log, and the line that it becomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson

from promptlint.readers.logs.replies import events, folded
from promptlint.readers.logs.wires import is_request


@dataclass(slots=True)
class Entry:
    """What passed by: when the request began (Unix seconds), where to, its body, and of the response begin and end.

    `whole`: nothing between `head` and `tail` is missing. `response`: the library's class, which undoes `encoding`.
    `error`: the exception that came instead of a response.
    """

    sent_at: float
    url: str
    body: bytes
    status: int | None = None
    encoding: str = ""
    response: Any = None
    error: str = ""
    head: bytearray = field(default_factory=bytearray)
    tail: Iterable[bytes] = ()
    whole: bool = True

    def size(self) -> int:
        """Bytes that it holds in memory."""
        return len(self.body) + len(self.head) + sum(map(len, self.tail))


def line(entry: Entry, redacted: Callable[[Any], Any] | None) -> bytes | None:
    """The line of the log, with its end; None where the body is no request to a model. Raises where it is no JSON."""
    body = orjson.loads(entry.body)
    if not is_request(body):
        return None
    found: dict[str, Any] = {"ts": entry.sent_at, "url": entry.url, "status": entry.status}
    found["request"] = body if redacted is None else redacted(body)
    if entry.error:
        found["error"] = entry.error
    else:
        found["response"] = _response(entry)
    return orjson.dumps(found, option=orjson.OPT_APPEND_NEWLINE)


def _response(entry: Entry) -> dict[str, Any]:
    """Of the response its id, model, usage and cache diagnosis; all that can be found where it is not JSON or cut."""
    try:
        raw = bytes(entry.head) + (b"" if entry.whole else b"\n") + b"".join(entry.tail)
        if entry.encoding:
            raw = entry.response(200, headers={"content-encoding": entry.encoding}, content=raw).content
        text = raw.decode("utf-8", "replace")
        try:
            chunks = [orjson.loads(text)]
        except orjson.JSONDecodeError:
            chunks = events(text)
        return folded(chunks)
    except Exception:  # the request is worth its line without it
        return {}
