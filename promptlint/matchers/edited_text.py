"""Prompt text differs and nothing narrower explains it."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from promptlint.matchers._blocks import Blocks, marks, other_blocks, set_equal
from promptlint.matchers._repairs import splice
from promptlint.model.effort import alignable
from promptlint.model.matching import Change, Hunk, Mark, Match
from promptlint.model.prompt import Kind, Section
from promptlint.model.source import Span

FACTS = frozenset({"words_before", "words_after"})

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_BRIDGE = 3  # equal words between two differing ones that do not make two edits of one


@dataclass(frozen=True, slots=True)
class Params:
    """No parameters."""


def match(change: Change, params: Params) -> Match | None:
    before, after, hunk = change.component_before, change.component_after, change.hunk
    if after is None and before is None:
        return None
    here = after if after is not None and after.section is Section.SYSTEM else before
    if here is None or here.section is not Section.SYSTEM or (here.kind is Kind.ROLE and hunk is None):
        return None
    blocks = other_blocks(change)
    if blocks is not None:
        return _blocks(change, blocks)
    if before is None or after is None or hunk is None:
        return None
    old, new = _sentence(before.text, after.text, hunk)
    return Match(
        after=Mark(change.at_after, new),
        before=Mark(change.at_before, old),
        repair=splice(change, old, new),
        facts={
            "words_before": str(len(before.text[old.start : old.end].split())),
            "words_after": str(len(after.text[new.start : new.end].split())),
        },
    )


def _sentence(before: str, after: str, hunk: Hunk) -> tuple[Span, Span]:
    """The edited region: words that differ on the same line with hardly anything between them are one edit."""
    lines = []
    for text, span in ((before, hunk.before), (after, hunk.after)):
        end = text.find("\n", span.end)
        lines.append(text[span.start : len(text) if end < 0 else end])
    old, new = (_WORD.findall(line) for line in lines)
    if not old or not new or not alignable(old, new) or "\n" in before[hunk.before.start : hunk.before.end]:
        return hunk.before, hunk.after
    reach = len(hunk.before), len(hunk.after)
    for tag, _, stop_before, start_after, stop_after in _opcodes(old, new):
        if tag == "equal" and sum(item.isalnum() for item in new[start_after:stop_after]) > _BRIDGE:
            if sum(map(len, new[:start_after])) >= reach[1]:
                break
        elif tag != "equal":
            reach = max(reach[0], sum(map(len, old[:stop_before]))), max(reach[1], sum(map(len, new[:stop_after])))
    return (
        Span(hunk.before.start, hunk.before.start + reach[0]),
        Span(hunk.after.start, hunk.after.start + reach[1]),
    )


def _opcodes(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    return list(difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes())


def _blocks(change: Change, blocks: Blocks) -> Match | None:
    """System blocks were added or removed; one that holds no text is no edit of text."""
    after, before = marks(change, blocks)
    if after is None and before is None:
        return None
    words = [
        sum(len(component.text.split()) for component in components)
        for components in (
            change.before[change.at_before : blocks.stop_before],
            change.after[change.at_after : blocks.stop_after],
        )
    ]
    return Match(
        after=after,
        before=before,
        repair=set_equal(change, blocks),
        facts={"words_before": str(words[0]), "words_after": str(words[1])},
    )
