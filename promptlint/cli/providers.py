"""`promptlint providers`: the cache rules of every provider and engine, with source and date."""

from __future__ import annotations

from typing import Annotated

import typer

from promptlint.cli.options import PageFormat
from promptlint.cli.output import as_json, deliver, painted, targets


def list_providers(format: PageFormat = None) -> None:
    """List all families and their entries."""
    wanted = targets(format)
    from promptlint import providers
    from promptlint.cli import provider_pages

    policies = providers.all_policies()
    deliver(
        wanted,
        {
            "text": lambda terminal: painted(provider_pages.listed(policies), terminal),
            "json": lambda _: as_json([provider_pages.summary(policy) for policy in policies]),
        },
    )


def show_provider(
    name: Annotated[str, typer.Argument(metavar="ID")],
    format: PageFormat = None,
) -> None:
    """Show every number of a family or an entry (by id), with source and date."""
    wanted = targets(format)
    from promptlint.cli import provider_pages

    policies = provider_pages.named(name)
    deliver(
        wanted,
        {
            "text": lambda terminal: painted(provider_pages.shown(policies), terminal),
            "json": lambda _: as_json([provider_pages.plain(policy) for policy in policies]),
        },
    )
