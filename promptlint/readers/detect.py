"""Which wire format a request body has, from the fields that only one of them has."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.jsonspans import JsonKind, Node

# Families whose bodies have a format of their own; all others speak OpenAI's.
_FAMILY_WIRES = {
    "anthropic": "anthropic",
    "vertex-anthropic": "anthropic",
    "bedrock": "bedrock",
}
_ANTHROPIC_BLOCKS = frozenset(
    {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "document", "image"}
)
_OPENAI_PARTS = frozenset({"image_url", "input_audio", "file", "refusal"})
_BEDROCK_BLOCKS = frozenset({"text", "toolUse", "toolResult", "cachePoint", "image", "document", "reasoningContent"})
_BODY_FIELDS = {
    "anthropic": frozenset({"anthropic_version", "anthropic_beta", "stop_sequences", "output_config"}),
    "bedrock": frozenset(
        {"modelId", "toolConfig", "inferenceConfig", "additionalModelRequestFields", "guardrailConfig"}
    ),
    "openai-chat": frozenset(
        {"response_format", "max_completion_tokens", "reasoning_effort", "frequency_penalty", "presence_penalty", "n"}
        | {"functions", "function_call", "prompt_cache_key", "stream_options", "logprobs", "stop", "seed"}
        | {"parallel_tool_calls", "chat_template_kwargs", "prompt_cache_options"}
    ),
}


def detect_wire(node: Node, family: str | None = None) -> str | None:
    """The format's name, or None where the value is no request of a known format.

    Bodies with `messages` are told apart by counting the marks of each format. `family`, of the provider that the
    user named, and the model's name count as one mark each: many hosts serve several formats.
    """
    if node.kind is not JsonKind.OBJECT:
        return None
    if node.get("messages") is not None:
        return _by_marks(node, family)
    if node.get("contents", "systemInstruction", "system_instruction") is not None:
        return "gemini"
    if node.get("input", "instructions", "previous_response_id") is not None:
        return "openai-responses"
    if node.get("prompt") is not None:
        return "openai-completions"
    return None


def _by_marks(node: Node, family: str | None) -> str:
    scores = dict.fromkeys(("openai-chat", "anthropic", "bedrock"), 0)
    for wire, fields in _BODY_FIELDS.items():
        scores[wire] += 2 * sum(key in fields for key, _, _, _ in node.members)
    system = node.get("system")
    if system is not None:
        scores["bedrock" if any(_is_bedrock_block(block) for block in system.items) else "anthropic"] += 2
    for wire in (*_tool_marks(node), *_message_marks(node)):
        scores[wire] += 1
    if family:
        scores[_FAMILY_WIRES.get(family, "openai-chat")] += 1
    model = node.get("model")
    if model is not None and (model.string or "").startswith("claude"):
        scores["anthropic"] += 1
    return max(scores, key=lambda wire: scores[wire])


def _tool_marks(node: Node) -> Iterator[str]:
    tools = node.get("tools")
    for tool in tools.items if tools is not None else ():
        if tool.get("function") is not None:
            yield "openai-chat"
        elif tool.get("input_schema") is not None:
            yield "anthropic"


def _message_marks(node: Node) -> Iterator[str]:
    messages = node.get("messages")
    for message in messages.items if messages is not None else ():
        role = message.get("role")
        if message.get("tool_calls", "tool_call_id") is not None:
            yield "openai-chat"
        if role is not None and role.string in ("system", "developer", "tool", "function"):
            yield "openai-chat"
        content = message.get("content")
        for block in content.items if content is not None else ():
            kind = block.get("type")
            if kind is None:
                if _is_bedrock_block(block):
                    yield "bedrock"
            elif kind.string in _ANTHROPIC_BLOCKS:
                yield "anthropic"
            elif kind.string in _OPENAI_PARTS:
                yield "openai-chat"


def _is_bedrock_block(block: Node) -> bool:
    """Whether a content block says what it is by its only key, and not by a `type`."""
    return block.get("type") is None and any(key in _BEDROCK_BLOCKS for key, _, _, _ in block.members)
