"""What reached a prompt, as flows: which count, where they begin, and the fixed text behind where they land."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from promptlint.model.flow import Flow, Station
from promptlint.model.source import Source
from promptlint.readers.code import counters
from promptlint.readers.code.catalogue import snake
from promptlint.readers.code.order import SORTS_KEYS
from promptlint.readers.code.record import replace
from promptlint.readers.code.scope import Event
from promptlint.readers.code.sinks import SCHEMAS
from promptlint.readers.code.value import COUNT, ORDERS, TALLY, Hop, Mark, Value

_TOLD = frozenset({"identity", "counter", "random"})
_MOST_CALLS = (
    1  # that a value may come through on its way into an earlier message: messages carry much that is not sent
)
# What is no break where it was made once, when the program, the file or the object began.
_FREEZES = frozenset({"clock", "date", "random", "sample", "counter", "retrieval", "file"})

# Fields of a tool: what stands in them is no order of tools.
_INSIDE = {"description": "description"} | dict.fromkeys(("required", "enum", "properties", *SCHEMAS), "schema")


def flows(
    events: Iterable[Event], sources: dict[str, Source], languages: dict[str, str], tail: Collection[object]
) -> list[Flow]:
    """One flow for every place of origin, kind and part; of several the one with the most text behind it."""
    best: dict[tuple[object, ...], Flow] = {}
    for event in events:
        if event.anchor in tail:
            continue
        for mark in _reached(event, languages.get(event.file, "")):
            if mark.file not in sources or _is_harmless(mark, event) or _is_loose(mark, event):
                continue
            of_tools = event.sink == "tools" and mark.kind == "order"
            sink = _part_of_tools(event.value, mark) if of_tools else event.sink
            flow = _flow(replace(event, sink=sink), mark, sources)
            key = (flow.kind, flow.sink, flow.source.name, flow.span)
            held = best.get(key)
            if held is None or len(flow.after or "") > len(held.after or ""):
                best[key] = flow
    return sorted(best.values(), key=lambda flow: (flow.source.name, flow.span, flow.kind, flow.sink))


def _reached(event: Event, language: str) -> Iterator[Mark]:
    for mark in event.value.all_marks():
        if mark.kind != "param" and not (mark.element and mark.kind in ("order", "keys")):
            yield mark
    if event.call and event.value.shape == "set" and event.value.site:
        yield Mark("order", *event.value.site)
    for holder in event.value.walk():
        for value in (*holder.parts, *(holder.fields.values() if holder.shape != "object" else ())):
            if value.shape == "set" and value.site and holder.shape == "text":
                yield Mark("order", *value.site)
            elif value.shape == "map" and value.site and language not in SORTS_KEYS and holder.shape != "list":
                yield Mark("keys", *value.site)


def _part_of_tools(value: Value, mark: Mark) -> str:
    """What of the tools comes in the order of a mark: they themselves, the lines of a description, or a schema."""
    parts = set(_holders(value, mark, "tools"))
    return next((part for part in ("tools", "schema", "description") if part in parts), "tools")


def _holders(value: Value, mark: Mark, part: str) -> Iterator[str]:
    if mark in value.marks:
        yield part
    for each in value.parts:
        yield from _holders(each, mark, part)
    for name, each in value.fields.items():
        yield from _holders(each, mark, _INSIDE.get(snake(name), part) if part == "tools" else part)


def _is_loose(mark: Mark, event: Event) -> bool:
    """Whether the part as a whole comes from what changes, as by a path that is read: it is not known to be in it.

    Who the user is, what is counted or drawn, and what stands in tools, has to be seen in a text.
    """
    if event.sink == "tools":
        return mark.kind not in (*ORDERS, "sample") and not _is_told(event.value, mark)
    if event.sink == "history" and sum(hop.what.startswith("through ") for hop in mark.hops) > _MOST_CALLS:
        return True
    return event.sink == "system" and mark.kind in _TOLD and not event.value.shape and not _is_told(event.value, mark)


def _is_told(value: Value, mark: Mark) -> bool:
    """Whether a mark stands in a text, or in the description of a tool."""
    if value.shape == "text":
        return mark in value.all_marks()
    if any(snake(name) == "description" and mark in each.all_marks() for name, each in value.fields.items()):
        return True
    return any(_is_told(each, mark) for each in (*value.parts, *value.fields.values()))


def _is_harmless(mark: Mark, event: Event) -> bool:
    if mark.kind not in _FREEZES:
        return counters.stands_still(mark, event)
    if mark.frozen and not (event.call and event.top):
        return True
    # Made once, before the loop that sends the requests.
    return len(event.loops) > len(mark.loops) and event.loops[: len(mark.loops)] == mark.loops


def _flow(event: Event, mark: Mark, sources: dict[str, Source]) -> Flow:
    source = sources[mark.file]
    hops = (*mark.hops, Hop(f"lands in {event.target}", event.file, event.span))
    stations = (
        Station(hop.what, sources[hop.file], _span(sources[hop.file], hop.span)) for hop in hops if hop.file in sources
    )
    start, end = _span(source, mark.span)
    return Flow(
        kind="counter" if mark.kind in (COUNT, TALLY) else mark.kind,
        sink=event.sink,
        source=source,
        span=(start, end),
        stations=tuple(stations),
        what=mark.what or " ".join(source.text[start:end].split())[:60],
        target=event.target,
        after=_after(event.value, mark),
    )


def _after(value: Value, mark: Mark) -> str | None:
    """The literal text behind the first place of the mark."""
    if value.shape not in ("text", "list"):
        return None
    seen = mark in value.marks
    texts: list[str] = []
    for leaf in value.leaves():
        if not seen:
            seen = mark in leaf.marks
        elif leaf.text:
            texts.append(leaf.text)
    return "".join(texts) if seen else None


def _span(source: Source, span: tuple[int, int]) -> tuple[int, int]:
    """Code points for bytes."""
    if source.text.isascii():
        return span
    data = source.text.encode("utf-8", "surrogatepass")
    start = len(data[: span[0]].decode("utf-8", "ignore"))
    return start, start + len(data[span[0] : span[1]].decode("utf-8", "ignore"))
