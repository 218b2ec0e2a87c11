"""`python -m promptlint`."""

from promptlint.cli import run

run()
