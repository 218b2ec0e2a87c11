"""Text to token ids: which vocabulary a model has, loading it without a network, and encoding a rendering."""

from __future__ import annotations

from promptlint.tokenizers.base import Vocabulary
from promptlint.tokenizers.choice import Choice, choose, load
from promptlint.tokenizers.sequence import texts, tokenize

__all__ = ["Choice", "Vocabulary", "choose", "load", "texts", "tokenize"]
