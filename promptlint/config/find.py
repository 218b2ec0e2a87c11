"""The configuration that a file falls under: the nearest one, going up to the root of the repository."""

from __future__ import annotations

import os
from pathlib import Path

from promptlint.config.read import Known, read
from promptlint.config.settings import Config
from promptlint.model.errors import ConfigError

OWN = "promptlint.toml"
SHARED = "pyproject.toml"
_TABLE = ("tool", "promptlint")


class Finder:
    """Configurations by folder, each file read once.

    `explicit`: this file and no other. `isolated`: none at all. Both together are a ConfigError. Nothing is read
    before the first question.
    """

    def __init__(self, known: Known, explicit: str | None = None, *, isolated: bool = False) -> None:
        if explicit is not None and isolated:
            raise ConfigError("--config and --isolated exclude each other; give one of them")
        self._known = known
        self._explicit = explicit
        self._isolated = isolated
        self._by_folder: dict[str, Config] = {}

    def for_file(self, name: str) -> Config:
        """The configuration of a file as the user names it; `-` counts as a file of the current folder."""
        return self.for_folder("." if name == "-" else os.path.dirname(name) or ".")  # noqa: PTH120

    def for_folder(self, folder: str) -> Config:
        """Raises ConfigError or Problems for a file that cannot be read or does not hold what it must."""
        here = os.path.abspath(folder)  # noqa: PTH100 (a link stays the folder that the user sees)
        if self._isolated:
            return self._by_folder.setdefault("", Config(os.path.abspath(".")))  # noqa: PTH100
        if self._explicit is not None:
            if "" not in self._by_folder:
                self._by_folder[""] = self._given(self._explicit)
            return self._by_folder[""]
        if here not in self._by_folder:
            self._by_folder[here] = self._nearest(here)
        return self._by_folder[here]

    def _nearest(self, folder: str) -> Config:
        found = self._in_folder(folder)
        if found is not None:
            return found
        if os.path.lexists(os.path.join(folder, ".git")):  # noqa: PTH118
            return Config(folder)
        parent = os.path.dirname(folder)  # noqa: PTH120
        if parent == folder:  # neither a configuration nor a repository: patterns count from where the user stands
            return Config(os.path.abspath("."))  # noqa: PTH100
        return self.for_folder(parent)

    def _in_folder(self, folder: str) -> Config | None:
        for name in (OWN, SHARED):
            text = _text(Path(folder, name))
            if text is None or (name == SHARED and "promptlint" not in text):
                continue  # most pyproject.toml are none of ours, and reading TOML takes its time
            config = read(text, _shown(Path(folder, name)), folder, self._known, () if name == OWN else _TABLE)
            if config is not None:
                return config
        return None

    def _given(self, name: str) -> Config:
        path = Path(name)
        text = _text(path)
        if text is None:
            raise ConfigError("no such file", name=name)
        root = os.path.abspath(path.parent)  # noqa: PTH100
        config = read(text, name, root, self._known, _TABLE if path.name == SHARED else ())
        if config is None:
            raise ConfigError("has no table [tool.promptlint]", name=name)
        return config


def _text(path: Path) -> str | None:
    """The file's text; None where there is no such file."""
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror or error}", name=_shown(path)) from error
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        good = data[: error.start].decode("utf-8")
        line, column = good.count("\n") + 1, len(good) - good.rfind("\n")
        raise ConfigError("is no UTF-8; save the file as UTF-8", name=_shown(path), line=line, column=column) from error


def _shown(path: Path) -> str:
    """As short as it can be said from here."""
    return os.path.relpath(path)
