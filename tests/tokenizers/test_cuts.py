"""The rule of safe cuts: whatever stands around a cut, both halves encode to the ids of the whole."""

from __future__ import annotations

import re
from array import array
from itertools import pairwise, product

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from small_vocabulary import HOSTILE, twin, whole

from promptlint.tokenizers import cuts, load

FRAGMENTS = [
    *HOSTILE,
    "'s",
    "'LL",
    "don't",
    "\r\n",
    "\n\n",
    " \n",
    "\n/",
    "//",
    ";\n",
    "<|endoftext|>",
    "<|end",
    "|>",
    "abc",
    "12345",
]
TEXTS = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.characters(exclude_categories=["Cs"])), max_size=40).map(
    "".join
)


def all_cuts(text: str, *, specials: bool = False) -> list[int]:
    found = []
    at = cuts.next_cut(text, 0, specials=specials)
    while at is not None:
        found.append(at)
        at = cuts.next_cut(text, at + 1, specials=specials)
    return found


def encoding(name: str) -> tiktoken.Encoding:
    return twin() if name == "small" else whole(name)


@settings(max_examples=400)
@given(TEXTS, st.sampled_from(["cl100k_base", "o200k_base", "small"]))
def test_halves_encode_as_the_whole(text: str, name: str) -> None:
    encode = encoding(name).encode_ordinary
    whole = encode(text)
    for cut in all_cuts(text):
        assert encode(text[:cut]) + encode(text[cut:]) == whole, (text[:cut], text[cut:])


@settings(max_examples=400)
@given(TEXTS, st.sampled_from(["cl100k_base", "o200k_base", "o200k_harmony"]))
def test_halves_encode_as_the_whole_with_special_tokens(text: str, name: str) -> None:
    def encode(part: str) -> list[int]:
        return encoding(name).encode(part, allowed_special="all")

    whole = encode(text)
    for cut in all_cuts(text, specials=True):
        assert encode(text[:cut]) + encode(text[cut:]) == whole, (text[:cut], text[cut:])


def test_every_short_text_of_the_character_classes() -> None:
    """All texts of four characters over the classes that the patterns tell apart."""
    encode = encoding("o200k_base").encode_ordinary
    for letters in product("aA1 \n\r/;'ſ漢\u0301\u00a0", repeat=4):
        text = "".join(letters)
        cut = cuts.next_cut(text, 2)
        if cut == 2:
            assert encode(text[:2]) + encode(text[2:]) == encode(text), text


@pytest.mark.parametrize(
    ("left", "right"),
    [("I don", "'t"), ("a \n", "  \nb"), (";\n", "/x"), ("漢ABC", "d"), ("a ", " b"), (" ", "b"), ("\u001c", "\u0301")],
)
def test_where_cuts_are_not_safe(left: str, right: str) -> None:
    assert len(left) not in all_cuts(left + right)


def test_a_special_token_is_not_cut() -> None:
    assert all_cuts("<|end|>")
    assert not all_cuts("<|end|>", specials=True)


def test_rule_character_by_character() -> None:
    """The rule as its docstring states it, in plain code."""
    punctuation = (
        set(map(chr, range(33, 127))) - set("'") - set(map(chr, filter(lambda c: chr(c).isalnum(), range(127))))
    )

    def safe(left: str, right: str) -> bool:
        word = re.fullmatch("[A-Za-z0-9]", left) is not None
        u = word and (
            right in " \t\r\n"
            or right in punctuation
            or ((left + right).isascii() and (left + right).isalnum() and left.isdigit() != right.isdigit())
        )
        s1 = (right in " \t" and not left.isspace()) or (right in "\r\n" and word)
        s2 = left in "\r\n" and not right.isspace() and right != "/"
        return u or s1 or s2

    signs = [*map(chr, range(128)), *"\u0085\u00a0\u3000é漢\u0301٣"]
    for left, right in product(signs, repeat=2):
        assert (cuts.next_cut(left + right, 1) == 1) == safe(left, right), (left, right)


@given(TEXTS, st.integers(1, 9))
def test_chunks_are_the_text(text: str, size: int) -> None:
    starts = list(cuts.chunk_starts(text, size))
    assert starts[0] == 0
    assert all(start in all_cuts(text) and start - before >= size for before, start in pairwise(starts))
    ids = [id_ for a, b in pairwise([*starts, len(text)]) for id_ in load("o200k_base").encode(text[a:b])]
    assert array("I", ids) == load("o200k_base").encode(text)


@given(TEXTS)
def test_parts_are_what_stands_between_all_cuts(text: str) -> None:
    assert cuts.parts(text) - {""} == {text[a:b] for a, b in pairwise([0, *all_cuts(text), len(text)])} - {""}
