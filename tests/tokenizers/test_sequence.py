"""A rendering's ids: pieces one by one or joined, synthetic ids, and every token in exactly one slot."""

from __future__ import annotations

import os
import subprocess
import sys
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_vocabulary import HOSTILE, SIZE, write_tokenizer_json

from promptlint.model.errors import InputError
from promptlint.model.prompt import Component, Kind, Section
from promptlint.model.rendering import Piece, PieceKind, Rendering, Slot
from promptlint.model.source import Location, Source, Span
from promptlint.model.tokens import SYNTHETIC
from promptlint.tokenizers import Choice, Vocabulary, choose, load, tokenize
from promptlint.tokenizers.huggingface import HuggingFaceVocabulary
from promptlint.tokenizers.sequence import synthetic

EXACT = "gpt-4o"
WORDS = st.lists(
    st.sampled_from([*HOSTILE, "hello", " world", "'t", "<|im_end|>", "\ud83d", "\ude00"]), max_size=12
).map("".join)
PIECES = st.one_of(
    WORDS.map(lambda text: Piece(PieceKind.TEXT, text)),
    WORDS.map(lambda text: Piece(PieceKind.MARKER, text)),
    st.builds(Piece, st.just(PieceKind.OPAQUE), WORDS, st.just(-1), st.integers(0, 5)),
)
SLOTS = st.lists(st.lists(PIECES, max_size=4), max_size=6)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Choice:
    return choose("", str(write_tokenizer_json(tmp_path_factory.mktemp("sequence"))))


def rendering(slots: Iterable[Iterable[Piece]], *, joined: bool, exact: bool = True, reason: str = "") -> Rendering:
    source = Source("prompt.md", "")
    component = Component(Section.SYSTEM, Kind.TEXT, "", Location(source, Span(0, 0), "system"))
    return Rendering(tuple(Slot(component, tuple(pieces)) for pieces in slots), joined, exact, reason)


def texts(*slots: str) -> list[list[Piece]]:
    return [[Piece(PieceKind.TEXT, text)] for text in slots]


@given(SLOTS, st.booleans())
def test_every_token_is_in_one_slot(slots: list[list[Piece]], joined: bool) -> None:
    sequence = tokenize(rendering(slots, joined=joined), choose(EXACT))
    ends = sequence.slot_ends.tolist()
    assert len(ends) == len(slots)
    assert ends == sorted(ends)
    assert (ends[-1] if ends else 0) == len(sequence)


@given(SLOTS)
def test_apart_each_piece_is_encoded_on_its_own(slots: list[list[Piece]]) -> None:
    sequence = tokenize(rendering(slots, joined=False), choose(EXACT))
    expected: list[int] = []
    for pieces, end in zip(slots, sequence.slot_ends, strict=True):
        for piece in pieces:
            if piece.kind is PieceKind.TEXT:
                expected += load("o200k_base").encode(piece.text)
            else:
                expected += [synthetic(piece.text)] * (1 if piece.kind is PieceKind.MARKER else piece.tokens)
        assert end == len(expected)
    assert sequence.ids.tolist() == expected


@pytest.mark.parametrize("name", ["o200k_base", "small"])
def test_joined_text_is_encoded_as_a_whole(name: str, small: Choice) -> None:
    chosen = small if name == "small" else choose(EXACT)

    @given(st.lists(WORDS, min_size=1, max_size=8), st.booleans())
    def check(parts: list[str], specials: bool) -> None:
        sequence = tokenize(rendering(texts(*parts), joined=True), chosen, specials=specials)
        whole = "".join(parts)
        assert sequence.ids == chosen.tokenizer.encode(whole, specials=specials)
        assert sequence.slot_ends.tolist() == ends_by_hand(chosen.tokenizer, parts, sequence.ids)

    check()


