"""Names of one model as hosts, regions and versions write them, against names of two."""

from __future__ import annotations

import pytest

from promptlint.providers import same_model


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("claude-sonnet-4-5", "claude-sonnet-4-5", True),
        ("bedrock/anthropic.claude-sonnet-4-5", "anthropic.claude-sonnet-4-5-20250929-v1:0", True),
        ("anthropic/claude-sonnet-4.5", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", True),
        ("vertex_ai/claude-opus-4-7", "claude-opus-4-7@20260101", True),
        ("gpt-4o", "gpt-4o-2024-11-20", True),
        ("openai/gpt-5.1", "gpt-5.1", True),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-11-20", False),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20251001", False),
        ("claude-sonnet-4-5", "claude-haiku-4-5", False),
        ("gpt-5", "gpt-5.1", False),
        ("gpt-5", "gpt-5-mini", False),
        ("", "gpt-5", False),
    ],
)
def test_same_model(left: str, right: str, same: bool) -> None:
    assert same_model(left, right) is same_model(right, left) is same
