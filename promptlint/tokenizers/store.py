"""Token ids of texts on disk, by content and vocabulary: prompts that are checked again need no vocabulary loaded.

One SQLite file, which parallel runs may share. It is a convenience: what is locked, damaged or cannot be written counts
as not there, and no error of it reaches a user.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

VARIABLE = "PROMPTLINT_CACHE_DIR"
FILE = "tokens-1.sqlite"  # another number for another layout
_LARGEST = 256_000_000  # bytes of the file, which then begins anew
_PATIENCE = 0.5  # seconds for which another run may hold the file
_CHECK = 8  # bytes of a digest before each entry


@dataclass(frozen=True, slots=True)
class Encoded:
    """Ids of a text; `sizes[i]` is the number of UTF-8 bytes of token i, None where it was not asked for."""

    ids: array[int]
    sizes: bytes | None = None


def folder() -> str | None:
    """Where the cache is: as PROMPTLINT_CACHE_DIR says (empty: nowhere), or the user's folder for caches."""
    said = os.environ.get(VARIABLE)
    if said is not None:
        return said or None
    home = os.path.expanduser("~")  # noqa: PTH111 (Path.home raises where there is none)
    if home == "~":
        return None
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", home)
    elif sys.platform == "darwin":
        base = f"{home}/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or f"{home}/.cache"
    return str(Path(base, "promptlint"))


class Store:
    """Entries of one vocabulary; `vocabulary` is what its ids depend on. New ones are kept until `write`."""

    def __init__(self, folder: str, vocabulary: str) -> None:
        self._file = Path(folder, FILE)
        self._vocabulary = vocabulary.encode()
        self._new: dict[bytes, bytes] = {}
        self._connection: sqlite3.Connection | None = None
        self._damaged = False
        self._absent = not self._file.is_file()

    def get(self, text: str, specials: bool) -> Encoded | None:
        """What was stored for a text, None for nothing."""
        if self._absent:
            return None
        import sqlite3

        try:
            row = self._open().execute("SELECT entry FROM texts WHERE key = ?", (self._key(text, specials),)).fetchone()
        except sqlite3.OperationalError:  # held by another run, or not to be read
            return None
        except sqlite3.DatabaseError:
            self._damaged = self._absent = True
            return None
        return _unpacked(row[0]) if row else None

    def put(self, text: str, specials: bool, encoded: Encoded) -> None:
        if encoded.sizes is not None:
            self._new[self._key(text, specials)] = _packed(encoded)

    def write(self) -> None:
        """Puts the new entries into the file."""
        if self._damaged:
            self._close()
            with contextlib.suppress(OSError):
                self._file.unlink()
        if not self._new:
            return
        import sqlite3

        with contextlib.suppress(OSError, sqlite3.Error):
            self._prepare()
            connection = self._open()
            with connection:
                connection.execute("CREATE TABLE IF NOT EXISTS texts (key BLOB PRIMARY KEY, entry BLOB) WITHOUT ROWID")
                connection.executemany("INSERT OR REPLACE INTO texts VALUES (?, ?)", self._new.items())
            self._absent = self._damaged = False
        self._new.clear()

    def _prepare(self) -> None:
        """The file holds what prompts say, so it is its owner's alone."""
        if self._file.exists() and self._file.stat().st_size > _LARGEST:
            self._close()
            self._file.unlink()
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file.touch(mode=0o600)

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            import sqlite3

            self._connection = sqlite3.connect(self._file, timeout=_PATIENCE)
            self._connection.execute("PRAGMA synchronous = OFF")  # an entry that is torn is noticed by its digest
        return self._connection

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _key(self, text: str, specials: bool) -> bytes:
        content = hashlib.blake2b(self._vocabulary + (b"\1" if specials else b"\0"), digest_size=16)
        content.update(text.encode("utf-8", "surrogatepass"))
        return content.digest()


def _packed(encoded: Encoded) -> bytes:
    body = encoded.ids.tobytes() + (encoded.sizes or b"")
    return _digest(body) + body


def _unpacked(entry: object) -> Encoded | None:
    """None for an entry that is damaged."""
    ids = array("I")
    if not isinstance(entry, bytes) or _digest(entry[_CHECK:]) != entry[:_CHECK]:
        return None
    count, rest = divmod(len(entry) - _CHECK, ids.itemsize + 1)
    if rest:
        return None
    end = _CHECK + count * ids.itemsize
    ids.frombytes(entry[_CHECK:end])
    return Encoded(ids, entry[end:])


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_CHECK).digest()
