"""Files, folders and standard input as sources."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from promptlint.model.errors import InputError, Problems, PromptlintError
from promptlint.model.prompt import Skip
from promptlint.model.source import Source

STDIN = "-"
PROMPT_SUFFIXES = frozenset({".md", ".txt", ".json", ".prompt", ".prompty", ".yaml", ".yml"})
TEMPLATE_SUFFIXES = frozenset({".j2", ".jinja", ".jinja2", ".hbs", ".handlebars", ".mustache", ".erb"})
CODE_SUFFIXES = frozenset({".py", ".ipynb", ".ts", ".mts", ".cts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".go", ".rs"})
SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})  # besides hidden ones

Keep = Callable[[str, bool], bool]

_BYTE_ORDER_MARKS = ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read; `walked` when a folder was named and not the file itself."""

    name: str
    walked: bool


def read_file(name: str, *, walked: bool = False) -> Source:
    """The file's text, strictly UTF-8 with every newline kept; `-` is standard input. Raises InputError."""
    return decode(name, read_bytes(name), walked=walked)


def text_of(name: str) -> str | None:
    """The file's text; None where it cannot be read."""
    try:
        return read_file(name).text
    except InputError:
        return None


def top_of(name: str) -> str:
    """The folder of the repository that a file lies in; without one the folder of the file."""
    folder = Path(name).parent
    full = Path(os.path.abspath(folder))  # noqa: PTH100 (links are followed when a file is read)
    for steps, parent in enumerate((full, *full.parents)):
        if (parent / ".git").exists():
            return os.path.normpath(Path(folder, *[".."] * steps))
    return str(folder)


def lies_in(name: str, folder: str) -> bool:
    """Whether a file lies in a folder, its links followed."""
    return Path(os.path.realpath(name)).is_relative_to(os.path.realpath(folder))


def beside(name: str) -> list[str]:
    """The files in a file's folder that end as it does, in sorted order."""
    folder = Path(name).parent
    return sorted(str(path) for path in folder.glob(f"*{Path(name).suffix}"))


def read_all(
    files: Iterable[Found], kept: Callable[[Source], Source] = lambda source: source
) -> tuple[list[Source], list[Skip]]:
    """Every file as `kept` gives it; a walked one that cannot be read is a skip. Standard input can be given once.

    Raises InputError or Problems with all that cannot be read.
    """
    sources: list[Source] = []
    skips: list[Skip] = []
    errors: list[PromptlintError] = []
    stdin_taken = False
    for found in files:
        if found.name == STDIN and stdin_taken:
            errors.append(InputError("standard input can be read once; give the other side as a file", name=STDIN))
            continue
        stdin_taken = stdin_taken or found.name == STDIN
        if found.walked and _leads_out(found.name):
            skips.append(Skip(found.name, "is a symbolic link that leads out of this folder; name the file itself"))
            continue
        try:
            sources.append(kept(read_file(found.name, walked=found.walked)))
        except InputError as error:
            if found.walked:
                skips.append(Skip(found.name, error.message))
            else:
                errors.append(error)
    raise_all(errors)
    return sources, skips


