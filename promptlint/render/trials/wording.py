"""Some of the tried shapes of conversation in words: as few as tell them from all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from promptlint.render.trials.conversations import Shape, said

_UNSET = said(None)
_MOST_PARTS = 3


def described(shown: Sequence[Shape], tried: Sequence[Shape]) -> str:
    """In which of `tried` something shows: the traits that they share, in up to three parts joined by "or"."""
    shapes = list(dict.fromkeys(tried))
    wanted = sum(1 << shapes.index(shape) for shape in set(shown))
    if wanted + 1 == 1 << len(shapes):
        return "in every shape of conversation"
    parts: list[str] = []
    left = wanted
    boxes = [(words, covered) for words, covered in _boxes(shapes) if not covered & ~wanted]
    while left and len(parts) < _MOST_PARTS:
        words, covered = max(boxes, key=lambda box: ((box[1] & left).bit_count(), -len(box[0])))
        parts.append(words)
        left &= ~covered
    more = f", or in {left.bit_count()} more of {len(shapes)} shapes" if left else ""
    return ", or ".join(parts) + more


def _boxes(shapes: Sequence[Shape]) -> Iterator[tuple[str, int]]:
    """Every choice of some traits on each axis, in words, with the shapes that have them (as bits)."""
    axes = [_choices(traits) for traits in zip(*(shape.traits for shape in shapes), strict=True)]
    for choice in product(*axes):
        covered = -1
        for _, bits in choice:
            covered &= bits
        yield " ".join(words for words, _ in choice if words), covered


def _choices(traits: Sequence[str]) -> list[tuple[str, int]]:
    """Any of the traits that an axis has (without a word), or some of them, each with the shapes that have them."""
    axis = {trait: sum(1 << index for index, own in enumerate(traits) if own == trait) for trait in traits}
    found = [("", sum(axis.values()))]
    for count in range(1, len(axis)):
        for some in combinations(axis, count):
            missing = [trait for trait in axis if trait not in some]
            alone = count > 1 and len(missing) == 1 and missing[0] != _UNSET
            words = f"except {missing[0]}" if alone else " or ".join(some)
            found.append((words, sum(axis[trait] for trait in some)))
    return found
