"""Which provider family a log means: by the name that it uses, or by the address that was called."""

from __future__ import annotations

from functools import cache
from urllib.parse import urlsplit

from promptlint.providers import ALIASES, families

# Names of OpenTelemetry (`gen_ai.provider.name`), LiteLLM (`custom_llm_provider`), Helicone and Codex, read 2026-11-30.
_NAMES = {
    "amazon-bedrock": "bedrock",
    "aws.bedrock": "bedrock",
    "bedrock-converse": "bedrock",
    "azure.ai.inference": "azure-openai",
    "azure.ai.openai": "azure-openai",
    "az.ai.inference": "azure-openai",
    "az.ai.openai": "azure-openai",
    "fireworks-ai": "fireworks",
    "gcp.gemini": "gemini",
    "gcp.gen-ai": "gemini",
    "google-genai": "gemini",
    "hosted-vllm": "vllm",
    "mistral-ai": "mistral",
    "mistralai": "mistral",
    "text-completion-openai": "openai",
    "together-ai": "together",
    "togetherai": "together",
    "vertex-ai": "gemini",
    "gcp.vertex-ai": "gemini",
    "xai-oauth": "xai",
}

_HOSTS = {
    "api.openai.com": "openai",
    "api.anthropic.com": "anthropic",
    "openai.azure.com": "azure-openai",
    "cognitiveservices.azure.com": "azure-openai",
    "generativelanguage.googleapis.com": "gemini",
    "api.deepseek.com": "deepseek",
    "dashscope.aliyuncs.com": "dashscope",
    "dashscope-intl.aliyuncs.com": "dashscope",
    "api.mistral.ai": "mistral",
    "api.moonshot.cn": "moonshot",
    "api.moonshot.ai": "moonshot",
    "api.x.ai": "xai",
    "api.groq.com": "groq",
    "api.fireworks.ai": "fireworks",
    "api.together.xyz": "together",
    "api.together.ai": "together",
    "api.z.ai": "zai",
    "open.bigmodel.cn": "zai",
    "api.minimax.io": "minimax",
    "openrouter.ai": "openrouter",
}


@cache
def provider_of(name: str) -> str:
    """The family that a log calls `name`; "" where there is none."""
    plain = name.strip().lower().replace("_", "-")
    found = _NAMES.get(plain, ALIASES.get(plain, plain))
    return found if found in families() else ""


def provider_of_url(url: str) -> str:
    """The family behind an address; "" where the host is none of the known ones."""
    if not url.startswith("http"):
        return ""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host.startswith("bedrock-runtime") and host.endswith("amazonaws.com"):
        return "bedrock"
    if host.endswith("aiplatform.googleapis.com"):
        return "vertex-anthropic" if "/publishers/anthropic/" in parts.path else "gemini"
    return next((family for known, family in _HOSTS.items() if host == known or host.endswith("." + known)), "")
