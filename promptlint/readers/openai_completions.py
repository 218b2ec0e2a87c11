"""Raw completion bodies (`prompt` as a string): OpenAI's older endpoint, vLLM, SGLang, llama.cpp."""

from __future__ import annotations

from promptlint.jsonspans import JsonKind, Node
from promptlint.model.prompt import Kind, Prompt, Section
from promptlint.model.source import Source
from promptlint.readers.build import Builder, Spot

WIRE = "openai-completions"


def read(source: Source, body: Node) -> Prompt:
    """The prompt of one request body. Raises InputError for a prompt that is no string."""
    builder = Builder(source, WIRE, "openai")
    prompt = body.get("prompt")
    if prompt is not None and prompt.kind is JsonKind.ARRAY:
        message = "prompt is a list (token ids or a batch), which is not supported yet; give the text of one prompt"
        builder.error(prompt.start, message)
    else:
        builder.text(Spot(Section.SYSTEM, block=0), Kind.TEXT, prompt, "prompt")
    return builder.finish(body, {"prompt"}, body.get("model"))
