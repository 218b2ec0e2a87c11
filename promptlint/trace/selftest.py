"""The examples of rules on logs run through the real readers, caches and rules; all others as the pipeline does."""

from __future__ import annotations

import tempfile
from pathlib import Path

from promptlint.pipeline import selftest
from promptlint.pipeline.selftest import Failure, Shown, own_files
from promptlint.rulebook.log_examples import log_of
from promptlint.rulebook.rule import Example, Rule
from promptlint.trace.options import TraceOptions
from promptlint.trace.run import run


def failures(rule: Rule) -> list[Failure]:
    """What is wrong with a rule's examples; empty when all hold. Raises RuleError for examples that cannot run."""
    return selftest.failures(rule, _shown if rule.subject == "log" else None)


def _shown(rule: Rule, example: Example) -> Shown:
    """What is marked and reported are whole records: their lines."""
    log = log_of(example)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        path.write_text(log.text, encoding="utf-8")
        findings = run([str(path)], TraceOptions(rules=own_files(rule))).findings
    reported = {finding.location.line for finding in findings if finding.code == rule.code}
    return Shown(findings, {("log", line, line) for line in log.marked}, {("log", line, line) for line in reported})
