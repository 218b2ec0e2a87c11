"""Where two texts that part go on alike again, found by whole lines in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from promptlint.matchers._sites import Site

_ANCHOR = 24  # characters that make a line unlikely to stand on both sides by chance
_BEGINNING = 48
_PASSAGE = 160  # characters of equal text that end a passage
_STRUCTURE = re.compile(r"\s*<[^<>]+>\s*|#{1,6}\s.*").fullmatch


def realigned(site: Site, start: int, least: int) -> tuple[int, int] | None:
    """Where the next run of equal lines begins, on each side, that has at least so many characters.

    The line that holds `start` belongs to what differs; a blank line before the run does not.
    """
    return next(((old, new) for old, new, length, _ in _runs(site, start) if length >= least), None)


def before_stable(site: Site, start: int, least: int) -> tuple[int, int] | None:
    """Where the equal text begins of which, with other differences in between, so many characters follow."""
    runs = list(_runs(site, start))
    if sum(length for _, _, length, _ in runs) < least:
        return None
    return next(((old, new) for old, new, length, _ in runs if length >= min(least, _PASSAGE)), None)


def next_part(site: Site, start: int) -> tuple[int, int] | None:
    """As `realigned`, for the next heading or tag that stands once on each side, however little follows it."""
    return next(((old, new) for old, new, _, structure in _runs(site, start) if structure), None)


def _runs(site: Site, start: int) -> Iterator[tuple[int, int, int, bool]]:
    """(start of each side, characters, whether it begins with a heading or tag) of the runs of equal lines.

    Paragraphs that begin alike count as equal.
    """
    old, new = site.before[start:].split("\n"), site.after[start:].split("\n")
    keys_old, keys_new = list(map(_key, old)), list(map(_key, new))
    places: dict[str, int] = {}
    for index, line in enumerate(old):
        if len(line) >= _ANCHOR or _STRUCTURE(line):
            places[keys_old[index]] = -1 if keys_old[index] in places else index
    offsets = (_offsets(old), _offsets(new))
    index = 1  # the line of the first difference is the passage's own
    while index < len(new):
        other = places.get(keys_new[index], -1)
        if other < 1:
            index += 1
            continue
        first = 0
        while index - first > 1 and other - first > 1 and keys_old[other - first - 1] == keys_new[index - first - 1]:
            first += 1
        stop = 0
        while index + stop < len(new) and other + stop < len(old) and keys_old[other + stop] == keys_new[index + stop]:
            stop += 1
        run = new[index - first : index + stop]
        blank = any(not line.strip() for line in run[:first])
        ends = offsets[0][other - first] - blank, offsets[1][index - first] - blank
        head = next((line for line in run if line.strip()), "")
        yield start + ends[0], start + ends[1], sum(len(line) + 1 for line in run), bool(_STRUCTURE(head))
        index += max(1, stop)


def _key(line: str) -> str:
    """What tells a line from others: of a paragraph its beginning, for it may have been edited further on."""
    return line[:_BEGINNING] if len(line) >= 2 * _BEGINNING else line


def _offsets(lines: list[str]) -> list[int]:
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    return offsets
