"""Token estimates and content hashes of images, documents and audio. Every number here is an estimate.

Formulas, from the vendors' public documentation:

- Anthropic (Vision guide, "Evaluate image size"): width x height / 750; larger images are scaled down first to about
  1,600 tokens. Pages of a PDF: text of 1,500 to 3,000 tokens and an image; 3,000 is taken for both.
- OpenAI (Images and vision guide, "Calculating costs", tile models): 85, and 170 for each 512-pixel tile after the
  image is fitted into 2,048 x 2,048 and its shorter side into 768; 85 with `detail: low`. Newer models count 32-pixel
  patches with factors of their own.
- Gemini (Token counting guide): 258 where both sides are at most 384 pixels, else 258 for each 768-pixel tile and for
  each page of a document; 32 tokens for a second of audio, 263 for a second of video.

Where the size is not in the request (a URL, a file id, an unknown format) one stated default stands for it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import math
import re

from promptlint.model.prompt import Kind

# What an item counts as when its size cannot be read: a full-size image, one page, half a minute.
_DEFAULT = {
    ("anthropic", Kind.IMAGE): 1_600,
    ("openai", Kind.IMAGE): 765,  # 1,024 x 1,024 in four tiles
    ("gemini", Kind.IMAGE): 258,
    ("anthropic", Kind.DOCUMENT): 3_000,
    ("openai", Kind.DOCUMENT): 3_000,
    ("gemini", Kind.DOCUMENT): 258,
}
_DEFAULT_AUDIO = 960
_AUDIO_BYTES_PER_SECOND = 16_000  # 128 kbit/s, a usual rate of compressed speech
_AUDIO_TOKENS_PER_SECOND = 32
_PAGE = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")
_DATA_URL = re.compile(r"data:([^;,]*)(?:;[^;,]*)*,")
_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # start-of-frame markers


def content_hash(data: bytes) -> str:
    """What stands in a rendering for content that has no text."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def decoded(value: str) -> tuple[bytes, str, bool]:
    """(bytes, media type or empty, whether these are the content itself) of base64, a data URL, a URL or a file id.

    Of a URL or an id the bytes are those of the name: the content is not in the request.
    """
    media_type = ""
    match = _DATA_URL.match(value)
    if match:
        media_type, value = match.group(1), value[match.end() :]
    elif "://" in value[:40]:
        return value.encode("utf-8", "surrogatepass"), "", False
    try:
        return base64.b64decode(value, validate=True), media_type, True
    except (binascii.Error, ValueError):
        return value.encode("utf-8", "surrogatepass"), media_type, False


def estimate(kind: Kind, data: bytes | None, vendor: str, *, low_detail: bool = False) -> int:
    """Estimated tokens. `data` is the content, or None where the request only names it.

    `vendor`: anthropic, openai or gemini, whose formula is used.
    """
    if kind is Kind.AUDIO:
        return max(1, len(data) * _AUDIO_TOKENS_PER_SECOND // _AUDIO_BYTES_PER_SECOND) if data else _DEFAULT_AUDIO
    if kind is Kind.IMAGE:
        if low_detail and vendor == "openai":
            return 85
        size = image_size(data) if data else None
        return _image_tokens(*size, vendor) if size else _DEFAULT[vendor, kind]
    if kind is Kind.DOCUMENT:
        pages = len(_PAGE.findall(data)) if data and data.startswith(b"%PDF") else 1
        return max(1, pages) * _DEFAULT[vendor, kind]
    return max(1, len(data or b"") // 4)  # encrypted reasoning: about four bytes a token


def _image_tokens(width: int, height: int, vendor: str) -> int:
    if vendor == "anthropic":
        return max(1, min(1_600, round(width * height / 750)))
    if vendor == "gemini":
        if max(width, height) <= 384:
            return 258
        return 258 * math.ceil(width / 768) * math.ceil(height / 768)
    scale = min(1.0, 2_048 / max(width, height))
    scale = min(scale, 768 / min(width, height))
    return 85 + 170 * math.ceil(width * scale / 512) * math.ceil(height * scale / 512)


def image_size(data: bytes) -> tuple[int, int] | None:
    """(width, height) in pixels from the header of a PNG, GIF, JPEG or WebP file, else None."""
    size = None
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        size = int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    elif data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        size = int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    elif data.startswith(b"\xff\xd8"):
        size = _jpeg_size(data)
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) >= 30:
        size = _webp_size(data)
    return size if size and min(size) > 0 else None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    position = 2
    while position + 9 <= len(data) and data[position] == 0xFF:
        if data[position + 1] in _JPEG_SIZES:
            height, width = data[position + 5 : position + 7], data[position + 7 : position + 9]
            return int.from_bytes(width), int.from_bytes(height)
        position += 2 + max(2, int.from_bytes(data[position + 2 : position + 4]))
    return None


def _webp_size(data: bytes) -> tuple[int, int] | None:
    chunk = data[12:16]
    if chunk == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if chunk == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if chunk == b"VP8 ":
        return int.from_bytes(data[26:28], "little") & 0x3FFF, int.from_bytes(data[28:30], "little") & 0x3FFF
    return None
