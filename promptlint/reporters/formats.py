"""The output formats by name; a module each, with `render(report, setup)`, imported when its format is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from promptlint.model.report import Report
    from promptlint.reporters.setup import Setup

FORMATS = {
    "text": "text",
    "concise": "concise",
    "json": "json",
    "sarif": "sarif",
    "github": "github",
    "github-summary": "github_summary",
    "gitlab": "gitlab",
    "junit": "junit",
    "html": "html",
}


def render(name: str, report: Report, setup: Setup) -> str:
    """The report in one of FORMATS."""
    rendered = import_module(f"promptlint.reporters.{FORMATS[name]}").render(report, setup)
    assert isinstance(rendered, str)
    return rendered