def ends_by_hand(tokenizer: Vocabulary, parts: list[str], ids: array[int]) -> list[int]:
    whole = "".join(parts)
    begins = [tokenizer.char_end(whole, ids, count) for count in range(len(ids))]
    stops = [sum(map(len, parts[: index + 1])) for index in range(len(parts))]
    return [sum(1 for begin in begins if begin < stop) for stop in stops]


def test_a_token_over_a_border_belongs_to_the_slot_where_it_begins() -> None:
    sequence = tokenize(rendering(texts("hel", "lo", "", " world"), joined=True), choose(EXACT))
    assert sequence.ids == array("I", [24912, 2375])
    assert sequence.slot_ends.tolist() == [1, 1, 1, 2]


def test_joined_text_around_an_opaque_piece() -> None:
    image = Piece(PieceKind.OPAQUE, "sha256:00", tokens=3)
    slots = [*texts("hello"), [image], *texts(" wor", "ld")]
    sequence = tokenize(rendering(slots, joined=True), choose(EXACT))
    assert sequence.ids.tolist() == [24912, *[synthetic("sha256:00")] * 3, 2375]
    assert sequence.slot_ends.tolist() == [1, 4, 5, 5]


def test_special_tokens_of_a_chat_template(small: Choice) -> None:
    slots = texts("<|im_start|>", "hi", "<|im_end|>")
    template = tokenize(rendering(slots, joined=True), small, specials=True)
    assert (template.ids[0], template.ids[-1]) == (SIZE, SIZE + 1)
    assert template.slot_ends.tolist() == [1, len(template) - 1, len(template)]
    assert max(tokenize(rendering(slots, joined=True), small).ids) < SIZE


def test_synthetic_ids_are_the_same_in_every_process() -> None:
    assert synthetic("<|start|>") != synthetic("<|end|>")
    assert SYNTHETIC <= synthetic("\ud800") < 2**32
    script = "from promptlint.tokenizers.sequence import synthetic; print(synthetic('<|start|>'))"
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
        )
        assert int(done.stdout) == synthetic("<|start|>") == 4062515590


@pytest.mark.parametrize(
    ("model", "exact", "reason", "expected"),
    [
        ("gpt-4o", True, "", (True, "")),
        ("gpt-4o", False, "the layout is not public", (False, "the layout is not public")),
        ("gpt-6", True, "", (False, choose("gpt-6").reason)),
        ("gpt-6", False, "no layout", (False, "no layout; " + choose("gpt-6").reason)),
        ("gpt-4o", False, "", (False, "")),
    ],
)
def test_exact_and_reason(model: str, exact: bool, reason: str, expected: tuple[bool, str]) -> None:
    sequence = tokenize(rendering(texts("a"), joined=False, exact=exact, reason=reason), choose(model))
    assert (sequence.exact, sequence.reason) == expected
    assert sequence.vocabulary == "o200k_base"


def test_identical_texts_are_encoded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = load(str(write_tokenizer_json(tmp_path)))
    assert isinstance(tokenizer, HuggingFaceVocabulary)
    calls: list[str] = []
    make = tokenizer._memory._make

    def remember(text: str, specials: bool) -> Any:
        calls.append(text)
        return make(text, specials)

    monkeypatch.setattr(tokenizer._memory, "_make", remember)
    for _ in range(2):
        tokenize(rendering(texts("same", "other", "same"), joined=False), Choice(tokenizer, True, ""))
    assert calls == ["same", "other"]


@pytest.mark.parametrize("joined", [False, True])
def test_a_text_that_cannot_be_encoded_is_named_with_its_place(joined: bool) -> None:
    source = Source("prompt.md", "first\nsecond")
    component = Component(Section.SYSTEM, Kind.TEXT, "", Location(source, Span(8, 12), "system"))
    slots = (Slot(component, (Piece(PieceKind.TEXT, "x" + " " * 900_000),)),)
    with pytest.raises(InputError, match=r"^prompt\.md:2:3: 900,000 or more whitespace characters"):
        tokenize(Rendering(slots, joined, True), choose(EXACT))
