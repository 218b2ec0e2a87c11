"""A configuration file is read strictly: every error with its place, all of one file at once."""

from __future__ import annotations

import json
import tomllib
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from promptlint.cli.known import KNOWN
from promptlint.config import Budget, Config, Part, Traffic, read
from promptlint.config.positions import positions
from promptlint.config.schema import document
from promptlint.model.errors import ConfigError, Problems
from promptlint.model.flow import Additions

SCHEMA = json.loads((files("promptlint.config") / "config.schema.json").read_text("utf-8"))

FULL = """\
select = ["PL1", "stable-text-edited"]
ignore = ["PL102"]
provider = "anthropic"
model = "claude-sonnet-4-5"
tokenizer = "o200k_base"
chat-template = "t.jinja"
model-config = "config.json"
fail-on = "warning"
min-severity = "info"
min-confidence = "medium"
exclude = ["drafts/"]
include = ["*.tmpl"]
baseline = "known.json"
trace = {by = ["user"], min-hit-rate = 0.7}
severity = {PL304 = "warning"}

[per-path-ignores]
"legacy/**" = ["PL1"]

[budget]
max-lost-tokens = 500
max-lost-share = 0.25
max-cost = "1.50"

[traffic]
requests-per-day = 1e4
warm-entries = 20
tokens-per-second = 2500

[code]
sources = {clock = ["house.stamp"], order = ["plugins", "Registry::all"]}
sinks.system = ["persona"]
sanitizers = {order = ["canonical"], identity = ["canonical"]}

[prompts.desk]
model = "claude-haiku-4-5"
parts = ["tools.json", "./system.md", "few_shots/*.yaml"]
breakpoints = ["tools.json"]
budget.max-lost-tokens = 9

[prompts."second desk"]
parts = ["b.md"]
"""


def loaded(text: str, table: tuple[str, ...] = ()) -> Config:
    config = read(text, "promptlint.toml", "/r", KNOWN, table)
    assert config is not None
    return config


def errors(text: str) -> list[tuple[int | None, int | None, str]]:
    with pytest.raises((ConfigError, Problems)) as caught:
        loaded(text)
    found = caught.value.errors if isinstance(caught.value, Problems) else (caught.value,)
    return [(each.line, each.column, each.message) for each in found]


def test_everything_that_can_be_said() -> None:
    config = loaded(FULL)
    settings = config.settings
    assert (settings.select, settings.ignore) == (("PL1", "stable-text-edited"), ("PL102",))
    assert (settings.provider, settings.model, settings.tokenizer) == ("anthropic", "claude-sonnet-4-5", "o200k_base")
    assert (settings.chat_template, settings.model_config) == ("/r/t.jinja", "/r/config.json")
    assert (settings.min_severity, settings.min_confidence, config.fail_on) == ("info", "medium", "warning")
    assert settings.budget == Budget(500, 0.25, Decimal("1.50"))
    assert settings.traffic == Traffic(10_000.0, 20, 2_500.0)
    assert settings.severity == (("PL304", "warning"),)
    assert config.excluded("drafts/a/b.md") and not config.excluded("b.md")
    assert config.included("a/b.tmpl")
    assert config.ignored("legacy/x/y.md") == ("PL1",)
    assert config.baseline == "known.json"
    assert (config.by, config.min_hit_rate) == (("user",), 0.7)
    desk, second = config.prompts
    assert [part.pattern for part in desk.parts] == ["tools.json", "system.md", "few_shots/*.yaml"]
    assert desk.breakpoints == ("tools.json",)
    assert (desk.settings.provider, desk.settings.model) == ("anthropic", "claude-haiku-4-5")
    assert desk.settings.budget == Budget(9, 0.25, Decimal("1.50"))
    assert second.parts == (Part("b.md", 42, 10),)
    assert config.code == Additions(
        sources=(("clock", "house.stamp"), ("order", "plugins"), ("order", "Registry.all")),
        sinks=(("system", "persona"),),
        sanitizers=(("order", "canonical"), ("identity", "canonical")),
    )


