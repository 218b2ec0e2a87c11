"""What a provider reported of a request, in one form: every provider's usage object becomes a Usage.

Field names of the providers' API references as of 2026-11-30: OpenAI and those compatible with it (DeepSeek, Qwen,
Moonshot, OpenRouter), Anthropic, Gemini, Bedrock Converse, and the transcripts of Codex (`cached_input_tokens`).

A count that is absent is zero at Gemini alone, whose API is Protocol Buffers as JSON, where a field of value zero is
left out (https://protobuf.dev/programming-guides/json/). Everywhere else it is not known: vLLM sends no details unless
it is started with `--enable-prompt-tokens-details`, Bedrock's fields are optional, and OpenAI and Anthropic report a
zero as a zero, so that what lacks it was cut by whoever wrote the log.
"""

from __future__ import annotations

from typing import Any

from promptlint.model.traffic import Usage


def usage(raw: Any, reply: Any = None) -> Usage | None:
    """The usage in a provider's usage object; None where it is no such object.

    `reply` is the response body, where the diagnosis of a cache miss stands.
    """
    if type(raw) is not dict:
        return None
    if "prompt_tokens" in raw or "prompt_cache_hit_tokens" in raw:
        found = _openai_chat(raw)
    elif "input_tokens" in raw or "cache_read_input_tokens" in raw:
        found = _input_tokens(raw)
    elif "promptTokenCount" in raw or "prompt_token_count" in raw:
        found = _gemini(raw)
    elif "inputTokens" in raw:
        found = _bedrock(raw)
    else:
        return None
    if all(value is None for value in found):
        return None
    whole, cached, written, written_long, output = found
    if whole is not None and cached is not None:
        cached = min(cached, whole)  # no more can have been read than was sent, whatever a log says
    return Usage(whole, cached, written, written_long, output, miss_reason(reply))


def miss_reason(reply: Any) -> str:
    """The provider's own diagnosis of a cache miss: Anthropic's `cache_miss_reason`, OpenAI's diagnostics."""
    if type(reply) is not dict:
        return ""
    reason = _object(reply.get("diagnostics")).get("cache_miss_reason")
    if reason is None:
        found = _object(reply.get("prompt_cache_diagnostics"))
        reason = found.get("reason") or (found.get("type") if found.get("type") != "cache_hit" else None)
    if type(reason) is dict:
        reason = reason.get("type")
    return reason if isinstance(reason, str) else ""


def count(value: Any) -> int | None:
    """A number of tokens; None for everything that cannot be one."""
    return value if type(value) is int and value >= 0 else None


def total(*parts: int | None) -> int | None:
    """The sum of the parts that are known; None where none is."""
    known = [part for part in parts if part is not None]
    return sum(known) if known else None


_Found = tuple[int | None, int | None, int | None, int | None, int | None]


def _object(value: Any) -> dict[str, Any]:
    return value if type(value) is dict else {}


def _first(raw: dict[str, Any], *names: str) -> int | None:
    for name in names:
        value = raw.get(name)
        if type(value) is int and value >= 0:
            return value
    return None


def _openai_chat(raw: dict[str, Any]) -> _Found:
    details = _object(raw.get("prompt_tokens_details"))
    cached = _first(details, "cached_tokens", "cached")
    if cached is None:
        cached = _first(raw, "prompt_cache_hit_tokens", "cache_read_input_tokens", "cached_tokens")
    written = _first(details, "cache_write_tokens", "cache_creation_tokens", "cache_creation_input_tokens")
    if written is None:
        written = _first(raw, "cache_creation_input_tokens")
    whole = _first(raw, "prompt_tokens")
    if whole is None:
        whole = total(count(raw.get("prompt_cache_hit_tokens")), count(raw.get("prompt_cache_miss_tokens")))
    long = _first(_object(details.get("cache_creation_token_details")), "ephemeral_1h_input_tokens")
    return whole, cached, written, long, _first(raw, "completion_tokens")


def _input_tokens(raw: dict[str, Any]) -> _Found:
    """`input_tokens` is the whole prompt at OpenAI, and what follows the last breakpoint at Anthropic."""
    output = _first(raw, "output_tokens")
    sent = _first(raw, "input_tokens")
    if "cache_read_input_tokens" in raw or "cache_creation_input_tokens" in raw or "cache_creation" in raw:
        split = _object(raw.get("cache_creation"))
        long = _first(split, "ephemeral_1h_input_tokens")
        written = _first(raw, "cache_creation_input_tokens")
        if written is None:
            written = total(long, count(split.get("ephemeral_5m_input_tokens")))
        cached = _first(raw, "cache_read_input_tokens")
        return total(sent, cached, written), cached, written, long, output
    details = _object(raw.get("input_tokens_details")) or _object(raw.get("prompt_tokens_details"))
    cached = _first(details, "cached_tokens")
    if cached is None:
        cached = _first(raw, "cached_input_tokens", "cached_tokens")
    return sent, cached, _first(details, "cache_write_tokens"), None, output


def _gemini(raw: dict[str, Any]) -> _Found:
    output = total(
        _first(raw, "candidatesTokenCount", "candidates_token_count"),
        _first(raw, "thoughtsTokenCount", "thoughts_token_count"),
    )
    whole = _first(raw, "promptTokenCount", "prompt_token_count")
    cached = _first(raw, "cachedContentTokenCount", "cached_content_token_count")
    return whole, 0 if cached is None and whole is not None else cached, None, None, output


def _bedrock(raw: dict[str, Any]) -> _Found:
    cached = _first(raw, "cacheReadInputTokens", "cacheReadInputTokenCount")
    written = _first(raw, "cacheWriteInputTokens", "cacheWriteInputTokenCount")
    details = raw.get("cacheDetails")
    split = [_object(part) for part in details] if type(details) is list else []
    long = total(*(count(part.get("inputTokens")) for part in split if part.get("ttl") == "1h"))
    return total(_first(raw, "inputTokens"), cached, written), cached, written, long, _first(raw, "outputTokens")
