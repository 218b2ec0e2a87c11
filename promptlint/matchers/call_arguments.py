"""Tool calls that are sent again with arguments that are equal as data and differ in their bytes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from promptlint.matchers._edits import Spans, match_of, sides
from promptlint.model.alignment import Edit, alignment
from promptlint.model.matching import Change, Match
from promptlint.model.prompt import Kind

FACTS = frozenset({"count", "tool"})


@dataclass(frozen=True, slots=True)
class Params:
    """No parameters."""


def match(change: Change, params: Params) -> Match | None:
    """This call and all later ones: one serialiser does it."""
    aligned = alignment(change)
    if aligned.first == len(aligned.edits) or not _rewritten(change, aligned.edits[aligned.first]):
        return None
    claims: dict[int, Spans] = {
        index: () for index in range(aligned.first, len(aligned.edits)) if _rewritten(change, aligned.edits[index])
    }
    after = sides(change, aligned.edits[aligned.first]).after
    assert after is not None
    return match_of(change, claims, facts={"tool": after.name or "a tool"}, weight=300)


def _rewritten(change: Change, edit: Edit) -> bool:
    both = sides(change, edit)
    if edit.same or both.before is None or both.after is None or both.kind is not Kind.ARGUMENTS:
        return False
    return both.before.name == both.after.name and equal_data(both.before.text, both.after.text)


def equal_data(before: str, after: str) -> bool:
    """Whether two texts are the same JSON: key order and the way a number is written are nothing, true is not 1."""
    try:
        return bool(_plain(json.loads(before)) == _plain(json.loads(after)))
    except (ValueError, RecursionError):
        return False


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return (value,) if isinstance(value, bool) else value
