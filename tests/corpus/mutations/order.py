"""The same content in another order or form: tools, keys, lines, schema lists, JSON text (PL201 to PL206)."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from .. import words
from ..bases import Base
from ..mutation import Edit, Expected, Mutation, cause, insert, planted, somewhere, system_place
from ..request import Request, Tool


def shuffled(rng: Random, items: list[Any]) -> list[Any]:
    """The items in another order."""
    while True:
        other = rng.sample(items, len(items))
        if other != items:
            return other


ORDERS: dict[str, Callable[[Random, list[Tool]], list[Tool]]] = {
    "swap": lambda rng, tools: _swapped(rng, tools),
    "rotate": lambda rng, tools: tools[1:] + tools[:1],
    "shuffle": lambda rng, tools: shuffled(rng, tools),
    "reverse": lambda rng, tools: tools[::-1],
    "last first": lambda rng, tools: tools[-1:] + tools[:-1],
    "moved to the end": lambda rng, tools: _moved(rng, tools),
}


def _swapped(rng: Random, tools: list[Tool]) -> list[Tool]:
    left, right = sorted(rng.sample(range(len(tools)), 2))
    tools = list(tools)
    tools[left], tools[right] = tools[right], tools[left]
    return tools


def _moved(rng: Random, tools: list[Tool]) -> list[Tool]:
    place = rng.randrange(len(tools) - 1)
    return [*tools[:place], *tools[place + 1 :], tools[place]]


@cause("PL201")
def tool_order(base: Base, rng: Random) -> Mutation | None:
    """The same tools in another order; a marker stays on the last one."""
    tools = base.after.tools
    if len(tools) < 2:
        return None
    name = rng.choice(list(ORDERS))
    order = [tool.uid for tool in ORDERS[name](rng, tools)]
    first = next(index for index, tool in enumerate(tools) if tool.uid != order[index])

    def bad(request: Request) -> None:
        rank = {uid: index for index, uid in enumerate(order)}
        mark = request.tools[-1].mark
        # A tool that another cause added stays where it is, at the end.
        request.tools.sort(key=lambda tool: rank.get(tool.uid, len(rank)))
        for tool in request.tools:
            tool.mark = None
        request.tools[-1].mark = mark

    return Mutation(
        f"tools, {name}", (Expected("PL201", order[first]),), bad, zones=("tools",), fresh=rng.random() < 0.3
    )


def _objects(schema: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """Objects of a schema with two keys or more, with the path to each."""
    found: list[tuple[dict[str, Any], str]] = []

    def walk(value: Any, path: str) -> None:
        if isinstance(value, dict):
            if len(value) > 1:
                found.append((value, path))
            for key, item in value.items():
                walk(item, f"{path}.{key}")

    walk(schema, "")
    return found


def _reordered(value: dict[str, Any], order: list[str]) -> None:
    items = {key: value[key] for key in order}
    value.clear()
    value.update(items)


@cause("PL202")
def schema_keys(base: Base, rng: Random) -> Mutation | None:
    """Keys of a schema in another order, at some depth."""
    if not base.after.tools:
        return None
    tool = somewhere(rng, base.after.tools)
    objects = _objects(tool.schema)
    place = rng.randrange(len(objects))
    target, path = objects[place]
    order = shuffled(rng, list(target))

    def bad(request: Request) -> None:
        _reordered(_objects(request.tool(tool.uid).schema)[place][0], order)

    kind = f"schema keys at depth {path.count('.')}"
    return Mutation(kind, (Expected("PL202", tool.uid),), bad, zones=(f"tool {tool.uid}",), fresh=rng.random() < 0.3)


@cause("PL202")
def all_schemas(base: Base, rng: Random) -> Mutation | None:
    """A serialiser that sorts, or reverses, the keys of every schema."""
    if not base.after.tools:
        return None
    backwards = rng.random() < 0.5
    differ = [
        tool
        for tool in base.after.tools
        if any(list(value) != sorted(value, reverse=backwards) for value, _ in _objects(tool.schema))
    ]

    def bad(request: Request) -> None:
        for tool in request.tools:
            for value, _ in _objects(tool.schema):
                _reordered(value, sorted(value, reverse=backwards))

    zones = tuple(f"tool {tool.uid}" for tool in base.after.tools)
    return Mutation("keys of all schemas", (Expected("PL202", differ[0].uid),), bad, zones=zones)


@cause("PL202")
def definition_keys(base: Base, rng: Random) -> Mutation | None:
    """Name, description and schema of a tool in another order."""
    if not base.after.tools:
        return None
    tool = somewhere(rng, base.after.tools)
    keys = tuple(shuffled(rng, list(tool.keys)))

    def bad(request: Request) -> None:
        request.tool(tool.uid).keys = keys

    return Mutation("keys of a tool", (Expected("PL202", tool.uid),), bad, zones=(f"tool {tool.uid}",))


LISTS: dict[str, Callable[[list[str]], str]] = {
    "bullets": lambda items: "Known facts:\n" + "\n".join(items),
    "tag": lambda items: "<skills>\n" + "\n".join(items) + "\n</skills>",
    "one line": lambda items: "Skills: " + ", ".join(item.split(" ", 2)[1] + "-" + item.split()[-1] for item in items),
    "numbered sources": lambda items: "Aliases:\n" + "\n".join(f"{item[2:]} = alias" for item in items),
    "json lines": lambda items: "Records:\n" + "\n".join(json.dumps({"note": item[2:]}) for item in items),
}


@cause("PL203")
def unordered(base: Base, rng: Random) -> Mutation | None:
    """The same lines or items in another order."""
    name = rng.choice(list(LISTS))
    items = _distinct(words.bullets(rng, rng.randint(4, 9)))
    if len(items) < 3:
        return None
    old, new = LISTS[name](items), LISTS[name](shuffled(rng, items))
    history = 0.0 if name == "one line" else 0.1
    return planted("PL203", f"lines, {name}", old, new, base, rng, history=history, line=True)


def _distinct(items: list[str]) -> list[str]:
    """Items whose first and last word tell them apart."""
    return list({(item.split()[1], item.split()[-1]): item for item in items}.values())


@cause("PL203")
def unordered_in_tool(base: Base, rng: Random) -> Mutation | None:
    """The same list in a tool's description in another order."""
    if not base.after.tools:
        return None
    tool = somewhere(rng, base.after.tools)
    items = words.bullets(rng, rng.randint(3, 7))
    old, new = ("Known agents:\n" + "\n".join(order) for order in (items, shuffled(rng, items)))

    def describe(text: str) -> Edit:
        def edit(request: Request) -> None:
            request.tool(tool.uid).description += f"\n{text}"

        return edit

    return Mutation(
        "lines, tool description", (Expected("PL203", tool.uid),), describe(new), describe(old),
        zones=(f"tool {tool.uid}",),
    )  # fmt: skip


