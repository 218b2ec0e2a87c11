"""A genuine tokenizer.json for tests: the first ranks of o200k_base for Hugging Face, and their twin for tiktoken."""

from __future__ import annotations

import os
from base64 import b64decode
from functools import cache
from itertools import pairwise
from pathlib import Path

import tiktoken

from promptlint.tokenizers import rankfile
from promptlint.tokenizers.vocabularies import PUBLISHED

SIZE = 2_000
SPECIALS = ("<|im_start|>", "<|im_end|>")
HOSTILE = (
    "a b\n\n  c\td\r\n'll don't I'LL 123456 x1y2 漢字 Ünï ñ ſ İ é e\u0301 👩‍👩‍👧 🇩🇪 한글"
    " \u1100\u1161 ไทย \u00a0\u3000\u2028\u0085\x1c\x00/;!?"
)


@cache
def whole(name: str) -> tiktoken.Encoding:
    """tiktoken with all tokens of a published vocabulary."""
    published = PUBLISHED[name]
    return tiktoken.Encoding(
        name,
        pat_str=published.pattern,
        mergeable_ranks={b64decode(token): rank for rank, token in enumerate(rankfile.tokens(published))},
        special_tokens=dict(published.specials),
    )


@cache
def twin() -> tiktoken.Encoding:
    return tiktoken.Encoding(
        "small",
        pat_str=PUBLISHED["o200k_base"].pattern,
        mergeable_ranks=_first_ranks(),
        special_tokens={text: SIZE + index for index, text in enumerate(SPECIALS)},
    )


def write_tokenizer_json(folder: Path) -> Path:
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, processors

    letters = _byte_letters()
    ranks = _first_ranks()

    def spelled(token: bytes) -> str:
        return "".join(letters[byte] for byte in token)

    merges = [tuple(map(spelled, _halves(ranks, token))) for token in ranks if len(token) > 1]
    vocabulary = {spelled(token): rank for token, rank in ranks.items()}
    model = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, ignore_merges=True))  # type: ignore[arg-type]
    split = pre_tokenizers.Split(Regex(PUBLISHED["o200k_base"].pattern), "isolated")
    model.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(False, use_regex=False)])
    model.decoder = decoders.ByteLevel()
    model.add_special_tokens([AddedToken(text, special=True) for text in SPECIALS])
    # As in Llama 3: offsets without the blank before a word, and a token in front that is only added when asked for.
    opening = processors.TemplateProcessing(single=f"{SPECIALS[0]} $A", special_tokens=[(SPECIALS[0], SIZE)])
    model.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=True), opening])
    file = folder / "tokenizer.json"
    model.save(str(file))
    return file


@cache
def _first_ranks() -> dict[bytes, int]:
    tokens = rankfile.tokens(PUBLISHED["o200k_base"])[:SIZE]
    return {b64decode(token): rank for rank, token in enumerate(tokens)}


def _halves(ranks: dict[bytes, int], token: bytes) -> tuple[bytes, bytes]:
    """The two tokens that merge into this one: what is left when only lower ranks may merge."""
    parts = [token[i : i + 1] for i in range(len(token))]
    while len(parts) > 2:
        candidates = [(ranks.get(a + b, len(ranks)), i) for i, (a, b) in enumerate(pairwise(parts))]
        _, i = min(candidates)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return parts[0], parts[1]


def _byte_letters() -> dict[int, str]:
    """How byte-level tokenizers spell bytes: printable Latin-1 as itself, all others from U+0100 on."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(others)}
