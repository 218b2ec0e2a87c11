"""Where text comes from: a source, a span in it, and a location that a person can open."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file as editors show it: `line` and `column` count from 1, columns in code points.

    `utf16` is the column in UTF-16 code units, as SARIF and the Language Server Protocol count; 0: not known.
    """

    line: int
    column: int
    utf16: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of code points, counted from 0."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Source:
    """A file, standard input or a git revision of a file.

    `name` is what the user would type (`prompt.md`, `-`, `HEAD:prompt.md`); `text` is decoded UTF-8 with every
    newline as it stands in the file (reading with newline translation would change token ids). `walked`: found in a
    folder rather than named by the user, so that a JSON file which is no request is a skip and not an error.
    `declared`: the configuration says that it is a prompt.
    """

    name: str
    text: str
    walked: bool = field(default=False, compare=False)
    declared: bool = field(default=False, compare=False)

    def position(self, offset: int) -> Position:
        """Line and column of a code-point offset. Lines end at LF (CRLF included), as git counts them."""
        line_start = self.text.rfind("\n", 0, offset) + 1
        before = self.text[line_start:offset]
        utf16 = len(before) if before.isascii() else len(before.encode("utf-16-le", "surrogatepass")) // 2
        return Position(self.text.count("\n", 0, offset) + 1, offset - line_start + 1, utf16 + 1)


class Form(enum.Enum):
    """How a value stands in its source, which decides how an offset in the value becomes an offset in the file."""

    PLAIN = "plain"  # character for character
    JSON_STRING = "json-string"  # between quotes, with escapes
    JSON_VALUE = "json-value"  # an object, list or scalar; the text is its compact serialisation
    JSON_MEMBER = "json-member"  # a key and its value; the text is `"key":value` with the value compact
    NONE = "none"  # made by promptlint or by a chat template: the span is only the nearest place


@dataclass(frozen=True, slots=True)
class Location:
    """A value in a source: its span (quotes included for JSON strings) and the provider's field path."""

    source: Source
    span: Span
    path: str
    form: Form = Form.PLAIN
