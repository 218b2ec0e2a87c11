"""The surroundings of a process: working directory, files, version control, machine, modes, states of devices."""

from __future__ import annotations

import re
from collections.abc import Iterator

from promptlint.matchers._ids import looks_drawn
from promptlint.matchers._labels import Labelled, block_titles, labelled, neighbour_labels, words_of
from promptlint.matchers._sites import Site, go_on_alike
from promptlint.matchers._values import ValuePair, compiled, labelled_pairs, value_pairs
from promptlint.matchers._vocabulary import words
from promptlint.matchers._wording import in_example

_ROOTS = (
    r"(?:home|Users|srv|var|tmp|mnt|media|opt|root|workspaces?|app|apps|data|repos?|private|usr|etc|"
    r"builds?|runner|github|"
    r"code|projects?|src|work|volumes|nix|Library)"
)
_PATHS = (
    rf"(?<![\w.:/~-])(?:~|/{_ROOTS})(?:/[\w.@+~%=:-]+){{0,30}}/?",
    r"(?<!\w)[A-Za-z]:[\\/](?:[\w.@+~ ()-]{1,80}[\\/]?){0,20}[\w)]?",
    r"\\\\[\w.-]+(?:\\[\w.@+ -]{1,80}){1,20}",
)
_ADDRESSES = (
    r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{2,5})?(?![\w.])",
    r"(?<![\w:.])(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{1,4}(?![\w:])",
    r"\b(?:localhost|host\.docker\.internal|[\w-]+\.(?:local|internal|lan))(?::\d{2,5})?(?![\w.])",
)
_NAMED = (r"\b(?:on|to|at|in|from) (?:(?:the|local) )?(?:port|branch|host|node|commit|revision)\s[\"'`]?",)
_NAMES = (r"[\w./:-]{0,80}\w",)
_ROUTE = (
    r"\b(?:GET|POST|PUT|PATCH|DELETE|route|endpoint|api|see|read|refer|docs?|documentation|template|"
    r"import|guide)\b[^\n]{0,30}$"
)
_MEASURE = (
    r"[-+]?\d+(?:[.,]\d+)?\s?(?:°\s?[CF]?|K|%|lux|lx|kWh|Wh|W|V|A|hPa|mbar|bar|ppm|dB|dBm|km/h|mph|m/s|mm|"
    r"[KMGT]i?B(?:/s)?|ms|rpm|Hz|[MG]Hz)"
)
# A mode brings sentences of its own, so that the whole line is its value.
_MODES = (
    r"\bmode\b[\"'`*_]{0,3}\s?(?:[:=]|\bis\b)\s?[^\n]{1,300}",
    r"\b(?:in|is) (?:the )?[\"'`*_]{0,3}[\w-]{2,20}[\"'`*_]{0,3} mode\b[^\n]{0,300}",
)
PATTERNS = (*_PATHS, *_ADDRESSES, *_NAMED, *_NAMES, _ROUTE, _MEASURE, *_MODES)


def surroundings(site: Site) -> Iterator[tuple[ValuePair, bool]]:
    """Values of the process's surroundings that differ, and whether a label says what they are."""
    for pair in value_pairs(site, (*_PATHS, *_ADDRESSES)):
        if _stands(site, pair) and not compiled(_ROUTE).search(pair.lead[-60:]) and not _drawn_in(pair):
            yield pair, False
    for value in labelled(site):
        pair = value.pair
        if value.words & words("written") or not _stands(site, pair) or _drawn_in(pair):
            continue
        known = _in_prose(value) if value.verb else bool(value.words & words("surroundings")) and _short(pair)
        around = value.own_line and _short(pair) and on_surroundings(site)
        if known or around or (_switched(pair) and not value.verb) or (value.own_line and _measured(site, pair)):
            yield pair, True
    for pair in labelled_pairs(site, _NAMED, _NAMES):
        if _stands(site, pair):
            yield pair, True
    if site.same_conversation:  # elsewhere it may be an author's edit of such a line
        yield from ((pair, True) for pair in value_pairs(site, _MODES))
    yield from _columns(site)


def _stands(site: Site, pair: ValuePair) -> bool:
    return go_on_alike(site, pair.before.end, pair.after.end) and not in_example(site.after, pair.after.start)


def drawn_segment(before: str, after: str) -> bool:
    """Whether two paths differ in a part that was drawn, as the id of a session."""
    old, new = re.split(r"[\\/]", before), re.split(r"[\\/]", after)
    differing = [(left, right) for left, right in zip(old, new, strict=False) if left != right]
    return len(old) == len(new) > 1 and all(looks_drawn(part) for parts in differing for part in parts)


def _drawn_in(pair: ValuePair) -> bool:
    return drawn_segment(pair.before_text, pair.after_text)


def _short(pair: ValuePair) -> bool:
    texts = (pair.before_text, pair.after_text)
    items = [item for text in texts for item in text.split(",")]
    return all(len(item.split()) <= 8 and not item.rstrip().endswith((".", "!", "?")) for item in items)


def _in_prose(value: Labelled) -> bool:
    """Whether a phrase such as `the branch is main` tells the surroundings: the value is a path, a name or a number."""
    if value.words & {"if", "when", "unless", "whenever", "once"}:
        return False
    texts = (value.pair.before_text, value.pair.after_text)
    named = bool(value.words & words("surroundings_in_prose")) and all(len(text.split()) <= 3 for text in texts)
    marks = all(re.search(r"[\d/\\._-]", text) and len(text.split()) == 1 for text in texts)
    return named or (marks and bool(value.words & words("surroundings")))


def _switched(pair: ValuePair) -> bool:
    """Whether a value went from one state to another: `yes` to `no`, `on` to `off`."""
    old, new = pair.before_text.strip().lower(), pair.after_text.strip().lower()
    return old in words("states") and new in words("states")


def _measured(site: Site, pair: ValuePair) -> bool:
    """Whether a measured value (a number with its unit) differs within one conversation: nobody edits that often."""
    measure = compiled(_MEASURE)
    return site.same_conversation and measure.fits(pair.before_text) and measure.fits(pair.after_text)


def is_surrounding(label: frozenset[str]) -> bool:
    """Whether a label names a part of the surroundings."""
    return bool(label & words("surroundings")) and not label & words("written")


def on_surroundings(site: Site) -> bool:
    """Whether the block around the difference is about surroundings: its title says so, or two of its other lines."""
    titles = [words_of(title) for title in block_titles(site.after, site.first)]
    if any(title & words("surroundings_titles") and len(title) <= 6 for title in titles):
        return True
    others = neighbour_labels(site.after, site.first)
    return sum(map(is_surrounding, others)) >= 2


def _columns(site: Site) -> Iterator[tuple[ValuePair, bool]]:
    """A state in a row of a table, as `light.kitchen;Kitchen;on`."""
    for pair in value_pairs(site, (r"(?<=[;|,\t])[ ]?\w+(?:\.\d+)?(?=[ ]?(?:[;|,\t]|$|\n))",)):
        if _switched(pair) and not any(mark in pair.lead for mark in (". ", "! ", "? ", ", ")):
            yield pair, True
