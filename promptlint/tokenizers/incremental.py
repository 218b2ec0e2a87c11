"""Encodes long texts in chunks at safe cuts, so that a new version of a text costs only what changed in it."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from promptlint.model.common import shared_ends
from promptlint.tokenizers.cuts import chunk_starts

CHUNK = 8_000  # characters
_RECENT = 4  # long texts that a new one is compared with


@dataclass(frozen=True, slots=True)
class _Encoded:
    """A text and its ids; chunk i begins at character `starts[i]` and at token `counts[i]`."""

    text: str
    specials: bool
    ids: array[int]
    starts: list[int]
    counts: list[int]


class Incremental:
    """The ids that `encode(text, specials)` gives, for an encoder to which the rule of `cuts` applies."""

    def __init__(self, encode: Callable[[str, bool], array[int]]) -> None:
        self._encode = encode
        self._recent: deque[_Encoded] = deque(maxlen=_RECENT)

    def encode(self, text: str, specials: bool) -> array[int]:
        if len(text) < 2 * CHUNK:
            return self._encode(text, specials)
        known = [(old, shared_ends(old.text, text)) for old in self._recent if old.specials == specials]
        nearest, ends = max(known, key=lambda pair: sum(pair[1]), default=(None, (0, 0)))
        made = self._changed(nearest, text, *ends) if nearest else self._whole(text, specials)
        self._recent.append(made)
        return made.ids

    def _whole(self, text: str, specials: bool) -> _Encoded:
        made = _Encoded(text, specials, array("I"), list(chunk_starts(text, CHUNK, specials=specials)), [])
        for start, end in zip(made.starts, [*made.starts[1:], len(text)], strict=True):
            made.counts.append(len(made.ids))
            made.ids.extend(self._encode(text[start:end], specials))
        return made

    def _changed(self, old: _Encoded, text: str, head: int, tail: int) -> _Encoded:
        """Only what lies between the last old cut in the common beginning and the first in the common end."""
        # A cut stands on both of its neighbours: both must be common to the two texts.
        first = max(bisect_left(old.starts, head) - 1, 0)
        last = bisect_right(old.starts, len(old.text) - tail)
        shift = len(text) - len(old.text)
        begin = old.starts[first]
        old_end = old.starts[last] if last < len(old.starts) else len(old.text)
        middle = self._whole(text[begin : old_end + shift], old.specials)
        made = _Encoded(text, old.specials, old.ids[: old.counts[first]], old.starts[:first], old.counts[:first])
        made.starts.extend(start + begin for start in middle.starts)
        made.counts.extend(count + len(made.ids) for count in middle.counts)
        made.ids.extend(middle.ids)
        if last < len(old.starts):
            more = len(made.ids) - old.counts[last]
            made.starts.extend(start + shift for start in old.starts[last:])
            made.counts.extend(count + more for count in old.counts[last:])
            made.ids.extend(old.ids[old.counts[last] :])
        return made
