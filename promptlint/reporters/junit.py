"""JUnit XML: a test case for each finding and each pair without one; what fails the run is a failure."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as Xml

from promptlint.model.finding import Finding
from promptlint.model.report import Report
from promptlint.reporters.amounts import count
from promptlint.reporters.paths import from_root
from promptlint.reporters.setup import Setup
from promptlint.reporters.text import place_of
from promptlint.reporters.visible import visible


def render(report: Report, setup: Setup) -> str:
    """One suite in `testsuites`. Never empty: readers take a report without a test for a broken run."""
    cases = list(_cases(report, setup))
    failures, skipped = (sum(case.find(tag) is not None for case in cases) for tag in ("failure", "skipped"))
    attributes = {"name": "promptlint", "tests": str(len(cases)), "failures": str(failures), "errors": "0", "time": "0"}
    suites = Xml.Element("testsuites", attributes)
    suite = Xml.SubElement(suites, "testsuite", attributes, skipped=str(skipped))
    suite.extend(cases)
    Xml.indent(suites)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{Xml.tostring(suites, encoding="unicode")}\n'


def _cases(report: Report, setup: Setup) -> Iterator[Xml.Element]:
    for finding in report.findings:
        yield _of_finding(finding, setup)
    noted = {finding.location.file for finding in report.findings}
    for each in report.comparisons:
        if each.after not in noted:
            yield _case(from_root(each.after, setup.root), f"keeps {each.tokens.reusable:,} tokens")
    for skip in report.skipped:
        Xml.SubElement(case := _case(skip.what, "skipped"), "skipped", message=visible(skip.why))
        yield case
    if too_low := setup.too_low(report):
        failure = Xml.SubElement(case := _case("promptlint", "hit rate"), "failure", message=too_low, type="hit-rate")
        failure.text = too_low
        yield case
    elif not report.findings:
        yield _case("promptlint", f"{count(report.files_checked, 'file')} looked at")


def _of_finding(finding: Finding, setup: Setup) -> Xml.Element:
    place = finding.location
    case = _case(from_root(place.file, setup.root), f"{finding.code} {finding.name} {place.line}:{place.column}")
    details = [f"{place_of(place)}: {finding.severity.value}: {finding.message}"]
    details += [f"{place_of(each.location)}: {each.message}" for each in finding.related]
    if fix := setup.fix(finding.code):
        details.append(f"fix: {fix}")
    text = "\n".join(visible(each) for each in details)
    if setup.fails(finding.severity):
        failure = Xml.SubElement(case, "failure", message=visible(finding.message), type=finding.code)
        failure.text = text
    else:
        Xml.SubElement(case, "system-out").text = text
    return case


def _case(group: str, name: str) -> Xml.Element:
    return Xml.Element("testcase", classname=visible(group), name=visible(name), time="0")
