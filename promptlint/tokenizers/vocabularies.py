"""The vocabularies that OpenAI publishes, as data: where their ranks lie here, their hash, pattern and special tokens.

Source of hashes, patterns and special tokens: tiktoken 0.14.0, `tiktoken_ext/openai_public.py`, checked 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Published:
    """One encoding. `ranks` names the data file, `sha256` is that of its unpacked bytes."""

    name: str
    ranks: str
    sha256: str
    pattern: str
    specials: Mapping[str, int]


_O200K_HASH = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
_O200K_PATTERN = "|".join(
    [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)
_CL100K_PATTERN = "|".join(
    [
        r"'(?i:[sdmt]|ll|ve|re)",
        r"[^\r\n\p{L}\p{N}]?+\p{L}++",
        r"\p{N}{1,3}+",
        r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
        r"\s++$",
        r"\s*[\r\n]",
        r"\s+(?!\S)",
        r"\s",
    ]
)
_O200K = {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}
_HARMONY = {
    "<|startoftext|>": 199998,
    "<|return|>": 200002,
    "<|constrain|>": 200003,
    "<|channel|>": 200005,
    "<|start|>": 200006,
    "<|end|>": 200007,
    "<|message|>": 200008,
    "<|call|>": 200012,
}
_RESERVED = {f"<|reserved_{rank}|>": rank for rank in range(200000, 201088) if rank not in _HARMONY.values()}

PUBLISHED: Mapping[str, Published] = {
    vocabulary.name: vocabulary
    for vocabulary in (
        Published(
            "cl100k_base",
            "cl100k_base",
            "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
            _CL100K_PATTERN,
            {
                "<|endoftext|>": 100257,
                "<|fim_prefix|>": 100258,
                "<|fim_middle|>": 100259,
                "<|fim_suffix|>": 100260,
                "<|endofprompt|>": 100276,
            },
        ),
        Published(
            "o200k_base",
            "o200k_base",
            _O200K_HASH,
            _O200K_PATTERN,
            _O200K,
        ),
        Published("o200k_harmony", "o200k_base", _O200K_HASH, _O200K_PATTERN, _RESERVED | _HARMONY | _O200K),
    )
}
