"""What must hold of every prompt that a reader returns."""

from __future__ import annotations

import json
import re

from promptlint import jsonspans
from promptlint.model.prompt import Component, Prompt
from promptlint.model.source import Form, Location, Source

_STEP = re.compile(r'\.?([A-Za-z_][A-Za-z0-9_]*)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]')
DATA = frozenset({"input", "input_schema", "inputSchema", "parameters", "arguments", "args", "json"})
_PAIR = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|[^\\]", re.DOTALL)


def resolve(body: object, path: str) -> object:
    """The value at a field path, by walking the parsed body."""
    position = 0
    while position < len(path):
        step = _STEP.match(path, position)
        assert step, f"no path: {path!r} at {position}"
        position = step.end()
        name, index, quoted = step.groups()
        if index is not None:
            assert isinstance(body, list)
            body = body[int(index)]
        else:
            assert isinstance(body, dict)
            body = body[name if name is not None else re.sub(r"\\(.)", r"\1", quoted)]
    return body


def sliced(location: Location) -> str:
    return location.source.text[location.span.start : location.span.end]


def compact(raw: str) -> str:
    """Compact JSON by the standard library; for values without fractions and exponents."""
    return json.dumps(json.loads(raw), ensure_ascii=False, separators=(",", ":"))


def without_markers(value: object) -> object:
    if isinstance(value, dict):
        kept = {key: inner for key, inner in value.items() if key not in jsonspans.MARKERS}
        return {key: inner if key in DATA else without_markers(inner) for key, inner in kept.items()}
    return [without_markers(inner) for inner in value] if isinstance(value, list) else value


def decoded_at(source: Source, offset: int) -> str:
    """The decoded character that stands at an offset of a JSON file."""
    unit = _PAIR.match(source.text, offset)
    assert unit
    return str(json.loads(f'"{unit.group()}"')) if unit.group().startswith("\\") else unit.group()


def check_component(component: Component, body: object) -> None:
    location = component.location
    if location.form is Form.PLAIN:
        assert sliced(location) == component.text
    elif location.form is Form.JSON_STRING:
        assert json.loads(sliced(location)) == component.text
        assert resolve(body, location.path) == component.text
    elif location.form is Form.JSON_VALUE:
        value = resolve(body, location.path)
        assert json.loads(component.text) in (value, without_markers(value))
        assert json.loads(sliced(location)) == resolve(body, location.path)
    elif location.form is Form.JSON_MEMBER:
        [(key, value)] = json.loads("{" + component.text + "}").items()
        assert value in (resolve(body, location.path), without_markers(resolve(body, location.path)))
        assert location.path.endswith((key, f'"{key}"]')) or "\\" in location.path
        assert json.loads("{" + sliced(location) + "}") == {key: resolve(body, location.path)}
    else:
        assert component.opaque or component.kind.value == "role"


def check_characters(component: Component, body: object) -> None:
    """Characters of the text (all of a short one) lead to their place in the file and the field that holds them."""
    text, location = component.text, component.location
    source = location.source
    if location.form is Form.NONE:
        return
    previous = location.span.start
    for char in range(0, len(text), 1 + len(text) // 60):
        path, value_char, offset = jsonspans.locate(location, text, char)
        assert location.span.start <= offset < location.span.end
        assert offset >= previous  # later characters never stand earlier
        previous = offset
        if location.form is Form.PLAIN:
            assert source.text[offset] == text[char]
        elif location.form is Form.JSON_STRING:
            assert path == location.path and value_char == char
            assert decoded_at(source, offset) == text[char]
        elif "\\" not in text and "\\" not in sliced(location):
            assert source.text[offset] == text[char], (text[:char], path)
        value = resolve(body, path) if location.form is not Form.PLAIN else None
        if isinstance(value, str) and 0 < value_char < len(value):
            assert decoded_at(source, offset) == value[value_char]
    assert jsonspans.locate(location, text, len(text))[2] <= location.span.end


def check(prompt: Prompt) -> None:
    body = prompt.request
    for component in prompt.components:
        assert component.location.source is prompt.source
        check_component(component, body)
        check_characters(component, body)
    for setting in prompt.settings:
        assert json.loads(setting.value) == resolve(body, setting.path)


def child(path: str, key: str) -> str:
    """The path of a member, written down independently of the package."""
    if re.fullmatch(r"[A-Za-z_]\w*", key, re.ASCII):
        return f"{path}.{key}" if path else key
    escaped = re.sub(r'(["\\])', r"\\\1", key)
    return f'{path}["{escaped}"]'
