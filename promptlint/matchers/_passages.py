"""Whether two passages are versions of one, or different ones that only share the words of the language."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+")
_LONG = 12  # words from which on runs of words say more than single ones
_RUN = 5
_RUNS_ALIKE = 0.3  # share of runs that two different passages have in common at most
_SHORT = 3  # characters of a word that most languages use to join others
_WORDS_ALIKE = 0.25  # the same for the words of short ones


def have_little_in_common(before: str, after: str) -> bool:
    """Whether what came is not an edit of what went: hardly any run of words (of short texts: any word) is the same."""
    old, new = _WORD.findall(before.lower()), _WORD.findall(after.lower())
    if min(len(old), len(new)) >= _LONG:
        return _share(_runs(old), _runs(new)) <= _RUNS_ALIKE
    return (
        _share({word for word in old if len(word) > _SHORT}, {word for word in new if len(word) > _SHORT})
        <= _WORDS_ALIKE
    )


def _runs(words: list[str]) -> set[str]:
    return {" ".join(words[index : index + _RUN]) for index in range(len(words) - _RUN + 1)}


def _share(left: set[str], right: set[str]) -> float:
    return len(left & right) / max(1, min(len(left), len(right)))
