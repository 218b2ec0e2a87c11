"""Which family serves a request that names none: by wire format and model name; and other names of families."""

from __future__ import annotations

from promptlint.model.globs import fits

ALIASES = {
    "alibaba": "dashscope",
    "aliyun": "dashscope",
    "aws": "bedrock",
    "azure": "azure-openai",
    "bigmodel": "zai",
    "claude": "anthropic",
    "glm": "zai",
    "google": "gemini",
    "grok": "xai",
    "kimi": "moonshot",
    "llama-cpp": "llama.cpp",
    "llamacpp": "llama.cpp",
    "llm-d-kv-cache-manager": "llm-d",
    "model-studio": "dashscope",
    "nova": "bedrock",
    "qwen": "dashscope",
    "trt-llm": "tensorrt-llm",
    "trtllm": "tensorrt-llm",
    "vertex": "vertex-anthropic",
    "x-ai": "xai",
    "z-ai": "zai",
    "z.ai": "zai",
    "zhipu": "zai",
}

_WIRES = {"anthropic": "anthropic", "bedrock": "bedrock", "gemini": "gemini", "openai-responses": "openai"}

# What may go to any host that serves its model: bodies of OpenAI's shape, and prompt files, which are no request yet.
_BY_MODEL = frozenset({"openai-chat", "text", "parts"})

# First match wins. Open-weight models that many hosts serve (gpt-oss, names with a Hugging Face owner) tell nothing.
_MODELS = (
    ("gpt-oss*", "generic"),
    ("gpt-*", "openai"),
    ("chatgpt-*", "openai"),
    ("o[0-9]*", "openai"),
    ("deepseek-*/*", "generic"),
    ("deepseek-*", "deepseek"),
    ("qwen*/*", "generic"),
    ("qwen*", "dashscope"),
    ("mistral*/*", "generic"),
    ("mistral-*", "mistral"),
    ("magistral-*", "mistral"),
    ("ministral-*", "mistral"),
    ("codestral-*", "mistral"),
    ("devstral-*", "mistral"),
    ("kimi-*", "moonshot"),
    ("grok-*", "xai"),
    ("glm-*", "zai"),
    ("minimax-m*", "minimax"),
    ("gemini-*", "gemini"),
    ("claude-*", "anthropic"),
    ("*anthropic.claude-*", "bedrock"),
    ("*amazon.nova-*", "bedrock"),
    ("openai/gpt-oss*", "generic"),
    ("anthropic/claude-*", "openrouter"),
    ("openai/*", "openrouter"),
    ("google/gemini-*", "openrouter"),
    ("x-ai/grok-*", "openrouter"),
)


def family_of(wire: str, model: str) -> str:
    """The family of a request of wire format `wire` to `model` (empty: none named)."""
    name = model.lower()
    if wire in _BY_MODEL or (wire == "anthropic" and name and "claude" not in name):
        named = next((family for pattern, family in _MODELS if fits(name, pattern)), None)
        return named or _WIRES.get(wire, "generic")
    return _WIRES.get(wire, "generic")
