"""Helpers of the log tests: read bytes or records as a log file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from promptlint.model.traffic import BadLine, Exchange
from promptlint.readers import logs


@dataclass(frozen=True, slots=True)
class Log:
    exchanges: list[Exchange]
    bad: list[BadLine]


def read_file(path: Path, form: str | None = None) -> Log:
    bad: list[BadLine] = []
    return Log(list(logs.read(str(path), form, bad.append)), bad)


def read_bytes(folder: Path, content: bytes, form: str | None = None) -> Log:
    path = folder / "log"
    path.write_bytes(content)
    return read_file(path, form)


def read_records(folder: Path, records: Iterable[Any], form: str | None = None) -> Log:
    return read_bytes(folder, "\n".join(json.dumps(record) for record in records).encode(), form)
