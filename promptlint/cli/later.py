"""A command that is imported when it is called: most of a short run is imports, and it needs one command of many."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click
import typer


class Later(click.Command):
    """Stands in its group for `place`, a `module:function` of this package, until it is called.

    `short_help` is its line in the list of commands; `bare`: it does something without any argument.
    """

    def __init__(self, name: str, place: str, short_help: str, *, bare: bool = False) -> None:
        super().__init__(name, short_help=short_help)
        self._place = place
        self._bare = bare

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the real command, which is then the one that runs."""
        return self._real().make_context(info_name, args, parent, **extra)

    def _real(self) -> click.Command:
        module, _, function = self._place.partition(":")
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(self.name, no_args_is_help=not self._bare)(
            getattr(import_module(f"promptlint.cli.{module}"), function)
        )
        return typer.main.get_command(single)
