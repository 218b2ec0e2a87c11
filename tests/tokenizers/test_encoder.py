"""A few tokens of a vocabulary give the ids of all of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_vocabulary import HOSTILE, whole

from promptlint.tokenizers import encoder, rankfile
from promptlint.tokenizers.encoder import Encoder
from promptlint.tokenizers.vocabularies import PUBLISHED

HERE = Path(__file__).parent
WORDS = [*HOSTILE.split(" "), *"  \n\r\t/'", "<|endoftext|>", "don't", "Ferry", "x" * 40, "1234", '{"a": [', "…;"]
TEXTS = st.lists(st.one_of(st.sampled_from(WORDS), st.characters(exclude_categories=["Cs"])), max_size=30).map("".join)


@cache
def tokens(name: str) -> list[bytes]:
    return rankfile.tokens(PUBLISHED[name])


def fresh(name: str) -> Encoder:
    return Encoder(PUBLISHED[name], tokens(name))


@settings(max_examples=150, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=3), st.sampled_from(["cl100k_base", "o200k_base", "o200k_harmony"]))
def test_ids_are_those_of_the_whole_vocabulary(texts: list[str], name: str) -> None:
    some, all_ = fresh(name), whole(name)
    for text in texts:
        encoding = some.knowing(text)
        assert encoding.encode_ordinary(text) == all_.encode_ordinary(text)
        assert encoding.encode(text, allowed_special="all") == all_.encode(text, allowed_special="all")
    for text in texts:  # what was asked for before is kept
        assert some.encoding.encode_ordinary(text) == all_.encode_ordinary(text)


def test_real_files_in_the_ids_of_the_whole_vocabulary() -> None:
    files = sorted(path for path in HERE.parents[1].glob("*.md")) + sorted(HERE.glob("*.py"))
    texts = [file.read_text("utf-8") for file in files]
    some = fresh("o200k_base")
    for text in texts:
        ids = some.knowing(text, texts).encode_ordinary(text)
        assert ids == whole("o200k_base").encode_ordinary(text)
    assert len(some.encoding.token_byte_values()) < 20_000


def test_others_are_looked_up_along_with_a_new_text() -> None:
    some = fresh("o200k_base")
    first = some.knowing("One ferry.", ["Two harbours."])
    assert some.knowing("Two harbours.") is first
    assert first.encode_ordinary("Two harbours.") == whole("o200k_base").encode_ordinary("Two harbours.")


@pytest.mark.parametrize(
    "texts",
    [
        [f"{number} {word}" for number, word in enumerate(["one", "two", "three", "four", "five", "six"] * 2)],
        ["ferry " * 100_000],
        ["漢字仮名" * 300],
    ],
    ids=["many", "long", "without blanks"],
)
def test_where_much_comes_the_whole_vocabulary_is_taken(texts: list[str]) -> None:
    some = fresh("o200k_base")
    for text in texts:
        encoding = some.knowing(text)
        assert encoding.encode_ordinary(text) == whole("o200k_base").encode_ordinary(text)
    assert len(encoding.token_byte_values()) == len(tokens("o200k_base"))
    assert some.knowing("any other text") is some.complete() is encoding


def test_a_text_in_another_thread_keeps_its_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "_LOOKUPS", 1_000)
    some, wrong = fresh("cl100k_base"), list[str]()

    def encode(name: str) -> None:
        for number in range(10):
            text = f"{name} ferry {name * number} leaves"
            some.knowing(text)
            if some.encoding.encode_ordinary(text) != whole("cl100k_base").encode_ordinary(text):
                wrong.append(text)

    threads = [Thread(target=encode, args=(name,)) for name in ("harbour", "pier")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
