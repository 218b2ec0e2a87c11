"""Templates as they are read: includes and inheritance, roles, places in decoded text, and what cannot be read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from support import Run

from promptlint import pipeline
from promptlint.model.errors import InputError
from promptlint.model.finding import Finding
from promptlint.model.report import Report
from promptlint.model.source import Source
from promptlint.model.template import Names
from promptlint.pipeline import Options

FIXED = "Answer in short plain sentences and name the source of every figure that you give. " * 8


def check(name: str, text: str, options: Options | None = None, *, walked: bool = False) -> Report:
    return pipeline.check([(None, Source(name, text, walked=walked))], options or Options())


def found(name: str, text: str, options: Options | None = None) -> list[tuple[str, str]]:
    return [(finding.code, finding.marked) for finding in check(name, text, options).findings]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "prompts" / "parts").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_included_file_is_read_and_the_place_is_in_it(folder: Path) -> None:
    (folder / "prompts" / "parts" / "clock.j2").write_text("# Desk\nIt is {{ now() }}.\n", "utf-8")
    report = check("prompts/system.j2", '{% include "parts/clock.j2" %}\n' + FIXED)
    (finding,) = report.findings
    assert (finding.location.file, finding.location.line, finding.location.column) == ("prompts/parts/clock.j2", 2, 7)
    assert finding.related[0].message == "included here"


def test_parts_of_handlebars_and_dotprompt(folder: Path) -> None:
    (folder / "prompts" / "parts" / "clock.hbs").write_text("It is {{now}}.", "utf-8")
    (folder / "prompts" / "_clock.prompt").write_text("It is {{now}}.", "utf-8")
    assert found("prompts/system.hbs", "{{> parts/clock}}\n" + FIXED) == [("PL101", "{{now}}")]
    assert found("prompts/a.prompt", "---\nmodel: a\n---\n{{> clock}}\n" + FIXED) == [("PL101", "{{now}}")]


def test_files_that_yaml_names(folder: Path) -> None:
    (folder / "prompts" / "desk.txt").write_text(f"It is {{now}}. {FIXED}", "utf-8")
    langchain = "_type: prompt\ninput_variables: [now]\ntemplate_path: desk.txt\n"
    assert found("prompts/a.yaml", langchain) == [("PL101", "{now}")]
    promptfoo = "prompts:\n  - file://desk.txt\n  - file://../../desk.txt\n"
    assert found("prompts/a.yaml", promptfoo) == [("PL101", "{now}")]


def test_a_parent_shows_the_blocks_of_its_child(folder: Path) -> None:
    parent = "{% block head %}Desk{% endblock %}\n" + FIXED + "\n{% block tail %}{% endblock %}"
    (folder / "base.j2").write_text(parent, "utf-8")
    child = '{% extends "base.j2" %}{% block head %}It is {{ now() }}.{% endblock %}'
    assert found("prompts/a.j2", child) == [("PL101", "{{ now() }}")]
    child = '{% extends "base.j2" %}{% block tail %}It is {{ now() }}.{% endblock %}'
    assert found("prompts/a.j2", child) == []
    child = '{% extends "base.j2" %}{% block head %}{{ super() }}: {{ today }}{% endblock %}'
    assert found("prompts/a.j2", child) == [("PL102", "{{ today }}")]


def test_an_imported_macro(folder: Path) -> None:
    (folder / "macros.j2").write_text("{% macro line(value) %}Time: {{ value }}{% endmacro %}", "utf-8")
    for text in (
        '{% import "macros.j2" as m %}{{ m.line(now()) }}',
        '{% from "macros.j2" import line as x %}{{ x(now()) }}',
    ):
        assert found("prompts/a.j2", f"{text}\n{FIXED}") == [("PL101", "{{ value }}")]


def test_nothing_outside_of_the_repository_is_read(folder: Path) -> None:
    (folder.parent / "outside.j2").write_text("{{ now() }}", "utf-8")
    (folder / "link.j2").symlink_to(folder.parent / "outside.j2")
    for target in ("../../outside.j2", "../outside.j2", "link.j2", str(folder.parent / "outside.j2")):
        report = check("prompts/a.j2", f'{{% include "{target}" %}}\n{FIXED}')
        assert report.findings == ()
        assert [skip.why for skip in report.skipped] == [f"{target!r} that it includes is not there"]


def test_files_that_include_each_other_end(folder: Path) -> None:
    (folder / "a.j2").write_text('{% include "b.j2" %}{% include "b.j2" %}', "utf-8")
    (folder / "b.j2").write_text('{% include "a.j2" %}{% include "c.j2" %}', "utf-8")
    (folder / "c.j2").write_text("{{ now() }}", "utf-8")
    assert found("a.j2", (folder / "a.j2").read_text("utf-8") + FIXED) == [("PL101", "{{ now() }}")]
    for index in range(24):
        (folder / f"d{index}.j2").write_text(f'{{% include "d{index + 1}.j2" %}}' * 2, "utf-8")
    (folder / "d24.j2").write_text("x", "utf-8")
    assert found("d0.j2", (folder / "d0.j2").read_text("utf-8") + "{{ now() }}" + FIXED) == []


def test_a_finding_in_an_included_file_can_be_silenced_there(folder: Path) -> None:
    (folder / "clock.j2").write_text("It is {{ now() }}. {# promptlint: ignore[PL101] #}\n", "utf-8")
    assert found("a.j2", '{% include "clock.j2" %}' + FIXED) == []


def test_one_file_that_two_include_is_reported_once(folder: Path) -> None:
    (folder / "clock.j2").write_text("It is {{ now() }}.", "utf-8")
    sources = [Source(name, '{% include "clock.j2" %}' + FIXED * times) for name, times in (("a.j2", 1), ("b.j2", 2))]
    report = pipeline.check([(None, source) for source in sources], Options())
    (finding,) = report.findings
    assert [each.location.file for each in finding.related] == ["b.j2", "b.j2"]


def test_the_newest_message_is_harmless_and_the_ones_before_are_not() -> None:
    text = f"system:\n{FIXED}\nuser:\nIt is {{{{ now() }}}}. {FIXED}\n"
    assert found("a.prompty", "---\nname: a\n---\n" + text) == []
    assert found("a.prompty", "---\nname: a\n---\n" + text + "assistant:\nYes\nuser:\nGo\n" + FIXED) == [
        ("PL101", "{{ now() }}")
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "system_prompt: >\n  Über uns.\n\n  Es ist\n  {now} 🙂.\n  FIXED\n"),
        ("a.yaml", 'system: "\\u00dcber {now}\\n\\\n  FIXED"\n'),
        ("a.yaml", "messages:\n- role: system\n  content: 'It''s {now}: FIXED'\n"),
        ("a.yaml", "prompt: It is\n  {now} FIXED\n"),
        ("a.yml", "a: &x\n  template: |2-\n      # It is {now}\n    FIXED\nb: *x\n"),
        ("a.json", '[{"role": "system", "content": "\\ud83d\\ude42\\t\\"{now}\\" FIXED"}]'),
        ("a.prompt", "---\nmodel: a\n---\r\nIt is {{now}}.\r\nFIXED"),
    ],
)
def test_places_in_decoded_text_are_those_of_the_file(name: str, text: str) -> None:
    text = text.replace("FIXED", FIXED.strip())
    findings = check(name, text).findings
    assert {(f.code, f.marked) for f in findings} <= {("PL101", "{now}"), ("PL101", "{{now}}")}
    line, column = findings[0].location.line, findings[0].location.column
    assert text.split("\n")[line - 1][column - 1 :].startswith(findings[0].marked)


@pytest.mark.parametrize(
    ("name", "text", "message", "line"),
    [
        ("a.j2", "x\n{{ now( ", "{{ is not closed: }} is missing", 2),
        ("a.j2", "x\n\n{% if a %}b", "the block that begins here is not closed (endif is missing)", 3),
        ("a.j2", "{% endif %}{% if a %}{% endif %}", "endif closes nothing", 1),
        ("a.j2", "{% if %}" * 200, "blocks are nested more than 100 levels deep", 1),
        ("a.hbs", "{{#each a}}\n{{/if}}", "/if where /each was expected", 2),
        ("a.mustache", "{{=<% %>=}}\n<% now %>", "sets delimiters of its own, which are not read", 1),
        ("a.erb", "<% a.each do |b| %>", "the block that begins here is not closed (end is missing)", 1),
        ("a.yaml", "prompt: {now}\n  a: [", "not valid YAML: did not find expected key", 2),
        ("a.yaml", "prompt: " + "[" * 90 + "{now}", "YAML that is nested more than 60 levels deep", 1),
    ],
)
def test_what_cannot_be_read_is_one_error_or_a_skip(name: str, text: str, message: str, line: int) -> None:
    with pytest.raises(InputError) as raised:
        check(name, text)
    assert (raised.value.message, raised.value.line) == (message, line)
    report = check(name, text, walked=True)
    assert [skip.why for skip in report.skipped] == [message]


def test_text_that_only_looks_like_a_template_is_text() -> None:
    assert found("a.md", "{% if %} and {{ now }} and {% for x\n" + FIXED) == [("PL101", "{{ now }}")]


def test_another_form_of_the_characters_is_seen_against_the_earlier_version() -> None:
    text = f"Greet guests of the caf\u00e9, {{{{ tone }}}}.\n{FIXED}"
    before, after = Source("HEAD:a.j2", text), Source("a.j2", unicodedata.normalize("NFD", text))
    assert [finding.code for finding in pipeline.check([(before, after)], Options()).findings] == ["PL410"]
    assert pipeline.check([(None, after)], Options()).findings == ()


@pytest.mark.parametrize("name", ["a.j2", "a.hbs", "a.erb", "a.md", "a.yaml", "a.prompty", "a.json"])
def test_large_files_end(name: str) -> None:
    for unit in (
        "{{ a ",
        "{% if x %}",
        "${",
        "{{#a}}",
        "<%= ",
        "{a}",
        "'\" {{ x }} ",
        "- {{ user_name }} x\n",
        "```\n`{a}`\n",
    ):
        try:
            check(name, "prompt: |\n " + unit * (40_000 // len(unit)), walked=True)
        except InputError:
            raise AssertionError(unit) from None


@pytest.mark.parametrize(
    ("name", "text", "counts"),
    [
        ("doc/fugitive.txt", ":Gedit {url}  Open it.\n", False),
        ("docs/protocols/http.md", "Host: {{Hostname}}\n", False),
        ("docs/agents/http.md", "Host: {{Hostname}}\n", False),
        ("docs/agents/http.md", "# Role\n\nYou are a scanner on {{Hostname}}.\n", True),
        ("prompts/scan.md", "Host: {{Hostname}}\n", True),
        ("texts/scan.txt", "Host: {{Hostname}}\n", False),
        ("texts/scan.txt", "<role>Du bist der Scanner.</role>\nHost: {{Hostname}}\n", True),
        ("texts/scan.j2", "Host: {{Hostname}}\n", True),
    ],
)
def test_placeholders_of_a_text_that_was_only_found_count_where_it_is_a_prompt(
    name: str, text: str, counts: bool
) -> None:
    assert bool(check(name, text + FIXED, walked=True).findings) is counts
    assert check(name, text + FIXED).findings
    source = Source(name, text + FIXED, walked=True, declared=True)
    assert pipeline.check([(None, source)], Options()).findings


def test_a_prompt_that_tells_of_another_template_language_takes_no_values() -> None:
    shown = "".join(f"{{{{helper_{number}}}}} is one of its functions.\n" for number in range(25))
    assert found("system.md", f"Host: {{{{Hostname}}}}\n{FIXED}") == [("PL105", "{{Hostname}}")]
    assert found("system.md", f"Host: {{{{Hostname}}}}\n{FIXED}{shown}") == []


def test_names_of_a_house() -> None:
    text = f"{{{{ now }}}} {{{{ ticket_no }}}} {{{{ site.desk }}}} {{{{ tone }}}}\n{FIXED * 2}"
    said = Names(stable=("now",), per_user=("site.*",), per_request=("ticket*",))
    assert found("a.j2", text) == [("PL101", "{{ now }}")]
    loop = "{% for a, b in site.items() %}{{ a }}{% endfor %}"
    assert found("a.j2", loop) == [("PL705", "{% for a, b in site.items() %}")]
    assert found("a.j2", loop, Options(placeholders=Names(stable=("site",)))) == []
    assert found("a.j2", text, Options(placeholders=said)) == [
        ("PL110", "{{ ticket_no }}"),
        ("PL104", "{{ site.desk }}"),
    ]


def test_the_cheapest_reordering_is_named() -> None:
    def said(text: str) -> Finding:
        return check("a.j2", text).findings[0]

    finding = said(f"Page: {{{{ html }}}}\n{FIXED * 2}\nIt is {{{{ tone }}}}.\n")
    assert finding.code == "PL110"
    assert finding.tokens_lost == 262
    assert "moved behind “…" in finding.message
    assert "(line 2) it lets 262 more be shared" in finding.message
    both = said(f"{{{{ url }}}}\n{{{{ html }}}}\n{FIXED * 2}")
    assert "moved with the next one behind" in both.message


def test_several_parts_are_one_prompt(folder: Path, promptlint: Callable[..., Run]) -> None:
    (folder / "head.md").write_text("It is {{ now }}.", "utf-8")
    (folder / "tail.md").write_text(FIXED, "utf-8")
    assert promptlint("check", ".", cwd=folder).status == 0
    (folder / "promptlint.toml").write_text('[prompts.desk]\nparts = ["head.md", "tail.md"]\n', "utf-8")
    assert "head.md:1:7: error PL101" in promptlint("check", ".", cwd=folder).out


def test_names_in_the_configuration(folder: Path, promptlint: Callable[..., Run]) -> None:
    (folder / "a.j2").write_text(f"{{{{ ticket_no }}}} {{{{ now }}}} {FIXED}", "utf-8")
    (folder / "promptlint.toml").write_text('[placeholders]\nper-user = ["ticket*"]\nstable = ["now"]\n', "utf-8")
    run = promptlint("check", ".", "--format", "concise", cwd=folder)
    assert "a.j2:1:1: warning PL104" in run.out
    assert "PL101" not in run.out
    assert 'placeholders.stable = ["now"]' in promptlint("check", ".", "--show-settings", cwd=folder).out
    (folder / "promptlint.toml").write_text('[placeholders]\nper-users = ["ticket*"]\n', "utf-8")
    run = promptlint("check", ".", cwd=folder)
    assert run.status == 2
    assert "promptlint.toml:2:1: unknown key 'per-users'; did you mean per-user" in run.err


def test_a_redacted_report_shows_no_word_of_the_template(folder: Path, promptlint: Callable[..., Run]) -> None:
    (folder / "a.j2").write_text(f"Zebra {{{{ now }}}} {FIXED}", "utf-8")
    shown = promptlint("check", "a.j2", "--redact", cwd=folder).out
    assert "it lets" in shown
    assert not {"Zebra", "now", "Answer", "figure"} & set(re.findall(r"\w+", shown.partition("fix:")[0]))
