"""Globs on model names: which of a table's hundred a name fits."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

_LITERAL = re.compile(r"[^*?\[]*").match


def fits(name: str, glob: str) -> bool:
    """As `fnmatchcase`, which compiles each glob; most differ from the name before their first wildcard."""
    found = _LITERAL(glob)
    return found is not None and name.startswith(found.group()) and fnmatchcase(name, glob)
