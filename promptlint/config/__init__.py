"""Configuration: `[tool.promptlint]` of pyproject.toml, or promptlint.toml, read strictly, errors with their place."""

from __future__ import annotations

from promptlint.config.find import OWN, SHARED, Finder
from promptlint.config.read import Known, read
from promptlint.config.settings import Budget, Config, Declaration, Part, Settings, Traffic, over

__all__ = [
    "OWN",
    "SHARED",
    "Budget",
    "Config",
    "Declaration",
    "Finder",
    "Known",
    "Part",
    "Settings",
    "Traffic",
    "over",
    "read",
]
