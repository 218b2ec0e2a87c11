"""Putting new files in place: all of them or none, and never over one that exists."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from promptlint.model.errors import InputError


def write(top: str, texts: Mapping[str, str]) -> None:
    """Texts by path below `top`. Raises InputError and leaves nothing behind."""
    placed: list[Path] = []
    folders: list[Path] = []
    name = ""
    try:
        with tempfile.TemporaryDirectory(prefix=".promptlint-", dir=top) as temporary:
            ready = [Path(temporary, str(number)) for number in range(len(texts))]
            for file, text in zip(ready, texts.values(), strict=True):
                file.write_bytes(text.encode("utf-8"))
            for file, name in zip(ready, texts, strict=True):
                target = Path(top, name)
                _make(target.parent, folders)
                os.link(file, target)  # unlike a rename, this replaces nothing
                placed.append(target)
    except OSError as error:
        for path in placed:
            path.unlink(missing_ok=True)
        for folder in reversed(folders):
            folder.rmdir()
        reason = "exists already" if isinstance(error, FileExistsError) else error.strerror or str(error)
        raise InputError(f"cannot be written: {reason}; nothing was changed", name=name or top) from error


def _make(folder: Path, made: list[Path]) -> None:
    """Makes a folder and those above it, and notes which."""
    for path in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
        path.mkdir()
        made.append(path)
