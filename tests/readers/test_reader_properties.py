"""Generated requests of every format: each component slices to its text, each character is found, nothing is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
import reader_checks
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from promptlint import readers
from promptlint.model.errors import InputError, Problems
from promptlint.model.source import Source

Json = dict[str, Any]
WORDS = st.text(alphabet=st.sampled_from('ab \n\r\t"\\/é\u2028😀\u0001名'), max_size=12)
NAMES = st.text(alphabet="abc_", min_size=1, max_size=6)
DATA = st.dictionaries(WORDS, WORDS | st.integers() | st.lists(WORDS, max_size=2) | st.none(), max_size=3)
EXTRA = st.dictionaries(st.sampled_from(["zz_new", "zz odd", "zz-more"]), WORDS | DATA, max_size=2)
MARK = st.sampled_from(
    [{}, {"cache_control": {"type": "ephemeral"}}, {"cache_control": {"type": "ephemeral", "ttl": "1h"}}]
)
PNG = "iVBORw0KGgoAAAANSUhEUgAAABgAAAAYCAIAAABvFaqv"


@st.composite
def merged(draw: st.DrawFn, *parts: st.SearchStrategy[Json]) -> Json:
    """One object of several, its keys in any order."""
    pairs = [pair for part in parts for pair in draw(part).items()]
    return dict(draw(st.permutations(pairs)))


def fixed(**fields: st.SearchStrategy[object] | object) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries(
        {key: value if isinstance(value, st.SearchStrategy) else st.just(value) for key, value in fields.items()}
    )


def listed(*kinds: st.SearchStrategy[Json]) -> st.SearchStrategy[list[Json]]:
    return st.lists(st.one_of(*kinds), max_size=3)


SCHEMA = fixed(type="object", properties=st.dictionaries(NAMES, DATA, max_size=2))
TOOL = merged(fixed(name=NAMES, description=WORDS, input_schema=SCHEMA), EXTRA, MARK)
A_TEXT = merged(fixed(type="text", text=WORDS), EXTRA, MARK)
A_IMAGE = merged(fixed(type="image", source=fixed(type="base64", media_type="image/png", data=PNG)), MARK)
A_BLOCKS = listed(
    A_TEXT,
    A_IMAGE,
    merged(fixed(type="tool_use", id=NAMES, name=NAMES, input=DATA), EXTRA, MARK),
    merged(fixed(type="tool_result", tool_use_id=NAMES, content=WORDS | listed(A_TEXT, A_IMAGE)), EXTRA, MARK),
    merged(fixed(type="thinking", thinking=WORDS, signature=NAMES), EXTRA),
    merged(fixed(type="document", title=WORDS, source=fixed(type="text", media_type="text/plain", data=WORDS)), MARK),
    merged(fixed(type="brand_new", body=DATA), EXTRA),
)
ANTHROPIC = merged(
    fixed(
        model="claude-sonnet-4-5",
        max_tokens=1,
        tools=listed(TOOL),
        system=WORDS | listed(A_TEXT),
        messages=listed(merged(fixed(role=st.sampled_from(["user", "assistant"]), content=WORDS | A_BLOCKS), EXTRA)),
    ),
    EXTRA,
)

C_TEXT = merged(fixed(type="text", text=WORDS), EXTRA, MARK)
C_IMAGE = merged(fixed(type="image_url", image_url=fixed(url=f"data:image/png;base64,{PNG}", detail=NAMES)), EXTRA)
C_CALL = merged(fixed(id=NAMES, type="function", function=fixed(name=NAMES, arguments=WORDS | DATA)), EXTRA)
CHAT = merged(
    fixed(
        model="gpt-5.1",
        tools=listed(fixed(type="function", function=merged(fixed(name=NAMES, parameters=SCHEMA), EXTRA))),
        messages=listed(
            merged(fixed(role=st.sampled_from(["system", "developer"]), content=WORDS | listed(C_TEXT)), EXTRA),
            merged(fixed(role="user", content=WORDS | listed(C_TEXT, C_IMAGE)), EXTRA),
            merged(
                fixed(role="assistant", content=WORDS | st.none(), reasoning_content=WORDS, tool_calls=listed(C_CALL)),
                EXTRA,
            ),
            merged(fixed(role="tool", tool_call_id=NAMES, content=WORDS | listed(C_TEXT)), EXTRA),
        ),
        response_format=DATA,
    ),
    EXTRA,
)

RESPONSES = merged(
    fixed(
        model="gpt-5.1",
        instructions=WORDS,
        tools=listed(merged(fixed(type="function", name=NAMES, parameters=SCHEMA), EXTRA)),
        input=WORDS
        | listed(
            merged(
                fixed(type="message", role="user", content=WORDS | listed(fixed(type="input_text", text=WORDS))), EXTRA
            ),
            merged(fixed(type="function_call", call_id=NAMES, name=NAMES, arguments=WORDS), EXTRA),
            merged(fixed(type="function_call_output", call_id=NAMES, output=WORDS), EXTRA),
            merged(fixed(type="reasoning", summary=listed(fixed(type="summary_text", text=WORDS))), EXTRA),
            merged(fixed(type="brand_new", body=DATA), EXTRA),
        ),
        reasoning=fixed(effort=NAMES),
    ),
    EXTRA,
)

G_PART = st.one_of(
    merged(fixed(text=WORDS, thought=st.booleans()), EXTRA),
    merged(fixed(functionCall=merged(fixed(name=NAMES, args=DATA), EXTRA)), EXTRA),
    merged(fixed(functionResponse=merged(fixed(name=NAMES, response=DATA), EXTRA)), EXTRA),
    fixed(inlineData=fixed(mimeType="image/png", data=PNG)),
)
GEMINI = merged(
    fixed(
        systemInstruction=fixed(parts=listed(fixed(text=WORDS))),
        tools=listed(
            fixed(functionDeclarations=listed(merged(fixed(name=NAMES, parameters=SCHEMA), EXTRA)), googleSearch=DATA)
        ),
        contents=listed(
            merged(fixed(role=st.sampled_from(["user", "model"]), parts=st.lists(G_PART, max_size=3)), EXTRA)
        ),
        generationConfig=DATA,
    ),
    EXTRA,
)

B_POINT = fixed(cachePoint=fixed(type="default", ttl="1h"))
B_BLOCKS = listed(
    merged(fixed(text=WORDS), EXTRA),
    fixed(toolUse=merged(fixed(toolUseId=NAMES, name=NAMES, input=DATA), EXTRA)),
    fixed(toolResult=merged(fixed(toolUseId=NAMES, content=listed(fixed(text=WORDS), fixed(json=DATA))), EXTRA)),
    fixed(image=fixed(format="png", source=fixed(bytes=PNG))),
    fixed(reasoningContent=fixed(reasoningText=fixed(text=WORDS, signature=NAMES))),
    B_POINT,
)
BEDROCK = merged(
    fixed(
        modelId="anthropic.claude-sonnet-4-5-20250929-v1:0",
        system=listed(fixed(text=WORDS), B_POINT),
        toolConfig=fixed(tools=listed(fixed(toolSpec=fixed(name=NAMES, inputSchema=fixed(json=SCHEMA))), B_POINT)),
        messages=listed(merged(fixed(role=st.sampled_from(["user", "assistant"]), content=B_BLOCKS), EXTRA)),
        inferenceConfig=DATA,
    ),
    EXTRA,
)
BODIES = {
    "anthropic": ANTHROPIC,
    "openai-chat": CHAT,
    "openai-responses": RESPONSES,
    "gemini": GEMINI,
    "bedrock": BEDROCK,
}


@pytest.mark.parametrize("wire", BODIES)
@given(data=st.data(), ascii_only=st.booleans(), indent=st.sampled_from([None, 2]), crlf=st.booleans())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_components_slice_to_their_text_and_characters_are_found(
    wire: str, data: st.DataObject, ascii_only: bool, indent: int | None, crlf: bool
) -> None:
    body = data.draw(BODIES[wire])
    text = json.dumps(body, ensure_ascii=ascii_only, indent=indent)
    prompt = readers.read(Source("request.json", text.replace("\n", "\r\n") if crlf else text), wire=wire)
    assert prompt.request == body
    assert prompt.key_order == tuple(body)
    reader_checks.check(prompt)


def leaves(value: object, path: str = "") -> list[str]:
    """Paths of all strings, numbers and words in a body, down to where a cache marker or a null stands."""
    if isinstance(value, dict):
        inner = {key: item for key, item in value.items() if key not in ("cache_control", "cachePoint")}
        return [leaf for key, item in inner.items() for leaf in leaves(item, reader_checks.child(path, key))]
    if isinstance(value, list):
        return [leaf for index, item in enumerate(value) for leaf in leaves(item, f"{path}[{index}]")]
    return [] if value is None else [path]


# What the readers leave out: the kind of a block, the form of what is kept as an opaque component, its media type.
STRUCTURE = ("type", "signature", "media_type", "mimeType", "format", "thought")


@pytest.mark.parametrize("wire", BODIES)
@given(data=st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_field_is_lost(wire: str, data: st.DataObject) -> None:
    body = data.draw(BODIES[wire])
    prompt = readers.read(Source("request.json", json.dumps(body)), wire=wire)
    kept = [part.location.path for part in prompt.components] + [setting.path for setting in prompt.settings]
    for leaf in leaves(body):
        covered = any(leaf == path or leaf.startswith((f"{path}.", f"{path}[")) for path in kept)
        assert covered or leaf.endswith(STRUCTURE), leaf


ODD: list[Any] = [None, 7, "x", [], {}, [7], {"type": "text"}, {"type": 7}, ["x"], True]


def replaced(value: Any, path: list[Any], new: Any) -> Any:
    if not path:
        return new
    if isinstance(value, dict):
        return {key: replaced(item, path[1:], new) if key == path[0] else item for key, item in value.items()}
    return [replaced(item, path[1:], new) if index == path[0] else item for index, item in enumerate(value)]


def steps(value: Any) -> list[list[Any]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [[], *([key, *rest] for key, item in pairs for rest in steps(item))]


@pytest.mark.parametrize("wire", BODIES)
@given(data=st.data(), new=st.sampled_from(ODD), forced=st.booleans())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_value_in_any_place_is_read_or_refused_with_a_place(
    wire: str, data: st.DataObject, new: Any, forced: bool
) -> None:
    body = data.draw(BODIES[wire])
    body = replaced(body, data.draw(st.sampled_from(steps(body))), new)
    try:
        prompt = readers.read(Source("request.json", json.dumps(body, indent=1)), wire if forced else None)
    except (InputError, Problems) as error:
        errors = error.errors if isinstance(error, Problems) else (error,)
        assert all(error.name == "request.json" and error.line and error.column for error in errors)
    else:
        reader_checks.check(prompt)
