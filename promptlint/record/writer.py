"""Writes entries to the log in a thread of its own, one whole line at a time, whatever happens to the disk."""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import sys
import threading
import time
import weakref
from collections import deque
from pathlib import Path

from promptlint.record.entry import Entry, line
from promptlint.record.redaction import Redaction

# What may wait for the disk; beyond it requests are counted as dropped instead of held in memory.
_WAITING_ENTRIES = 10_000
_WAITING_BYTES = 64 << 20
_EXIT = 2.0  # seconds that the end of the process waits for the last lines


class Writer:
    """Appends the lines of entries to `path`. `put` neither blocks nor raises; `dropped` counts what was lost."""

    def __init__(self, path: str, redact: bool | bytes) -> None:
        self._path = path
        self._redacted = Redaction(os.urandom(32) if redact is True else redact) if redact else None
        self._warned = False
        self.dropped = 0
        self._start_over()
        _writers.add(self)

    def _start_over(self) -> None:
        """Also in a child after a fork: the thread stays in the parent, which writes what was waiting."""
        self._changed = threading.Condition()
        self._waiting: deque[Entry] = deque()
        self._bytes = 0
        self._busy = False
        self._thread: threading.Thread | None = None
        self._descriptor = -1
        self._torn = False

    def put(self, entry: Entry) -> None:
        """Queue an entry to be written."""
        try:
            size = entry.size()
            with self._changed:
                fits = len(self._waiting) < _WAITING_ENTRIES and self._bytes + size <= _WAITING_BYTES
                if fits:
                    self._waiting.append(entry)
                    self._bytes += size
                    self._changed.notify_all()
                    if self._thread is None:
                        self._start()
            if not fits:
                self.drop("more is waiting to be written than fits in memory")
        except Exception as error:
            self.drop(type(error).__name__)

    def _start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="promptlint-record", daemon=True)
        self._thread.start()
        processes = sys.modules.get("multiprocessing.util")
        if processes is not None:  # its children end without what `atexit` has
            processes.Finalize(None, _at_exit, exitpriority=1)

    def drop(self, why: str) -> None:
        """Count a loss; the first one is said on standard error."""
        with self._changed:
            self.dropped += 1
            first, self._warned = not self._warned, True
        if first:
            with contextlib.suppress(Exception):
                print(f"promptlint.record: {self._path}: {why}; losses are counted in `dropped`", file=sys.stderr)

    def flush(self, timeout: float) -> bool:
        """Wait up to `timeout` seconds until nothing waits."""
        end = time.monotonic() + timeout
        with self._changed:
            while self._waiting or self._busy:
                left = end - time.monotonic()
                if left <= 0:
                    return False
                self._changed.wait(left)
        return True

    def _run(self) -> None:
        while True:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
                while not self._waiting:
                    self._changed.wait()
                entry = self._waiting.popleft()
                self._bytes -= entry.size()
                self._busy = True
            try:
                data = line(entry, self._redacted)
                if data is not None:
                    self._append(data)
            except Exception as error:
                self.drop(error.strerror or "" if isinstance(error, OSError) else "a request could not be recorded")
            del entry

    def _append(self, data: bytes) -> None:
        """One write for one line, so that processes that append to one file do not mix theirs.

        A line that the disk had only part of room for is ended by the next one, which stays whole.
        """
        if self._torn:
            data = b"\n" + data
        try:
            written = os.write(self._open(), data)
        except OSError as error:
            if error.errno != errno.EBADF:
                raise
            self._descriptor = -1  # someone closed it
            written = os.write(self._open(), data)
        self._torn = written < len(data)
        if self._torn:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _open(self) -> int:
        """The descriptor of what is at `path` now: after a rotation that is another file."""
        if self._descriptor >= 0:
            with contextlib.suppress(OSError):
                here, there = os.fstat(self._descriptor), Path(self._path).stat()
                if (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino):
                    return self._descriptor
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
            self._descriptor, self._torn = -1, False
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
        self._descriptor = os.open(self._path, flags, 0o600)
        return self._descriptor


_writers: weakref.WeakSet[Writer] = weakref.WeakSet()


def _in_child() -> None:
    for writer in list(_writers):
        writer._start_over()


@atexit.register
def _at_exit() -> None:
    for writer in list(_writers):
        writer.flush(_EXIT)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
