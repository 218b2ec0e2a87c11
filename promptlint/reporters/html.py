"""The report as one HTML file without a request or a script: bars, causes, survival by provider, repairs, cost.

Every value that the template prints goes through `visible` and is then escaped, so that
nothing from a prompt or a file name can be markup, whatever the template forgets.
"""

from __future__ import annotations

from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined

from promptlint import __version__
from promptlint.model.report import Report
from promptlint.reporters.html_view import page
from promptlint.reporters.setup import Setup
from promptlint.reporters.visible import visible


def render(report: Report, setup: Setup) -> str:
    """The whole page; the same report always gives the same bytes."""
    folder = files("promptlint.reporters")
    environment = Environment(
        loader=FunctionLoader(lambda name: (folder / name).read_text("utf-8")),
        autoescape=True,
        finalize=_neutral,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("html.jinja").render(page=page(report, setup), version=__version__)


def _neutral(value: object) -> object:
    """What stands in the page for a value: whole numbers with thousands apart, text with nothing invisible in it."""
    if hasattr(value, "__html__"):  # what a macro of the template has printed
        return value
    return f"{value:,}" if isinstance(value, int) else visible(str(value))
