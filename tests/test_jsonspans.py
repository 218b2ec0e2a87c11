"""The JSON parser keeps spans, refuses what is no JSON with a place, and finds characters again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptlint import jsonspans
from promptlint.model.errors import InputError
from promptlint.model.source import Form, Location, Source, Span

SCALARS = st.none() | st.booleans() | st.integers() | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
)


def parse(text: str) -> jsonspans.Node:
    return jsonspans.parse(Source("request.json", text))


def every_node(node: jsonspans.Node) -> list[jsonspans.Node]:
    children = [*node.items, *(member[3] for member in node.members)]
    return [node, *(inner for child in children for inner in every_node(child))]


@given(VALUES, st.booleans(), st.sampled_from([None, 0, 2]))
def test_agrees_with_the_standard_library_on_values_spans_and_compact_form(
    value: object, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    root = parse(text)
    assert root.plain() == value
    assert jsonspans.dumps(root) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for node in every_node(root):
        assert json.loads(text[node.start : node.end]) == node.plain()
        for key, start, end, _ in node.members:
            assert json.loads(text[start:end]) == key


@given(st.text(alphabet='{}[]",:\\ntruefals0123.eE+-uN \n\ufeff', max_size=30))
@settings(max_examples=500)
def test_accepts_exactly_what_the_standard_library_accepts(text: str) -> None:
    def refuse(_: str) -> None:
        raise ValueError

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError
        return dict(pairs)

    try:
        expected = json.loads(text.removeprefix("\ufeff"), parse_constant=refuse, object_pairs_hook=unique)
    except ValueError:
        with pytest.raises(InputError):
            parse(text)
    else:
        assert parse(text).plain() == expected


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 1, 1, "expected a value, found the end of the text"),
        ('{"a": 1,\r\n "b": 2,\r\n}', 3, 1, "a comma stands before this }"),
        ('{"a": [1, 2}', 1, 12, "expected a comma or ] inside a list, found }"),
        ('{"a": 1 "b": 2}', 1, 9, "expected a comma or } inside an object"),
        ('{"a" 1}', 1, 6, "expected a colon after the key, found 1"),
        ("{'a': 1}", 1, 2, "expected a key in double quotes"),
        ("['a']", 1, 2, "double quotes"),
        ("[NaN]", 1, 2, "NaN is no JSON value"),
        ("[1, -Infinity]", 1, 5, "-Infinity is no JSON value"),
        ("[01]", 1, 2, "found 01"),
        ("[1] [2]", 1, 5, "has ended before this"),
        ('["one\ntwo"]', 1, 6, "control character"),
        (r'["a\q"]', 1, 4, "escape does not exist"),
        (r'["\u12"]', 1, 4, "four hexadecimal digits"),
        ('{"a": "b', 1, 7, "no closing quote"),
        ('{"a": {"b": 1', 1, 14, "the text ends inside an object; a } is missing"),
    ],
)
def test_broken_json_names_the_place_and_what_to_do(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert (caught.value.name, caught.value.line, caught.value.column) == ("request.json", line, column)
    assert words in caught.value.message


def test_a_key_twice_in_one_object_names_both_places() -> None:
    with pytest.raises(InputError) as caught:
        parse('{"a": {"x": 1},\n "b": 2,\n "a": 3}')
    assert (caught.value.line, caught.value.column) == (3, 2)
    assert "line 1, column 2" in caught.value.message
    assert parse('{"a": {"a": 1}, "b": {"a": 1}}').plain() == {"a": {"a": 1}, "b": {"a": 1}}


@pytest.mark.parametrize("text", ["[" * 100_000 + "]" * 100_000, '{"a":' * 100_000, "[" * 100_000])
def test_deep_nesting_is_an_input_error(text: str) -> None:
    with pytest.raises(InputError, match="nested deeper than 200 levels"):
        parse(text)


def test_nesting_up_to_the_limit_is_read_written_and_located() -> None:
    text = "[" * jsonspans.MAX_DEPTH + "7" + "]" * jsonspans.MAX_DEPTH
    assert jsonspans.dumps(parse(text)) == text
    location = Location(Source("deep.json", text), Span(0, len(text)), "x", Form.JSON_VALUE)
    assert jsonspans.locate(location, text, 200) == ("x" + "[0]" * 200, 0, 200)


def test_numbers_stay_as_written() -> None:
    raw = "[1.50,1E5,-0,0.10,123456789012345678901234567890]"
    assert jsonspans.dumps(parse(raw)) == raw
    assert parse("[" + "9" * 5_000 + "]").plain() == [float("inf")]


def test_a_byte_order_mark_is_accepted_and_counted() -> None:
    root = parse('\ufeff{"a": 1}')
    assert (root.start, root.plain()) == (1, {"a": 1})


def test_a_span_is_parsed_with_offsets_of_the_whole_source() -> None:
    source = Source("log.jsonl", '{"a": 1}\n{"b": "x"}\n')
    root = jsonspans.parse(source, Span(9, 19))
    node = root.get("b")
    assert node is not None and source.text[node.start : node.end] == '"x"'
    with pytest.raises(InputError) as caught:
        jsonspans.parse(Source("log.jsonl", '{"a": 1}\n{"b": }\n'), Span(9, 16))
    assert (caught.value.line, caught.value.column) == (2, 7)


def test_markers_are_left_out_where_they_are_markers_only() -> None:
    tool = {
        "name": "edit",
        "cache_control": {"type": "ephemeral"},
        "content": [{"text": "a", "cache_control": {"type": "ephemeral"}}],
        "input_schema": {"properties": {"cache_control": {"type": "object"}, "cachePoint": {"type": "string"}}},
        "function": {"cache_control": {"type": "ephemeral"}, "parameters": {"cache_control": 1}},
    }
    kept = {
        "name": "edit",
        "content": [{"text": "a"}],
        "input_schema": tool["input_schema"],
        "function": {"parameters": {"cache_control": 1}},
    }
    assert json.loads(jsonspans.dumps(parse(json.dumps(tool)), jsonspans.MARKERS)) == kept
    assert jsonspans.dumps(parse('{"cache_control":{}}'), jsonspans.MARKERS) == "{}"


def located(raw: str, needle: str, path: str = "tools[0]", form: Form = Form.JSON_VALUE) -> tuple[str, int, str]:
    """Path, offset in the value, and the source from there on, of the first place of `needle` in the compact form."""
    source = Source("request.json", raw)
    text = jsonspans.dumps(parse(raw), jsonspans.MARKERS)
    inner, value_char, offset = jsonspans.locate(
        Location(source, Span(0, len(raw)), path, form), text, text.index(needle)
    )
    return inner, value_char, raw[offset:]


def test_places_inside_a_value() -> None:
    raw = r"""{ "name" : "a\nb\u00e9\ud83d\ude00!", "cache_control": {"type": "ephemeral"},
      "input_schema": {"properties": {"odd key": {"enum": ["x", "y"], "maximum": 12.50}}, "required": [] } }"""
    assert located(raw, "name") == ("tools[0].name", 0, raw[3:])
    assert located(raw, "é") == ("tools[0].name", 3, raw[raw.index(r"\u00e9") :])
    assert located(raw, "😀") == ("tools[0].name", 4, raw[raw.index(r"\ud83d") :])
    assert located(raw, "!") == ("tools[0].name", 5, raw[raw.index("!") :])
    assert located(raw, 'y"]') == ('tools[0].input_schema.properties["odd key"].enum[1]', 0, raw[raw.index('y"]') :])
    assert located(raw, "50") == ('tools[0].input_schema.properties["odd key"].maximum', 3, raw[raw.index("50}") :])
    # The comma before a member belongs to it, also where a marker stood between the two.
    assert located(raw, ',"input') == ("tools[0].input_schema", 0, raw[raw.index(',\n      "input') :])
    assert located(raw, "[]") == ("tools[0].input_schema.required", 0, raw[raw.index("[]") :])
    assert located(raw, "]}}") == ("tools[0].input_schema.required", 0, raw[raw.index("] } }") :])


def test_a_place_in_the_callers_own_data_counts_what_looks_like_a_marker() -> None:
    raw = '{"cache_control": {"type": "ephemeral"}, "z": "here"}'
    text = jsonspans.dumps(parse(raw))
    location = Location(Source("r.json", raw), Span(0, len(raw)), "input", Form.JSON_VALUE)
    assert jsonspans.locate(location, text, text.index("here")) == ("input.z", 0, raw.index("here"))


def test_places_in_strings_members_plain_text_and_made_text() -> None:
    raw = r'{"a": "x\ty\u0041", "b" : [1, "two"]}'
    source = Source("r.json", raw)
    string = Location(source, Span(6, 19), "a", Form.JSON_STRING)
    assert [jsonspans.locate(string, "x\tyA", char)[2] for char in range(5)] == [7, 8, 10, 11, 17]
    member = Location(source, Span(20, 36), "b", Form.JSON_MEMBER)
    text = '"b":[1,"two"]'
    assert [jsonspans.locate(member, text, text.index(what))[::2] for what in ("b", ":", "1", "two")] == [
        ("b", raw.index('b"')),
        ("b", raw.index(" : ") + 1),
        ("b[0]", raw.index("1,")),
        ("b[1]", raw.index("two")),
    ]
    assert jsonspans.locate(Location(source, Span(3, 9), "", Form.PLAIN), "", 4) == ("", 4, 7)
    assert jsonspans.locate(Location(source, Span(3, 9), "p", Form.NONE), "", 4) == ("p", 4, 3)


def test_the_end_of_a_value_is_a_place() -> None:
    for raw in ('{"a":1}', "[]", '"ab"', "12", "true"):
        location = Location(Source("r.json", raw), Span(0, len(raw)), "v", Form.JSON_VALUE)
        path, _, offset = jsonspans.locate(location, raw, len(raw))
        assert path == "v" and len(raw) - 1 <= offset <= len(raw)


MARKED = st.recursive(
    SCALARS | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "cache_control", "input"]), inner, max_size=3)
    ),
)


@given(MARKED, st.booleans())
def test_what_was_parsed_before_has_the_same_compact_form(value: object, content: bool) -> None:
    omit = jsonspans.MARKERS if content else frozenset[str]()
    assert jsonspans.dumps(jsonspans.from_plain(value), omit) == jsonspans.dumps(parse(json.dumps(value)), omit)
