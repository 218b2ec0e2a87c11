"""Calls, results, reasoning and attachments that are not replayed as they were (PL404 to PL407, PL411)."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from .. import words
from ..bases import Base, new_call_id, pdf, png
from ..mutation import Edit, Expected, Mutation, cause, somewhere
from ..request import Part, Request


def _old(base: Base, kind: str) -> list[Part]:
    """Parts of one kind in messages that both requests hold."""
    return [part for message in base.before.messages for part in message.parts if part.kind == kind]


def _some(rng: Random, parts: list[Part]) -> list[Part]:
    """One part, the first few, or all."""
    share = rng.randrange(3)
    if share == 0:
        return [somewhere(rng, parts)]
    return parts[: max(1, len(parts) // 2)] if share == 1 else parts


@cause("PL404")
def reasoning_dropped(base: Base, rng: Random) -> Mutation | None:
    """Reasoning that was sent before is left out of the replay."""
    parts = _old(base, "reasoning")
    if not parts:
        return None
    gone = {part.uid for part in _some(rng, parts)}
    first = next(part.uid for part in parts if part.uid in gone)

    def bad(request: Request) -> None:
        for message in request.messages:
            message.parts[:] = [part for part in message.parts if part.uid not in gone]

    kind = f"reasoning dropped, {'one' if len(gone) == 1 else 'several'}"
    return Mutation(kind, (Expected("PL404", first),), bad, zones=tuple(gone))


PRUNED: dict[str, Callable[[str, int], str]] = {
    "cut": lambda text, length: text[:length] + "\u2026 [truncated]",
    "cut to a note": lambda text, length: text[:length] + f"\n[{len(text) - length} more characters]",
    "cut bare": lambda text, length: text[:length],
    "cleared": lambda text, length: "[Old tool result content cleared]",
    "omitted": lambda text, length: "(output omitted to save space)",
    "pointer": lambda text, length: "Saved to results/17.txt; read that file when it is needed.",
    "head and tail": lambda text, length: f"{text[: length // 2]}\n...\n{text[-length // 2 :]}",
}


@cause("PL405")
def result_pruned(base: Base, rng: Random) -> Mutation | None:
    """Old tool results that were cut, cleared or replaced."""
    parts = _old(base, "result")
    if not parts:
        return None
    name = rng.choice(list(PRUNED))
    length = rng.choice((80, 140, 220))
    return _pruned(rng, parts, f"result {name}", lambda text: PRUNED[name](text, length), None)


@cause("PL405")
def result_recut(base: Base, rng: Random) -> Mutation | None:
    """Old tool results that were cut before and are now cut to another length."""
    parts = _old(base, "result")
    if not parts:
        return None
    first, second = words.two(rng, ["90", "130", "170", "240"])
    cut = PRUNED["cut"]
    return _pruned(rng, parts, "result recut", lambda text: cut(text, int(second)), lambda text: cut(text, int(first)))


def _pruned(
    rng: Random, parts: list[Part], kind: str, bad: Callable[[str], str], good: Callable[[str], str] | None
) -> Mutation:
    chosen = [part.uid for part in _some(rng, parts)]

    def each(change: Callable[[str], str]) -> Edit:
        def edit(request: Request) -> None:
            for uid in chosen:
                part = request.find(uid)
                if part is not None:
                    part.text = change(part.text)

        return edit

    return Mutation(
        kind, (Expected("PL405", chosen[0]),), each(bad), each(good or (lambda text: text)), zones=tuple(chosen)
    )


@cause("PL406")
def new_ids(base: Base, rng: Random) -> Mutation | None:
    """Calls (and the results that answer them) with new ids."""
    parts = _old(base, "call")
    if not parts:
        return None
    ids = {part.call_id: new_call_id(rng, base.profile.wire) for part in _some(rng, parts)}
    first = next(part.uid for part in parts if part.call_id in ids)

    def bad(request: Request) -> None:
        for part in request.parts():
            part.call_id = ids.get(part.call_id, part.call_id)

    kind = f"new ids, {'one call' if len(ids) == 1 else 'several'}"
    zones = tuple(f"{part.uid}#id" for part in base.after.parts() if part.call_id in ids)
    return Mutation(kind, (Expected("PL406", first),), bad, zones=zones)


def _backwards(value: dict[str, Any]) -> dict[str, Any]:
    return dict(reversed(value.items()))


SERIALISED: dict[str, Callable[[dict[str, Any]], str]] = {
    "compact": lambda value: json.dumps(value, separators=(",", ":"), ensure_ascii=False),
    "escaped": json.dumps,
    "indented": lambda value: json.dumps(value, indent=2, ensure_ascii=False),
    "keys backwards": lambda value: json.dumps(_backwards(value), ensure_ascii=False),
    "keys backwards, compact": lambda value: json.dumps(_backwards(value), separators=(",", ":")),
}


@cause("PL407")
def arguments_reserialised(base: Base, rng: Random) -> Mutation | None:
    """Equal arguments in other bytes: separators, escapes, key order (objects: key order alone)."""
    parts = _old(base, "call")
    if not parts:
        return None
    string = base.profile.wire in ("openai-chat", "openai-responses")
    name = rng.choice(list(SERIALISED)) if string else "keys backwards"
    chosen = [part.uid for part in _some(rng, parts)]

    def bad(request: Request) -> None:
        for uid in chosen:
            part = request.find(uid)
            if part is not None:
                part.raw = SERIALISED[name](part.arguments)
                part.arguments = _backwards(part.arguments)

    kind = f"arguments, {name}"
    return Mutation(kind, (Expected("PL407", chosen[0]),), bad, zones=tuple(f"{uid}#arguments" for uid in chosen))


@cause("PL411")
def attachment(base: Base, rng: Random) -> Mutation | None:
    """An image or a document: other bytes, another picture, a pointer in its place, moved, or left out."""
    parts = [*_old(base, "image"), *_old(base, "document")]
    if not parts:
        return None
    part = somewhere(rng, parts)
    kind = rng.choice(("re-encoded", "replaced", "pointer", "moved", "left out"))
    other = png(rng) if part.kind == "image" else pdf(rng)
    tail = part.data + b"\0" * rng.randint(1, 9)
    target = base.after.messages[-1].uid

    def bad(request: Request) -> None:
        changed = request.part(part.uid)
        if kind in ("re-encoded", "replaced"):
            changed.data = tail if kind == "re-encoded" else other
        elif kind == "pointer":
            changed.kind, changed.text = "text", f"[{part.kind} removed, see attachment 3]"
        else:
            for message in request.messages:
                message.parts[:] = [item for item in message.parts if item.uid != part.uid]
            if kind == "moved":
                request.message(target).parts.insert(0, changed)

    zones = (part.uid, target) if kind == "moved" else (part.uid,)
    return Mutation(f"{part.kind} {kind}", (Expected("PL411", part.uid),), bad, zones=zones)
