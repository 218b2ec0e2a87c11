"""The settings in force, as TOML."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from promptlint.config import Config, Finder
    from promptlint.model.flow import Additions
    from promptlint.model.template import Names
    from promptlint.pipeline.options import Options

_MODELS = ("provider", "model", "tokenizer", "chat_template", "model_config")
_PLAIN = (*_MODELS, "select", "ignore", "min_severity", "min_confidence")
_TRAFFIC = ("requests_per_day", "warm_entries", "tokens_per_second")


def settings(finder: Finder, paths: Sequence[str], given: Options) -> str:
    """The configuration of each path, the command line's values included; a comment says from which file it comes."""
    from promptlint.pipeline.jobs import configured, of_file

    configs: dict[str, Config] = {}
    for path in paths:
        config = finder.for_folder(path) if Path(path).is_dir() else finder.for_file(path)
        configs[config.root] = config
    blocks = []
    for config in configs.values():
        blocks.append(f"# {config.file or 'no configuration file'}")
        options = of_file(config, given)
        blocks += [*_lines(options), *_code(config.code), *_placeholders(config.placeholders)]
        blocks += [_line(name, getattr(config, name)) for name in ("fail_on", "exclude", "include", "baseline")]
        blocks += [_line("rules", options.rules), _line("trace.by", config.by)]
        blocks.append(_line("trace.min-hit-rate", config.min_hit_rate))
        blocks += [f"per-path-ignores.{json.dumps(p)} = {_value(rules)}" for p, rules in config.per_path_ignores]
        for prompt in config.prompts:
            blocks += ["", f"[prompts.{json.dumps(prompt.name)}]", _line("parts", [p.pattern for p in prompt.parts])]
            blocks += [_line("breakpoints", prompt.breakpoints), *_lines(configured(prompt.settings, given))]
        blocks.append("")
    return "\n".join(line for line in blocks if line is not None) + "\n"


def _lines(options: Options) -> list[str]:
    shown = [_line(name, getattr(options, name)) for name in _PLAIN]
    shown += [f"severity.{rule} = {_value(severity)}" for rule, severity in options.severity]
    budget = dataclasses.asdict(options.budget) if options.budget else {}
    shown += [_line(f"budget.{name}", value) for name, value in budget.items()]
    return shown + [_line(f"traffic.{name}", getattr(options, name)) for name in _TRAFFIC]


def _placeholders(names: Names) -> list[str]:
    groups = (("stable", names.stable), ("per-user", names.per_user), ("per-request", names.per_request))
    return [f"placeholders.{group} = {_value(named)}" for group, named in groups if named]


def _code(additions: Additions) -> list[str]:
    return [
        f"code.{group}.{label} = {_value(tuple(name for of, name in labelled if of == label))}"
        for group in ("sources", "sinks", "sanitizers")
        for labelled in [getattr(additions, group)]
        for label in dict.fromkeys(label for label, _ in labelled)
    ]


def _line(name: str, value: object) -> str:
    key = name.replace("_", "-")
    return f"# {key}: not set" if value is None else f"{key} = {_value(value)}"


def _value(value: object) -> str:
    if isinstance(value, Decimal):
        return json.dumps(str(value))
    return json.dumps(list(value) if isinstance(value, tuple) else value)
