"""Model name to vocabulary: names as providers and routers spell them, and what a user gives instead."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from small_vocabulary import write_tokenizer_json

from promptlint import yamlfile
from promptlint.model.errors import TokenizerUnavailable
from promptlint.tokenizers import choice, choose, load
from promptlint.tokenizers.vocabularies import PUBLISHED

DATA = Path(choice.__file__).with_name("models.yaml")


@pytest.mark.parametrize(
    ("model", "vocabulary"),
    [
        ("gpt-4o", "o200k_base"),
        ("openai/gpt-4o-mini-2024-07-18", "o200k_base"),
        ("openrouter/openai/gpt-5.5", "o200k_base"),
        ("gpt-5-codex", "o200k_base"),
        ("GPT-4.1-mini", "o200k_base"),
        ("ft:gpt-4o-2024-08-06:acme::abc", "o200k_base"),
        ("chatgpt-4o-latest", "o200k_base"),
        ("o1", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("openai/o4-mini-2025-04-16", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-3.5-turbo-0125", "cl100k_base"),
        ("azure/gpt-35-turbo", "cl100k_base"),
        ("openai/gpt-oss-120b", "o200k_harmony"),
        ("openai.gpt-oss-20b-1:0", "o200k_harmony"),
    ],
)
def test_public_vocabularies_are_exact(model: str, vocabulary: str) -> None:
    chosen = choose(model)
    assert (chosen.tokenizer.name, chosen.exact) == (vocabulary, True)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("claude-sonnet-4-5", "Claude's vocabulary is not public"),
        ("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "Claude's vocabulary is not public"),
        ("vertex_ai/claude-opus-4-5@20251101", "15 to 30 % more"),
        ("models/gemini-3-pro", "Gemini's vocabulary"),
        ("gpt-6.1-sol", "GPT-6 is not public"),
        ("Qwen/Qwen3-8B", "--tokenizer DIR"),
        ("meta-llama/Llama-3.3-70B-Instruct", "--tokenizer DIR"),
        ("deepseek-chat", "--tokenizer DIR"),
        ("mistral-large-latest", "--tokenizer DIR"),
        ("zai-org/GLM-4.6", "--tokenizer DIR"),
        ("moonshotai/Kimi-K2-Instruct", "--tokenizer DIR"),
        ("my-deployment", "the vocabulary of 'my-deployment' is not known"),
        ("llama-3-8b-gpt-4-distill", "--tokenizer DIR"),
        ("", "no model is named"),
    ],
)
def test_others_are_counted_with_the_nearest_and_say_so(model: str, reason: str) -> None:
    chosen = choose(model)
    assert (chosen.tokenizer.name, chosen.exact) == ("o200k_base", False)
    assert reason in chosen.reason


@pytest.mark.parametrize(
    ("model", "override", "exact", "reason"),
    [
        ("", "cl100k_base", True, "the tokenizer that was given"),
        ("my-deployment", "o200k_base", True, "the tokenizer that was given"),
        ("gpt-4o", "o200k_base", True, "uses o200k_base"),
        ("gpt-4o", "cl100k_base", False, "gpt-4o does not use cl100k_base: this model uses o200k_base"),
        ("claude-sonnet-4-5", "o200k_base", False, "not public"),
        ("claude-sonnet-4-5", "cl100k_base", False, "not public"),
        ("qwen3", "cl100k_base", False, "qwen3 does not use cl100k_base"),
    ],
)
def test_a_vocabulary_that_was_given(model: str, override: str, exact: bool, reason: str) -> None:
    chosen = choose(model, override)
    assert (chosen.tokenizer.name, chosen.exact) == (override, exact)
    assert reason in chosen.reason


def test_a_file_that_was_given(tmp_path: Path) -> None:
    file = write_tokenizer_json(tmp_path)
    assert choose("qwen3", str(file)).exact
    assert choose("", str(tmp_path)).tokenizer.name == str(tmp_path)
    assert not choose("claude-sonnet-4-5", str(file)).exact
    assert choose("", str(tmp_path)).tokenizer.encode("abc") == load(str(file)).encode("abc")


@pytest.mark.parametrize("name", ["o300k_base", "gpt2", " "])
def test_an_unknown_name_lists_what_there_is(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TokenizerUnavailable) as caught:
        choose("gpt-4o", name)
    assert all(known in str(caught.value) for known in [*PUBLISHED, "tokenizer.json"])


def test_a_vocabulary_is_loaded_once() -> None:
    assert load("o200k_base") is choose("gpt-4o").tokenizer


def test_the_data() -> None:
    entries = yamlfile.load(DATA.read_text("utf-8"), DATA.name)
    assert isinstance(entries, list)
    for entry in entries:
        assert set(entry) - {"closed"} == {"models", "vocabulary", "exact", "reason", "source", "checked"}
        assert entry["vocabulary"] in PUBLISHED
        assert not (entry["exact"] and entry.get("closed"))
        for pattern in entry["models"]:
            assert pattern == pattern.lower()
            assert "/" not in pattern
            sample = pattern.replace("*", "x" if pattern.startswith("*.") else "")
            earlier = entries[: entries.index(entry)]
            assert not any(fnmatchcase(sample, other) for row in earlier for other in row["models"]), pattern
