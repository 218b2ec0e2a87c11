"""Chunked encoding gives the ids of a whole encode, for a first text and for each later version of it."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_vocabulary import HOSTILE, twin

from promptlint.model.common import shared_ends
from promptlint.tokenizers import incremental, load
from promptlint.tokenizers.incremental import Incremental

WORDS = st.sampled_from(["word ", "12,345", "don't", "\n", "\r\n", "\n\n  x", "/", ";\n/", "<|im_end|>", *HOSTILE])
TEXTS = st.lists(WORDS, max_size=30).map("".join)


def plain(text: str, specials: bool) -> array[int]:
    return array("I", twin().encode(text, allowed_special="all") if specials else twin().encode_ordinary(text))


@pytest.fixture(autouse=True, scope="module")
def small_chunks() -> object:
    patch = pytest.MonkeyPatch()
    patch.setattr(incremental, "CHUNK", 5)
    yield
    patch.undo()


@settings(max_examples=300)
@given(TEXTS, st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), TEXTS, st.booleans()), max_size=6))
def test_every_version_equals_a_whole_encode(text: str, edits: list[tuple[float, int, str, bool]]) -> None:
    encoder = Incremental(plain)
    assert encoder.encode(text, False) == plain(text, False)
    for place, removed, inserted, specials in edits:
        at = int(place * len(text))
        text = text[:at] + inserted + text[at + removed :]
        assert encoder.encode(text, specials) == plain(text, specials)


def test_a_new_version_encodes_only_what_changed() -> None:
    encoded: list[str] = []

    def remember(text: str, specials: bool) -> array[int]:
        encoded.append(text)
        return plain(text, specials)

    encoder = Incremental(remember)
    text = "".join(f"sentence {i} stands here. " for i in range(1_000))
    encoder.encode(text, False)
    assert "".join(encoded) == text
    encoded.clear()
    encoder.encode(text.replace("sentence 500 ", "paragraph 500 "), False)
    assert 0 < sum(map(len, encoded)) < 100


def test_an_old_cut_at_the_change_itself_is_not_taken() -> None:
    vocabulary = load("o200k_base")
    encoder = Incremental(lambda text, specials: vocabulary.encode(text))
    encoder.encode('abcd don"t xyz', False)  # a chunk begins at the quotation mark
    assert encoder.encode("abcd don't xyz", False) == vocabulary.encode("abcd don't xyz")


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_shared_ends(one: str, other: str, head: str, tail: str) -> None:
    first, second = head + one + tail, head + other + tail
    begin, end = shared_ends(first, second)
    assert begin >= len(head)
    assert begin + end <= min(len(first), len(second))
    assert first[:begin] == second[:begin]
    assert first[len(first) - end :] == second[len(second) - end :]
    assert first[begin : begin + 1] != second[begin : begin + 1] or begin in (len(first), len(second))
