"""Placeholders of prompt files: by name and place together, in every common syntax."""

from __future__ import annotations

import pytest

from promptlint import pipeline
from promptlint.model.source import Source

FIXED = "Answer in short plain sentences and name the source of every figure that you give. " * 8


def codes(text: str, name: str = "system.md") -> list[str]:
    report = pipeline.check([(None, Source(name, text))], pipeline.Options())
    return [finding.code for finding in report.findings]


@pytest.mark.parametrize(
    "placeholder",
    [
        "{{ now() }}", "{{now}}", "{{ utcnow().isoformat() }}", "{{ datetime.now() }}", "{{- current_time -}}",
        "{{ current_datetime | upper }}", "{current_time}", "{timestamp}", "${now}", "${new Date().toISOString()}",
        "<%= Time.now %>", '{{ strftime_now("%H:%M") }}', "{now:%H:%M}", "{{ dt.datetime.utcnow().isoformat() }}",
    ],
)  # fmt: skip
def test_a_clock_before_fixed_text(placeholder: str) -> None:
    assert codes(f"It is {placeholder}.\n{FIXED}") == ["PL101"]


@pytest.mark.parametrize(
    "placeholder",
    [
        "{{ today }}", "{current_date}", "${today}", '{{ strftime_now("%d %B %Y") }}', "{{ date }}", "{now:%d %B}",
        "{{ now().strftime('%Y-%m-%d') }}", "<%= Date.today %>", "${new Date().toDateString()}",
    ],
)  # fmt: skip
def test_a_date_before_fixed_text(placeholder: str) -> None:
    assert codes(f"Date: {placeholder}.\n{FIXED}") == ["PL102"]


@pytest.mark.parametrize(
    "text",
    [
        f"{FIXED}\nIt is {{{{ now() }}}}.",
        f"It is {{{{ known }}}} and {{nowhere}} and {{timestamps}}.\n{FIXED}",
        f"```\nIt is {{{{ now() }}}}.\n```\n{FIXED}",
        f"Write `{{now}}` for the time.\n{FIXED}",
        f'Answer as JSON: {{"timestamp": "…"}}.\n{FIXED}',
        "It is {{ now() }}. Be brief.",
        f"Deadline: {{{{ due_date }}}}\n{FIXED}",
        f"Use $\\frac{{now}}{{today}}$ and ${{{{ github.run_id }}}} and ${{PWD}}.\n{FIXED}",
        f"It is {{{{ now().strftime('%Y') }}}}.\n{FIXED}",
        f"Print {{{{ '{{' }}}} now {{{{ '}}' }}}}.\n{FIXED}",
        f'Topic: {{topic}}. Answer as {{{{"at": "now"}}}}, {{{{now}}}}.\n{FIXED}',
    ],
    ids=["last", "other names", "fence", "code", "JSON", "little", "other date", "LaTeX", "year", "braces", "doubled"],
)
def test_near_misses_are_silent(text: str) -> None:
    assert codes(text) == []


def test_many_braces_do_not_hang() -> None:
    assert codes("{{ " * 50_000 + FIXED) == []
    assert codes("${" * 50_000 + FIXED) == []