@cause("PL205")
def schema_lists(base: Base, rng: Random) -> Mutation | None:
    """`required` or `enum` with the same members in another order."""
    choices = [
        (tool, place)
        for tool in base.after.tools
        for place, (value, _) in enumerate(_objects(tool.schema))
        if any(len(value.get(key, ())) > 1 for key in ("required", "enum") if isinstance(value.get(key), list))
    ]
    if not choices:
        return None
    tool, place = somewhere(rng, choices)
    value = _objects(tool.schema)[place][0]
    key = next(key for key in ("required", "enum") if isinstance(value.get(key), list) and len(value[key]) > 1)
    members = shuffled(rng, value[key])

    def bad(request: Request) -> None:
        _objects(request.tool(tool.uid).schema)[place][0][key] = members

    return Mutation(f"order of {key}", (Expected("PL205", tool.uid),), bad, zones=(f"tool {tool.uid}",))


FORMS: dict[str, Callable[[Any], str]] = {
    "compact": lambda value: json.dumps(value, separators=(",", ":"), ensure_ascii=False),
    "spaced": lambda value: json.dumps(value, ensure_ascii=False),
    "escaped": lambda value: json.dumps(value),
    "indented": lambda value: json.dumps(value, indent=2, ensure_ascii=False),
    "indented by four": lambda value: json.dumps(value, indent=4),
}
JSON_FRAMES = ("Settings of the desk: {}", "<config>\n{}\n</config>", "```json\n{}\n```", "Price list:\n{}")


@cause("PL206")
def json_form(base: Base, rng: Random) -> Mutation | None:
    """The same JSON in the system text with other separators, indentation or escapes."""
    value = {
        rng.choice(words.THINGS): {
            "place": "caf\u00e9",
            "limit": rng.randint(2, 90),
            "labels": rng.sample(words.QUALITIES, 3),
        }
        for _ in range(rng.randint(2, 5))
    }
    left, right = words.two(rng, list(FORMS))
    frame = rng.choice(JSON_FRAMES)
    old, new = (frame.replace("{}", FORMS[name](value)) for name in (left, right))
    place = system_place(base, rng, paragraph=True)
    return Mutation(
        f"JSON, {left} to {right}", (Expected("PL206", place.uid),), insert(place, new), insert(place, old),
        zones=(place.zone,), fresh=rng.random() < 0.2 and bool(base.after.messages),
    )  # fmt: skip


@cause("PL206")
def json_result(base: Base, rng: Random) -> Mutation | None:
    """An old tool result that is JSON, dumped with other separators or escapes (Gemini's are objects, not text)."""
    if base.profile.wire == "gemini":
        return None
    results = [
        part
        for message in base.before.messages[:-1]
        for part in message.parts
        if part.kind == "result" and part.text[0] == "{"
    ]
    if not results:
        return None
    part = somewhere(rng, results)
    name = rng.choice(("compact", "escaped", "indented"))
    text = FORMS[name](json.loads(part.text))

    def bad(request: Request) -> None:
        request.part(part.uid).text = text

    return Mutation(f"JSON result, {name}", (Expected("PL206", part.uid),), bad, zones=(part.uid,))
