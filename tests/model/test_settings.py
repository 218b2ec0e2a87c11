"""Settings by path: as a whole, in parts, below another one, or not at all."""

from __future__ import annotations

import pytest

from promptlint.model.policy import Invalidator
from promptlint.model.prompt import Setting
from promptlint.model.settings import key_value, value_of
from promptlint.model.source import Location, Source, Span

HERE = Location(Source("x", ""), Span(0, 0), "")


def settings(*pairs: tuple[str, str]) -> list[Setting]:
    return [Setting(path, value, HERE) for path, value in pairs]


@pytest.mark.parametrize(
    ("given", "path", "value"),
    [
        ([("a", "1")], "a", "1"),
        ([("a", "null")], "a", None),
        ([], "a", None),
        ([("a", '{"c":1,"b":{"e":1,"d":2}}')], "a", '{"b":{"d":2,"e":1},"c":1}'),
        ([("a.b", "1"), ("a.c", "2"), ("ab", "3")], "a", "a.b=1;a.c=2"),
        ([("a", '{"b":{"c":"x"}}')], "a.b.c", '"x"'),
        ([("a", '{"b":{"c":null}}')], "a.b.c", None),
        ([("a", '{"b":7}')], "a.b.c", None),
        ([("a", "[1]")], "a.b", None),
    ],
)
def test_value(given: list[tuple[str, str]], path: str, value: str | None) -> None:
    assert value_of(settings(*given), path) == value
    assert value_of(settings(*given), path, "d") == ("d" if value is None else value)


def test_the_order_of_keys_counts_where_the_text_is_in_the_prompt() -> None:
    given = settings(("a", '{"c":1,"b":2}'))
    assert value_of(given, "a", ordered=True) == '{"c":1,"b":2}'
    assert key_value(given, Invalidator("a", None, ordered=True)) == '{"c":1,"b":2}'
    assert key_value(given, Invalidator("a", None)) == '{"b":2,"c":1}'


def test_a_default_adds_nothing_to_the_key() -> None:
    invalidator = Invalidator("a", None, default='{"type":"auto"}')
    assert key_value(settings(("a", '{"type":"auto"}')), invalidator) is None
    assert key_value(settings(), invalidator) is None
    assert key_value(settings(("a", '{"type":"any"}')), invalidator) == '{"type":"any"}'
