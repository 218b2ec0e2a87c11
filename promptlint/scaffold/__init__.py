"""What `promptlint init` knows and writes: a look at a repository, files that suit it, writing them."""

from __future__ import annotations

from promptlint.scaffold.files import Planned, planned
from promptlint.scaffold.survey import Survey, survey
from promptlint.scaffold.writing import write

__all__ = ["Planned", "Survey", "planned", "survey", "write"]
