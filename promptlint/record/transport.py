"""The transports that pass every request on and hand a copy of what was said to the writer.

httpx2 and httpx are alike in what is used here; the classes come from the objects that a client passes in.
"""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from promptlint.readers.logs.endpoints import runs_model
from promptlint.record.copying import AsyncCopy, Copy, SyncCopy
from promptlint.record.entry import Entry
from promptlint.record.writer import Writer

if TYPE_CHECKING:
    import httpx2

    _Base = httpx2.BaseTransport
    _AsyncBase = httpx2.AsyncBaseTransport
else:
    _Base = _AsyncBase = object

_CLOSING = 2.0  # seconds that closing a client waits for the last lines


class _Recorder:
    """What both transports share. Nothing here may raise into a request."""

    def __init__(self, path: str | os.PathLike[str], wrapped: Any, redact: bool | bytes) -> None:
        self._writer = Writer(os.fspath(path), redact)
        self._wrapped = wrapped

    @property
    def dropped(self) -> int:
        """How many requests could not be recorded so far."""
        return self._writer.dropped

    def flush(self, timeout: float = 5.0) -> bool:
        """Wait until everything recorded so far is written; False where that takes longer than `timeout` seconds."""
        return self._writer.flush(timeout)

    def _inner(self, request: object, name: str) -> Any:
        """The wrapped transport; where none was given, the default one of the library that made the request."""
        if self._wrapped is None:
            self._wrapped = getattr(sys.modules[type(request).__module__.partition(".")[0]], name)()
        return self._wrapped

    def _begin(self, request: Any) -> Entry | None:
        """A record of `request`, or None where it asks no model for an answer."""
        try:
            address = request.url
            url = f"{address.scheme}://{address.netloc.decode('ascii', 'replace')}{address.path}"
            if request.method == "POST" and runs_model(url):
                return Entry(time.time(), url, request.content)
        except Exception:  # above all a body that is a stream, which is gone once it is read
            self._writer.drop("the body of a request is a stream and could not be read")
        return None

    def _failed(self, entry: Entry | None, error: BaseException) -> None:
        if entry is not None:
            entry.error = type(error).__name__
            self._writer.put(entry)

    def _answered(self, entry: Entry | None, response: Any, copy: type[Copy], base_name: str) -> None:
        """Have the response's stream copied as it is read."""
        if entry is None:
            return
        try:
            entry.status = response.status_code
            if response.is_closed:  # a transport that answers from memory
                entry.head += response.content
                self._writer.put(entry)
                return
            entry.encoding = response.headers.get("content-encoding", "")
            entry.response = type(response)
            stream = response.stream
            base = next(kind for kind in type(stream).__mro__ if kind.__name__ == base_name)
            response.stream = copy.in_library(base)(stream, entry, self._writer)
        except Exception:
            self._writer.drop("a response could not be read")


class Transport(_Recorder, _Base):
    """Records what passes through `wrapped` (default: the library's HTTPTransport) in the file `path`.

    The file is appended to, one whole line a request, and made with mode 0600 where it is new; it may be rotated or
    deleted at any time, and other processes may append to it. `redact=True` replaces every text by a hash under a key
    that only this object knows, `redact=b"…"` under a key of your own, so that several processes agree; see
    promptlint.record.redaction for what remains. `flush()` waits for what is not yet written, `dropped` counts losses.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        wrapped: httpx2.BaseTransport | None = None,
        *,
        redact: bool | bytes = False,
    ) -> None:
        super().__init__(path, wrapped, redact)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        entry = self._begin(request)
        try:
            response: httpx2.Response = self._inner(request, "HTTPTransport").handle_request(request)
        except BaseException as error:
            self._failed(entry, error)
            raise
        self._answered(entry, response, SyncCopy, "SyncByteStream")
        return response

    def close(self) -> None:
        self.flush(_CLOSING)
        if self._wrapped is not None:
            self._wrapped.close()

    def __enter__(self) -> Self:
        if self._wrapped is not None:
            self._wrapped.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        self.close()


class AsyncTransport(_Recorder, _AsyncBase):
    """The same as Transport for an asynchronous client; `wrapped` is an asynchronous transport."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        wrapped: httpx2.AsyncBaseTransport | None = None,
        *,
        redact: bool | bytes = False,
    ) -> None:
        super().__init__(path, wrapped, redact)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        entry = self._begin(request)
        try:
            inner = self._inner(request, "AsyncHTTPTransport")
            response: httpx2.Response = await inner.handle_async_request(request)
        except BaseException as error:
            self._failed(entry, error)
            raise
        self._answered(entry, response, AsyncCopy, "AsyncByteStream")
        return response

    async def aclose(self) -> None:
        """Does not wait for the log, which would hold up the event loop; the end of the process does."""
        if self._wrapped is not None:
            await self._wrapped.aclose()

    async def __aenter__(self) -> Self:
        if self._wrapped is not None:
            await self._wrapped.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        await self.aclose()
