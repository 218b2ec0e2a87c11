"""The words of labels and titles, from the file of that name."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, cast

from promptlint import yamlfile


@cache
def _lists() -> dict[str, list[str]]:
    path = Path(__file__).with_name("vocabulary.yaml")
    return cast(dict[str, Any], yamlfile.load(path.read_text(encoding="utf-8"), path.name))


@cache
def words(name: str) -> frozenset[str]:
    """One list of the vocabulary."""
    return frozenset(map(str, _lists()[name]))
