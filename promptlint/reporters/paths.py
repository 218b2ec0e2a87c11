"""File names as continuous integration wants them: from the top of the repository, with forward slashes."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path
from urllib.parse import quote

from promptlint.model.report import Report


def from_root(file: str, root: str) -> str:
    """A file of the report, from the top of the repository; what lies outside stays as the run was given it."""
    if file == "-":
        return file
    name = os.path.relpath(file) if Path(file).is_absolute() else file
    path = posixpath.normpath(posixpath.join(root, name.replace(os.sep, "/")))
    return file if path == ".." or path.startswith("../") else path


def uri(path: str) -> str:
    """A path as a relative URI reference; bytes of a file name that are no UTF-8 are kept as they are."""
    return quote(os.fsencode(path)) if _encodable(path) else quote(path.encode("utf-8", "backslashreplace"))


def _encodable(path: str) -> bool:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return True


def is_past(file: str, current: str, report: Report) -> bool:
    """Whether `file` names a git revision's version (`HEAD:prompts/a.md`), which no longer lies in the work tree."""
    return report.command == "check" and file != current and ":" in file
