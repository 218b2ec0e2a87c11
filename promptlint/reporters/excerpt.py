"""The two sides around a divergence: the shared part dimmed, the differing part highlighted."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterator

from promptlint.model.report import Excerpt
from promptlint.reporters.lines import Line, Styled, columns, line
from promptlint.reporters.visible import visible

INDENT = 2
LIMIT = 40  # characters that an excerpt shows of each part; one that is as long was cut


def sides(excerpt: Excerpt, width: int | None) -> Iterator[Line]:
    """One line for each side, cut to `width` columns, and the code points where both look the same."""
    before, after = differing(excerpt)
    for sign, colour, own, whole in ("-", "red", before, excerpt.before), ("+", "green", after, excerpt.after):
        yield _side(sign, colour, excerpt.shared, own, whole[len(own) :], width)
    if before and before != after and _composed(before) == _composed(after):
        points = " against ".join(" ".join(f"U+{ord(each):04X}" for each in side[:4]) for side in (before, after))
        yield line(Styled(f"these look the same and are not: {points}", "yellow"), indent=INDENT + 2)


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def differing(excerpt: Excerpt) -> tuple[str, str]:
    """How far the two sides differ, from where they part: up to the text that is common to both again."""
    before, after = excerpt.before, excerpt.after
    if excerpt.before_differs is not None and excerpt.after_differs is not None:
        before, after = before[: excerpt.before_differs], after[: excerpt.after_differs]
    cut = any(len(text) >= LIMIT for text in (before, after))  # the ends of what was cut say nothing
    again = 0 if cut else _common_tail(before, after)
    return before[: len(before) - again], after[: len(after) - again]


def _common_tail(before: str, after: str) -> int:
    pairs = zip(reversed(before), reversed(after), strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _side(sign: str, colour: str, shared: str, own: str, tail: str, width: int | None) -> Line:
    cut = len(own) + len(tail) >= LIMIT
    own_shown, tail_shown = _marked(own, cut=cut and not tail), visible(tail)
    if not own:
        own_shown = "" if tail else "(ends here)"
    elif cut and not tail:
        own_shown += "…"
    tail_shown += "…" if cut and tail else ""
    shared = f"…{shared}" if len(shared) >= LIMIT else shared
    room = None if width is None else width - INDENT - 2
    if room is not None:
        own_shown = shortened(own_shown, room)
        tail_shown = shortened(tail_shown, room - columns(own_shown))
    left = None if room is None else room - columns(own_shown) - columns(tail_shown)
    shared_shown = _cut_left(visible(shared), left)
    return line(
        Styled(f"{sign} ", colour),
        Styled(shared_shown, "dim"),
        Styled(own_shown, f"bold {colour}" if own else "dim"),
        Styled(tail_shown, "dim"),
        indent=INDENT,
        wraps=False,
    )


def _marked(text: str, *, cut: bool) -> str:
    """Spaces at the ends as dots, and a leading accent on its own, for neither is seen otherwise."""
    inner = text.strip(" ")
    if not inner:
        return "·" * len(text)
    start = text.index(inner)
    after = len(text) - start - len(inner)
    dots = "·" * start, (" " if cut else "·") * after
    accent = f"\\u{ord(inner[0]):04x}" if unicodedata.combining(inner[0]) else ""
    return dots[0] + accent + visible(inner[1:] if accent else inner) + dots[1]


def shortened(text: str, room: int) -> str:
    """Text in at most `room` columns, its end cut off."""
    if columns(text) <= room:
        return text
    while text and columns(text) > room - 1:
        text = text[:-1]
    return text + "…" if room > 0 else ""


def _cut_left(text: str, room: int | None) -> str:
    if room is None or columns(text) <= room:
        return text
    return shortened(text[::-1], room)[::-1]
