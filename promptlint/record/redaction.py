"""A request body without its words, in which equal pieces of text stay equal.

What remains readable: the fields that the wire formats define, the values among them that are words of the format
(`role: user`, `type: text`, `ttl: 1h`), the name of the model, true, false and null, numbers in fields of the format,
and beside the body the time, the address without its query, the status and the usage. Each text is cut at line ends
(long lines at spaces); a piece becomes made-up words drawn from its keyed hash, as long as the piece, rounded to 16
characters. So the log still shows which lines two requests share, at which line they part, and about how many tokens
that is (a tenth more); it shows no word, and no guess can be tested without the key. Names, identifiers, fields of your
own (properties of a schema, arguments of tools) and numbers in those become hashes as well. Long runs without spaces
(images) become one short hash. Whoever sees the log learns lengths, repetitions and rhythm.
"""

from __future__ import annotations

import enum
import re
from functools import lru_cache
from hashlib import blake2b
from typing import Any


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_FIELDS = _set(
    """
    model modelId max_tokens max_completion_tokens max_output_tokens temperature top_p top_k n seed stop
    stop_sequences stream stream_options include_usage frequency_penalty presence_penalty logprobs top_logprobs
    store service_tier mode messages system role content type text tools tool_choice tool_calls tool_call_id
    tool_use_id call_id id name function arguments parameters description input_schema strict input instructions
    prompt output output_text refusal summary cache_control ttl cachePoint cache_point prompt_cache_key
    prompt_cache_retention prompt_cache_options metadata user user_id safety_identifier previous_response_id
    conversation parallel_tool_calls response_format json_schema schema reasoning reasoning_effort effort verbosity
    format thinking budget_tokens signature data encrypted_content include source media_type url image_url file_id
    file_data filename detail title citations is_error tool_use tool_result contents parts inlineData inline_data
    mimeType fileData fileUri functionCall functionResponse args response systemInstruction system_instruction
    generationConfig toolConfig safetySettings cachedContent functionDeclarations thinkingConfig inferenceConfig
    maxTokens topP stopSequences toolUse toolResult toolUseId toolSpec inputSchema json reasoningContent
    reasoningText additionalModelRequestFields anthropic_version anthropic_beta diagnostics previous_message_id
    comparison_response_id output_config context_management edits speed truncation background properties required
    items enum anyOf allOf oneOf additionalProperties default
    """
)
# A schema names the user's own fields under these; below the others everything is the user's own.
_NAMED = frozenset({"properties", "$defs", "definitions", "patternProperties"})
_OWN = frozenset({"metadata", "args", "arguments", "default", "response", "logit_bias"})
_TOOL_CALLS = ("tool_use", "server_tool_use")
_IDENTIFIERS = _set(
    """
    name id call_id tool_call_id tool_use_id toolUseId user user_id safety_identifier prompt_cache_key conversation
    previous_response_id previous_message_id comparison_response_id filename file_id fileUri required
    """
)
_CHOICES = _set(
    """
    type role ttl tool_choice mode effort reasoning_effort verbosity service_tier media_type mimeType detail status
    summary prompt_cache_retention speed thinking
    """
)
_WORDS = _set(
    """
    user assistant system developer tool function model text input_text output_text image image_url input_image
    input_file input_audio document file thinking redacted_thinking reasoning summary_text refusal tool_use
    tool_result server_tool_use message function_call function_call_output custom item_reference auto none any
    required ephemeral default 5m 1h 30m 12h 24h in_memory json_object json_schema object string number integer
    boolean array null base64 url low medium high minimal enabled disabled adaptive flex priority standard image/png
    image/jpeg image/webp image/gif application/pdf
    """
)
_ONSETS = sorted(_set("b c d f g h l m n p r s t w st br"))
_RIMES = sorted(_set("an at en et in it on ot un ar or all ine ake ood ing"))
_PIECE = re.compile(r"[^\n]{1,160}(?:\n|\Z)|[^\n]{1,160}[ \t]|[^\n]{160}|[^\n]+|\n")
_STEP = 16  # characters
_RUN = 2048  # characters without a space that are no text
_DEPTH = 200


class _Place(enum.Enum):
    WIRE = enum.auto()  # fields of a wire format or of JSON Schema; others are the user's own
    NAMES = enum.auto()  # the user's names, each with a schema
    OWN = enum.auto()  # nothing that a format defines


class Redaction:
    """Redacts bodies under one key; equal pieces become equal wherever the same key is used."""

    def __init__(self, key: bytes) -> None:
        self._key = blake2b(key).digest()
        self._piece = lru_cache(maxsize=1 << 16)(self._made_up)

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        redacted = self._table(body, _Place.WIRE, 0)
        return redacted | {name: body[name] for name in ("model", "modelId") if type(body.get(name)) is str}

    def _value(self, value: Any, field: str, place: _Place, depth: int) -> Any:
        if type(value) is str:
            return self._string(value, field, place)
        if depth >= _DEPTH:
            return None
        if type(value) is list:
            return [self._value(item, field, place, depth + 1) for item in value]
        if type(value) is dict:
            return self._table(value, place, depth + 1)
        if place is _Place.OWN and type(value) in (int, float):
            return self._digits(value)
        return value

    def _table(self, table: dict[str, Any], place: _Place, depth: int) -> dict[str, Any]:
        calls = table.get("type") in _TOOL_CALLS or "toolUseId" in table
        found = {}
        for name, value in table.items():
            kept = name in _FIELDS and place is _Place.WIRE
            inner = _Place.OWN if place is _Place.OWN else _Place.WIRE
            if place is _Place.WIRE and (not kept or name in _OWN or (calls and name == "input")):
                inner = _Place.OWN
            if place is _Place.WIRE and name in _NAMED:
                kept, inner = True, _Place.NAMES
            found[name if kept else self._name(name)] = self._value(value, name, inner, depth)
        return found

    def _string(self, text: str, field: str, place: _Place) -> str:
        if place is not _Place.OWN:
            if field in _CHOICES and text in _WORDS:
                return text
            if field in _IDENTIFIERS:
                return self._name(text)
        start = text[:_RUN]
        if len(text) >= _RUN and " " not in start and "\n" not in start:
            return self._hash(text, 32).hex()
        return "".join(map(self._piece, _PIECE.findall(text)))

    def _hash(self, text: str, size: int, salt: bytes = b"") -> bytes:
        return blake2b(text.encode("utf-8", "surrogatepass"), key=self._key, digest_size=size, salt=salt).digest()

    def _name(self, name: str) -> str:
        return "n" + self._hash(name, 8).hex()

    def _digits(self, value: float) -> int:
        limit: int = 10 ** len(f"{abs(value):.0f}")
        return int.from_bytes(self._hash(repr(value), 8)) % limit

    def _made_up(self, piece: str) -> str:
        line = piece.removesuffix("\n")
        length = max(1, round(len(line) / _STEP)) * _STEP if line else 0
        words: list[str] = []
        have = block = 0
        while have < length:
            for byte in self._hash(line, 64, block.to_bytes(4)):
                words.append(_ONSETS[byte >> 4] + _RIMES[byte & 15])
                have += len(words[-1]) + 1
            block += 1
        return " ".join(words)[:length] + piece[len(line) :]
