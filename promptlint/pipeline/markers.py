"""Cache markers of prompts whose files show none: where a program that sends them is taken to set them."""

from __future__ import annotations

from dataclasses import replace

from promptlint.model.policy import CachePolicy, Matching
from promptlint.model.prompt import Breakpoint, Component, Prompt
from promptlint.model.source import Form, Location, Span
from promptlint.pipeline.prepare import FILES

NOTE = "Files of a prompt show no cache markers: one is assumed at the end of each, as many as the provider takes."


def assumed(prompt: Prompt, policy: CachePolicy) -> Prompt:
    """The prompt with a marker at the end of each of its files, where the provider caches only what is marked.

    The best case, as everywhere: the last files get one where the provider takes fewer markers than there are files.
    """
    if prompt.wire not in FILES or policy.matching is not Matching.BREAKPOINT or not policy.breakpoints_max:
        return prompt
    if policy.implicit_breakpoints or any(component.breakpoint for component in prompt.components):
        return prompt
    last = {
        component.location.source.name: index
        for index, component in enumerate(prompt.components)
        if component.section in policy.marker_sections
    }
    components = list(prompt.components)
    for index in sorted(last.values())[-policy.breakpoints_max :]:
        components[index] = replace(components[index], breakpoint=_at_end(components[index]))
    return replace(prompt, components=tuple(components))


def notes(prompt: Prompt) -> tuple[str, ...]:
    taken = any(component.breakpoint and component.breakpoint.assumed for component in prompt.components)
    return (NOTE,) if taken else ()


def _at_end(component: Component) -> Breakpoint:
    location = component.location
    end = Location(location.source, Span(location.span.end, location.span.end), location.path, Form.NONE)
    return Breakpoint(end, automatic=True, assumed=True)
