"""The commands and how they are grouped."""

from __future__ import annotations

from typing import Annotated

import typer

from promptlint import __version__
from promptlint.cli import baseline, check, compare, init, providers, rules, trace
from promptlint.cli.output import show

SETTINGS = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    help="Finds what breaks an LLM prompt cache, where it stands, and what it costs.",
    epilog="Exit status: 0 nothing at or above --fail-on, 1 findings, 2 the run could not be done.",
    context_settings=SETTINGS,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
baseline_app = typer.Typer(help="Keep a file of known findings.", no_args_is_help=True, rich_markup_mode=None)
rules_app = typer.Typer(help="List rules, show one, test your own.", no_args_is_help=True, rich_markup_mode=None)
providers_app = typer.Typer(help="List cache rules, show some.", no_args_is_help=True, rich_markup_mode=None)

app.command(no_args_is_help=True, short_help="Explain a pair of prompts or requests.")(compare.diff)
app.command(no_args_is_help=True, short_help="Check prompts, templates and code.")(check.check)
app.command(no_args_is_help=True, short_help="Replay logs: hit rate, causes, what to fix first.")(trace.trace)
app.command(no_args_is_help=True, short_help="Accept a break that is wanted.")(baseline.accept)
baseline_app.command(no_args_is_help=True, short_help="Write a new baseline.")(baseline.create)
baseline_app.command(no_args_is_help=True, short_help="Bring it up to date.")(baseline.update)
baseline_app.command(no_args_is_help=True, short_help="Take out what is gone.")(baseline.prune)
rules_app.command("list", short_help="List all rules by code.")(rules.list_rules)
rules_app.command("show", no_args_is_help=True, short_help="Show one rule with examples.")(rules.show_rule)
rules_app.command("test", no_args_is_help=True, short_help="Run rule files against their examples.")(rules.test_rules)
providers_app.command("list", short_help="List all families and entries.")(providers.list_providers)
providers_app.command("show", no_args_is_help=True, short_help="Show numbers, sources, dates.")(providers.show_provider)
app.command(short_help="Write a configuration, a hook and a CI job.")(init.init)
app.add_typer(baseline_app, name="baseline")
app.add_typer(rules_app, name="rules")
app.add_typer(providers_app, name="providers")


def _version(wanted: bool) -> None:
    if wanted:
        show(f"promptlint {__version__}\n")
        raise typer.Exit


@app.callback()
def promptlint(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Finds what breaks an LLM prompt cache, where it stands, and what it costs."""
