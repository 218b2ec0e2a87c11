"""A prompt template: fixed text and the regions that vary, in the order of the prompt."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.model.source import Source, Span


@dataclass(frozen=True, slots=True)
class Fixed:
    """Text that stands in the prompt as it stands in the file; `span` is its place there.

    `within`: the loops and branches of conditions it stands in, outermost first; empty where it is always there.
    `message` is the index of its message.
    """

    text: str
    source: Source
    span: Span
    within: tuple[int, ...] = ()
    message: int = 0


@dataclass(frozen=True, slots=True)
class Region:
    """A placeholder, loop or condition. `span` is the whole tag, of a loop or condition the one that opens it.

    `kind` says what fills it (clock, date, identity, …), by its name and place; "" where that says nothing.
    `name` is what it is filled with, as it is written, filters left out. `included` are the tags that lead from the
    template to the file it stands in, outermost first.
    """

    form: str  # placeholder | loop | condition
    kind: str
    name: str
    source: Source
    span: Span
    within: tuple[int, ...] = ()
    message: int = 0
    included: tuple[tuple[Source, Span], ...] = ()


@dataclass(frozen=True, slots=True)
class Template:
    """One prompt. `roles`: that of each message, "" where the file has none; `syntax`: how its regions are written."""

    source: Source
    syntax: str
    roles: tuple[str, ...]
    parts: tuple[Fixed | Region, ...]

    @property
    def newest(self) -> int:
        """The index of the last message of a user, behind which nothing is lost; past the end where there is none."""
        users = [index for index, role in enumerate(self.roles) if role in ("user", "human")]
        return users[-1] if users else len(self.roles)


@dataclass(frozen=True, slots=True)
class Standing:
    """A region with what stands behind it: `tokens` of fixed text, and whether a history of the conversation does."""

    region: Region
    tokens: int
    history: bool


@dataclass(frozen=True, slots=True)
class Names:
    """What a house says about names of placeholders, as globs: stable, another one per user, or per request."""

    stable: tuple[str, ...] = ()
    per_user: tuple[str, ...] = ()
    per_request: tuple[str, ...] = ()
