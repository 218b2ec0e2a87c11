"""A finding: one rule, exactly one primary location, related ones besides."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from promptlint.model.cost import CostEstimate
from promptlint.model.source import Position


class Severity(enum.Enum):
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        return ("info", "warning", "error").index(self.value)


class Scope(enum.Enum):
    """Between which requests a change shows. The same bytes are an error in one scope and harmless in another."""

    SAME_CONVERSATION = "same conversation"
    NEW_CONVERSATION = "new conversation"
    OTHER_USER = "other user"
    OTHER_PROCESS = "other process"
    OTHER_DAY = "other day"
    RELEASE = "release"
    GATEWAY = "gateway"  # one request, as written and as it left a gateway
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Place:
    """A location as a report gives it: 1-based lines and columns (code points), end exclusive.

    `utf16` and `end_utf16` are the columns in UTF-16 code units; 0: the same as in code points.
    """

    file: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    utf16: int = field(default=0, compare=False)
    end_utf16: int = field(default=0, compare=False)

    @classmethod
    def between(cls, file: str, path: str, start: Position, end: Position) -> Place:
        return cls(file, path, start.line, start.column, end.line, end.column, start.utf16, end.utf16)


@dataclass(frozen=True, slots=True)
class Related:
    message: str
    location: Place


@dataclass(frozen=True, slots=True)
class TextEdit:
    location: Place
    replacement: str


@dataclass(frozen=True, slots=True)
class Fix:
    safety: str  # safe | unsafe
    edits: tuple[TextEdit, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """`marked` is the very text the rule is about (what `[|…|]` marks in its examples)."""

    code: str
    name: str
    severity: Severity
    confidence: str  # high | medium | low
    scope: Scope
    message: str
    location: Place
    marked: str = ""
    related: tuple[Related, ...] = ()
    tokens_lost: int | None = None
    cost: CostEstimate | None = None
    fix: Fix | None = None
    fingerprint: str = ""
    vendor_reason: str = ""  # what the provider's own diagnosis would call this cause, where it has one
    facts: Mapping[str, str] = field(default_factory=dict)
    change: str = ""  # names the very edit (text before and after) where the finding is about one; hexadecimal
    accepted: str = ""  # why somebody accepted this very edit, where somebody did
