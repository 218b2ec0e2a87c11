"""What went wrong in a chat template: its syntax, what it says itself, a bound that it broke, or anything else."""

from __future__ import annotations

import enum

from jinja2.exceptions import SecurityError, TemplateError, TemplateSyntaxError

from promptlint.render.limits import LimitExceeded


class Failure(enum.Enum):
    SYNTAX = "syntax"
    REFUSED = "refused"  # the template raised it
    STOPPED = "stopped"  # it broke a bound
    FORBIDDEN = "forbidden"  # it reached for what the sandbox does not give
    FAILED = "failed"


def failure(error: Exception) -> tuple[Failure, str]:
    """The kind of an error that compiling or running a template has raised, and what it says."""
    if isinstance(error, TemplateSyntaxError):
        return Failure.SYNTAX, error.message or "it cannot be read"
    if isinstance(error, LimitExceeded):
        return Failure.STOPPED, str(error)
    if isinstance(error, (RecursionError, MemoryError, SyntaxError)):  # Python nests twenty loops at most
        return Failure.STOPPED, "it nests or calls itself too deeply"
    if isinstance(error, OverflowError):
        return Failure.STOPPED, str(error)
    if isinstance(error, SecurityError):
        return Failure.FORBIDDEN, str(error)
    if type(error) is TemplateError:
        return Failure.REFUSED, error.message or "without a reason"
    return Failure.FAILED, str(error) or type(error).__name__


def line_of(error: Exception, name: str) -> int | None:
    """The line of the template where it went wrong; jinja2 rewrites its tracebacks to that end."""
    if isinstance(error, TemplateSyntaxError):
        return error.lineno
    line = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == name:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
