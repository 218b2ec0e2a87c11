"""Whether a text that was only found in a folder is a prompt: by its name, or by how it speaks."""

from __future__ import annotations

import re
from pathlib import PurePath

from promptlint.model.source import Source

_WORDS = re.compile(r"[a-z]+")
_PROMPT_WORDS = re.compile(r"(?:prompt|instruction|persona|agent|assistant|shot)s?|system|fewshots?")
# In these folders stand pages for people, also about prompts and agents.
_PAGES = frozenset({"doc", "docs", "documentation", "man", "manual", "wiki", "website", "help"})
# A sentence to the model at the beginning of a line, behind the signs of Markdown and XML.
_SPEAKS = re.compile(
    r"^(?:[#*>\s-]|<[\w-]{1,30}>){0,6}"
    r"(?:You are (?:an?|the|[A-Z]\w+)\b|Your (?:task|role|job|goal)\b|Act as\b|I want you to\b"
    r"|Du bist (?:ein|der|die)|Sie sind ein|Tu es une?\b|Vous êtes une?\b|Eres una?\b|Sei un|Você é uma?\b"
    r"|你是|您是|あなたは|당신은)",
    re.MULTILINE,
).search
_BEGINNING = 20_000  # characters


def named_as_prompt(path: str) -> bool:
    """Whether a name, or that of a folder on the way, says that it is of prompts; `path` has slashes."""
    place = PurePath(path)
    words = _WORDS.findall("/".join((*place.parts[:-1], place.stem)).lower())
    return any(map(_PROMPT_WORDS.fullmatch, words)) or place.suffix.lower() in (".prompt", ".prompty")


def is_prompt(source: Source) -> bool:
    """Whether it is one by its name, outside of the pages of a project, or speaks to a model."""
    named = not among_pages(source.name) and named_as_prompt(source.name)
    return named or _SPEAKS(source.text, 0, _BEGINNING) is not None


def among_pages(path: str) -> bool:
    """Whether a folder on the way is one of pages for people."""
    return any(part.lower() in _PAGES for part in PurePath(path).parts[:-1])