def test_the_table_of_a_shared_file() -> None:
    text = '[tool.promptlint]\nmodel = "x"\n[tool.other]\nmodel = 3\n'
    assert loaded(text, ("tool", "promptlint")).settings.model == "x"
    assert read("[tool.other]\n", "pyproject.toml", "/r", KNOWN, ("tool", "promptlint")) is None


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("selekt = []", 1, 1, "unknown key 'selekt'; did you mean select?"),
        ('# x\nselect = [\n  "PL101",\n  "PL9999",\n]', 4, 3, "unknown rule 'PL9999'"),
        ('ignore = ["timestamp-in-prefiks"]', 1, 11, "did you mean timestamp-in-prefix"),
        ('provider = "antropic"', 1, 12, "unknown provider 'antropic'; did you mean anthropic"),
        ('fail-on = "warn"', 1, 11, "'fail-on' must be error, warning, info or never"),
        ("[budget]\nmax-lost-token = 3", 2, 1, "unknown key 'max-lost-token'; did you mean max-lost-tokens"),
        ("[budget]\nmax-lost-tokens = -3", 2, 19, "must be a whole number"),
        ("[budget]\nmax-lost-tokens = true", 2, 19, "must be a whole number"),
        ("[budget]\nmax-lost-share = 20", 2, 18, "must be a share between 0 and 1"),
        ('budget.max-cost = "many"', 1, 19, "must be an amount"),
        ("budget.max-cost = nan", 1, 19, "must be an amount"),
        ("traffic.requests-per-day = inf", 1, 28, "must be a number"),
        ("budget = 3", 1, 10, "'budget' must be a table"),
        ('[severity]\nPL1x = "error"', 2, 1, "unknown rule 'PL1x'"),
        ('[severity]\nPL101 = "fatal"', 2, 9, "must be error, warning or info"),
        ('[per-path-ignores]\n"a/*" = ["PL999"]', 2, 10, "unknown rule 'PL999'"),
        ('select = "PL1"', 1, 10, "must be a list of texts"),
        ("[prompts.desk]\nmodel = 'x'", 1, 10, "prompt 'desk' needs 'parts'"),
        ("[prompts.desk]\nparts = ['a.md']\nbudgets = {}", 3, 1, "unknown key 'budgets'; did you mean budget"),
        ("[prompts.desk]\nparts = ['../a.md']", 2, 10, "lies outside"),
        ("[prompts.desk]\nparts = ['a.md']\nbreakpoints = ['b.md']", 3, 16, "'b.md' is none of the parts"),
        ("[[prompts]]\nname = 'desk'", 1, 3, "must be a table, as in [prompts]"),
        ("prompts.desk = 3", 1, 16, "'desk' must be a table"),
        ("[code.sources]\nclok = ['f']", 2, 1, "unknown key 'clok'; did you mean clock"),
        ("code.sinks.sytem = ['f']", 1, 12, "unknown key 'sytem'; did you mean system"),
        ("code.sink = {}", 1, 6, "unknown key 'sink'; did you mean sinks"),
        ("code.sanitizers.order = ['sorted()']", 1, 25, "'sorted()' is none"),
        ("code.sources = ['f']", 1, 16, "'sources' must be a table"),
        ("a = \n", 1, 5, "not valid TOML"),
        ('model = "a\n', 1, 11, "not valid TOML"),
        ("model = 'a'\nmodel = 'b'", 2, 12, "not valid TOML"),
    ],
)
def test_errors_have_a_place(text: str, line: int, column: int, message: str) -> None:
    ((found_line, found_column, found),) = errors(text)
    assert message in found
    assert (found_line, found_column) == (line, column)


def test_all_errors_at_once_in_the_order_of_the_file() -> None:
    found = errors("selekt = []\nprovider = 'nobody'\n[budget]\nmax = 3\n")
    assert [line for line, _, _ in found] == [1, 2, 4]


def test_the_schema_is_in_step_with_the_loader() -> None:
    assert document() == SCHEMA
    validator = Draft202012Validator(SCHEMA)
    validator.check_schema(SCHEMA)
    validator.validate(tomllib.loads(FULL))
    for text in ("selekt = []", "budget.max-lost-share = 2", "[prompts.x]\nmodel = 'y'", "fail-on = 'warn'"):
        assert list(validator.iter_errors(tomllib.loads(text))), text


_NAMES = st.text("abc-_1", min_size=1, max_size=4)
_SCALARS = st.one_of(
    st.integers(-9, 9).map(str),
    st.text("ab \\\"#[]{}=,.\n'é", max_size=6).map(json.dumps),
    st.sampled_from(['"""a\n"b"\n"""', "'''x''y\n'''", "'#'", "true", "1979-05-27", '""', '""""quoted""""']),
)
_LISTS = st.lists(_SCALARS, max_size=3).map(lambda items: "[ # c\n" + " ,\n".join(items) + "\n]")
_TABLES = st.dictionaries(_NAMES, _SCALARS, max_size=3).map(
    lambda items: "{" + ", ".join(f"{key} = {value}" for key, value in items.items()) + "}"
)


@given(st.dictionaries(_NAMES, st.dictionaries(_NAMES, _SCALARS | _LISTS | _TABLES, max_size=3), max_size=3))
def test_every_value_of_a_valid_file_has_a_place(tables: dict[str, dict[str, str]]) -> None:
    text = "".join(
        f"# {name} = 1\n[{name}]\n" + "".join(f"{key} = {value} # x\n" for key, value in table.items())
        for name, table in tables.items()
    )
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return  # a strategy of the pieces cannot keep all rules of the whole
    found = positions(text)
    for name, table in data.items():
        for key in table:
            offset = found.keys[(name, key)]
            assert text.startswith(key, offset)
            written = tables[name][key]
            assert text.startswith(written, found.values[(name, key)])


def test_prompts_of_the_working_example_in_the_readme() -> None:
    page = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    block = page.partition("```toml\n[tool.promptlint]")[2].partition("```")[0]
    own = 'rules = ["house-rules/"]'
    assert own in block
    config = loaded(
        "[tool.promptlint]" + block.replace(own, ""), ("tool", "promptlint")
    )  # there is no such folder here
    assert config.prompts
    assert loaded("[code]" + page.partition("[code]")[2].partition("```")[0]).code
