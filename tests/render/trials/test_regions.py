"""Tags with lines of their own print the same, and lead back to their places in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptlint.model.source import Span
from promptlint.render.sandbox import ChatEnvironment
from promptlint.render.trials.conversations import SHORT, requests, shapes
from promptlint.render.trials.regions import regions
from promptlint.render.trials.trace import TracedTemplate
from promptlint.render.trials.trial import MORNING, STAND_INS

FOLDERS = (Path(__file__).parent / "templates", Path(__file__).parent.parent / "templates")
TEMPLATES = {path.stem: path for folder in FOLDERS for path in sorted(folder.glob("*.jinja"))}

AWKWARD = (
    "head {# c -#} {{ {'a': {}}}} x {%- raw -%} {{ a }} {% endraw %} y {{ 'a }}' ~ {'k': 1}['k'] -}}\r\n"
    " {%+ if x == '%}' %}\nz{% endif -%}\r tail\n"
)


def parts(template: str) -> list[str]:
    return [template[span.start : span.end] for span in regions(template).spans]


def test_tags_and_texts_take_turns() -> None:
    assert parts(AWKWARD) == [
        "head", "{# c -#}", " ", "{{ {'a': {}}}}", "x", "{%- raw -%}", "{{ a }} {% endraw %} y",
        "{{ 'a }}' ~ {'k': 1}['k'] -}}", "\r\n ", "{%+ if x == '%}' %}", "z", "{% endif -%}", "tail",
    ]  # fmt: skip


def test_lines_lead_to_what_begins_there() -> None:
    found = regions(AWKWARD)
    lines = found.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for line, span in zip(found.lines, found.spans, strict=True):
        assert found.at(line) == span
        inner = AWKWARD[span.start : span.end].strip("{}%#+- \r\n").split("\n")[0]
        assert inner[:5] in "\n".join(lines[line - 1 : line + 1])  # a text may begin with a newline


@pytest.mark.parametrize("template", [AWKWARD, *(path.read_text("utf-8") for path in TEMPLATES.values())])
def test_nothing_else_is_printed(template: str) -> None:
    plain, split = (ChatEnvironment().from_string(text) for text in (template, regions(template).text))
    for shape in shapes([])[::5]:
        *_, body = requests(shape, SHORT)
        given = {**STAND_INS, "tools": None, "add_generation_prompt": True, "x": "%}", **body}
        outputs = []
        for compiled in (plain, split):
            try:
                outputs.append(compiled.environment.run(compiled, given))  # type: ignore[attr-defined]
            except Exception as error:
                outputs.append(str(error))
        assert outputs[0] == outputs[1]


@pytest.mark.parametrize("template", ["{{ a", "{% raw %}{{ a }}", "{{ 'a }}", "{{ (a }}", "{#", "{% if a %", "}} %}"])
def test_what_is_not_closed_is_text(template: str) -> None:
    assert regions("x {{ a }}" + template).spans[1] == Span(2, 9)


def test_every_character_leads_to_what_printed_it() -> None:
    template = "{% for m in messages %}<{{ m.role }}>{{ 'says' }} {{ m.content[:8] }}{% endfor %}end"
    trace = TracedTemplate(template, {}).run({"messages": [{"role": "user", "content": "Question"}]}, MORNING)
    assert trace.text == "<user>says Questionend"
    printed = [trace.printed_at(char) for char in range(len(trace.text))]
    assert [template[span.start : span.end] for span in dict.fromkeys(printed)] == [
        "<", "{{ m.role }}", ">", "{{ 'says' }}", " ", "{{ m.content[:8] }}", "end",
    ]  # fmt: skip


def test_what_a_macro_prints_leads_to_its_call() -> None:
    template = "{% macro say(m) %}<{{ m.role }}>{% endmacro %}{% for m in messages %}{{ say(m) }}{% endfor %}"
    trace = TracedTemplate(template, {}).run({"messages": [{"role": "user", "content": "x"}]}, MORNING)
    span = trace.printed_at(2)
    assert template[span.start : span.end] == "{{ say(m) }}"
