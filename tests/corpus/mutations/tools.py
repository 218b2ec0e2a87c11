"""Tools and prompt text that were changed: tool sets, descriptions, edits (PL301 to PL304)."""

from __future__ import annotations

from random import Random

from .. import words
from ..bases import Base, new_tool
from ..mutation import Edit, Expected, Mutation, cause, somewhere, system_place
from ..request import Request, Tool, sentence_slots
from .values import COUNTERS, DATES, IDS, clock_texts, moments


def _keep_mark(request: Request, edit: Edit) -> None:
    """Changes the list of tools and leaves a marker on the last of them."""
    mark = request.tools[-1].mark
    for tool in request.tools:
        tool.mark = None
    edit(request)
    request.tools[-1].mark = mark


@cause("PL301")
def tool_added(base: Base, rng: Random) -> Mutation | None:
    """A tool more: at the front, in the middle, at the end."""
    if not base.after.tools:
        return None
    tool = new_tool(rng, "extra", {tool.name for tool in base.after.tools})
    where = rng.choice(("front", "middle", "end"))
    place = {"front": 0, "middle": rng.randrange(1, len(base.after.tools)), "end": len(base.after.tools)}[where]

    def bad(request: Request) -> None:
        _keep_mark(request, lambda changed: changed.tools.insert(place, _copied(tool)))

    return Mutation(
        f"tool added, {where}", (Expected("PL301", "extra"),), bad, zones=("tools",), fresh=rng.random() < 0.2
    )


def _copied(tool: Tool) -> Tool:
    return Tool(tool.uid, tool.name, tool.description, tool.schema, tool.mark, tool.keys)


@cause("PL301")
def tool_removed(base: Base, rng: Random) -> Mutation | None:
    """One tool or several fewer."""
    tools = base.after.tools
    if len(tools) < 4:
        return None
    count = rng.choice((1, 1, 2, 3))
    gone = {tool.uid for tool in rng.sample(tools, count)}
    first = next(tool.uid for tool in tools if tool.uid in gone)

    def bad(request: Request) -> None:
        def drop(changed: Request) -> None:
            changed.tools[:] = [tool for tool in changed.tools if tool.uid not in gone]

        _keep_mark(request, drop)

    zones = ("tools", *(f"tool {uid}" for uid in gone))
    return Mutation(f"{count} tools removed", (Expected("PL301", first),), bad, zones=zones)


@cause("PL301")
def mode_switch(base: Base, rng: Random) -> Mutation | None:
    """Some tools make way for others, as when a mode changes."""
    tools = base.after.tools
    if len(tools) < 4:
        return None
    place = rng.randrange(len(tools) - 1)
    gone = {tool.uid for tool in tools[place : place + 2]}
    taken = {tool.name for tool in tools}
    added = [new_tool(rng, f"extra{index}", taken) for index in range(rng.randint(1, 2))]

    def bad(request: Request) -> None:
        def swap(changed: Request) -> None:
            changed.tools[:] = [tool for tool in changed.tools if tool.uid not in gone]
            changed.tools[place:place] = [_copied(tool) for tool in added]

        _keep_mark(request, swap)

    zones = ("tools", *(f"tool {uid}" for uid in gone))
    return Mutation("tools swapped", (Expected("PL301", "extra0"),), bad, zones=zones)


def _described(base: Base, rng: Random, kind: str, code: str, old: str, new: str) -> Mutation | None:
    """A tool whose description holds another text."""
    if not base.after.tools:
        return None
    tool = somewhere(rng, base.after.tools)
    front = rng.random() < 0.5

    def describe(text: str) -> Edit:
        def edit(request: Request) -> None:
            target = request.tool(tool.uid)
            target.description = f"{text} {target.description}" if front else f"{target.description} {text}"

        return edit

    return Mutation(
        kind, (Expected(code, tool.uid),), describe(new), describe(old), zones=(f"tool {tool.uid}",),
        fresh=rng.random() < 0.3,
    )  # fmt: skip


