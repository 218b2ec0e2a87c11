"""Fingerprints survive moved lines and volatile values; the name of an edit does not survive another edit."""

from __future__ import annotations

import json

from promptlint import pipeline
from promptlint.model.finding import Finding
from promptlint.model.source import Source

TEXT = "".join(f"Rule {n}: answer question {n} in plain words and cite the page.\n" for n in range(60))


def request(clock: str, *, above: str = "", indent: int = 2) -> str:
    system = f"{above}Now: {clock}\n{TEXT}Then: {clock}\n{TEXT}"
    body = {"model": "gpt-5.1", "messages": [{"role": "system", "content": system}, {"role": "user", "content": "Hi"}]}
    return json.dumps(body, indent=indent)


def findings(before: str, after: str) -> tuple[Finding, ...]:
    options = pipeline.Options(select=("PL101",))
    return pipeline.diff([Source("b.json", before), Source("a.json", after)], options).findings


def test_moved_lines_and_other_values_keep_the_fingerprint() -> None:
    first = findings(request("2026-11-30 10:00:07"), request("2026-11-30 10:00:42"))
    above = "A new first line.\n"
    later = findings(
        request("2027-01-02 03:04:05", above=above, indent=4), request("2027-01-02 03:04:59", above=above, indent=4)
    )
    assert [each.code for each in first] == ["PL101"]
    assert [each.fingerprint for each in first] == [each.fingerprint for each in later]
    assert first[0].location.column != later[0].location.column


def edits(after: str, before: str = TEXT) -> list[Finding]:
    report = pipeline.check([(Source("HEAD:a.md", before), Source("a.md", after))], pipeline.Options())
    return list(report.findings)


def test_an_edit_is_that_edit_wherever_it_moves() -> None:
    (one,) = edits(TEXT.replace("Rule 9:", "Rule nine:"))
    (same,) = edits("First.\n" + TEXT.replace("Rule 9:", "Rule nine:"), "First.\n" + TEXT)
    (other,) = edits(TEXT.replace("Rule 9:", "Rule IX:"))
    (elsewhere,) = edits(TEXT.replace("Rule 8:", "Rule nine:"))
    assert one.change == same.change
    assert len({one.change, other.change, elsewhere.change}) == 3


def test_each_edit_of_a_release_is_reported_by_itself() -> None:
    found = edits(TEXT.replace("Rule 9:", "Rule nine:").replace("Rule 40:", "Rule forty:"))
    assert [each.location.line for each in found] == [10, 41]
    assert len({each.fingerprint for each in found}) == 2
    (line,) = edits(TEXT.replace("Rule 9: answer", "Rule nine: please answer"))
    assert line.location.line == 10


def test_equal_findings_are_numbered() -> None:
    repeated = "Say the time.\n" + TEXT + "Say the time.\n" + TEXT
    found = edits(repeated.replace("Say the", "Tell the"), repeated)
    assert len(found) == 2
    assert len({each.fingerprint for each in found}) == 2
