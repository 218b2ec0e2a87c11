"""What a cache must know of a request besides its token ids: content blocks, markers, and settings that split it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from promptlint.model.policy import Block, CachePolicy, Marks
from promptlint.model.prompt import Component, Kind, Section, Setting
from promptlint.model.settings import SWITCHES, key_value, switch, value_of

# The request switch with which OpenAI leaves all breakpoints to the caller (openai 3.57.0, response_create_params.py).
_EXPLICIT_ONLY = ("prompt_cache_options.mode", '"explicit"')


def marks(
    components: Sequence[Component],
    ends: Sequence[int],
    settings: Sequence[Setting],
    policy: CachePolicy,
    *,
    model: str = "",
    exact: bool = True,
) -> Marks:
    """Blocks and keys of one request; `components` in cache order, `ends[i]` tokens up to the end of component i.

    A block is a content block: the components of one unit. Roles and fields of a message that stand in no block
    are none. `model` counts where no setting names one (the body of some requests does not). `exact` false: `ends`
    are estimates.
    """
    automatic = not policy.implicit_breakpoints or value_of(settings, _EXPLICIT_ONLY[0]) != _EXPLICIT_ONLY[1]
    groups = [(members, end) for members, end in _groups(components, ends) if not _is_frame(members)]
    eligible = _eligible([members for members, _ in groups]) if policy.implicit_breakpoints and automatic else set()
    blocks = tuple(
        Block(
            end=end,
            section=members[0].section,
            path=members[0].location.path,
            marked=_lifetime(members, policy),
            run=_run(members),
            eligible=index in eligible,
        )
        for index, (members, end) in enumerate(groups)
    )
    return Marks(blocks=blocks, keys=tuple(_keys(components, ends, settings, policy, model)), exact=exact)


def _groups(components: Sequence[Component], ends: Sequence[int]) -> Iterator[tuple[list[Component], int]]:
    """Neighbours of the same unit, with the tokens up to the end of the last."""
    for _, pairs in groupby(zip(components, ends, strict=True), key=lambda pair: pair[0].unit):
        group = list(pairs)
        yield [component for component, _ in group], group[-1][1]


def _is_frame(members: Sequence[Component]) -> bool:
    """The role that opens a message, or a field of the message itself: no content that a provider could cut after."""
    return all(
        member.block < 0 and member.kind in (Kind.ROLE, Kind.FIELD) and not member.breakpoint for member in members
    )


def _lifetime(members: Sequence[Component], policy: CachePolicy) -> int | None:
    """Seconds of the block's marker; 0 where neither the marker nor the policy states any. None: no marker."""
    if members[0].section not in policy.marker_sections:
        return None
    marker = next((member.breakpoint for member in members if member.breakpoint), None)
    if marker is None:
        return None
    return marker.ttl_seconds if marker.ttl_seconds is not None else policy.ttl_default or 0


def _run(members: Sequence[Component]) -> str:
    kinds = {member.kind for member in members}
    if kinds & {Kind.CALL_NAME, Kind.ARGUMENTS}:
        return "tool_use"
    if kinds & {Kind.TOOL_RESULT, Kind.CALL_ID} or members[0].role == "tool":
        return "tool_result"
    return ""


def _eligible(groups: Sequence[Sequence[Component]]) -> set[int]:
    """Blocks where OpenAI may place a breakpoint by itself.

    The end of a user message, of the last tool response in a row, and of the developer messages that open the
    prompt (https://developers.openai.com/api/docs/guides/prompt-caching, 2026-10-02).
    """
    kinds = [_message_kind(group) for group in groups]
    found = set()
    opening = True
    for index, (kind, group) in enumerate(zip(kinds, groups, strict=True)):
        following = kinds[index + 1] if index + 1 < len(groups) else None
        opening = opening and kind in ("tool definition", "developer")
        if kind == "tool response" or (kind == "developer" and opening):
            wanted = following != kind
        else:
            wanted = kind == "user" and (following is None or groups[index + 1][0].message != group[0].message)
        if wanted:
            found.add(index)
    return found


def _message_kind(group: Sequence[Component]) -> str:
    first = group[0]
    if first.section is Section.TOOLS:
        return "tool definition"
    if first.section is Section.SYSTEM or first.role in ("system", "developer"):
        return "developer"
    return "tool response" if _run(group) == "tool_result" else first.role


def _keys(
    components: Sequence[Component],
    ends: Sequence[int],
    settings: Sequence[Setting],
    policy: CachePolicy,
    model: str,
) -> Iterator[tuple[int, str, str]]:
    named = any(setting.path in ("model", "modelId") for setting in settings)
    for invalidator in policy.invalidators:
        if invalidator.setting in SWITCHES:
            value = "true" if switch(components, invalidator.setting) else None
        elif invalidator.setting == "model" and not named:
            value = model or None
        else:
            value = key_value(settings, invalidator)
        if value is not None:
            yield _level_start(invalidator.level, components, ends, policy.order), invalidator.setting, value


def _level_start(
    level: Section | None, components: Sequence[Component], ends: Sequence[int], order: Sequence[Section]
) -> int:
    """Tokens before the first component of `level`, or of what comes after it where the prompt has none of it."""
    if level is None or level not in order:
        return 0
    rank = order.index(level)
    for index, component in enumerate(components):
        if component.section in order and order.index(component.section) >= rank:
            return ends[index - 1] if index else 0
    return ends[-1] if ends else 0
