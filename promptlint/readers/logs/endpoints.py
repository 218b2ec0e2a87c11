"""Which addresses run a model, and in which wire format; those that count tokens, embed or list have other ends."""

from __future__ import annotations

# The first end that fits decides; "": the body decides.
_ENDS = {
    "/chat/completions": "openai-chat",
    "/completions": "openai-completions",
    "/responses": "openai-responses",
    "/messages": "anthropic",
    "/converse": "bedrock",
    "/converse-stream": "bedrock",
    "/invoke": "",
    "/invoke-with-response-stream": "",
    ":generatecontent": "gemini",
    ":streamgeneratecontent": "gemini",
    ":rawpredict": "",
    ":streamrawpredict": "",
}


def runs_model(url: str) -> bool:
    """Whether a POST to `url` asks a model of a known API for an answer."""
    return _end(url) is not None


def wire_of_url(url: str) -> str:
    """The wire format (one of promptlint.readers.WIRES) of requests to `url`; "" where the address does not tell."""
    return _ENDS.get(_end(url) or "", "") if url else ""


def _end(url: str) -> str | None:
    path = url.partition("?")[0].lower()
    return next((end for end in _ENDS if path.endswith(end)), None)
