"""Where everything stands on the bar that is a prompt from token 0 to its end: positions in per cent, for CSS."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from promptlint.model.report import Comparison, RepairStep
from promptlint.reporters.amounts import count

_BLOCKS = 64  # more block ends than that cannot be told apart
_TICKS = 6
_NEAR = 5.0  # per cent of the bar: causes that stand closer share a flag
_CLOSE_UP = 4  # a window is worth drawing where it magnifies the bar so many times
_AROUND_BLOCKS, _AROUND_TOKENS = 8, 100  # what the window shows on each side of the divergence, at least


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the bar: tokens `start` to `end`, and where it is drawn."""

    kind: str
    label: str
    start: int
    end: int
    left: str
    width: str

    @property
    def tokens(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Sign:
    """A place on the bar and what is said there."""

    left: str
    label: str
    token: int


@dataclass(frozen=True, slots=True)
class Flag:
    """One cause, or several that stand close together: `first` to `last` by their numbers."""

    left: str
    label: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    start: int
    end: int
    pieces: tuple[Piece, ...]
    sections: tuple[Piece, ...]
    needles: tuple[Sign, ...]
    flags: tuple[Flag, ...]
    marks: tuple[Sign, ...]
    blocks: tuple[Sign, ...]
    ticks: tuple[Sign, ...]


@dataclass(frozen=True, slots=True)
class _Window:
    """Tokens `start` to `end` of the prompt, drawn over the whole width."""

    start: int
    end: int

    def at(self, token: int) -> str:
        size = max(1, self.end - self.start)
        return f"{100 * (min(max(token, self.start), self.end) - self.start) / size:.3f}%"

    def holds(self, token: int) -> bool:
        return self.start <= token <= self.end

    def pieces(self, stretches: Iterable[tuple[str, str, int, int]]) -> Iterator[Piece]:
        """Of (kind, label, start, end) what lies inside."""
        size = max(1, self.end - self.start)
        for kind, label, start, end in stretches:
            start, end = max(start, self.start), min(end, self.end)
            if start < end:
                yield Piece(kind, label, start, end, self.at(start), f"{100 * (end - start) / size:.3f}%")


def whole(each: Comparison) -> Bar:
    """The bar of the later prompt."""
    return _bar(each, _Window(0, each.tokens.after), "The later prompt")


def close_up(each: Comparison) -> Bar | None:
    """The stretch around the divergence, where the bar as a whole is too coarse to show it."""
    if each.divergence is None:
        return None
    around = max(_AROUND_BLOCKS * (each.block or 1), _AROUND_TOKENS)
    start, end = max(0, each.divergence.token - around), min(each.tokens.after, each.divergence.token + around)
    if (end - start) * _CLOSE_UP > each.tokens.after:
        return None
    return _bar(each, _Window(start, end), "Close-up of the divergence")


def _bar(each: Comparison, window: _Window, name: str) -> Bar:
    pieces = tuple(window.pieces(stretches(each)))
    said = "; ".join(f"{piece.start:,} to {piece.end:,} {piece.label}" for piece in pieces)
    signs = [(boundary.token, f"{boundary.label}, token {boundary.token:,}") for boundary in each.marks]
    return Bar(
        label=f"{name}, tokens {window.start:,} to {window.end:,}: {said or 'empty'}.",
        start=window.start,
        end=window.end,
        pieces=pieces,
        sections=tuple(window.pieces(("section", part.name, part.start, part.end) for part in each.sections)),
        needles=tuple(
            Sign(window.at(step.token), f"cause {number}", step.token)
            for number, step in enumerate(each.repairs, 1)
            if step.token is not None and window.holds(step.token)
        ),
        flags=tuple(_flags(each.repairs, window)),
        marks=tuple(_thinned(Sign(window.at(token), label, token) for token, label in signs if window.holds(token))),
        blocks=tuple(_blocks(each.block, window)),
        ticks=tuple(_ticks(window)),
    )


def stretches(each: Comparison) -> Iterator[tuple[str, str, int, int]]:
    """(kind, label, start, end) of what stays cached, what may, what is the same and yet computed, and the rest."""
    tokens = each.tokens
    low, high = tokens.reusable_low, max(tokens.reusable_low, tokens.reusable_high)
    shared = max(high, tokens.shared)
    rest = (
        ("grown", "new text, computed") if each.divergence is None else ("computed", "different or behind a difference")
    )
    ends = (
        ("cached", "reusable", low),
        ("maybe", "reusable or not: the facts are uncertain", high),
        ("shared", "the same, but not reusable", shared),
        (*rest, max(shared, tokens.after)),
    )
    start = 0
    for kind, label, end in ends:
        if end > start:
            yield kind, label, start, end
        start = max(start, end)


def _flags(repairs: Sequence[RepairStep], window: _Window) -> Iterator[Flag]:
    """Causes in prompt order, neighbours drawn together; the label names each."""
    group: list[tuple[int, RepairStep, float]] = []
    for number, step in enumerate(repairs, 1):
        if step.token is None or not window.holds(step.token):
            continue
        place = float(window.at(step.token).rstrip("%"))
        if group and abs(place - group[0][2]) >= _NEAR:
            yield _flag(group)
            group = []
        group.append((number, step, place))
    if group:
        yield _flag(group)


def _flag(group: Sequence[tuple[int, RepairStep, float]]) -> Flag:
    names = "; ".join(f"cause {number}, {step.code} {step.name}, at token {step.token:,}" for number, step, _ in group)
    return Flag(f"{group[0][2]:.3f}%", names[0].upper() + names[1:], group[0][0], group[-1][0])


def _thinned(signs: Iterable[Sign]) -> Iterator[Sign]:
    """Signs that can be told apart: two a per cent of the bar at most."""
    last = -1
    for sign in signs:
        place = int(float(sign.left.rstrip("%")) * 2)
        if place != last:
            yield sign
        last = place


def _blocks(block: int | None, window: _Window) -> Iterator[Sign]:
    if not block or (window.end - window.start) // block > _BLOCKS:
        return
    for token in range(-(-window.start // block) * block, window.end + 1, block):
        yield Sign(window.at(token), f"block end at token {token:,}", token)


def _ticks(window: _Window) -> Iterator[Sign]:
    """Round numbers, and both ends."""
    size = window.end - window.start
    step = next(base * 10**power for power in range(20) for base in (1, 2, 5) if size <= base * 10**power * _TICKS)
    places = {window.start, window.end, *range(-(-window.start // step) * step, window.end, step)}
    room = size / _TICKS / 2  # a number that stands closer to an end would cover that end's label
    for token in sorted(places):
        if token in (window.start, window.end) or min(token - window.start, window.end - token) > room:
            yield Sign(window.at(token), f"{token:,}", token)


def blocks_in_words(each: Comparison) -> str:
    """What the provider cuts by, and where reuse ends; empty where it cuts nowhere in particular."""
    if not each.block or each.block == 1:
        return ""
    whole_blocks = each.tokens.after // each.block
    kept = each.tokens.reusable // each.block
    return (
        f"This provider keeps whole blocks of {count(each.block, 'token')}: the prompt fills {whole_blocks:,}, "
        f"of which {kept:,} {'is' if kept == 1 else 'are'} reusable."
    )
