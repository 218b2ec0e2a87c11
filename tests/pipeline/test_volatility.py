"""More than two versions: what varies, along what, and names without a pattern."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from promptlint import pipeline
from promptlint.model.errors import ConfigError
from promptlint.model.report import Report
from promptlint.model.source import Source

STABLE = "You answer questions about a bicycle workshop and never guess at a price. " * 8


def version(index: int, name: str, clock: str, day: str = "a", **fields: object) -> Source:
    system = (
        f"Riding with {name} near the canal.\n{STABLE}\nClock: {clock}\n{STABLE}\nShop day {day} of the fair.\n{STABLE}"
    )
    body = {"model": "gpt-5.1", "messages": [{"role": "system", "content": system}], **fields}
    body["messages"].append({"role": "user", "content": f"Question {index}"})  # type: ignore[attr-defined]
    return Source(f"logs/day={day}_{index}.json", json.dumps(body))


def diffed(sources: Sequence[Source], *by: str) -> Report:
    return pipeline.diff(sources, pipeline.Options(by=by))


FOUR = (
    version(0, "Quill", "14:05", "a", user="u1"),
    version(1, "Ferrand", "14:09", "a", user="u2"),
    version(2, "Quill", "15:30", "b", user="u1"),
    version(3, "Ferrand", "15:31", "b", user="u2"),
)


def test_each_region_is_classed_by_what_decides_it() -> None:
    report = diffed(FOUR)
    assert report.versions == 4
    assert len(report.comparisons) == 3
    found = {region.examples[0]: region.varies for region in report.volatility}
    assert found["Quill"] == "per user"
    assert found["14:05"] == "per request"
    assert found["a"] == "per day"


def test_a_name_without_a_pattern_is_an_identity_when_it_follows_the_user() -> None:
    findings = [finding for finding in diffed(FOUR, "user=user").findings if finding.location.column < 80]
    assert {finding.code for finding in findings if "Ferrand" in finding.marked or "Quill" in finding.marked} == {
        "PL104"
    }


def test_a_pair_has_no_profile() -> None:
    report = diffed(FOUR[:2])
    assert report.versions == 0
    assert report.volatility == ()


def test_same_versions_have_an_empty_profile() -> None:
    report = diffed([FOUR[0]] * 3)
    assert report.versions == 3
    assert report.volatility == ()


@pytest.mark.parametrize("by", ["user=a,b,a,b", "user=user"])
def test_metadata_given_by_the_user(by: str) -> None:
    found = {region.examples[0]: region.varies for region in diffed(FOUR, by).volatility}
    assert found["Quill"] == "per user"


def test_inserted_and_removed_parts_are_regions_too() -> None:
    bodies = [
        {"model": "claude-sonnet-4-5", "max_tokens": 1, "system": text, "messages": [{"role": "user", "content": "Hi"}]}
        for text in (f"{STABLE}end", f"{STABLE}more words end", f"{STABLE}end", f"{STABLE}more words end")
    ]
    sources = [Source(f"{index}.json", json.dumps(body)) for index, body in enumerate(bodies)]
    (region,) = diffed(sources, "release=1,2,1,2").volatility
    assert region.varies == "per release"
    assert region.values == 2
    assert "more words" in " ".join(region.examples)


@pytest.mark.parametrize("by", ["user", "user=", "=a,b", "user=a,b", "user=/(/", "user=no.such.field", "day=/x(y)/"])
def test_bad_metadata_is_told(by: str) -> None:
    with pytest.raises(ConfigError, match="--by"):
        diffed(FOUR, by)


def test_a_pattern_that_never_ends_is_stopped() -> None:
    sources = [replace(each, name=f"{'a' * 60}!{number}.json") for number, each in enumerate(FOUR)]
    with pytest.raises(ConfigError, match=r"--by user=.*: the pattern takes too long"):
        diffed(sources, "user=/^(a|a|aa)+$/")
