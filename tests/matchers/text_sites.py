"""Two texts as a divergence, for tests of what matchers look at."""

from __future__ import annotations

from promptlint.diff.hunks import first_hunk
from promptlint.matchers._live import FINDERS
from promptlint.matchers._sites import Site
from promptlint.model.finding import Scope
from promptlint.model.prompt import Section


def site(before: str, after: str, scope: Scope = Scope.UNKNOWN) -> Site:
    hunk = first_hunk(before, after)
    assert hunk is not None
    return Site(before, after, hunk.first, hunk.before.end, hunk.after.end, scope, Section.SYSTEM)


def marked(text: str) -> tuple[str, str]:
    """`a {1|2} b` as the two texts `a 1 b` and `a 2 b`."""
    before, after = [], []
    for part in text.replace("}", "{").split("{"):
        sides = part.split("|") if part.count("|") == 1 and f"{{{part}}}" in text else [part, part]
        before.append(sides[0])
        after.append(sides[1])
    return "".join(before), "".join(after)


def kind(text: str, scope: Scope = Scope.UNKNOWN) -> str:
    """The kind of value that `{old|new}` is, in order of precedence; empty where it is none."""
    here = site(*marked(text), scope)
    return next((name for name, finder in FINDERS.items() if next(finder(here), None)), "")
