"""What the text of a chat template says of places from the end, and of flags about thinking."""

from __future__ import annotations

import pytest

from promptlint.render.trials.branches import branches, switches
from promptlint.render.trials.trace import TracedTemplate


def asked(text: str) -> list[str]:
    return [branch.what for branch in branches(TracedTemplate(text, {}).tree)]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{% for m in messages %}{% if loop.last %}x{% endif %}{% endfor %}", ["loop.last"]),
        ("{% for m in messages[1:] %}{{ 'x' if not loop['last'] }}{% endfor %}", ["loop.last"]),
        (
            "{% set ms = messages %}{% for m in ms %}{% if loop.revindex0 == 0 %}x{% endif %}{% endfor %}",
            ["loop.revindex0"],
        ),
        ("{% for m in messages if loop.index0 == messages | length - 1 %}x{% endfor %}", ["messages | length"]),
        (
            "{% set ns = namespace(at=0) %}{% for m in messages %}"
            "{% if m.role == 'user' %}{% set ns.at = loop.index0 %}{% endif %}"
            "{% endfor %}{% for m in messages %}{% if loop.index0 > ns.at %}x{% endif %}{% endfor %}",
            ["ns.at"],
        ),
        (
            "{% set ns = namespace(at=messages | length - 1) %}{% for m in messages %}{% set i = loop.index0 %}"
            "{% if m.a %}a{% elif i >= ns.at %}x{% endif %}{% endfor %}",
            ["ns.at"],
        ),
    ],
)
def test_conditions_that_count_from_the_end(text: str, what: list[str]) -> None:
    assert asked(text) == what


@pytest.mark.parametrize(
    "text",
    [
        "{% for m in messages %}{% for c in m.calls %}{{ ', ' if not loop.last }}{% endfor %}{% endfor %}",
        "{% for t in tools %}{% if loop.last %}]{% endif %}{% endfor %}{% for m in messages %}{{ m }}{% endfor %}",
        "{% for m in messages %}{% if loop.index0 % 2 == 0 %}x{% endif %}{% if loop.first %}y{% endif %}{% endfor %}",
        "{% if messages | length == 0 %}{{ raise_exception('none') }}{% endif %}",
        "{# loop.last #}{% for m in messages %}{{ 'loop.last' }}{% endfor %}",
    ],
)
def test_conditions_that_do_not(text: str) -> None:
    assert asked(text) == []


def test_flags_about_thinking() -> None:
    text = (
        "{% if enable_thinking or preserve_thinking is defined %}{% endif %}{{ reasoning_effort }}{{ thinking_budget }}"
        "{% set no_think = 1 %}{{ no_think }}{{ message.thinking }}{{ think_end_token }}{{ add_thoughts }}"
    )
    assert sorted(switches(TracedTemplate(text, {}).tree)) == ["add_thoughts", "enable_thinking", "preserve_thinking"]
