"""A passage that differs from one use to the next stands before a long text that is always the same."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from promptlint.matchers._passages import have_little_in_common
from promptlint.matchers._realign import before_stable, next_part
from promptlint.matchers._repairs import all_mark
from promptlint.matchers._sites import Site, found, text_site
from promptlint.matchers._values import compiled
from promptlint.model.matching import Change, FromBefore, Match, Repair
from promptlint.model.prompt import Component, Kind, Section
from promptlint.model.source import Span

FACTS = frozenset({"what"})


# Marks of data, as addresses, JSON and tags: a program put it there, however short it is.
_DATA = r"://\S|</\w|[{\[]\s?\"|\":\s"
PATTERNS = (_DATA,)
_FEW_WORDS = 2


@dataclass(frozen=True, slots=True)
class Params:
    """`stable_chars`: the least length of the equal text behind; `passage_words`: of the differing passage.

    Half as many words will do in a user's message, which nobody edits in a release, and two where they are data.
    """

    stable_chars: int = 1000
    passage_words: int = 12


def match(change: Change, params: Params) -> Match | None:
    before, after = change.component_before, change.component_after
    if before is None or after is None:
        return None
    if before.opaque and after.opaque:
        return _attachment(change, params)
    site = text_site(change)
    if site is None or after.kind is not Kind.TEXT:
        return None
    start = _passage_start(site)
    ends = before_stable(site, site.first, params.stable_chars)
    if ends is None and _stable_behind(change, change.at_before + 1, change.at_after + 1) >= params.stable_chars:
        ends = len(site.before), len(site.after)
    if ends is None:
        return None
    # Another part that changes may stand between the passage and the stable text.
    for stop in (next_part(site, site.first), ends):
        if stop is None or stop > ends:
            continue
        old, new = Span(start, stop[0]), Span(start, stop[1])
        left, right = site.before[old.start : old.end], site.after[new.start : new.end]
        count = len(right.split())
        if min(len(left.split()), count) < _least(change, left, right, params.passage_words):
            continue
        if not have_little_in_common(left, right):
            return None  # an edit, whatever differs behind the next heading
        facts = {"what": f"{count} words that change"}
        return found(change, site, old, new, facts, _weight(change))
    return None


def _least(change: Change, before: str, after: str, words: int) -> int:
    component = change.component_after
    given = component is not None and component.section is Section.MESSAGES
    if (given or change.prompt_after.wire == "text") and all(map(compiled(_DATA).search, (before, after))):
        return _FEW_WORDS
    return words // 2 if given else words


def _weight(change: Change) -> int:
    """In a prompt file the order of its parts is what can be changed; in a request the kind of passage says more."""
    return 200 if change.prompt_after.wire == "text" else 50


def _passage_start(site: Site) -> int:
    """The word (to blanks) in which both sides part."""
    start = site.first
    while start > 0 and not site.after[start - 1].isspace():
        start -= 1
    return start


def _attachment(change: Change, params: Params) -> Match | None:
    """Images or documents that differ, before text of the same message that does not."""
    stop_before, stop_after = _run(change.before, change.at_before), _run(change.after, change.at_after)
    if _stable_behind(change, stop_before, stop_after) < params.stable_chars:
        return None
    component = change.after[change.at_after]
    count = stop_after - change.at_after
    return Match(
        after=all_mark(change.at_after, component),
        before=all_mark(change.at_before, change.before[change.at_before]),
        repair=Repair(
            change.at_after, stop_after, tuple(FromBefore(index) for index in range(change.at_before, stop_before))
        ),
        facts={"what": f"{count} attachments that change" if count > 1 else f"one {component.kind.value} that changes"},
    )


def _stable_behind(change: Change, stop_before: int, stop_after: int) -> int:
    """Characters of equal text that follow directly in the same message."""
    old, new = _texts(change.before, stop_before), _texts(change.after, stop_after)
    equal = takewhile(lambda pair: pair[0].text == pair[1].text, zip(old, new, strict=False))
    return sum(len(right.text) for _, right in equal)


def _run(components: tuple[Component, ...], start: int) -> int:
    """Where the attachments that begin at an index end."""
    stop = start
    while stop < len(components) and components[stop].opaque and components[stop].message == components[start].message:
        stop += 1
    return stop


def _texts(components: tuple[Component, ...], start: int) -> list[Component]:
    """The texts that follow directly in the same message."""
    stop = start
    while (
        stop < len(components)
        and components[stop].kind is Kind.TEXT
        and components[stop].message == components[start - 1].message
    ):
        stop += 1
    return list(components[start:stop])
