"""Chat templates in a check: templates in the styles of known families, and what is found in each."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment
from support import ROOT, Run

from promptlint import tokenizers
from promptlint.model.finding import Finding
from promptlint.model.report import Report
from promptlint.model.source import Source
from promptlint.pipeline import Options, check
from promptlint.render.trials.conversations import LOOP, REALISTIC, REASONING, SYSTEM, TOOLS, Shape, lead, requests

RENDER = ROOT / "tests" / "render"
FOLDERS = (RENDER / "templates", RENDER / "trials" / "templates")
TEMPLATES = {path.stem: path for folder in FOLDERS for path in sorted(folder.glob("*.jinja"))}

ALWAYS = "in every shape of conversation"
REASONED = "in a tool loop with reasoning in assistant turns"

# Template → (code, shapes of conversation in which it shows, the tag that is marked, up to its first blank).
EXPECTED: dict[str, list[tuple[str, str, str]]] = {
    # clean
    "chatml_tools": [],  # Qwen 2.5
    "spoken_roles": [],  # DeepSeek V3
    "pinned_headers": [],  # Llama 3.1
    "inst_pairs": [],  # Llama 2, Mistral 7B
    "turns_without_system": [],  # Gemma 2
    "command_turns": [],  # Command R7B
    "everything": [],
    # the clock in the header
    "headers": [("PL701", ALWAYS, "strftime_now")],  # Llama 3.2
    "clock_to_the_minute": [("PL701", ALWAYS, "strftime_now")],
    # the clock only where no system message is given
    "dated_default_system": [  # Granite 3.3
        ("PL701", "without a system message", "strftime_now"),
        ("PL702", "with thinking on", "{{- ' {\"thinking\": true}' }}"),
    ],
    # a break at the start
    "late_tools": [  # Mistral Nemo
        ("PL704", "with tools", "{{- '[TOOLS][' }}"),
        ("PL702", "with a system message without tools", "{{- messages[0].content + '\\n\\n' }}"),
        ("PL703", "", "{%- if loop.index0 == ns.last_user and tools is not none %}"),
        ("PL703", "", "{%- if messages[0].role == 'system' and loop.index0 == ns.last_user %}"),
    ],
    "inst_late_tools": [  # Mistral Small 3.2
        ("PL701", "without a system message", "strftime_now"),
        ("PL704", "with tools", "{{- \"[AVAILABLE_TOOLS]\""),
    ],
    # a break near the end
    "distilled": [("PL702", ALWAYS, "{{ '<|Assistant|><think>\\n' }}")],  # DeepSeek R1 distills
    "reasoning": [  # Qwen 3
        ("PL702", REASONED, "{{- '<think>\\n' + reasoning"),
        ("PL702", "with enable_thinking off", "{{- '<think>\\n\\n</think>"),
        ("PL703", "", "{%- if loop.index0 > ns.turn and reasoning %}"),
    ],
    "turns_with_thoughts": [  # Gemma 4
        ("PL702", "in a tool loop with reasoning in the text of assistant turns", "{{- strip_thoughts("),
    ],
    "channels": [  # gpt-oss
        ("PL701", ALWAYS, "strftime_now"),
        ("PL702", REASONED, "{{- \"<|start|>assistant<|channel|>analysis"),
    ],
    # clean in some shapes only
    "reminder_with_tools": [("PL702", "with tools", "{{- '<|im_start|>system\\nCall one tool")],
    "thinking_by_default_off": [("PL702", "except with enable_thinking on", "{{- '</think>' }}")],  # DeepSeek V3.1
    "preserved_thinking": [  # Qwen 3.6
        ("PL702", "in a tool loop except with preserve_thinking on", "{{- '<think>\\n' + (message.reasoning_content"),
        ("PL703", "", "{%- if (preserve_thinking is defined"),
    ],
}  # fmt: skip

ERRORS = {"clock_to_the_minute", "late_tools", "inst_late_tools"}


def checked(*sources: Source) -> Report:
    return check([(None, source) for source in sources], Options())


def found(text: str, name: str = "chat_template.jinja") -> tuple[Finding, ...]:
    return tried(checked(Source(name, text)))


def tried(report: Report) -> tuple[Finding, ...]:
    """Findings that running has shown; PL705 reads the text."""
    return tuple(each for each in report.findings if each.code != "PL705")


def test_every_template_is_in_the_table() -> None:
    assert sorted(TEMPLATES) == sorted(EXPECTED)
    assert len(EXPECTED) >= 14


@pytest.mark.parametrize("name", TEMPLATES)
def test_templates_in_the_styles_of_known_families(name: str) -> None:
    path = TEMPLATES[name]
    text = path.read_text("utf-8")
    report = checked(Source(str(path), text))
    got = [(each.code, each.facts["shapes"], each.marked) for each in tried(report)]
    assert [(code, shapes) for code, shapes, _ in got] == [(code, shapes) for code, shapes, _ in EXPECTED[name]]
    for (_, _, marked), (_, _, beginning) in zip(got, EXPECTED[name], strict=True):
        assert marked.startswith(beginning)
    assert any(each.severity.value == "error" for each in report.findings) is (name in ERRORS)
    assert report.skipped == ()
    for each in report.findings:
        line = text.split("\n")[each.location.line - 1]
        assert line[each.location.column - 1 :].startswith(each.marked.split("\n")[0])


@pytest.mark.parametrize(("name", "shape"), [
    ("distilled", Shape(SYSTEM[0], TOOLS[1], LOOP[0], REASONING[0])),
    ("reasoning", Shape(SYSTEM[0], TOOLS[0], LOOP[1], REASONING[1])),
])  # fmt: skip
def test_the_tokens_are_those_before_the_newest_message_that_are_not_shared(name: str, shape: Shape) -> None:
    text = TEMPLATES[name].read_text("utf-8")
    finding = next(each for each in found(text) if each.code == "PL702")
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = json.dumps
    template = environment.from_string(text)
    encode = tokenizers.load("o200k_base").encode
    bodies = list(requests(shape, REALISTIC))
    texts = [template.render(**body, bos_token="<s>", add_generation_prompt=True) for body in bodies]
    lost = 0
    for (earlier, later), body in zip(pairwise(texts), bodies[1:], strict=True):
        if not later.startswith(earlier):
            old, new = encode(earlier, specials=True), encode(later, specials=True)
            shared = next(index for index, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1])
            history = encode(later[: later.index(lead(body["messages"][-1]))], specials=True)
            lost += max(0, len(history) - shared)
    assert finding.tokens_lost is not None
    assert abs(finding.tokens_lost - lost) <= len(bodies)  # a token may reach over the end of the history
    assert finding.tokens_lost > 1000
    assert f"({len(encode(texts[-1], specials=True)):,} tokens at its end)" in finding.message


def test_the_message_at_which_two_requests_part() -> None:
    text = TEMPLATES["distilled"].read_text("utf-8")
    assert "character 143 of 151 on (token 38, in messages[2])" in found(text)[0].message


def test_templates_in_a_tokenizer_configuration() -> None:
    text = TEMPLATES["distilled"].read_text("utf-8").replace("<s>", "é\U0001f600")
    source = Source("m/tokenizer_config.json", json.dumps({"eos_token": "é", "chat_template": text}, indent=2))
    (finding,) = checked(source).findings
    assert finding.location.path == "chat_template"
    line = source.text.split("\n")[finding.location.line - 1]
    marked = line[finding.location.column - 1 : finding.location.end_column - 1]
    assert json.loads(f'"{marked}"') == "{{ '<|Assistant|><think>\\n' }}"


def test_a_list_of_templates_is_tried_as_a_server_uses_it() -> None:
    named = [
        {"name": "default", "template": TEMPLATES["late_tools"].read_text("utf-8")},
        {"name": "tool_use", "template": TEMPLATES["inst_late_tools"].read_text("utf-8")},
    ]
    findings = found(json.dumps({"chat_template": named}), "tokenizer_config.json")
    assert [(each.code, each.location.path) for each in findings if each.code != "PL703"] == [
        ("PL702", "chat_template[0].template"),
        ("PL701", "chat_template[1].template"),
        ("PL704", "chat_template[1].template"),
    ]


def test_a_configuration_without_a_template_is_skipped() -> None:
    report = checked(Source("tokenizer_config.json", '{"model_max_length": 8192}'))
    assert [skip.why for skip in report.skipped] == ["holds no chat template"]


def test_the_vocabulary_beside_a_template_counts_its_tokens(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "self-hosted" / "tokenizer", tmp_path / "m")
    path = tmp_path / "m" / "chat_template.jinja"
    shutil.copy(TEMPLATES["distilled"], path)
    (own,) = checked(Source(str(path), path.read_text("utf-8"))).findings
    (usual,) = checked(Source("chat_template.jinja", path.read_text("utf-8"))).findings
    assert own.tokens_lost != usual.tokens_lost
    (tmp_path / "n").mkdir()
    (tmp_path / "n" / "tokenizer.json").write_text("{")
    report = checked(Source(str(tmp_path / "n" / "chat_template.jinja"), path.read_text("utf-8")))
    assert report.findings[0].tokens_lost == usual.tokens_lost
    assert "counted with another vocabulary" in report.skipped[0].why


def test_a_template_that_takes_no_shape_is_skipped_with_its_reason() -> None:
    report = checked(Source("x.jinja", "{% for m in messages %}{{ raise_exception('Only images') }}{% endfor %}"))
    assert report.findings == ()
    assert "takes none of 18 shapes of conversation: Only images" in report.skipped[0].why


def test_shapes_that_fail_are_named_and_leave_conditions_in_doubt() -> None:
    text = (
        "{% for m in messages %}{{ m.content + (m.tool_calls[0].nothing.at_all if m.tool_calls else '') }}"
        "{% if loop.last %}{% endif %}{% endfor %}"
    )
    report = checked(Source("x.jinja", text))
    assert [each.code for each in report.findings] == ["PL703"]
    assert "cannot be rendered in a tool loop: " in report.skipped[0].why
    clean = text.replace(".nothing.at_all", ".function.name")
    assert found(clean, "x.jinja") == ()


@pytest.mark.parametrize(
    "text",
    [
        # arguments as the string that was sent, as DeepSeek's templates want them
        "{% for m in messages %}{{ m.content }}{% for c in m.tool_calls %}{{ '(' + c.function.arguments + ')' }}"
        "{% endfor %}{% endfor %}",
        # content as a list of blocks, as templates of models that see want it
        "{% for m in messages %}{{ m.role + ': ' + m.content[0].text }}{% endfor %}",
    ],
)
def test_messages_come_in_the_form_that_a_template_wants(text: str) -> None:
    assert checked(Source("x.jinja", text)) == checked(Source("x.jinja", LOOP_OF_ALL))
    (late,) = found(text + "{% if tools %}{{ tools }}{% endif %}", "x.jinja")
    assert late.code == "PL704"
    assert late.tokens_lost


def test_a_template_of_a_system_text_that_cannot_come_first_is_tried_without_one() -> None:
    text = "{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}" + (
        "{% for m in messages %}{{ m.content }}{% if loop.last %}!{% endif %}{% endfor %}"
    )
    (broken, condition) = found(text)
    assert (broken.code, broken.facts["shapes"]) == ("PL702", ALWAYS)
    assert condition.code == "PL703"


LOOP_OF_ALL = "{% for m in messages %}{{ m.content }}{% endfor %}"
STOPPED = {
    "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}": "calls itself too deeply",
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}": "does not end within",
    "{% for a in range(10 ** 9) %}{% endfor %}": "Range too big",
    "{% set n = namespace(x='a') %}{% for i in range(99) %}{% set n.x = n.x + n.x %}{% endfor %}": "characters of text",
    "{{ ''.__class__ }}": "__class__",
    "{% set x = ''['__class__'] %}": "__class__",
    "{{ messages | attr('__class__') }}": "__class__",
    "{{ '{0.__class__}'.format(1) }}": "__class__",
    "{{ '%999999999d' % 1 }}": "wide",
    "".join(f"{{% for a{i} in messages %}}" for i in range(30)) + "{% endfor %}" * 30: "too deeply",
    "{{ " + "(" * 10_000 + "1" + ")" * 10_000 + " }}": "too deeply",
}


@pytest.mark.parametrize("text", STOPPED, ids=range(len(STOPPED)))
def test_hostile_templates_are_a_finding(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptlint.render.limits.MAX_STEPS", 50_000)
    (finding,) = found(LOOP_OF_ALL + text)
    assert finding.code == "PL706"
    assert STOPPED[text] in finding.message


def test_a_template_too_slow_for_all_shapes_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptlint.render.trials.trial._MOST_SECONDS", -1)
    (finding,) = found(LOOP_OF_ALL)
    assert (finding.code, "short conversations" in finding.message) == ("PL706", True)


def test_files_that_hold_no_template(promptlint: Callable[..., Run], tmp_path: Path) -> None:
    texts = {
        "syntax.j2": (LOOP_OF_ALL + "\n {% if %}", "syntax.j2:2:2: the chat template has an error: Expected an expr"),
        "filter.j2": (LOOP_OF_ALL + "{{ x | frobnicate }}", "filter.j2:1:51: the chat template has an error: No"),
        "large.j2": (LOOP_OF_ALL + "x" * 5_000_000, "large.j2: a chat template of more than 200,000 characters"),
        "chat_template.json": ('{"chat_template": [1]}', "chat_template.json:1:20: chat_template must be a string"),
    }  # fmt: skip
    for name, (text, message) in texts.items():
        (tmp_path / name).write_text(text)
        run = promptlint("check", name, cwd=tmp_path)
        assert (run.status, run.out) == (2, "")
        assert message in run.err
        assert run.err.count("\n") == 1
    run = promptlint("check", "--format", "json", ".", cwd=tmp_path)
    assert run.status == 0
    assert sorted(skip["what"] for skip in json.loads(run.out)["skipped"]) == sorted(texts)


def test_comments_silence_a_chat_template(promptlint: Callable[..., Run], tmp_path: Path) -> None:
    text = TEMPLATES["headers"].read_text("utf-8")
    (tmp_path / "chat_template.jinja").write_text("{# promptlint: ignore-file[PL701] #}\n" + text)
    assert "no findings" in promptlint("check", "chat_template.jinja", cwd=tmp_path).out
