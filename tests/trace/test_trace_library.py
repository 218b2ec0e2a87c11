"""Texts cut into chunks have the ids of the whole text, and an edit leaves most chunks as they were."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.tokenizers import load
from promptlint.trace import library as module
from promptlint.trace.library import Library

PARTS = [
    "a",
    "B7",
    ". ",
    ".",
    " ",
    "  ",
    "\n",
    "\n\n",
    "\r\n",
    "\r\n\r\n",
    "/x",
    "don't",
    "'s",
    "漢字",
    "é",
    "\u00a0",
    "\t",
    "<|end|>",
    "12",
]


@given(st.lists(st.sampled_from(PARTS), max_size=80).map("".join), st.booleans())
@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_ids_are_those_of_the_whole(name: str, text: str, specials: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for limit, value in (("_LEAST", 3), ("_MOST", 9), ("_LONG", 18)):
            patch.setattr(module, limit, value)
        library, vocabulary = Library(), load(name)
        chunks = library.encoded(text, vocabulary, specials=specials)
        library.settle()
        assert library.flat(chunks) == vocabulary.encode(text, specials=specials)
        assert "".join(library.texts[chunk] for chunk in chunks) == text


def test_an_edit_changes_few_chunks() -> None:
    chance = random.Random(3)
    words = ["harbour", "of", "the", "ferry", "calls", "before", "noon", "and", "waits"]
    sentences = [" ".join(chance.choices(words, k=chance.randint(4, 15))).capitalize() + ". " for _ in range(1_500)]
    for joined in ("".join(sentences), "\n\n".join(sentences), "\n".join(sentences)):
        library, vocabulary = Library(), load("o200k_base")
        before = set(library.encoded(f"It is 12:04. {joined}", vocabulary))
        after = library.encoded(f"It is 9:15 in the morning. {joined}", vocabulary)
        assert len(after) > 20
        assert len(set(after) - before) <= 8


def test_content_is_held_once() -> None:
    library, vocabulary = Library(), load("o200k_base")
    text = "The ferry calls at noon and waits for nobody. " * 400
    first = library.encoded(text, vocabulary)
    library.settle()
    held = library.tokens
    assert library.encoded(text, vocabulary) == first
    assert library.tokens == held <= library.length(first)
