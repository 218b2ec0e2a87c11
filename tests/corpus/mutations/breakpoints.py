"""Cache markers that are missing, misplaced, too many, too far away or lost on the way (PL501 to PL510)."""

from __future__ import annotations

from random import Random

from .. import words
from ..bases import Base, new_call_id
from ..mutation import Expected, Mutation, cause
from ..request import Message, Part, Request
from . import values


def _marked(base: Base, *, anthropic: bool = False) -> bool:
    """Whether the base sets markers; `anthropic`: with rules like Anthropic's (refused beyond four, on tools too)."""
    return base.profile.marks is not None and not (anthropic and base.profile.provider == "dashscope")


def _unmark(request: Request) -> None:
    for item in request.markable():
        item.mark = None


@cause("PL501")
def on_volatile(base: Base, rng: Random) -> Mutation | None:
    """The marker of the system text sits on a block of its own that changes each time."""
    if not _marked(base):
        return None
    name, code = rng.choice((("clock", "PL101"), ("id", "PL103"), ("identity", "PL104"), ("counter", "PL106")))
    if name == "clock":
        _, old, new = values.clock_texts(rng)
    elif name == "id":
        old, new = (f"Request id: {values.IDS['uuid'](rng)}" for _ in range(2))
    elif name == "identity":
        old, new = (f"User name: {who}" for who in words.two(rng, ["Ada Quill", "Bo Ferrand", "Cleo Okoye"]))
    else:
        old, new = "Turn 4 of 40", "Turn 5 of 40"

    def put(text: str, request: Request) -> None:
        mark = request.system[-1].mark
        request.system[-1].mark = None
        request.system.append(Part("volatile", "text", text, mark=mark))

    return Mutation(
        f"marked block, {name}",
        (Expected(code, "volatile"), Expected("PL501", "volatile", positional=False)),
        lambda request: put(new, request),
        lambda request: put(old, request),
        zones=("system marker",),
        fresh=rng.random() < 0.3,
    )


@cause("PL502")
def no_marker(base: Base, rng: Random) -> Mutation | None:
    """No marker at all, with a provider that caches nothing else."""
    if not _marked(base, anthropic=True):
        return None
    return Mutation(
        "no marker", (Expected("PL502", positional=False),), _unmark, early=_unmark, zones=("markers", "system marker"),
        static=True,
    )  # fmt: skip


