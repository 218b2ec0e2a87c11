"""The rules: loading, checking, running, and choosing the one explanation of a divergence."""

from promptlint.rulebook.load import load, load_with
from promptlint.rulebook.rule import Example, Rule, Rulebook

__all__ = ["Example", "Rule", "Rulebook", "load", "load_with"]
