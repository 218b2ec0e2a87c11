"""One tool's definition differs, name and place being the same."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.matchers._repairs import splice
from promptlint.model.matching import Change, Mark, Match
from promptlint.model.prompt import Kind

FACTS = frozenset({"tool"})


@dataclass(frozen=True, slots=True)
class Params:
    """No parameters."""


def match(change: Change, params: Params) -> Match | None:
    before, after, hunk = change.component_before, change.component_after, change.hunk
    if before is None or after is None or hunk is None or after.kind is not Kind.TOOL or before.name != after.name:
        return None
    # Only this place is set equal: what else differs in the tool may have another cause.
    return Match(
        after=Mark(change.at_after, hunk.after),
        before=Mark(change.at_before, hunk.before),
        repair=splice(change, hunk.before, hunk.after),
        facts={"tool": after.name},
    )
