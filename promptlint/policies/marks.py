"""What a cache must know of a request besides its token ids: content blocks, markers, and settings that split it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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
    return Marks(
        blocks=with_implicit(content_blocks(components, ends, policy), settings, policy),
        keys=placed_keys(
            setting_keys(settings, policy, switched(components), model), section_starts(components, ends), ends, policy
        ),
        exact=exact,
    )


def content_blocks(components: Sequence[Component], ends: Sequence[int], policy: CachePolicy) -> tuple[Block, ...]:
    """The blocks of a prompt or of a part of one, without those breakpoints that the provider places by itself."""
    return tuple(
        Block(
            end=end,
            section=members[0].section,
            path=members[0].location.path,
            marked=_lifetime(members, policy),
            run=_run(members),
            speaker=_speaker(members),
            message=members[0].message,
        )
        for members, end in _groups(components, ends)
        if not _is_frame(members)
    )


def with_implicit(blocks: tuple[Block, ...], settings: Sequence[Setting], policy: CachePolicy) -> tuple[Block, ...]:
    """The blocks of a whole prompt, those marked as `eligible` where the provider may place a breakpoint by itself."""
    if not policy.implicit_breakpoints or value_of(settings, _EXPLICIT_ONLY[0]) == _EXPLICIT_ONLY[1]:
        return blocks
    eligible = _eligible(blocks)
    return tuple(replace(block, eligible=index in eligible) for index, block in enumerate(blocks))


def switched(components: Sequence[Component]) -> frozenset[str]:
    """Which of SWITCHES the components turn on."""
    return frozenset(name for name in SWITCHES if switch(components, name))


def section_starts(components: Sequence[Component], ends: Sequence[int]) -> dict[Section, int]:
    """For each section that a prompt has, in cache order, the tokens that stand before it."""
    starts: dict[Section, int] = {}
    for index, component in enumerate(components):
        if component.section not in starts:
            starts[component.section] = ends[index - 1] if index else 0
    return starts


def setting_keys(
    settings: Sequence[Setting], policy: CachePolicy, on: Collection[str], model: str
) -> tuple[tuple[Section | None, str, str], ...]:
    """(level, setting path, value) of each setting that splits caches; `on` are the switches that are turned on."""
    named = any(setting.path in ("model", "modelId") for setting in settings)
    found = []
    for invalidator in policy.invalidators:
        if invalidator.setting in SWITCHES:
            value = "true" if invalidator.setting in on else None
        elif invalidator.setting == "model" and not named:
            value = model or None
        else:
            value = key_value(settings, invalidator)
        if value is not None:
            found.append((invalidator.level, invalidator.setting, value))
    return tuple(found)


def placed_keys(
    keys: Iterable[tuple[Section | None, str, str]],
    starts: Mapping[Section, int],
    ends: Sequence[int],
    policy: CachePolicy,
) -> tuple[tuple[int, str, str], ...]:
    """The same with the token from which on each of them splits; the last of `ends` is the prompt's."""
    total = ends[-1] if ends else 0
    return tuple((_level_start(level, starts, total, policy.order), path, value) for level, path, value in keys)


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
    kinds = [member.kind for member in members]
    if any(kind in kinds for kind in (Kind.CALL_NAME, Kind.ARGUMENTS)):
        return "tool_use"
    if any(kind in kinds for kind in (Kind.TOOL_RESULT, Kind.CALL_ID)) or members[0].role == "tool":
        return "tool_result"
    return ""


def _eligible(blocks: Sequence[Block]) -> set[int]:
    """Blocks where OpenAI may place a breakpoint by itself.

    The end of a user message, of the last tool response in a row, and of the developer messages that open the
    prompt (https://developers.openai.com/api/docs/guides/prompt-caching, 2026-10-02).
    """
    found = set()
    opening = True
    for index, block in enumerate(blocks):
        kind = block.speaker
        following = blocks[index + 1] if index + 1 < len(blocks) else None
        opening = opening and kind in ("tool definition", "developer")
        if kind == "tool response" or (kind == "developer" and opening):
            wanted = following is None or following.speaker != kind
        else:
            wanted = kind == "user" and (following is None or following.message != block.message)
        if wanted:
            found.add(index)
    return found


def _speaker(group: Sequence[Component]) -> str:
    first = group[0]
    if first.section is Section.TOOLS:
        return "tool definition"
    if first.section is Section.SYSTEM or first.role in ("system", "developer"):
        return "developer"
    return "tool response" if _run(group) == "tool_result" else first.role


def _level_start(level: Section | None, starts: Mapping[Section, int], total: int, order: Sequence[Section]) -> int:
    """Tokens before the first component of `level`, or of what comes after it where the prompt has none of it."""
    if level is None or level not in order:
        return 0
    later = (starts[section] for section in order[order.index(level) :] if section in starts)
    return next(later, total)