@cause("PL503")
def five_markers(base: Base, rng: Random) -> Mutation | None:
    """One marker more than the provider takes."""
    if not _marked(base, anthropic=True):
        return None
    old = [message for message in base.before.messages[:-2] if message.role in ("user", "tool")]
    places = [base.after.system[0].uid, old[len(old) // 2].parts[-1].uid, old[-2].parts[-1].uid]
    chosen = rng.sample(places, rng.randint(1, 2))

    def bad(request: Request) -> None:
        for uid in chosen:
            part = request.find(uid)
            if part is not None and part.mark is None:
                part.mark = base.profile.marks

    return Mutation(
        f"{4 + len(chosen)} markers", (Expected("PL503", positional=False),), bad, zones=("markers", "system marker")
    )


@cause("PL504")
def far_growth(base: Base, rng: Random) -> Mutation | None:
    """A long tool loop between the last written marker and the only one that looks back for it."""
    if not _marked(base):
        return None
    tools = base.after.tools
    rounds: list[Message] = []
    for number in range(rng.randint(13, 20)):
        tool = rng.choice(tools)
        call_id = new_call_id(rng, base.profile.wire)
        text = Part(f"g{number}.0", "text", words.prose(rng, 1))
        call = Part(f"g{number}.1", "call", call_id=call_id, name=tool.name, arguments={"limit": number})
        result = Part(f"g{number}.2", "result", words.prose(rng, 2), call_id=call_id, name=tool.name)
        rounds += [Message(f"g{number}", "assistant", [text, call]), Message(f"r{number}", "tool", [result])]
    last = base.before.messages[-1].parts[-1].uid

    def grown(request: Request) -> None:
        request.messages[-2:-2] = [Message(item.uid, item.role, list(item.parts)) for item in rounds]

    def bad(request: Request) -> None:
        grown(request)
        request.part(last).mark = None

    return Mutation(
        f"{len(rounds)} messages since the marker", (Expected("PL504", positional=False),), bad, grown,
        early=lambda request: None, alone=True,
    )  # fmt: skip


@cause("PL505")
def shorter_first(base: Base, rng: Random) -> Mutation | None:
    """A marker of one hour behind one of five minutes."""
    if not _marked(base, anthropic=True):
        return None

    def bad(request: Request) -> None:
        if base.profile.marks == "1h":
            request.tools[-1].mark = rng_mark
        else:
            request.system[-1].mark = "1h"

    rng_mark = rng.choice(("", "5m"))
    return Mutation(
        "an hour behind five minutes", (Expected("PL505", positional=False),), bad, early=bad,
        zones=("markers", "system marker"), static=True,
    )  # fmt: skip


@cause("PL506")
def on_thinking(base: Base, rng: Random) -> Mutation | None:
    """The marker of the last turn sits on a thinking block."""
    if not _marked(base) or base.profile.wire != "anthropic" or not base.profile.reasoning:
        return None
    thought = next(
        part
        for message in base.after.messages[len(base.before.messages) :]
        for part in message.parts
        if part.kind == "reasoning"
    )
    last = base.before.messages[-1].parts[-1].uid

    def bad(request: Request) -> None:
        request.part(last).mark = None
        request.part(thought.uid).mark = base.profile.marks

    return Mutation("marked thinking", (Expected("PL506", thought.uid, positional=False),), bad, zones=("markers",))


@cause("PL506")
def on_empty(base: Base, rng: Random) -> Mutation | None:
    """A split of the newest message left an empty, or blank, text block with the marker."""
    if not _marked(base) or base.profile.wire != "anthropic":
        return None
    text = rng.choice(("", "\n", "  "))

    def bad(request: Request) -> None:
        newest = request.messages[-1]
        newest.parts[-1].mark = None
        newest.parts.append(Part("empty", "text", text, mark=base.profile.marks))

    zones = ("markers", base.after.messages[-1].uid)
    return Mutation("marked empty block", (Expected("PL506", "empty", positional=False),), bad, zones=zones)


@cause("PL507")
def nothing_near(base: Base, rng: Random) -> Mutation | None:
    """No marker of the later request is where the earlier one wrote its longest prefix, or behind it."""
    if not _marked(base):
        return None
    early = next(message for message in base.before.messages if message.role == "user").parts[-1].uid
    moved = rng.random() < 0.5

    def bad(request: Request) -> None:
        for message in request.messages:
            for part in message.parts:
                part.mark = base.profile.marks if moved and part.uid == early else None

    kind = "only an old message marked" if moved else "no message marked any more"
    return Mutation(kind, (Expected("PL507", positional=False),), bad, alone=True)


@cause("PL508")
def tools_unmarked(base: Base, rng: Random) -> Mutation | None:
    """Many tools that two conversations share, and markers on messages alone."""
    if not _marked(base, anthropic=True) or len(base.after.tools) < 12:
        return None

    def bad(request: Request) -> None:
        for tool in request.tools:
            tool.mark = None
        for part in request.system:
            part.mark = None

    return Mutation(
        "tools unmarked", (Expected("PL508", positional=False),), bad, early=bad, zones=("markers", "system marker"),
        static=True, fresh=True, alone=True,
    )  # fmt: skip


@cause("PL509")
def lost_in_gateway(base: Base, rng: Random) -> Mutation | None:
    """Markers as written that are not on the wire, or lost their lifetime there."""
    if not _marked(base):
        return None
    kinds = ["messages", "system", "all"] + (["lifetime"] if base.profile.marks else [])
    kind = rng.choice(kinds)

    def bad(request: Request) -> None:
        if kind == "all":
            _unmark(request)
        elif kind == "system":
            request.system[-1].mark = None
        elif kind == "messages":
            for message in request.messages:
                for part in message.parts:
                    part.mark = None
        else:
            for item in request.markable():
                item.mark = "" if item.mark is not None else None

    return Mutation(
        f"gateway drops {kind}", (Expected("PL509", positional=False),), bad, zones=("markers", "system marker"),
        gateway=True, alone=True,
    )  # fmt: skip


@cause("PL510")
def too_short(base: Base, rng: Random) -> Mutation | None:
    """A marked prompt that is far below what the model caches."""
    if not _marked(base):
        return None
    texts = words.sentences(rng, 6)

    def bad(request: Request) -> None:
        request.tools = []
        request.system = [Part("s0", "text", " ".join(texts[:3]), mark=base.profile.marks)]
        history = [("user", texts[3]), ("assistant", texts[4]), ("user", texts[5])]
        if len(request.messages) == len(base.before.messages):
            history = history[:1]
        request.messages = [
            Message(f"k{index}", role, [Part(f"k{index}.0", "text", text)])
            for index, (role, text) in enumerate(history)
        ]

    return Mutation(
        "below the minimum", (Expected("PL510", "s0", positional=False),), bad, early=bad, static=True, alone=True
    )
