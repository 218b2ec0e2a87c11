"""Strict YAML: which scalars stay strings, what is refused, and where."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from promptlint import yamlfile
from promptlint.model.errors import ConfigError, RuleError
from promptlint.model.source import Position


@pytest.mark.parametrize(
    "text",
    ["on", "off", "yes", "no", "y", "2026-11-30", "1:30", "007", "0o17", "0x1f", "1_000", ".nan", ".", "-", "1.2.3"],
)
def test_scalars_that_stay_strings(text: str) -> None:
    assert yamlfile.load(f"key: {text}\n" if text != "-" else 'key: "-"', "x.yaml") == {"key": text}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("0", 0),
        ("-12", -12),
        ("+3", 3),
        ("1.5", 1.5),
        (".5", 0.5),
        ("2.", 2.0),
        ("1e3", 1000.0),
        ("'1'", "1"),
        ('"true"', "true"),
        ("|\n  on\n", "on\n"),
    ],
)
def test_scalars_with_a_type(text: str, value: object) -> None:
    loaded = yamlfile.load(f"key: {text}", "x.yaml")
    assert loaded == {"key": value}
    assert isinstance(loaded, dict)
    assert type(loaded["key"]) is type(value)


def test_nested_and_empty() -> None:
    text = "a:\n  - b: [1, {c: d}]\n  - ~\n300: 1.25\n"
    assert yamlfile.load(text, "x") == {"a": [{"b": [1, {"c": "d"}]}, None], 300: 1.25}
    assert yamlfile.load("", "x") is None
    assert yamlfile.load("# only a comment\n", "x") is None


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a: 1\nb: 2\n  \na: 3\n", 4, 1, "duplicate key 'a'"),
        ("a:\n  on: 1\n  on: 2\n", 3, 3, "duplicate key 'on'"),
        ("a: &x 1\n", 1, 4, "anchors"),
        ("a: 1\nb: *x\n", 2, 4, "anchors"),
        ("a: !!str 1\n", 1, 4, "tags"),
        ("a: !!python/object:os.system x\n", 1, 4, "tags"),
        ("? [a]\n: 1\n", 1, 3, "cannot be a key"),
        ("a: 1\n---\nb: 2\n", 2, 1, "second YAML document"),
        ("a: [1, 2\nb: 3\n", 2, 2, "not valid YAML"),
        ("a: 'x\n", 2, 1, "not valid YAML"),
        ("a:\n\tb: 1\n", 2, 1, "not valid YAML"),
        ("é: 1\nkey: \x00\n", 2, 6, "U+0000"),
        ("key: \ud800\n", 1, 6, "U+D800"),
        ("key: " + "9" * 5000, 1, 6, "digits"),
        ("[" * 200 + "]" * 200, 1, 101, "nested"),
    ],
)
def test_refused_with_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        yamlfile.load(text, "promptlint.yaml")
    assert (caught.value.name, caught.value.line, caught.value.column) == ("promptlint.yaml", line, column)
    assert message in caught.value.message


def test_the_caller_chooses_the_error() -> None:
    with pytest.raises(RuleError):
        yamlfile.load("a: 1\na: 2\n", "rule.yaml", RuleError)


def test_the_python_loader_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: [on, 1, 2.5, '3', {b: null}]\n"
    fast = yamlfile.load(text, "x")
    monkeypatch.setattr(yamlfile, "_LOADER", yaml.BaseLoader)
    assert yamlfile.load(text, "x") == fast
    with pytest.raises(ConfigError) as caught:
        yamlfile.load("a: 1\na: 2\n", "x")
    assert (caught.value.line, caught.value.column) == (2, 1)


def test_position_of() -> None:
    text = "a: 1\nb:\n  - c: x\n  - d: y\n300: z\n"
    assert yamlfile.position_of(text, ("a",)) == Position(1, 1)
    assert yamlfile.position_of(text, ("b", 1)) == Position(4, 5)
    assert yamlfile.position_of(text, ("b", 1, "d")) == Position(4, 5)
    assert yamlfile.position_of(text, (300,)) == Position(5, 1)
    assert yamlfile.position_of(text, ("b", 0, "missing")) == Position(3, 5)
    assert yamlfile.position_of(text, ("b", 7)) == Position(2, 1)
    assert yamlfile.position_of("", ("a",)) == Position(1, 1)


words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn", "Co", "Zl", "Zp"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner) | st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), inner),
    max_leaves=20,
)


@given(values)
def test_json_reads_the_same(value: object) -> None:
    assert yamlfile.load(json.dumps(value, ensure_ascii=False), "x.json") == value


@given(st.text())
def test_any_text_is_a_value_or_a_config_error(text: str) -> None:
    try:
        yamlfile.load(text, "x")
    except ConfigError as error:
        assert error.line is not None
        assert error.column is not None
