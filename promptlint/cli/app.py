"""The commands and how they are grouped."""

from __future__ import annotations

from typing import Annotated

import click
import typer
from typer.core import TyperGroup

from promptlint import __version__
from promptlint.cli.later import Later
from promptlint.cli.output import show

SETTINGS = {"help_option_names": ["-h", "--help"]}


def _group(name: str, help: str, *commands: click.Command) -> TyperGroup:
    return TyperGroup(name=name, help=help, commands=commands, no_args_is_help=True, rich_markup_mode=None)


COMMANDS = (
    Later("diff", "compare:diff", "Explain a pair of prompts or requests."),
    Later("check", "check:check", "Check prompts, templates and code."),
    Later("trace", "trace:trace", "Replay logs: hit rate, causes, what to fix first."),
    Later("accept", "baseline:accept", "Accept a break that is wanted."),
    Later("init", "init:init", "Write a configuration, a hook and a CI job.", bare=True),
    _group(
        "baseline",
        "Keep a file of known findings.",
        Later("create", "baseline:create", "Write a new baseline."),
        Later("update", "baseline:update", "Bring it up to date."),
        Later("prune", "baseline:prune", "Take out what is gone."),
    ),
    _group(
        "rules",
        "List rules, show one, test your own.",
        Later("list", "rules:list_rules", "List all rules by code.", bare=True),
        Later("show", "rules:show_rule", "Show one rule with examples."),
        Later("test", "rules:test_rules", "Run rule files against their examples."),
    ),
    _group(
        "providers",
        "List cache rules, show some.",
        Later("list", "providers:list_providers", "List all families and entries.", bare=True),
        Later("show", "providers:show_provider", "Show numbers, sources, dates."),
    ),
)


def _version(wanted: bool) -> None:
    if wanted:
        show(f"promptlint {__version__}\n")
        raise typer.Exit


def promptlint(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Finds what breaks an LLM prompt cache, where it stands, and what it costs."""


def _all() -> click.Group:
    main = typer.Typer(rich_markup_mode=None)
    main.callback(
        epilog="Exit status: 0 nothing at or above --fail-on, 1 findings, 2 the run could not be done.",
        context_settings=SETTINGS,
        no_args_is_help=True,
    )(promptlint)
    group = typer.main.get_command(main)
    assert isinstance(group, click.Group)
    for command in COMMANDS:
        group.add_command(command)
    return group


app = _all()
