"""Errors that say whose they are: the input's, the configuration's, a rule's, or a missing vocabulary."""

from __future__ import annotations


class PromptlintError(Exception):
    """The run could not be done (exit status 2).

    `message` says what is wrong and what to do in one line; `name` is the file as the user named it;
    `line` and `column` count from 1, columns in code points.
    """

    def __init__(
        self, message: str, *, name: str | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.name = name
        self.line = line
        self.column = column

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.name, self.line, self.column) if part is not None)
        return f"{place}: {self.message}" if place else self.message


class InputError(PromptlintError):
    """A file, revision or argument that cannot be read as what it was given for."""


class ConfigError(PromptlintError):
    """A setting, option or name that does not exist or does not fit."""


class RuleError(PromptlintError):
    """A rule file that does not hold what a rule must hold."""


class TokenizerUnavailable(PromptlintError):
    """A vocabulary that is not on this machine; promptlint never downloads one."""


class Problems(PromptlintError):
    """Several errors of one run, so that a user sees all of them at once."""

    def __init__(self, errors: tuple[PromptlintError, ...]) -> None:
        super().__init__("\n".join(str(error) for error in errors))
        self.message = "; ".join(str(error) for error in errors)
        self.errors = errors
