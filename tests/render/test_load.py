from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptlint.model.errors import InputError
from promptlint.render import has_chat_template, load_chat_template


def write(directory: Path, **files: object) -> str:
    for stem, value in files.items():
        name = {"jinja": "chat_template.jinja", "specials": "special_tokens_map.json"}.get(stem, f"{stem}.json")
        (directory / name).write_text(value if isinstance(value, str) else json.dumps(value))
    return str(directory)


def test_the_configuration_holds_the_template_and_the_special_tokens(tmp_path: Path) -> None:
    config = {"chat_template": "T", "bos_token": {"content": "<s>"}, "pad_token": None, "add_bos_token": True}
    template = load_chat_template(write(tmp_path, tokenizer_config=config, specials={"eos_token": "</s>"}))
    assert template.source(tools=False) == "T"
    assert dict(template.specials) == {"bos_token": "<s>", "eos_token": "</s>"}
    assert template.name == str(tmp_path / "tokenizer_config.json")


def test_the_configuration_wins_over_the_map_of_special_tokens(tmp_path: Path) -> None:
    path = write(tmp_path, jinja="T", tokenizer_config={"eos_token": "a"}, specials={"eos_token": {"content": "b"}})
    assert dict(load_chat_template(path).specials) == {"eos_token": "a"}


def test_a_template_file_in_the_directory_goes_first(tmp_path: Path) -> None:
    path = write(tmp_path, jinja="A", chat_template={"chat_template": "B"}, tokenizer_config={"chat_template": "C"})
    assert load_chat_template(path).source(tools=False) == "A"


def test_named_templates_are_chosen_by_whether_there_are_tools(tmp_path: Path) -> None:
    named = [{"name": "default", "template": "D"}, {"name": "tool_use", "template": "U"}]
    template = load_chat_template(write(tmp_path, tokenizer_config={"chat_template": named}))
    assert template.source(tools=True) == "U"
    assert template.source(tools=False) == "D"


def test_a_request_that_no_named_template_fits(tmp_path: Path) -> None:
    path = write(tmp_path, tokenizer_config={"chat_template": [{"name": "rag", "template": "R"}]})
    with pytest.raises(InputError, match=r"no chat template is called 'default' \(there are: rag\)"):
        load_chat_template(path).source(tools=True)


def test_a_single_file_takes_special_tokens_from_beside_it_or_from_the_tokenizer(tmp_path: Path) -> None:
    write(tmp_path, tokenizer_config={"bos_token": "near"})
    (tmp_path / "own.j2").write_text("T")
    other = tmp_path / "tokenizer"
    other.mkdir()
    write(other, tokenizer_config={"bos_token": "far"})
    assert dict(load_chat_template(str(tmp_path / "own.j2")).specials) == {"bos_token": "near"}
    assert dict(load_chat_template(str(tmp_path / "own.j2"), str(other)).specials) == {"bos_token": "far"}
    assert dict(load_chat_template(str(tmp_path / "own.j2"), str(other / "tokenizer.json")).specials) == {
        "bos_token": "far"
    }


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("tokenizer_config.json", b'{"a":\n 1,}', "tokenizer_config.json:2:4: no valid JSON"),
        ("tokenizer_config.json", b"[]", "tokenizer_config.json: a JSON object is expected"),
        ("tokenizer_config.json", b"{}", "no chat template: neither chat_template.jinja nor"),
        ("tokenizer_config.json", b'{"chat_template": 3}', "must be a string or a list"),
        ("chat_template.jinja", b"a\nb\xff", "chat_template.jinja:2:2: invalid UTF-8"),
        ("chat_template.jinja", b"a" * 200_001, "more than 200,000 characters"),
        ("tokenizer_config.json", b'{"chat_template": ' + b"[" * 200_000, "no valid JSON"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError) as caught:
        load_chat_template(str(tmp_path))
    assert message in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or directory"):
        load_chat_template(str(tmp_path / "none"))


def test_a_directory_tells_whether_it_holds_a_template(tmp_path: Path) -> None:
    assert not has_chat_template(str(tmp_path))
    write(tmp_path, tokenizer_config={"bos_token": "<s>"})
    assert not has_chat_template(str(tmp_path))
    write(tmp_path, tokenizer_config={"chat_template": "T"})
    assert has_chat_template(str(tmp_path))
