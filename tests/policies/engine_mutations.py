"""One broken rule each: what a comparison with a real engine must notice, or it proves nothing about that rule."""

from __future__ import annotations

import importlib
import inspect
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import ModuleType

from engine_traffic import Exchange, mismatches

from promptlint.policies.structure import Structure

Build = Callable[[Callable[..., Structure]], Structure]


@dataclass(frozen=True, slots=True)
class Mutation:
    """`new` in place of `old` in the source of promptlint.policies.`module`; both empty: the salt is ignored."""

    rule: str
    module: str
    old: str = ""
    new: str = ""


BLOCK_POOL = (
    Mutation(
        "the last token is computed", "block_pool", "max(0, len(ids) - 1) // self.block", "len(ids) // self.block"
    ),
    Mutation(
        "an unfinished block has no key",
        "block_pool",
        "len(ids) + 1, self.block)",
        "len(ids) + self.block, self.block)",
    ),
    Mutation(
        "rounds down", "block_pool", "return hit * self.block if", "return min((hit + 1) * self.block, len(ids) - 1) if"
    ),
    Mutation("salt splits", "block_pool"),
    Mutation("least recently used goes first", "block_pool", "popitem(last=False)", "popitem(last=True)"),
    Mutation(
        "unfinished block goes first",
        "block_pool",
        "if self._unfinished:",
        "if self._unfinished and self._new == self._end and not self._free:",
    ),
    Mutation("tail of a request goes first", "block_pool", "for number in reversed(mine):", "for number in mine:"),
    Mutation("null block holds nothing", "block_pool", "self._end = 1,", "self._end = 0,"),
    Mutation(
        "equal blocks are kept twice",
        "block_pool",
        "self._key_of[number] = key",
        "if key in self._holders: continue\n            self._key_of[number] = key",
    ),
    Mutation("outputs are held", "block_pool", "sequence = kept(ids, output)", "sequence = ids"),
    Mutation("last sampled token is not held", "structure", "output[:-1]", "output"),
)
RADIX = (
    Mutation("the last token is computed", "radix", "ids[: max(0, len(ids) - 1)]", "ids"),
    Mutation(
        "rounds down", "radix", "same = self._whole(", "same = (lambda same: min(len(child.key), self._pages(same)))("
    ),
    Mutation("salt splits", "radix"),
    Mutation("least recently used goes first", "radix", "elif used < leaf.used:", "elif False:"),
    Mutation("reading counts as use", "radix", "node.used = tick", "pass"),
    Mutation(
        "a leaf goes whole",
        "radix",
        "self._remove(leaf)",
        "cut = self._pages(tokens - self.capacity + self.size)\n"
        "                if cut < len(leaf.key):\n"
        "                    leaf.key, self.size = leaf.key[:-cut], self.size - cut\n"
        "                    spared.append(leaf)\n"
        "                else:\n"
        "                    self._remove(leaf)",
    ),
    Mutation("a childless parent is a leaf", "radix", "if not parent.children and", "if False and"),
    Mutation("prompt and output are two leaves", "radix", "node = self._insert(ids, now)", "pass"),
    Mutation("room is made a page ahead", "radix", "self._make_room(beyond + self.page, node)", "pass"),
    Mutation("outputs are held", "radix", "sequence = kept(ids, output)", "sequence = ids"),
    Mutation("last sampled token is not held", "structure", "output[:-1]", "output"),
)
SLOTS = (
    Mutation("the last token is computed", "slots", "min(shared, len(ids) - 1)", "shared"),
    Mutation("last sampled token is not held", "structure", "output[:-1]", "output"),
    Mutation("outputs are held", "slots", "kept(ids, output), self._clock", "ids, self._clock"),
)
SEVERAL_SLOTS = (
    Mutation("slot by content", "slots", "if similarity > most:", "if False:"),
    Mutation("at least a tenth alike", "slots", "_ratio(1, 10)", "0.0"),
    Mutation("else the least recently used", "slots", "lambda slot: slot.used", "lambda slot: -slot.used"),
)
HOST_CACHE = (
    Mutation("saved when half would be lost", "slots", "< SAVED_BELOW", "< 0"),
    Mutation("a quarter must be kept", "slots", "keep_now >= TAKEN_FROM", "True"),
    Mutation("both shares must improve", "slots", "keep_now > keep and similarity_now", "similarity_now"),
    Mutation("what is loaded leaves", "slots", "[other for other in self._host if other is not saved]", "self._host"),
)
IDLE_SLOTS = (
    Mutation("idle slots are saved", "slots", "if not self._saves_idle:", "if True:"),
    Mutation("idle slots are emptied", "slots", "if self._unified:", "if False:"),
)


def broken(
    mutations: Iterable[Mutation], structure: str, build: Build, exchanges: Sequence[Exchange]
) -> dict[str, int]:
    """By rule, the requests of which a cache with that rule broken is wrong. `structure`: the class's name."""
    return {mutation.rule: _wrong(mutation, structure, build, exchanges) for mutation in mutations}


def _wrong(mutation: Mutation, structure: str, build: Build, exchanges: Sequence[Exchange]) -> int:
    cache = build(_mutated(mutation, structure))
    return mismatches(cache, exchanges) if mutation.old else mismatches(cache, exchanges, _unsalted)


def _unsalted(ids: array[int], keys: Iterable[tuple[int, str, str]]) -> array[int]:
    return ids


def _mutated(mutation: Mutation, structure: str) -> Callable[..., Structure]:
    """The class `structure` of its module with the mutation applied, in modules of its own."""
    home = {"BlockPool": "block_pool", "RadixTree": "radix", "Slots": "slots"}[structure]
    changed = _module(mutation.module, mutation)
    module = changed if mutation.module == home else _module(home, None, kept=changed.kept)
    result: Callable[..., Structure] = getattr(module, structure)
    return result


def _module(name: str, mutation: Mutation | None, **names: object) -> ModuleType:
    full = f"promptlint.policies.{name}"
    source = inspect.getsource(importlib.import_module(full))
    if mutation is not None and mutation.old:
        assert source.count(mutation.old) == 1, f"{mutation.rule}: {mutation.old!r} is not once in {full}"
        source = source.replace(mutation.old, mutation.new)
    module = ModuleType(full)
    exec(compile(source, f"<{name}, mutated>", "exec"), module.__dict__)
    module.__dict__.update(names)
    return module
