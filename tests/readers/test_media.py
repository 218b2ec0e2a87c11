"""Image sizes from headers, hashes, and the vendors' token formulas."""

from __future__ import annotations

import base64
import hashlib

import pytest

from promptlint.model.prompt import Kind
from promptlint.readers import media


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + width.to_bytes(4) + height.to_bytes(4)


JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF" + b"\0" * 10 + b"\xff\xc0\x00\x11\x08" + (600).to_bytes(2) + (800).to_bytes(2)
GIF = b"GIF89a" + (320).to_bytes(2, "little") + (200).to_bytes(2, "little")
VP8X = b"RIFF\0\0\0\0WEBPVP8X" + b"\0" * 8 + (639).to_bytes(3, "little") + (479).to_bytes(3, "little")
VP8L = b"RIFF\0\0\0\0WEBPVP8L" + b"\0\0\0\0\x2f" + (99 | 49 << 14).to_bytes(4, "little") + b"\0" * 8
VP8 = b"RIFF\0\0\0\0WEBPVP8 " + b"\0" * 10 + (640).to_bytes(2, "little") + (480).to_bytes(2, "little") + b"\0"


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (png(1200, 800), (1200, 800)),
        (JPEG, (800, 600)),
        (GIF, (320, 200)),
        (VP8X, (640, 480)),
        (VP8L, (100, 50)),
        (VP8, (640, 480)),
        (png(0, 5), None),
        (b"BM", None),
        (b"", None),
        (b"\xff\xd8\xff", None),
        (JPEG[:24], None),
    ],
)
def test_image_size_from_the_header(data: bytes, size: tuple[int, int] | None) -> None:
    assert media.image_size(data) == size


@pytest.mark.parametrize(
    ("size", "vendor", "tokens"),
    [
        ((1092, 1092), "anthropic", 1590),
        ((3000, 3000), "anthropic", 1600),
        ((1024, 1024), "openai", 765),
        ((2048, 4096), "openai", 1105),
        ((300, 200), "openai", 255),
        ((384, 384), "gemini", 258),
        ((800, 700), "gemini", 516),
    ],
)
def test_image_tokens(size: tuple[int, int], vendor: str, tokens: int) -> None:
    assert media.estimate(Kind.IMAGE, png(*size), vendor) == tokens


def test_low_detail_and_unknown_content_have_stated_numbers() -> None:
    assert media.estimate(Kind.IMAGE, png(4000, 4000), "openai", low_detail=True) == 85
    assert media.estimate(Kind.IMAGE, None, "anthropic") == 1600
    assert media.estimate(Kind.AUDIO, None, "gemini") == 960
    assert media.estimate(Kind.AUDIO, bytes(160_000), "gemini") == 320
    assert media.estimate(Kind.DOCUMENT, b"%PDF-1.7 /Type /Pages /Type /Page /Type/Page ", "gemini") == 2 * 258


def test_content_is_hashed_and_names_are_not_taken_for_content() -> None:
    data = png(3, 3)
    encoded = base64.b64encode(data).decode()
    assert media.decoded(encoded) == (data, "", True)
    assert media.decoded(f"data:image/png;base64,{encoded}") == (data, "image/png", True)
    assert media.decoded("https://example.org/a.png") == (b"https://example.org/a.png", "", False)
    assert media.decoded("file_abc-1") == (b"file_abc-1", "", False)
    assert media.content_hash(data) == "sha256:" + hashlib.sha256(data).hexdigest()
