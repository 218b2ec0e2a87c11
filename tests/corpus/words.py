"""Running text from word lists: sentences, paragraphs, lists and values, always the same for one seed."""

# ruff: noqa: SIM905 (a hundred words in a row read better than a hundred literals)

from __future__ import annotations

from random import Random

THINGS = (
    "order ticket record invoice parcel request report file branch booking meter claim policy account rota shelf "
    "contract form sample case voucher pallet lesson chart estimate folder filter reminder route sensor valve loan"
).split()
PEOPLE = (
    "the clerk|the caller|the night shift|the reviewer|the second desk|the driver|the planner|a colleague|the owner|"
    "the maintainer|the auditor|the duty nurse|the tutor|the branch office|the workshop|the reader|the tenant board"
).split("|")
VERBS = (
    "checks confirms reopens forwards closes sorts signs weighs collects returns copies compares cancels labels stores "
    "delivers counts measures merges renames archives inspects schedules"
).split()
ACTS = (
    "check confirm reopen forward close sort sign weigh collect return copy compare cancel label store deliver count "
    "measure merge rename archive inspect schedule"
).split()
QUALITIES = (
    "open late damaged urgent complete missing heavy quiet recent plain double partial internal external spare rough "
    "narrow frozen pending signed"
).split()
PLACES = (
    "at the counter|in the yard|behind the north door|in the shared folder|on the second floor|at the depot|"
    "in the reading room|on the main branch|in the queue|at the front desk|under the stairs|in the register"
).split("|")
REASONS = (
    "because nobody else can see it|so that the next desk finds it|unless the office says otherwise|"
    "before anything else is done|even when it looks settled|as long as the form is open|while the figures are open|"
    "whatever the caller says|if two of them disagree|once the reply has come in"
).split("|")
TOPICS = (
    "Tone|Scope|Refunds|Safety|Escalation|Wording|Sources|Formats|Handover|Storage|Privacy|Deadlines|Deliveries|"
    "Checks|Reviews|Answers|Tools|Limits|Figures|Complaints|Quoting|Follow-up|Archive|Language"
).split("|")
SENTENCES = (
    "{Who} {verb} the {quality} {thing} {place} {reason}.",
    "Never {act} a {thing} {reason}.",
    "When {who} {verb} a {quality} {thing}, {act} the {other} as well.",
    "A {thing} that is {quality} goes to {who} {place}.",
    "Ask for the {thing} first and {act} it {place}.",
    "If the {thing} is {quality}, say so in one sentence and {act} the {other}.",
    "Keep every {quality} {thing} {place} {reason}.",
    "{Who} may {act} the {thing}, but not the {other}.",
    "Do not {act} more than one {thing} at a time {reason}.",
    "Tell {who} which {thing} is {quality} and why the {other} is not.",
    "Every {thing} has one {other}, and {who} {verb} both {place}.",
    "Prefer a {quality} {thing} to a {quality2} one {reason}.",
)
FIRST_NAMES = "Ada Bo Cleo Dario Edda Femi Greta Hugo Ines Jarek Kaisa Lamar Mira Nils Odile Pavel Runa Sami".split()
LAST_NAMES = (
    "Quill Ferrand Okoye Lindholm Marsh Tanaka Vogel Castell Ibarra Novak Whitlock Duval Serrano Brandt".split()
)
FILES = (
    "src/app.py src/routes.py src/store/index.ts lib/queue.rb docs/setup.md tests/test_store.py pkg/render/tree.go "
    "web/main.css scripts/release.sh src/model/user.rs config/site.toml src/lexer.c Makefile src/io/reader.py"
).split()


def sentence(rng: Random) -> str:
    """One sentence of its own kind."""
    who = rng.choice(PEOPLE)
    thing, other = rng.sample(THINGS, 2)
    quality, quality2 = rng.sample(QUALITIES, 2)
    frame = rng.choice(SENTENCES)
    return frame.format(
        who=who, Who=who[0].upper() + who[1:], thing=thing, other=other, quality=quality, quality2=quality2,
        verb=rng.choice(VERBS), act=rng.choice(ACTS), place=rng.choice(PLACES), reason=rng.choice(REASONS),
    )  # fmt: skip


def sentences(rng: Random, count: int) -> list[str]:
    """`count` different sentences."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[sentence(rng)] = None
    return list(found)


def prose(rng: Random, count: int) -> str:
    return " ".join(sentences(rng, count))


def person(rng: Random) -> str:
    return f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"


def bullet(rng: Random) -> str:
    return f"- {rng.choice(ACTS)} the {rng.choice(QUALITIES)} {rng.choice(THINGS)} {rng.choice(PLACES)}"


def bullets(rng: Random, count: int) -> list[str]:
    """`count` different list lines."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[bullet(rng)] = None
    return list(found)


def two(rng: Random, values: tuple[str, ...] | list[str]) -> tuple[str, str]:
    """Two different values."""
    first, second = rng.sample(values, 2)
    return first, second
