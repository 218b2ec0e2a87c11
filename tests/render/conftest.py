"""Prompts and templates for the rendering tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptlint import readers
from promptlint.model.prompt import Prompt
from promptlint.model.source import Source
from promptlint.render import ChatTemplate, load_chat_template

TEMPLATES = Path(__file__).parent / "templates"
SPECIALS = {"bos_token": {"content": "<s>", "lstrip": False}, "eos_token": "</s>", "add_bos_token": True}


@pytest.fixture(scope="session")
def prompt_of() -> Callable[..., Prompt]:
    """Reads a request body; `wire` where the body alone leaves it open."""

    def read(body: dict[str, Any], wire: str | None = None) -> Prompt:
        return readers.read(Source("request.json", json.dumps(body, ensure_ascii=False)), wire)

    return read


@pytest.fixture(scope="session")
def template_named(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], ChatTemplate]:
    """One of the templates beside this file, with special tokens."""
    tokenizer = tmp_path_factory.mktemp("tokenizer")
    (tokenizer / "tokenizer_config.json").write_text(json.dumps(SPECIALS))
    return lambda name: load_chat_template(str(TEMPLATES / f"{name}.jinja"), str(tokenizer))


@pytest.fixture
def template_of(tmp_path: Path) -> Callable[[str], ChatTemplate]:
    """A template given as text."""

    def write(text: str) -> ChatTemplate:
        path = tmp_path / "own.jinja"
        path.write_text(text, newline="")
        return load_chat_template(str(path))

    return write
