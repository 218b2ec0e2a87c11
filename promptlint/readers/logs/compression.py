"""Unpacks logs that are compressed with gzip or zstd, several files one after another as well."""

from __future__ import annotations

import io
import sys
import zlib
from collections.abc import Callable
from typing import Any, cast

BUFFER = 64 << 10
_PACKED = 4 << 10  # bytes that are unpacked at once: of zstd up to 32,000 times as much may come out


def unpacked(raw: io.BufferedReader) -> io.BufferedReader:
    """`raw` (buffered), read through what its first bytes ask for. Reading may raise one of `damage()`."""
    magic = raw.peek(4)[:4]
    if magic[:2] == b"\x1f\x8b":
        return io.BufferedReader(_Frames(raw, lambda: zlib.decompressobj(16 + zlib.MAX_WBITS)), BUFFER)
    if magic == b"\x28\xb5\x2f\xfd":
        return io.BufferedReader(_Frames(raw, _zstd()), BUFFER)
    return raw


def damage() -> tuple[type[Exception], ...]:
    """What is raised where compressed data is cut off, damaged, or followed by something else."""
    modules = [sys.modules[name] for name in ("compression.zstd", "zstandard") if name in sys.modules]
    return (EOFError, zlib.error, *(module.ZstdError for module in modules))


def _zstd() -> Callable[[], Any]:
    try:
        from compression import zstd  # type: ignore[import-not-found]  # Python 3.14

        return cast(Callable[[], Any], zstd.ZstdDecompressor)
    except ImportError:
        import zstandard

        return lambda: zstandard.ZstdDecompressor().decompressobj()


class _Frames(io.RawIOBase):
    """Compressed files or frames one after another, unpacked by what `begin` gives for each.

    The readers of gzip and zstandard would do, but one keeps back what it has when damage follows, and the other takes
    a frame that is cut off for a whole one.
    """

    def __init__(self, raw: io.BufferedReader, begin: Callable[[], Any]) -> None:
        self._raw = raw
        self._begin = begin
        self._frame: Any = None
        self._packed = b""
        self._plain = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._plain:
            self._packed = self._packed or self._raw.read(_PACKED)
            if not self._packed:
                if self._frame is not None:
                    raise EOFError("the file ends too early")
                return 0
            self._unpack()
        size = min(len(buffer), len(self._plain))
        buffer[:size] = self._plain[:size]
        self._plain = self._plain[size:]
        return size

    def _unpack(self) -> None:
        if self._frame is None:
            self._packed = self._packed.lstrip(b"\0")  # tapes and block devices fill up with it
            if not self._packed:
                return
            self._frame = self._begin()
        self._plain = memoryview(self._frame.decompress(self._packed))
        self._packed = b""
        if self._frame.eof:
            self._packed, self._frame = self._frame.unused_data, None
