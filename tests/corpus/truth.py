"""The truth about two requests, found the slow way: both encoded in full and compared token by token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from promptlint import providers, readers, render, tokenizers
from promptlint.model.policy import CachePolicy
from promptlint.model.prompt import Prompt, Section
from promptlint.model.source import Source

from .wires import Sent


@dataclass(frozen=True)
class Encoded:
    """All ids of a request, how many of them belong to each section, and the cache rules it falls under."""

    ids: Sequence[int]
    sections: dict[Section, int]
    policy: CachePolicy

    def level(self, setting: str) -> int | None:
        """The token from which on the cache is lost when a setting changes; None where it splits no cache."""
        names = ("model",) if setting == "modelId" else (setting,)
        found = next((item for item in self.policy.invalidators if item.setting in (setting, *names)), None)
        if found is None:
            return None
        if found.level is None:
            return 0
        order = self.policy.order
        return sum(self.sections.get(section, 0) for section in order[: order.index(found.level)])


def source(sent: Sent) -> Source:
    return Source(sent.name, sent.text)


def encode_pair(before: Sent, after: Sent, provider: str | None) -> tuple[Encoded, Encoded]:
    """Both requests read, rendered in the order of the later one's provider, and encoded in full."""
    later = readers.read(source(after))
    marked = any(component.breakpoint for component in later.components)
    policy = providers.find(provider, later.wire, later.model, has_markers=marked)
    return _earlier(before.name, before.text, policy.id, policy.order), _encode(later, policy)


@lru_cache(maxsize=4)
def _earlier(name: str, text: str, policy: str, order: tuple[Section, ...]) -> Encoded:
    """The earlier request, which stays the same while the later one is repaired."""
    prompt = readers.read(Source(name, text))
    return _encode(prompt, providers.find(policy, prompt.wire, prompt.model))


def _encode(prompt: Prompt, policy: CachePolicy) -> Encoded:
    rendering = render.render(prompt, policy.order)
    tokens = tokenizers.tokenize(rendering, tokenizers.choose(prompt.model, None))
    sections: dict[Section, int] = {}
    last = 0
    for slot, end in zip(rendering.slots, tokens.slot_ends, strict=True):
        sections[slot.component.section] = sections.get(slot.component.section, 0) + end - last
        last = end
    return Encoded(tokens.ids.tolist(), sections, policy)


def encoded(text: str) -> list[int]:
    """The ids of a text under the default vocabulary."""
    return tokenizers.choose("", None).tokenizer.encode(text).tolist()


def shared(before: Encoded, after: Encoded) -> int:
    """How many leading ids are the same."""
    count = 0
    for left, right in zip(before.ids, after.ids, strict=False):
        if left != right:
            break
        count += 1
    return count
