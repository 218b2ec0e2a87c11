"""Where a run's output goes: formats, files that appear whole or not at all, and the terminal."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from promptlint.model.errors import ConfigError, InputError

if TYPE_CHECKING:
    from promptlint.reporters.lines import Line

PAGE_FORMATS = ("text", "json")  # of lists and pages
SUMMARY = "github-summary"


@dataclass(frozen=True, slots=True)
class Target:
    """A format and its file; None is standard output. `appended`: the file keeps what it holds."""

    format: str
    file: str | None
    appended: bool = False


@dataclass(frozen=True, slots=True)
class Terminal:
    """What text is laid out for: `width` in columns, None for a pipe or a file; `colour` with ANSI codes."""

    width: int | None = None
    colour: bool = False


def targets(
    values: Sequence[str] | None, inputs: Sequence[str] = (), known: Iterable[str] = PAGE_FORMATS
) -> list[Target]:
    """The values of --format, of the `known` ones. Raises ConfigError for what cannot be, before anything is done.

    A job summary goes along with GitHub's annotations where a workflow asks for one.
    """
    found: list[Target] = []
    for value in values or ("text",):
        name, equals, file = value.partition("=")
        if name not in known:
            raise ConfigError(f"--format {name}: unknown format; there are {', '.join(known)}")
        if equals and not file:
            raise ConfigError(f"--format {value}: the file is missing")
        found.append(Target(name, file if equals and file != "-" else None))
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and any(target.format == "github" for target in found):
        found.append(Target(SUMMARY, summary, appended=True))
    places = [os.path.realpath(target.file) if target.file else "standard output" for target in found]
    for place in places:
        if places.count(place) > 1:
            raise ConfigError(f"--format: only one report can go to {place}; give the others a file, as in json=FILE")
    for target in found:
        if target.file is not None:
            _check_file(target.file, inputs)
    return found


def _check_file(file: str, inputs: Sequence[str]) -> None:
    path = Path(file)
    problem = None
    if any(os.path.realpath(file) == os.path.realpath(name) for name in inputs):
        problem = "is an input of this run and would be overwritten"
    elif path.is_dir():
        problem = "is a directory; name a file in it"
    elif not path.parent.is_dir():
        problem = "cannot be written: its folder does not exist"
    elif not os.access(path if path.exists() else path.parent, os.W_OK):
        problem = "cannot be written: permission denied"
    if problem:
        raise InputError(f"--format: {problem}", name=file)


def deliver(wanted: Sequence[Target], renderers: Mapping[str, Callable[[Terminal], str]]) -> None:
    """Renders every format, then puts all files in place, then prints. Raises InputError, leaving no file behind."""
    texts = [(target, renderers[target.format](Terminal() if target.file else terminal())) for target in wanted]
    if files := [(target, text) for target, text in texts if target.file is not None]:
        _write_files(files)
    for target, text in texts:
        if target.file is None:
            show(text)


def as_json(document: object) -> str:
    return json.dumps(document, indent=2) + "\n"


def painted(lines: Iterable[Line], terminal: Terminal) -> str:
    from promptlint.reporters.lines import WIDEST, paint

    return paint(lines, width=terminal.width and min(terminal.width, WIDEST), colour=terminal.colour)


def _write_files(texts: Sequence[tuple[Target, str]]) -> None:
    """Every text goes into a new file beside its target first; only when all are written do they move into place."""
    import tempfile

    moves: list[tuple[Path, Path]] = []
    file = ""
    try:
        for wanted, text in texts:
            file = wanted.file or ""
            named, target = Path(file), Path(os.path.realpath(file))
            data = text.encode("utf-8", "backslashreplace")
            if wanted.appended or (named.exists() and not named.is_file()):  # a device or a pipe is never replaced
                with named.open("ab") as stream:  # the real path of a pipe is no file
                    stream.write(data)
                continue
            descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
            moves.append((Path(temporary), target))
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
            Path(temporary).chmod(_mode(target))
        for source, target in moves:
            source.replace(target)
    except OSError as error:
        raise InputError(f"--format: cannot be written: {error.strerror or error}", name=file) from error
    finally:
        for source, _ in moves:
            source.unlink(missing_ok=True)


def _mode(target: Path) -> int:
    """Permissions of the file that is replaced, or those a new file gets."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def terminal() -> Terminal:
    """Standard output as it is: NO_COLOR and TERM=dumb forbid colour, FORCE_COLOR asks for it in a pipe too."""
    interactive = sys.stdout is not None and sys.stdout.isatty()  # None: closed by whoever started the command
    wanted = interactive and os.environ.get("TERM") != "dumb"
    if os.environ.get("FORCE_COLOR"):
        wanted = True
    return Terminal(
        width=shutil.get_terminal_size().columns if interactive else None,
        colour=wanted and not os.environ.get("NO_COLOR"),
    )


def show(text: str) -> None:
    """Prints to standard output. A reader that has gone is no error; a full disk is."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    if not (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf"):
        from promptlint.reporters.ascii import in_ascii

        text = in_ascii(text)
    try:
        click.echo(text, nl=False, color=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the flush at exit would fail once more
        if not isinstance(error, BrokenPipeError):
            raise InputError(f"standard output cannot be written: {error.strerror or error}") from error
