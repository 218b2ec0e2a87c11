"""The baseline: known findings by fingerprint, and breaks that were accepted with a reason. Committed, so stable."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from promptlint.model.errors import ConfigError, InputError

VERSION = 1


@dataclass(frozen=True, slots=True, order=True)
class Known:
    """A finding that is not reported again. Only the fingerprint counts; the rest is for readers."""

    file: str
    code: str
    name: str
    fingerprint: str


@dataclass(frozen=True, slots=True, order=True)
class Accepted:
    """A break that somebody wanted: `change` names the very edit, `file` counts from the baseline's folder."""

    file: str
    code: str
    change: str
    reason: str


@dataclass(frozen=True, slots=True)
class Baseline:
    findings: tuple[Known, ...] = ()
    accepted: tuple[Accepted, ...] = ()

    @property
    def fingerprints(self) -> frozenset[str]:
        return frozenset(each.fingerprint for each in self.findings)

    def reason(self, file: str, change: str) -> str | None:
        """Why an edit was accepted; None where it was not."""
        return next((each.reason for each in self.accepted if (each.file, each.change) == (file, change)), None)


def load(path: str) -> Baseline:
    """The baseline in a file; an empty one where there is no such file. Raises ConfigError."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        return Baseline()
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror or error}", name=path) from error
    try:
        document = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ConfigError("is no UTF-8", name=path) from error
    except (ValueError, RecursionError) as error:
        line, column = getattr(error, "lineno", 1), getattr(error, "colno", 1)
        raise ConfigError("is no valid JSON; restore it from git", name=path, line=line, column=column) from error
    return _checked(document, path)


def _checked(document: Any, path: str) -> Baseline:
    if not isinstance(document, dict) or document.get("version") != VERSION:
        raise ConfigError(f"is no promptlint baseline of version {VERSION}", name=path, line=1, column=1)
    return Baseline(
        tuple(Known(*row) for row in _rows(document, "findings", ("file", "code", "name", "fingerprint"), path)),
        tuple(Accepted(*row) for row in _rows(document, "accepted", ("file", "code", "change", "reason"), path)),
    )


def _rows(document: dict[str, Any], key: str, fields: tuple[str, ...], path: str) -> list[list[str]]:
    rows = document.get(key, [])
    if not isinstance(rows, list):
        raise ConfigError(f"{key!r} must be a list", name=path, line=1, column=1)
    found = []
    for index, row in enumerate(rows):
        if not isinstance(row, dict) or not all(isinstance(row.get(field), str) for field in fields):
            raise ConfigError(f"{key}[{index}] must have the texts {', '.join(fields)}", name=path, line=1, column=1)
        found.append([row[field] for field in fields])
    return found


def save(path: str, baseline: Baseline) -> None:
    """Writes the baseline, sorted, whole or not at all. Raises InputError."""
    import tempfile  # only a few commands write

    document = {
        "version": VERSION,
        "findings": _documents(baseline.findings, ("file", "code", "name", "fingerprint")),
        "accepted": _documents(baseline.accepted, ("file", "code", "change", "reason")),
    }
    target = Path(os.path.realpath(path))
    temporary = None
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(json.dumps(document, indent=2) + "\n")
        Path(temporary).chmod(0o644)
        Path(temporary).replace(target)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise InputError(f"cannot be written: {error.strerror or error}", name=path) from error


def _documents(rows: Iterable[Known | Accepted], fields: tuple[str, ...]) -> list[dict[str, str]]:
    found = {tuple(str(getattr(row, field)) for field in fields) for row in rows}
    return [dict(zip(fields, values, strict=True)) for values in sorted(found)]