@cause("PL302")
def volatile_description(base: Base, rng: Random) -> Mutation | None:
    """A clock, a date, a counter or an id in a tool's description."""
    what = rng.choice(("clock", "date", "counter", "id", "directory"))
    if what == "clock":
        _, old, new = clock_texts(rng)
    elif what == "date":
        shape = DATES[rng.choice(["ISO", "long", "British", "with weekday"])]
        first = moments(rng)[0].replace(day=rng.randint(1, 27))
        old, new = (f"Today is {shape(moment)}." for moment in (first, first.replace(day=first.day + 1)))
    elif what == "counter":
        _, frame, step = rng.choice(COUNTERS)
        old, new = frame.format(12), frame.format(12 + step)
    elif what == "id":
        shape_of = IDS[rng.choice(["uuid", "hex of 32", "nanoid", "prefixed"])]
        old, new = (f"Results are kept under {shape_of(rng)}." for _ in range(2))
    else:
        old, new = (
            f"Paths are relative to {path}." for path in words.two(rng, ["/home/ada/desk", "/srv/q", "/work/x"])
        )
    return _described(base, rng, f"description, {what}", "PL302", old, new)


@cause("PL303")
def definition_edited(base: Base, rng: Random) -> Mutation | None:
    """A description that was worded anew."""
    old, new = words.two(rng, words.sentences(rng, 4))
    return _described(base, rng, "description worded anew", "PL303", old, new)


@cause("PL303")
def schema_edited(base: Base, rng: Random) -> Mutation | None:
    """A parameter more, of another type, or with another description."""
    if not base.after.tools:
        return None
    tool = somewhere(rng, base.after.tools)
    kind = rng.choice(("property added", "type changed", "property described"))
    text = words.sentence(rng)

    def bad(request: Request) -> None:
        properties = request.tool(tool.uid).schema["properties"]
        first = next(iter(properties))
        if kind == "property added":
            properties["dry_run"] = {"type": "boolean", "description": text}
        elif kind == "type changed":
            properties[first]["type"] = "number"
        else:
            properties[first]["description"] = text

    return Mutation(kind, (Expected("PL303", tool.uid),), bad, zones=(f"tool {tool.uid}",))


@cause("PL304")
def sentence_edited(base: Base, rng: Random) -> Mutation | None:
    """A sentence of the system text: added, taken out, or another one instead."""
    part = rng.choice(base.after.system)
    slot = somewhere(rng, sentence_slots(part.text))
    text, other = words.two(rng, words.sentences(rng, 5))
    kind = rng.choice(("added", "removed", "replaced"))

    def put(value: str) -> Edit:
        def edit(request: Request) -> None:
            target = request.part(part.uid)
            target.text = target.text.replace(slot, slot + value)

        return edit

    old, new = {"added": ("", f"{text} "), "removed": (f"{text} ", ""), "replaced": (f"{text} ", f"{other} ")}[kind]
    return Mutation(
        f"sentence {kind}", (Expected("PL304", part.uid),), put(new), put(old), zones=(f"{part.uid}#{ord(slot):x}",)
    )


@cause("PL304")
def word_edited(base: Base, rng: Random) -> Mutation | None:
    """A word of the system text was changed."""
    place = system_place(base, rng, paragraph=False)
    old, new = words.two(rng, ["politely", "briefly", "carefully", "plainly", "at once", "twice"])
    frame = f"Answer {{}} and name {rng.choice(words.PEOPLE)} for every {rng.choice(words.THINGS)}. "

    def put(value: str) -> Edit:
        def edit(request: Request) -> None:
            target = request.part(place.uid)
            target.text = target.text.replace(place.slot, place.slot + frame.format(value))

        return edit

    return Mutation("word changed", (Expected("PL304", place.uid),), put(new), put(old), zones=(place.zone,))
