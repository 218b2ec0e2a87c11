"""Old messages that are not what they were: rewritten, dropped, reshaped (PL401 to PL403, PL408 to PL410, PL412)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from random import Random

from .. import words
from ..bases import Base
from ..mutation import Edit, Expected, Mutation, cause, old_texts, planted, somewhere
from ..request import Message, Part, Request, sentence_slots, slotted, visible


def _text(uid: str, edit: Callable[[str], str]) -> Edit:
    """Changes the text of a part that is still there."""

    def apply(request: Request) -> None:
        part = request.find(uid)
        if part is not None:
            part.text = edit(part.text)

    return apply


@cause("PL401")
def reworded(base: Base, rng: Random) -> Mutation | None:
    """A sentence of an old message: added, taken out, or another one instead."""
    parts = [part for part in old_texts(base) if sentence_slots(part.text)]
    if not parts:
        return None
    part = somewhere(rng, parts)
    slot = rng.choice(sentence_slots(part.text))
    text, other = (f"{item} " for item in words.two(rng, words.sentences(rng, 5)))
    kind = rng.choice(("added", "removed", "replaced"))
    old, new = {"added": ("", text), "removed": (text, ""), "replaced": (text, other)}[kind]
    return Mutation(
        f"message, sentence {kind}",
        (Expected("PL401", part.uid),),
        _text(part.uid, lambda value: value.replace(slot, slot + new)),
        _text(part.uid, lambda value: value.replace(slot, slot + old)),
        zones=(f"{part.uid}#{ord(slot):x}",),
    )


@cause("PL401")
def exchanged(base: Base, rng: Random) -> Mutation | None:
    """Two messages came in, or fell out, in the middle of the history."""
    turns = [index for index, message in enumerate(base.before.messages) if message.role == "user"][3:-1]
    if not turns:
        return None
    place = somewhere(rng, turns)
    added = [
        Message("x0", "user", [Part("x0.0", "text", words.prose(rng, 2))]),
        Message("x1", "assistant", [Part("x1.0", "text", words.prose(rng, 3))]),
    ]
    anchor = base.before.messages[place].uid

    def put(request: Request) -> None:
        index = next(index for index, message in enumerate(request.messages) if message.uid == anchor)
        request.messages[index:index] = [Message(m.uid, m.role, list(m.parts), m.plain) for m in added]

    came = rng.random() < 0.5
    bad, good = (put, _same) if came else (_same, put)
    kind = "two messages came in" if came else "two messages fell out"
    return Mutation(kind, (Expected("PL401", "x0"),), bad, good, zones=("messages", f"before {anchor}"))


def _same(request: Request) -> None:
    """Leaves the request as it is."""


@cause("PL402")
def window(base: Base, rng: Random) -> Mutation | None:
    """The oldest turns were dropped, sometimes all but the very first message."""
    turns = [index for index, message in enumerate(base.before.messages) if message.role == "user"]
    if len(turns) < 6:
        return None
    dropped = rng.choice((1, 1, 2, 3))
    pinned = rng.random() < 0.25
    start = 1 if pinned else 0
    end = turns[dropped + start] - (1 if pinned else 0)
    if pinned and base.before.messages[end].role != "assistant":
        return None
    gone = [message.uid for message in base.before.messages[start:end]]
    kept = base.before.messages[end].uid

    def bad(request: Request) -> None:
        request.messages[:] = [message for message in request.messages if message.uid not in gone]

    kind = f"window of {dropped} turns" + (", first message kept" if pinned else "")
    return Mutation(kind, (Expected("PL402", kept),), bad, zones=("messages", *gone, kept))


REMINDERS = (
    "<system-reminder>\n{}\n</system-reminder>",
    "Reminder: {}",
    "[phase 3 of 5] {}",
    "<workflow>{}</workflow>",
    "Note for this turn: {}",
    "<skills>\n{}\n</skills>",
)


@cause("PL403")
def reminder(base: Base, rng: Random) -> Mutation | None:
    """A note in the newest message that is gone when the message is replayed."""
    if not base.before.messages:
        return None
    uid = base.before.messages[-1].uid
    part = base.before.messages[-1].parts[-1].uid
    newest = base.after.messages[-1].uid
    note = rng.choice(REMINDERS).format(words.prose(rng, rng.randint(2, 4)))
    kind = rng.choice(("block", "suffix", "prefix", "message"))
    again = rng.random() < 0.7

    def inject(request: Request, target: str) -> None:
        message = next((message for message in request.messages if message.uid == target), None)
        if message is None:
            return
        if kind == "block":
            message.parts.append(Part(f"{target}.note", "text", note))
        elif kind == "message":
            role = "developer" if request.wire.startswith("openai") else "user"
            place = request.messages.index(message)
            request.messages.insert(place, Message(f"{target}.note", role, [Part(f"{target}.note.0", "text", note)]))
        else:
            text = message.parts[-1]
            text.text = f"{text.text}\n\n{note}" if kind == "suffix" else f"{note}\n\n{text.text}"

    def bad(request: Request) -> None:
        if again:
            inject(request, newest)

    def good(request: Request) -> None:
        inject(request, uid)

    zones = (uid, part, newest)
    return Mutation(f"reminder as {kind}", (Expected("PL403", (uid, f"{uid}.note")),), bad, good, zones=zones)


@cause("PL408")
def reshaped(base: Base, rng: Random) -> Mutation | None:
    """A message that was blocks comes back as one string, or the other way round."""
    if base.profile.wire not in ("anthropic", "openai-chat"):
        return None
    messages = [
        message
        for message in base.before.messages[:-2]
        if len(message.parts) == 1 and message.parts[0].kind == "text" and message.parts[0].mark is None
    ]
    if not messages:
        return None
    message = somewhere(rng, messages)
    text = visible(message.parts[0].text)
    cut = text.index(". ") + 2
    joint = rng.choice(("", "\n", "\n\n"))

    def blocks(request: Request) -> None:
        target = request.message(message.uid)
        uid = target.parts[0].uid
        target.parts = [Part(uid, "text", text[:cut].rstrip()), Part(f"{uid}b", "text", text[cut:])]
        target.plain = False

    def string(request: Request) -> None:
        target = request.message(message.uid)
        target.parts[0].text = text[:cut].rstrip() + (joint or " ") + text[cut:]
        target.plain = True

    back = rng.random() < 0.5
    bad, good = (string, blocks) if back else (blocks, string)
    kind = "blocks to string" if back else "string to blocks"
    zones = (message.uid, message.parts[0].uid)
    return Mutation(kind, (Expected("PL408", message.uid),), bad, good, zones=zones)


@cause("PL408")
def shape_alone(base: Base, rng: Random) -> Mutation | None:
    """Old messages as strings here, as lists of one text block there: the same to the provider, not to gateways."""
    if base.profile.wire not in ("anthropic", "openai-chat"):
        return None
    messages = [
        message.uid
        for message in base.before.messages[:-2]
        if message.role != "tool"
        and [part.kind for part in message.parts] == ["text"]
        and message.parts[0].mark is None
    ]
    if not messages:
        return None
    chosen = [somewhere(rng, messages)] if rng.random() < 0.5 else messages

    def bad(request: Request) -> None:
        for uid in chosen:
            target = request.message(uid)
            target.plain = not target.plain

    kind = f"shape alone, {'one message' if len(chosen) == 1 else 'all'}"
    return Mutation(kind, (Expected("PL408", positional=False),), bad, zones=tuple(chosen))


SPACES: dict[str, Callable[[str, str], str]] = {
    "trailing newline": lambda text, slot: text + "\n",
    "trailing blank": lambda text, slot: text + " ",
    "leading newline": lambda text, slot: "\n" + text,
    "double blank": lambda text, slot: text.replace(slot, f"{slot} "),
    "tab": lambda text, slot: text.replace(f" {slot}", f"\t{slot}"),
    "line break": lambda text, slot: text.replace(f" {slot}", f"\n{slot}"),
    "blank line": lambda text, slot: text.replace(f" {slot}", f"\n\n{slot}"),
    "CRLF": lambda text, slot: text.replace("\n", "\r\n"),
    "blanks at line ends": lambda text, slot: text.replace("\n", " \n"),
    "stripped indentation": lambda text, slot: text.replace("\n- ", "\n  - "),
}


@cause("PL409")
def white_space(base: Base, rng: Random) -> Mutation | None:
    """White space of the system text, of an old message or of a tool result."""
    old = [part for message in base.before.messages for part in message.parts]
    parts = [part for part in (*base.after.system, *old) if part.kind in ("text", "result")]
    newest = base.before.messages[-1].parts if base.before.messages else []
    part = somewhere(rng, rng.choice([base.after.system, parts]))
    slots = sentence_slots(part.text)
    slot = somewhere(rng, slots) if slots else ""
    fitting = [
        name
        for name, change in SPACES.items()
        if visible(change(part.text, slot or "\0")) != visible(part.text)
        and (base.after.messages or not name.startswith("trailing"))
    ]
    name = rng.choice(fitting)
    local = name in ("double blank", "tab", "line break", "blank line")
    zone = f"{part.uid}#{ord(slot):x}" if local else part.uid
    back = rng.random() < 0.3 and part not in newest
    edit = _text(part.uid, lambda text: SPACES[name](text, slot))
    bad, good = (_same, edit) if back else (edit, _same)
    return Mutation(f"white space, {name}", (Expected("PL409", part.uid),), bad, good, zones=(zone,))


UNICODE = {
    "NFD": ("The caf\u00e9 of the yard is open.", unicodedata.normalize("NFD", "The caf\u00e9 of the yard is open.")),
    "curly apostrophe": ("Don't close the caller's ticket.", "Don\u2019t close the caller\u2019s ticket."),
    "curly quotes": ('Write "done" in the register.', "Write \u201cdone\u201d in the register."),
    "dash": ("Hours are 8-12 - on weekdays.", "Hours are 8\u201312 \u2013 on weekdays."),
    "no-break space": ("Wait for 20 minutes at most.", "Wait for 20\u00a0minutes at most."),
    "zero width": ("Use the word handover.", "Use the word hand\u200bover."),
    "full width": ("Mark it (A) or (B).", "Mark it \uff08A\uff09 or \uff08B\uff09."),
    "look-alike": ("The scope is narrow.", "The sc\u043ep\u0435 is narrow."),
    "ligature": ("File the offer first.", "\ufb01le the o\ufb00er first.".replace("\ufb01", "Fi", 1)),
    "ellipsis": ("Say one moment... and wait.", "Say one moment\u2026 and wait."),
    "soft hyphen": ("Check the timetable.", "Check the time\u00adtable."),
}


@cause("PL410")
def unicode_form(base: Base, rng: Random) -> Mutation | None:
    """Characters of another form in a sentence of the system text or of an old message."""
    name = rng.choice(list(UNICODE))
    old, new = UNICODE[name] if rng.random() < 0.7 else UNICODE[name][::-1]
    return planted("PL410", f"Unicode, {name}", old, new, base, rng, history=0.5)


@cause("PL410")
def byte_order_mark(base: Base, rng: Random) -> Mutation | None:
    """A byte order mark at the head of a text."""
    part = rng.choice([*base.after.system, *old_texts(base)[:6]])
    return Mutation(
        "Unicode, BOM", (Expected("PL410", part.uid),), _text(part.uid, lambda text: "\ufeff" + text), zones=(part.uid,)
    )


@cause("PL412")
def hoisted(base: Base, rng: Random) -> Mutation | None:
    """A system message inside the history was moved to the front."""
    if base.profile.wire not in ("openai-chat", "openai-responses"):
        return None
    turns = [index for index, message in enumerate(base.before.messages) if message.role == "user"][1:]
    anchor = base.before.messages[somewhere(rng, turns)].uid
    text = slotted([words.sentences(rng, rng.randint(1, 4))])

    def late(request: Request) -> None:
        index = next(index for index, message in enumerate(request.messages) if message.uid == anchor)
        request.messages.insert(index, Message("h0", "system", [Part("h0.0", "text", text)]))

    def front(request: Request) -> None:
        request.system.append(Part("h0.0", "text", text))

    return Mutation("system message hoisted", (Expected("PL412", "h0.0"),), front, late, zones=(f"before {anchor}",))
