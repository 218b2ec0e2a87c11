"""Globs on model names."""

from __future__ import annotations

from fnmatch import fnmatchcase

from hypothesis import given
from hypothesis import strategies as st

from promptlint.model.globs import fits


@given(st.text("ab*?[]!", max_size=8), st.text("ab[", max_size=6))
def test_as_fnmatch_has_it(glob: str, name: str) -> None:
    assert fits(name, glob) == fnmatchcase(name, glob)
