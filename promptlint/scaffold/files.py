"""The files that `promptlint init` writes: a configuration, a hook, a CI job."""

from __future__ import annotations

import json
from dataclasses import dataclass

from promptlint import __version__
from promptlint.config import OWN
from promptlint.scaffold.survey import GITLAB, PRE_COMMIT, Survey, excludes

REQUIREMENT = f"promptlint-cache=={__version__}"
WORKFLOW = ".github/workflows/promptlint.yml"

_HOOK = f"""\
  - repo: local
    hooks:
      - id: promptlint
        name: promptlint
        entry: promptlint check --staged
        args: ["."]
        language: python
        additional_dependencies: ["{REQUIREMENT}"]
        pass_filenames: false
        always_run: true
        require_serial: true
        stages: [pre-commit]
"""
_GITLAB_JOB = f"""\
promptlint:
  image: python:3.13
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  variables:
    GIT_DEPTH: "0" # the comparison needs the base of the merge request
  script:
    - python -m pip install {REQUIREMENT}
    - >-
      promptlint check . --since "$CI_MERGE_REQUEST_DIFF_BASE_SHA"
      --format text --format gitlab=gl-code-quality-report.json
  artifacts:
    when: always
    reports:
      codequality: gl-code-quality-report.json
"""
_GITHUB = """\
name: promptlint

on:
  pull_request:
  push:
    branches: [{branch}]

permissions:
  contents: read

jobs:
  promptlint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0 # the comparison needs the base of the pull request
          persist-credentials: false
      - uses: actions/setup-python@v5
        with:
          python-version: "3.13"
      - run: python -m pip install {requirement}
      - run: promptlint check . ${{BASE:+"--since=$BASE"}} --format github
        env:
          BASE: ${{{{ github.event.pull_request.base.sha }}}}
"""
_NO_MODEL = """\
# No file names a model. A request says which cache rules hold; for a text that is no request, name its model here.
# provider = "openai"
# model = "gpt-5.1"
"""


@dataclass(frozen=True, slots=True)
class Planned:
    """A file from the top of the repository; `skipped`: why it is not written, and `text` is then what to add to it."""

    path: str
    text: str
    skipped: str = ""


def planned(seen: Survey) -> list[Planned]:
    """What suits a repository; files that exist are never changed."""
    return [_config(seen), _hook(seen), _job(seen)]


def _config(seen: Survey) -> Planned:
    if seen.configured:
        return Planned(seen.configured, "", "holds a configuration already")
    return Planned(OWN, config(seen))


def _hook(seen: Survey) -> Planned:
    there = next((path for path in PRE_COMMIT if path in seen.files), None)
    if there:
        return Planned(there, _HOOK, "exists; add this to its list of repos")
    return Planned(PRE_COMMIT[0], f"repos:\n{_HOOK}")


def _job(seen: Survey) -> Planned:
    if seen.gitlab:
        if GITLAB in seen.files:
            return Planned(GITLAB, _GITLAB_JOB, "exists; add this job to it")
        return Planned(GITLAB, _GITLAB_JOB)
    if WORKFLOW in seen.files:
        return Planned(WORKFLOW, "", "exists")
    return Planned(WORKFLOW, _GITHUB.format(branch=json.dumps(seen.branch), requirement=REQUIREMENT))


def config(seen: Survey) -> str:
    """promptlint.toml for a repository."""
    blocks = ["# `promptlint check . --show-settings` shows what is in force, `--show-files` what is looked at.\n"]
    blocks += [_model(seen), _excluded(seen), _declaration(seen)]
    return "\n".join(block for block in blocks if block)


def _model(seen: Survey) -> str:
    named = seen.model
    if named is None:
        return _NO_MODEL
    more = f" and {len(named.files) - 1} more" if len(named.files) > 1 else ""
    lines = [f"# Named in {_comment(named.files[0])}{more}."]
    if named.others:
        lines.append(f"# Also named: {_comment(', '.join(named.others[:8]))}.")
    lines += [f"provider = {_quoted(named.family)}", f"model = {_quoted(named.model)}"]
    return "\n".join(lines) + "\n"


def _excluded(seen: Survey) -> str:
    patterns = excludes(seen)
    if not patterns:
        return ""
    rows = "".join(f"    {_quoted(pattern)},\n" for pattern in patterns)
    return f"# Text that is no prompt, as far as names and contents tell.\nexclude = [\n{rows}]\n"


def _declaration(seen: Survey) -> str:
    parts = seen.together or ("agent/tools.json", "agent/system.md", "agent/few_shots/*.yaml")
    rows = "".join(f"#     {_quoted(part)},\n" for part in parts)
    return (
        "# Files that a program puts together are one prompt, in the program's order: an edit in one of them costs\n"
        f"# what follows it in all.\n# [prompts.agent]\n# parts = [\n{rows}# ]\n"
    )


def _comment(text: str) -> str:
    """A name that cannot leave its comment."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def _quoted(text: str) -> str:
    """A basic string of TOML."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(f"\\u{ord(sign):04x}" if ord(sign) < 32 or sign == "\x7f" else sign for sign in escaped) + '"'
