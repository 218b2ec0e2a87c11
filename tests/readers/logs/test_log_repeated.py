"""Lines with repeated long values: the parser gives what orjson gives, whatever the values hold."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.readers.logs import repeated
from promptlint.readers.logs.repeated import Parser

# Texts that look like JSON from inside and from outside of a string.
TEXTS = st.lists(st.sampled_from(['"', "\\", ",", ":", "[", "]", "{", "}", "1", "a", "é", "\n"]), max_size=12).map(
    "".join
)
TOOLS = st.lists(st.dictionaries(TEXTS, TEXTS | st.integers(0, 3), max_size=2), max_size=2)
RECORDS = st.fixed_dictionaries(
    {"request": st.fixed_dictionaries({"system": TEXTS, "tools": TOOLS, "messages": st.lists(TEXTS, max_size=2)})},
    optional={"time": st.integers(0, 99), "note": TEXTS},
)


def lines(record: Any) -> list[bytes]:
    return [orjson.dumps(record), json.dumps(record).encode(), json.dumps(record, ensure_ascii=False).encode()]


@given(st.lists(RECORDS, max_size=8), st.integers(0, 2), st.integers(1, 3))
def test_gives_what_the_whole_line_gives(records: list[Any], form: int, times: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repeated, "_LONG", 3)
        patch.setattr(repeated, "_HEAD", 2)
        parser = Parser()
        for record in records:
            for _ in range(times):
                line = lines(record)[form]
                assert json.dumps(parser.loads(line)) == json.dumps(orjson.loads(line))


def test_a_value_that_comes_again_is_one_object() -> None:
    parser = Parser()
    records = [{"n": number, "body": {"tools": [{"name": "x" * 3000}], "system": "y" * 5000}} for number in range(4)]
    made = [parser.loads(json.dumps(record).encode()) for record in records]
    assert made == records
    assert made[3]["body"]["system"] is made[2]["body"]["system"]
    assert made[3]["body"]["tools"] is made[2]["body"]["tools"]


def test_its_bytes_elsewhere_are_parsed_anew() -> None:
    parser = Parser()
    text = ":[" + "1," * 2000 + "1],"
    parser.loads(orjson.dumps({"a": text}))
    parser.loads(orjson.dumps({"a": text}))
    line = b'{"x' + orjson.dumps(text) + b'y":2}'  # the same bytes, and no value of them
    assert parser.loads(line) == orjson.loads(line)


def test_two_values_that_change_places_are_told_apart() -> None:
    parser = Parser()
    first, second = "1" * 3000, "2" * 3000
    for _ in range(2):
        parser.loads(orjson.dumps({"a": first, "b": second}))
    swapped = {"b": first, "a": second}
    assert parser.loads(orjson.dumps(swapped)) == swapped
