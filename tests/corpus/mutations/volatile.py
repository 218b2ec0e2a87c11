"""Passages of the prompt that change: environment, retrieved text, files, pages (PL105, PL107, PL108, PL110)."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from .. import words
from ..bases import Base
from ..mutation import Expected, Mutation, Place, cause, insert, planted
from ..request import paragraph_slots


def _other(rng: Random, *values: str) -> tuple[str, str]:
    return words.two(rng, list(values))


def _listing(rng: Random) -> tuple[str, str]:
    """A file listing before and after a file was made, removed or renamed."""
    files = sorted(rng.sample(words.FILES, rng.randint(6, 10)))
    changed = list(files)
    kind = rng.randrange(3)
    if kind == 0:
        changed.append(f"src/new_{rng.choice(words.THINGS)}.py")
    elif kind == 1:
        changed.pop(rng.randrange(len(changed)))
    else:
        changed[rng.randrange(len(changed))] = f"src/{rng.choice(words.THINGS)}_{rng.choice(words.ACTS)}.go"
    return "\n".join(files), "\n".join(sorted(changed))


ENVIRONMENTS: dict[str, Callable[[Random], tuple[str, str]]] = {
    "working directory": lambda rng: _framed(
        "Working directory: {}", _other(rng, "/home/ada/desk", "/srv/apps/queue", "/Users/bo/src/site", "/workspace/x")
    ),
    "cwd line": lambda rng: _framed(
        "cwd: {}", _other(rng, "/work/alpha", "/work/beta/sub", "C:\\jobs\\desk", "/tmp/x")
    ),
    "branch": lambda rng: _framed(
        "Current branch: {}", _other(rng, "main", "fix/late-orders", "release/4.2", "feature/labels")
    ),
    "git status": lambda rng: _framed(
        "Git status:\n{}\n(end of status)",
        _other(rng, " M src/app.py\n?? notes.txt", " M src/store/index.ts", "A  web/main.css\n D Makefile"),
    ),
    "is a git repository": lambda rng: _framed("Is directory a git repo: {}", _other(rng, "Yes", "No")),
    "env block": lambda rng: _framed(
        "<env>\nPlatform: linux\nWorking directory: {}\nShell: bash\n</env>",
        _other(rng, "/home/ada/desk", "/srv/apps/queue", "/Users/bo/src/site"),
    ),
    "listing": lambda rng: _framed("<files>\n{}\n</files>", _listing(rng)),
    "headed listing": lambda rng: _framed("## Files in the working tree\n{}", _listing(rng)),
    "open files": lambda rng: _framed(
        "Open files: {}", _other(rng, "src/app.py, Makefile", "src/store/index.ts", "docs/setup.md, web/main.css")
    ),
    "active editor": lambda rng: _framed("Active editor: {}", words.two(rng, words.FILES)),
    "platform": lambda rng: _framed("Operating system: {}", _other(rng, "linux 6.8", "darwin 24.1", "win32 10.0")),
    "servers": lambda rng: _framed(
        "Connected MCP servers: {}", _other(rng, "files, search", "files", "files, search, tickets")
    ),
    "branch and head": lambda rng: _framed(
        "git: {}", _other(rng, "main (clean)", "main (3 files changed)", "fix/late-orders (clean)")
    ),
}


def _framed(frame: str, values: tuple[str, str]) -> tuple[str, str]:
    return frame.format(values[0]), frame.format(values[1])


@cause("PL105")
def environment(base: Base, rng: Random) -> Mutation | None:
    """Live state of the machine or the working tree."""
    name = rng.choice(list(ENVIRONMENTS))
    old, new = ENVIRONMENTS[name](rng)
    return planted("PL105", f"environment, {name}", old, new, base, rng, line=True)


def _passages(rng: Random, count: int) -> list[str]:
    return [words.prose(rng, rng.randint(2, 4)) for _ in range(count)]


RETRIEVED: dict[str, Callable[[list[str], Random], str]] = {
    "context tag": lambda found, rng: "<context>\n" + "\n\n".join(found) + "\n</context>",
    "documents": lambda found, rng: (
        "<documents>\n"
        + "\n".join(f'<document index="{n}">\n{text}\n</document>' for n, text in enumerate(found, 1))
        + "\n</documents>"
    ),
    "heading": lambda found, rng: "## Retrieved documents\n\n" + "\n\n".join(found),
    "numbered": lambda found, rng: "Search results:\n" + "\n".join(f"[{n}] {text}" for n, text in enumerate(found, 1)),
    "fence": lambda found, rng: "Relevant passages:\n```\n" + "\n---\n".join(found) + "\n```",
    "recall": lambda found, rng: "## Relevant memories\n" + "\n".join(f"- {text}" for text in found),
    "knowledge": lambda found, rng: (
        "Use this knowledge for your answer:\n"
        + "\n\n".join(f"Source: {rng.choice(words.THINGS)}.md\n{text}" for text in found)
        + "\nEnd of knowledge."
    ),
}


@cause("PL107")
def retrieved(base: Base, rng: Random) -> Mutation | None:
    """Passages that were looked up for the newest question: all others, or some of them."""
    name = rng.choice(list(RETRIEVED))
    before = _passages(rng, rng.randint(2, 4))
    kept = rng.randrange(len(before)) if rng.random() < 0.3 else 0
    after = before[:kept] + _passages(rng, rng.randint(1, 4))
    seed = rng.randrange(1 << 30)
    old, new = (RETRIEVED[name](found, Random(seed)) for found in (before, after))
    return planted("PL107", f"retrieved, {name}", old, new, base, rng, line=True)


FILES: dict[str, str] = {
    "heading": "## MEMORY.md\n{}\n(end of MEMORY.md)",
    "contents of": "Contents of AGENTS.md:\n{}\n(end of AGENTS.md)",
    "tag": '<file path="notes/memory.md">\n{}\n</file>',
    "fence": "The project's rules file (RULES.md):\n```markdown\n{}\n```",
    "skills": "Contents of skills/index.md:\n\n{}\n\nEnd of file.",
}


@cause("PL108")
def mutable_file(base: Base, rng: Random) -> Mutation | None:
    """A notes or rules file that the session itself writes: a line was added, dropped or worded anew."""
    name = rng.choice(list(FILES))
    lines = words.bullets(rng, rng.randint(6, 12))
    changed = list(lines)
    kind = rng.choice(("added at the end", "added", "dropped", "edited"))
    if kind == "added at the end":
        changed += words.bullets(rng, 1)
    elif kind == "added":
        changed.insert(rng.randrange(1, len(changed)), words.bullet(rng) + " from now on")
    elif kind == "dropped":
        changed.pop(rng.randrange(1, len(changed)))
    else:
        place = rng.randrange(1, len(changed))
        changed[place] += " and say when it is done"
    old, new = (FILES[name].format("\n".join(content)) for content in (lines, changed))
    return planted("PL108", f"file, {name}, line {kind}", old, new, base, rng, line=True)


PAGES = ("Page: {}\n\n{}", "Input:\n{}\n{}", "<page url='https://example.org/{}'>\n{}\n</page>", "Title: {}\n{}")


@cause("PL110")
def page_first(base: Base, rng: Random) -> Mutation | None:
    """The page or document that the prompt is used on stands before the instructions."""
    if base.profile.wire not in ("text", "openai-completions"):
        return None
    part = base.after.system[0]
    place = Place(part.uid, rng.choice(paragraph_slots(part.text)[:2]))
    frame = rng.choice(PAGES)
    old, new = (
        frame.format(f"{rng.choice(words.THINGS)}-{rng.choice(words.QUALITIES)}", words.prose(rng, rng.randint(4, 9)))
        for _ in range(2)
    )
    return Mutation(
        "page before the instructions",
        (Expected("PL110", place.uid),),
        insert(place, new),
        insert(place, old),
        zones=(place.zone,),
    )
