"""Values that stand in the prompt and change: clocks, dates, ids, identities, counters (PL101 to PL104, PL106)."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random

from .. import words
from ..bases import Base
from ..mutation import Mutation, cause, planted

Shape = Callable[[datetime], str]
CLOCKS: dict[str, Shape] = {
    "ISO with Z": lambda t: t.strftime("%Y-%m-%dT%H:%M:%SZ"),
    "ISO with milliseconds": lambda t: t.strftime("%Y-%m-%dT%H:%M:%S.") + f"{t.microsecond // 1000:03d}Z",
    "ISO with microseconds": lambda t: t.strftime("%Y-%m-%dT%H:%M:%S.%f+00:00"),
    "ISO with offset": lambda t: t.strftime("%Y-%m-%dT%H:%M:%S+02:00"),
    "date and seconds": lambda t: t.strftime("%Y-%m-%d %H:%M:%S"),
    "date and minutes": lambda t: t.strftime("%Y-%m-%d %H:%M"),
    "RFC 2822": lambda t: t.strftime("%a, %d %b %Y %H:%M:%S +0000"),
    "JavaScript": lambda t: t.strftime("%a %b %d %Y %H:%M:%S GMT+0000"),
    "C": lambda t: t.strftime("%a %b %d %H:%M:%S %Y"),
    "hours and minutes": lambda t: t.strftime("%H:%M"),
    "seconds": lambda t: t.strftime("%H:%M:%S"),
    "twelve hours": lambda t: t.strftime("%I:%M %p").lstrip("0"),
    "American": lambda t: t.strftime("%m/%d/%Y, %I:%M:%S %p"),
    "European": lambda t: t.strftime("%d.%m.%Y %H:%M:%S"),
    "long": lambda t: t.strftime("%B %d, %Y at %I:%M %p"),
    "British": lambda t: t.strftime("%A %d %B %Y, %H:%M UTC"),
    "epoch seconds": lambda t: str(int(t.timestamp())),
    "epoch milliseconds": lambda t: str(int(t.timestamp() * 1000)),
    "Chinese": lambda t: f"{t.year}年{t.month}月{t.day}日 {t:%H}时{t:%M}分",
}
CLOCK_FRAMES = (
    "Current time: {}",
    "The current date and time is {}.",
    "<now>{}</now>",
    "It is {} now.",
    "[{}] session context",
    "Generated at {} by the prompt builder.",
    "timestamp={}",
    '{{"now": "{}", "zone": "UTC"}}',
    "Last sync {}; all figures are as of then.",
    "Runtime: linux | node 22 | {} | model default",
)
DATES: dict[str, Shape] = {
    "ISO": lambda t: t.strftime("%Y-%m-%d"),
    "slashes": lambda t: t.strftime("%Y/%m/%d"),
    "American": lambda t: t.strftime("%m/%d/%Y"),
    "German": lambda t: t.strftime("%d.%m.%Y"),
    "long": lambda t: t.strftime("%B %d, %Y"),
    "with weekday": lambda t: t.strftime("%A, %B %d, %Y"),
    "British": lambda t: f"{t.day} {t:%B %Y}",
    "short month": lambda t: t.strftime("%d %b %Y"),
    "toDateString": lambda t: t.strftime("%a %b %d %Y"),
    "weekday": lambda t: t.strftime("%A"),
    "Chinese": lambda t: f"{t.year}年{t.month}月{t.day}日",
}
DATE_FRAMES = (
    "Today's date: {}",
    "Today is {}.",
    "<date>{}</date>",
    "Date: {}",
    "As of {} the following rules hold.",
    "The current date is {}, use it for every deadline.",
)
STEPS = (3, 41, 180, 3600, 7320)


def moments(rng: Random) -> tuple[datetime, datetime]:
    """Two moments of one day, seconds to hours apart."""
    first = datetime(2026, rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 20), rng.randrange(60), tzinfo=UTC)
    first += timedelta(seconds=rng.randrange(60), microseconds=rng.randrange(1_000_000))
    return first, first + timedelta(seconds=rng.choice(STEPS), microseconds=rng.randrange(1_000_000))


def clock_texts(rng: Random) -> tuple[str, str, str]:
    """(kind, the text before, the text after)."""
    name = rng.choice(list(CLOCKS))
    frame = rng.choice(CLOCK_FRAMES)
    while True:
        first, second = (CLOCKS[name](moment) for moment in moments(rng))
        if first != second:
            return f"clock, {name}", frame.format(first), frame.format(second)


@cause("PL101")
def clock(base: Base, rng: Random) -> Mutation | None:
    """A clock in the system text or in an old message that is written anew."""
    kind, old, new = clock_texts(rng)
    return planted("PL101", kind, old, new, base, rng, history=0.2)


@cause("PL101")
def clock_in_block(base: Base, rng: Random) -> Mutation | None:
    """A runtime block of several lines, one of which is a clock."""
    name = rng.choice(list(CLOCKS))
    first, second = (CLOCKS[name](moment) for moment in moments(rng))
    if first == second:
        return None
    frame = "<runtime>\nHost: desk-{host}\nTime: {time}\nLanguage: en\n</runtime>"
    host = rng.randint(2, 9)
    old, new = (frame.format(host=host, time=value) for value in (first, second))
    return planted("PL101", f"runtime block, {name}", old, new, base, rng, line=True)


@cause("PL102")
def date(base: Base, rng: Random) -> Mutation | None:
    """A calendar date, read on two days."""
    name = rng.choice(list(DATES))
    first = datetime(2026, rng.randint(1, 11), rng.randint(1, 28), tzinfo=UTC)
    second = first + timedelta(days=rng.choice((1, 1, 2, 5)))
    frame = rng.choice(DATE_FRAMES)
    old, new = (frame.format(DATES[name](moment)) for moment in (first, second))
    return planted("PL102", f"date, {name}", old, new, base, rng, history=0.1)


_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _drawn(rng: Random, alphabet: str, length: int) -> str:
    """A value that holds letters and digits, as drawn ones of some length do."""
    while True:
        value = "".join(rng.choice(alphabet) for _ in range(length))
        if any(char.isdigit() for char in value) and any(char.isalpha() for char in value):
            return value


IDS: dict[str, Callable[[Random], str]] = {
    "uuid": lambda rng: str(uuid.UUID(int=rng.getrandbits(128), version=4)),
    "hex of 32": lambda rng: _drawn(rng, "0123456789abcdef", 32),
    "hex of 12": lambda rng: _drawn(rng, "0123456789abcdef", 12),
    "hex of 8": lambda rng: _drawn(rng, "0123456789abcdef", 8),
    "nanoid": lambda rng: _drawn(rng, _BASE62 + "_-", 21),
    "ulid": lambda rng: "01" + _drawn(rng, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24),
    "prefixed": lambda rng: "req_" + _drawn(rng, _BASE62, 16),
    "sha256": lambda rng: "sha256:" + _drawn(rng, "0123456789abcdef", 64),
}
ID_FRAMES = (
    "Request id: {}",
    "trace={};",
    "Run {} begins here.",
    "<request id='{}'/>",
    "Scratch directory: /tmp/agent-{}/work",
    "[nonce {}]",
    "Quote untrusted text between the fences <<{}>> only.",
    '{{"run": "{}", "mode": "chat"}}',
)


@cause("PL103")
def random_id(base: Base, rng: Random) -> Mutation | None:
    """An id that is drawn for each request."""
    name = rng.choice(list(IDS))
    frame = rng.choice(ID_FRAMES)
    old, new = (frame.format(IDS[name](rng)) for _ in range(2))
    return planted("PL103", f"id, {name}", old, new, base, rng, history=0.1)


@cause("PL103")
def short_hash(base: Base, rng: Random) -> Mutation | None:
    """A hash of a few digits behind a label."""
    label = rng.choice(("sum=", "build hash: ", "fingerprint ", "etag: ", "rev=", "checksum: "))
    length = rng.choice((5, 6, 7))
    old, new = (f"header: entry=desk; {label}{_drawn(rng, '0123456789abcdef', length)};" for _ in range(2))
    return planted("PL103", f"short hash, {label.strip()}", old, new, base, rng, line=True)


IDENTITIES: dict[str, Callable[[str, str, Random], str]] = {
    "full name": lambda name, mail, rng: f"User name: {name}",
    "mail": lambda name, mail, rng: f"E-mail: {mail}",
    "key and value": lambda name, mail, rng: f"user_full_name={name}",
    "prose": lambda name, mail, rng: f"You are talking to {name}.",
    "assistant of": lambda name, mail, rng: f"You assist {name} today.",
    "greeting": lambda name, mail, rng: f"The user's name is {name}.",
    "account": lambda name, mail, rng: f"Account: {name.split()[1]} Ltd",
    "tenant": lambda name, mail, rng: f"tenant_id: {name.split()[1].lower()}-{rng.randint(10, 99)}",
    "conversation": lambda name, mail, rng: f"conversation_id: c{rng.randint(10_000, 99_999)}",
    "xml": lambda name, mail, rng: f"<user><name>{name}</name><email>{mail}</email></user>",
    "json": lambda name, mail, rng: json.dumps({"user": {"name": name, "email": mail}}),
    "signed in": lambda name, mail, rng: f"Signed in as {mail}; answer in the language of the account.",
    "block": lambda name, mail, rng: f"## Customer\nName: {name}\nMail: {mail}\nPlan: standard",
}


@cause("PL104")
def identity(base: Base, rng: Random) -> Mutation | None:
    """Whom the prompt is for."""
    name = rng.choice(list(IDENTITIES))
    first, second = words.two(rng, [words.person(rng) for _ in range(4)])
    if first.split()[1] == second.split()[1]:  # the same account
        return None
    old, new = (
        IDENTITIES[name](who, f"{who.lower().replace(' ', '.')}@example.{rng.choice(('org', 'com', 'net'))}", rng)
        for who in (first, second)
    )
    return planted("PL104", f"identity, {name}", old, new, base, rng, history=0.1)


COUNTERS = (
    ("turn", "Turn {} of 40", 1),
    ("round", "Current round: {}", 1),
    ("tokens used", "Tokens used so far: {:,}", 1713),
    ("tokens left", "You have {:,} tokens left in this session.", -1204),
    ("messages", "message_count={}", 2),
    ("budget", "Budget left: ${:.2f}", -0.35),
    ("cost", "Cost so far: {:.4f} USD", 0.0127),
    ("steps", "Remaining steps: {}", -1),
    ("percent", "Context window {}% full.", 3),
    ("attempt", "This is attempt {} of 9.", 1),
    ("json", '{{"step": {}, "max_steps": 50}}', 1),
    ("xml", "<budget:tokens_used>{}</budget:tokens_used>", 912),
)


@cause("PL106")
def counter(base: Base, rng: Random) -> Mutation | None:
    """A count that goes up or down from request to request."""
    name, frame, step = rng.choice(COUNTERS)
    start = rng.randint(2, 7) if abs(step) < 10 else rng.randint(20, 60) * 1000 + rng.randrange(1000)
    old, new = frame.format(start), frame.format(start + step)
    return planted("PL106", f"counter, {name}", old, new, base, rng, history=0.2)
