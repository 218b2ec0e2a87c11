"""Slots with one sequence each and a host-memory cache behind them, as llama.cpp's server keeps its cache."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

from promptlint.model.common import common_prefix
from promptlint.policies.structure import Held, kept

SAVED_BELOW = 0.5  # a slot is saved first if less than this share of it would be kept
TAKEN_FROM = 0.25  # a saved sequence is taken only if at least this share of it would be kept


@dataclass(slots=True)
class _Slot:
    ids: array[int] = field(default_factory=lambda: array("I"))
    used: int = -1


class Slots:
    """`slots` resident sequences; `host_cache`: saved ones in host memory, the server's default.

    `saves_idle`: with every request all other slots are saved too, and emptied where the slots share one memory
    (`unified`, the server's default). The host memory's limit (8,192 MiB by default) is not modelled.
    Rules: llama.cpp tools/server/server-context.cpp (get_available_slot) and server-task.cpp (server_prompt_cache),
    as in the package xllamacpp 2026.10.11549.
    """

    def __init__(
        self, slots: int = 1, *, host_cache: bool = False, saves_idle: bool = True, unified: bool = True
    ) -> None:
        self._count = slots
        self._slots: list[_Slot] = []  # those that were used: the server takes the last of the others first
        self._host: list[array[int]] | None = [] if host_cache else None
        self._saves_idle = saves_idle
        self._unified = unified
        self._clock = 0

    def match(self, ids: array[int], now: float = 0.0) -> Held:
        """Tokens of `ids` held by the slot that a request would get, or by the saved sequence it would load."""
        slot, replaced = self._choose(ids)
        saved = self._best_saved(slot.ids, ids) if replaced else None
        return Held(common_prefix(slot.ids if saved is None else saved, ids))

    def request(self, ids: array[int], output: Sequence[int] = (), now: float = 0.0) -> int | None:
        """Serves one request alone: tokens taken from the cache."""
        slot, replaced = self._choose(ids)
        if self._host is not None:
            if replaced:
                self._save(slot.ids)
                slot.ids = self._load(slot.ids, ids)
            self._save_idle(slot)
        if slot.used < 0:
            self._slots.insert(0, slot)
        shared = common_prefix(slot.ids, ids)
        self._clock += 1
        slot.ids, slot.used = kept(ids, output), self._clock
        return max(0, min(shared, len(ids) - 1))

    def _choose(self, ids: array[int]) -> tuple[_Slot, bool]:
        """The slot for a request, and whether its content is to be replaced: most of it would be lost."""
        best, most = None, _ratio(1, 10)  # the default of --slot-prompt-similarity, in single precision as well
        for slot in self._slots:
            similarity = _ratio(common_prefix(slot.ids, ids), len(ids))
            if similarity > most:
                best, most = slot, similarity
        if best is not None:
            return best, _ratio(common_prefix(best.ids, ids), len(best.ids)) < SAVED_BELOW
        if len(self._slots) < self._count:
            return _Slot(), True
        return min(self._slots, key=lambda slot: slot.used), True

    def _save_idle(self, busy: _Slot) -> None:
        if not self._saves_idle:
            return
        for slot in self._slots:
            if slot is not busy:
                self._save(slot.ids)
                if self._unified:
                    slot.ids = array("I")

    def _save(self, ids: array[int]) -> None:
        """Adds a sequence, unless it is contained in another; those that it contains go."""
        assert self._host is not None
        if not ids or any(common_prefix(other, ids) == len(ids) for other in self._host):
            return
        self._host = [other for other in self._host if common_prefix(other, ids) < len(other)]
        self._host.append(ids)

    def _load(self, held: array[int], ids: array[int]) -> array[int]:
        """The saved sequence that serves `ids` better than `held`, taken out of the host memory; else `held`."""
        assert self._host is not None
        saved = self._best_saved(held, ids)
        if saved is None:
            return held
        self._host = [other for other in self._host if other is not saved]
        return saved

    def _best_saved(self, held: array[int], ids: array[int]) -> array[int] | None:
        """The saved sequence that beats `held`, both in the share kept of it and in the share of `ids` it covers."""
        shared = common_prefix(held, ids)
        best, keep, similarity = None, _ratio(shared, len(held)), _ratio(shared, len(ids))
        for saved in self._host or ():
            shared = common_prefix(saved, ids)
            keep_now, similarity_now = _ratio(shared, len(saved)), _ratio(shared, len(ids))
            if keep_now >= TAKEN_FROM and keep_now > keep and similarity_now > similarity:
                best, keep, similarity = saved, keep_now, similarity_now
        return best


def _ratio(part: int, whole: int) -> float:
    """A quotient in single precision, in which the server compares; -1 for an empty sequence: anything beats it."""
    return float(struct.unpack("f", struct.pack("f", part / whole))[0]) if whole else -1.0