def raise_all(errors: Sequence[PromptlintError]) -> None:
    """Nothing for no error, the error itself for one, Problems for several."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise Problems(tuple(errors))


def read_bytes(name: str) -> bytes:
    """The bytes of a file or of standard input. Raises InputError."""
    if name == STDIN:
        if sys.stdin is None:  # closed by whoever started the command
            raise InputError("standard input is closed", name=name)
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise InputError(_reason(name, error), name=name) from error
    except ValueError as error:  # a NUL in the name
        raise InputError("is no file name", name=name) from error


def _reason(name: str, error: OSError) -> str:
    if isinstance(error, IsADirectoryError) or os.path.isdir(name):  # noqa: PTH112 (Windows: permission denied)
        return "is a directory; name a file in it (promptlint check takes directories)"
    if isinstance(error, FileNotFoundError):
        return "no such file"
    return f"cannot be read: {error.strerror or error}"


def decode(name: str, data: bytes, *, walked: bool = False) -> Source:
    """Strict UTF-8. Raises InputError at the first bad byte (line, and column in code points)."""
    try:
        return Source(name, data.decode("utf-8"), walked=walked)
    except UnicodeDecodeError as error:
        for mark, encoding in _BYTE_ORDER_MARKS:
            if data.startswith(mark):
                raise InputError(f"is {encoding} by its byte order mark; save it as UTF-8", name=name) from error
        good = Source(name, data[: error.start].decode("utf-8"))
        place = good.position(len(good.text))
        raise InputError(
            f"is no UTF-8: byte 0x{data[error.start]:02x} ({error.reason}); save the file as UTF-8",
            name=name,
            line=place.line,
            column=place.column,
        ) from error


def _leads_out(name: str) -> bool:
    """Whether a file found in a folder is a link to somewhere outside of the folder in which promptlint runs."""
    if not Path(name).is_symlink():
        return False
    tops = {os.path.realpath("."), os.path.realpath(Path(name).parent)}
    return not any(Path(os.path.realpath(name)).is_relative_to(top) for top in tops)


def expand(names: Sequence[str], keep: Keep | None = None) -> list[Found]:
    """Files as named, and the prompt files of named folders in sorted order; each file once, named before walked.

    `keep` decides about files that were found in a folder: it is given the name, and whether it looks like a prompt.
    Raises InputError or Problems for what does not exist.
    """
    errors: list[PromptlintError] = []
    named = {_key(name) for name in names}
    found: dict[str, Found] = {}
    for name in names:
        if name != STDIN and Path(name).is_dir():
            for file in walk(name, keep):
                if _key(file) not in named:
                    found.setdefault(_key(file), Found(file, walked=True))
        elif name == STDIN or os.path.lexists(name):
            found.setdefault(_key(name), Found(name, walked=False))
        else:
            errors.append(InputError("no such file or directory", name=name))
    raise_all(errors)
    return list(found.values())


def walk(folder: str, keep: Keep | None = None) -> Iterator[str]:
    """Prompt files below a folder (text, Markdown, JSON), in sorted order; hidden and installed folders left out."""
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _left_out(name))
        for file in sorted(files):
            path = os.path.normpath(Path(parent, file))
            usual = is_prompt_name(file)
            if not os.path.isfile(path) and os.path.exists(path):  # noqa: PTH110, PTH113 (a pipe or device would block)
                continue
            if keep(path, usual) if keep else usual:
                yield path


def is_prompt_name(file: str) -> bool:
    """Whether a file found in a folder is taken for a prompt."""
    path = Path(file)
    if file.startswith("."):
        return False
    if path.suffix.lower() in TEMPLATE_SUFFIXES:
        return _NO_PROMPT.search(path.stem) is None
    return path.suffix.lower() in PROMPT_SUFFIXES | CODE_SUFFIXES


# Before the suffix of a template: what is made from it is a page, a program or a configuration, and no prompt.
_NO_PROMPT = re.compile(
    r"(?i)\.(?:html?|xhtml|css|s[ac]ss|jsx?|tsx?|py|rb|go|rs|java|c|h|cpp|sh|bash|ps1|sql|ya?ml|json|toml|ini|cfg|conf|cnf"
    r"|env|properties|service|timer|socket|tf|hcl|tex|svg|csv|rst|plist|lua|php|vcl|rules|repo|list|xlsx|js|erb)$"
)


def is_walked(parts: Sequence[str]) -> bool:
    """Whether walking a folder would reach the file with these path parts below it."""
    return is_prompt_name(parts[-1]) and not any(_left_out(part) for part in parts[:-1])


def _left_out(folder: str) -> bool:
    return folder.startswith(".") or folder in SKIPPED_FOLDERS


def _key(name: str) -> str:
    return name if name == STDIN else os.path.normpath(name)
