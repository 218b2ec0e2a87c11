"""The order in which a provider puts the sections of a prompt."""

from __future__ import annotations

from promptlint.model.prompt import Component, Prompt, Section


def cache_order(prompt: Prompt, order: tuple[Section, ...]) -> tuple[Component, ...]:
    """Components by section in `order`, within a section as in the wire format. A section not named comes last."""
    rank = {section: index for index, section in enumerate(order)}
    return tuple(sorted(prompt.components, key=lambda component: rank.get(component.section, len(rank))))
