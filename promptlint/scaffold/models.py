"""Which models the files of a repository name, and whose they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from promptlint import providers
from promptlint.providers.models import best, names
from promptlint.providers.routes import family_of

# A name in quotes, or the value of a key `model` where a settings file needs no quotes; every model has a number.
_NAME = re.compile(
    r"""(?:["'`]|\bmodel(?:_?(?:name|id))?["']?\s*[:=]\s*)([A-Za-z][\w.:/@-]*\d[\w.:/@-]*)""", re.IGNORECASE
)
_BEDROCK = re.compile(r"(?:[a-z]{2,6}\.)?(?:anthropic|amazon|openai)\.")


@dataclass(frozen=True, slots=True)
class Named:
    """A model, its provider's family, the files that name it, and the other models that are named."""

    model: str
    family: str
    files: tuple[str, ...]
    others: tuple[str, ...] = ()


def most_named(texts: Mapping[str, str]) -> Named | None:
    """The model that most files name; None where no model is named that any provider's rules know."""
    files: dict[tuple[str, str], list[str]] = {}
    for path, text in texts.items():
        for found in dict.fromkeys(_models(text)):
            files.setdefault(found, []).append(path)
    counts = Counter({found: len(paths) for found, paths in files.items()})
    if not counts:
        return None
    ranked = sorted(counts, key=lambda found: (-counts[found], found))
    family, model = ranked[0]
    return Named(model, family, tuple(files[ranked[0]]), tuple(other for _, other in ranked[1:]))


def _models(text: str) -> Iterator[tuple[str, str]]:
    for match in _NAME.finditer(text):
        family = _family(match[1])
        if family:
            yield family, match[1]


@cache
def _family(model: str) -> str:
    """The family whose rules list a model by name; empty for anything else in quotes."""
    family = "bedrock" if _BEDROCK.match(model) else family_of("openai-chat", model)
    if family == "generic" or len(model) > 100:
        return ""
    if family == "openrouter":
        return family
    globs = [glob for policy in providers.policies(family) for glob in policy.models if glob != "*"]
    return family if best(globs, names(model)) else ""
