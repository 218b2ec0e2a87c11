"""Which tokenizer stands for a model: by name from `models.yaml`, or the one that the user gives."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from promptlint import yamlfile
from promptlint.model.errors import TokenizerUnavailable
from promptlint.model.globs import fits
from promptlint.tokenizers.base import Vocabulary
from promptlint.tokenizers.vocabularies import PUBLISHED

DEFAULT = "o200k_base"


@dataclass(frozen=True, slots=True)
class Choice:
    """A tokenizer for a model. `exact` false: its counts only approximate the model's; `reason` says why either way."""

    tokenizer: Vocabulary
    exact: bool
    reason: str


@dataclass(frozen=True, slots=True)
class _Row:
    """One entry of `models.yaml`. `closed`: the model's own vocabulary is not public."""

    models: tuple[str, ...]
    vocabulary: str
    exact: bool
    closed: bool
    reason: str


def choose(model: str, override: str | None = None, cache: str | None = None) -> Choice:
    """The tokenizer for a model name as a provider spells it (`openai/gpt-4o`, `us.anthropic.claude-…`, or empty).

    `override` is a vocabulary's name, a tokenizer.json or a directory that holds one; `cache` a folder for the ids of
    texts. Raises TokenizerUnavailable.
    """
    row = _row(model)
    if override is not None:
        return _given(model, row, override, cache)
    if row:
        return Choice(load(row.vocabulary, cache), row.exact, row.reason)
    said = f"the vocabulary of {model!r} is not known here" if model else "no model is named"
    return Choice(load(DEFAULT, cache), False, f"{said}; counted with {DEFAULT} (choose with --model or --tokenizer)")


def load(name_or_path: str, cache: str | None = None) -> Vocabulary:
    """A vocabulary by name, or a tokenizer.json by its path or directory. Raises TokenizerUnavailable."""
    return _load(name_or_path, cache)


@functools.cache
def _load(name_or_path: str, cache: str | None) -> Vocabulary:
    if name_or_path in PUBLISHED:
        from promptlint.tokenizers.tiktoken_bpe import TiktokenVocabulary

        return TiktokenVocabulary(name_or_path, cache)
    path = Path(name_or_path)
    if not (path.exists() or path.suffix == ".json" or len(path.parts) > 1):
        raise TokenizerUnavailable(
            f"unknown tokenizer {name_or_path!r}; known: {', '.join(sorted(PUBLISHED))}, "
            "or the path of a tokenizer.json or of a directory that holds one"
        )
    from promptlint.tokenizers.huggingface import FILE, HuggingFaceVocabulary

    return HuggingFaceVocabulary(name_or_path, path / FILE if path.is_dir() else path)


def _given(model: str, row: _Row | None, override: str, cache: str | None) -> Choice:
    tokenizer = load(override, cache)
    if row is None or (override not in PUBLISHED and not row.closed):
        return Choice(tokenizer, True, "the tokenizer that was given")
    if override == row.vocabulary or row.closed:
        return Choice(tokenizer, row.exact, row.reason)
    return Choice(tokenizer, False, f"{model} does not use {override}" + (f": {row.reason}" if row.reason else ""))


def _row(model: str) -> _Row | None:
    # Routers put the maker before a slash (`openrouter/openai/gpt-4o`); other prefixes are in the patterns.
    name = model.lower().rpartition("/")[2]
    return next((row for row in _rows() if any(fits(name, pattern) for pattern in row.models)), None)


@functools.cache
def _rows() -> tuple[_Row, ...]:
    file = Path(__file__).with_name("models.yaml")
    entries = cast("list[dict[str, Any]]", yamlfile.load(file.read_text("utf-8"), file.name))
    return tuple(
        _Row(
            models=tuple(entry["models"]),
            vocabulary=entry["vocabulary"],
            exact=entry["exact"],
            closed=entry.get("closed", False),
            reason=entry["reason"],
        )
        for entry in entries
    )
