"""The volatility profile of several versions: what varies, and along what (release, day, user, request, …)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from promptlint.diff.hunks import first_hunk
from promptlint.diff.locate import point
from promptlint.matchers._values import Untrusted, compiled
from promptlint.model.errors import ConfigError, RuleError
from promptlint.model.finding import Finding, Place, Scope
from promptlint.model.history import messages
from promptlint.model.prompt import Component, Prompt, Section
from promptlint.model.report import VaryingRegion
from promptlint.model.source import Span
from promptlint.rulebook.findings import excerpt
from promptlint.rulebook.rule import Rule

# From coarse to fine: a value that follows several of them is named by the coarsest, the others stand beside it.
_KNOWN = ("release", "day", "user", "conversation")
_SCOPES = {
    "user": Scope.OTHER_USER,
    "conversation": Scope.NEW_CONVERSATION,
    "day": Scope.OTHER_DAY,
    "release": Scope.RELEASE,
}
_USER_FIELDS = ("user", "metadata.user_id", "safety_identifier", "user_id")
_IN_NAME = re.compile(r"(?:^|[/._,-])([A-Za-z]+)=([^/_,]+?)(?=[_,/]|\.\w+$|$)")
_REGIONS = 200  # varying regions of one component; a text that differs in more places is told as a whole
_UNEXPLAINED = ("PL304", "PL401")  # the rules that only say that text differs
_SHOWN = 3  # values of a region that a report quotes

Dimensions = Mapping[str, tuple[str, ...]]


def dimensions(prompts: Sequence[Prompt], by: Sequence[str]) -> Dimensions:
    """What is known of each version: from `--by NAME=…`, from `name=value` in file names, from request fields.

    `NAME=a,b,a` gives a value a version, `NAME=/pattern/` what the pattern (its first group) finds in the file name,
    `NAME=field.path` a request field. Raises ConfigError.
    """
    found: dict[str, tuple[str, ...]] = {}
    users = [_first_field(prompt, _USER_FIELDS) for prompt in prompts]
    if all(users):
        found["user"] = tuple(map(str, users))
    openings = [_opening(prompt) for prompt in prompts]
    if all(openings):
        found["conversation"] = tuple(map(str, openings))
    named = [dict(_IN_NAME.findall(prompt.source.name)) for prompt in prompts]
    for name in named[0]:
        if all(name in each for each in named):
            found[name] = tuple(each[name] for each in named)
    for option in by:
        name, _, wanted = option.partition("=")
        if not name or not wanted:
            raise ConfigError(f"--by {option}: give NAME=a,b,… or NAME=/pattern/ or NAME=field.path")
        found[name] = _given(option, wanted, prompts)
    return found


def _given(option: str, wanted: str, prompts: Sequence[Prompt]) -> tuple[str, ...]:
    if wanted.startswith("/") and wanted.endswith("/") and len(wanted) > 2:
        values = _in_names(option, wanted[1:-1], prompts)
    elif "," in wanted:
        values = list(wanted.split(","))
        if len(values) != len(prompts):
            raise ConfigError(f"--by {option}: {len(values)} values for {len(prompts)} versions")
    else:
        values = [_first_field(prompt, (wanted,)) for prompt in prompts]
    for value, prompt in zip(values, prompts, strict=True):
        if value is None:
            raise ConfigError(f"--by {option}: nothing found for {prompt.source.name}")
    return tuple(map(str, values))


def _in_names(option: str, written: str, prompts: Sequence[Prompt]) -> list[str | None]:
    """What a pattern (its first group, where it has one) finds in the name of each file."""
    try:
        pattern = compiled(Untrusted(written))
        found = [next(pattern.finditer(name, 0, len(name)), None) for name in (each.source.name for each in prompts)]
    except RuleError as error:
        raise ConfigError(f"--by {option}: {error.message}") from None
    except TimeoutError:
        raise ConfigError(f"--by {option}: the pattern takes too long; write it with fewer repetitions") from None
    return [(match[1] if match.re.groups else match[0]) if match else None for match in found]


def _first_field(prompt: Prompt, paths: Sequence[str]) -> str | None:
    return next((setting.value for path in paths if (setting := prompt.setting(path))), None)


def _opening(prompt: Prompt) -> str | None:
    history = messages(prompt.components)
    return history[0].key if history else None


def scope_between(known: Dimensions, index: int) -> Scope | None:
    """How version `index` differs from the one before it, where the metadata says so."""
    for name in ("user", "conversation", "release", "day"):
        values = known.get(name)
        if values and values[index] != values[index - 1]:
            return _SCOPES[name]
    return None


@dataclass(frozen=True, slots=True)
class Profile:
    """Every part that is not the same in all versions, in prompt order, classed by what it follows."""

    regions: tuple[VaryingRegion, ...]
    identities: frozenset[tuple[str, str]]  # (field path, text) of what is decided by the user or the conversation

    def relabelled(self, finding: Finding, identity: Rule) -> Finding:
        """An edit that nothing explained is an identity where its text follows the user: a name without a pattern."""
        held = any(path == finding.location.path and text in finding.marked for path, text in self.identities)
        if finding.code not in _UNEXPLAINED or not held:
            return finding
        facts = {**finding.facts, "after_value": excerpt(finding.marked), "before_value": finding.facts["before"]}
        return replace(
            finding,
            code=identity.code,
            name=identity.name,
            severity=identity.severity,
            message=identity.message.format_map({**facts, "lost": f"{finding.tokens_lost or 0:,}"}),
            facts=facts,
        )


def profile(prompts: Sequence[Prompt], known: Dimensions) -> Profile:
    """The profile of three versions or more."""
    pairs = [(region, _classed(region, known)) for region in _regions(prompts)]
    identities = {
        (classed.place.path, value)
        for region, classed in pairs
        if classed.varies in ("per user", "per conversation")
        for value in region.values
        if value
    }
    return Profile(tuple(classed for _, classed in pairs), frozenset(identities))


@dataclass(frozen=True, slots=True)
class _Region:
    """A part of a component of the first version that has it, and its text in every version (None: not there)."""

    component: Component
    span: Span
    values: tuple[str | None, ...]


def _regions(prompts: Sequence[Prompt]) -> Iterator[_Region]:
    held = [{_key(component): component for component in prompt.components} for prompt in prompts]
    order = dict.fromkeys(key for each in held for key in each)
    for key in order:
        versions = [each.get(key) for each in held]
        there = [component for component in versions if component is not None]
        if len(there) < len(versions):
            if key[0] is not Section.MESSAGES:  # histories grow; tools and system text should not
                values = tuple(component.text if component else None for component in versions)
                yield _Region(there[0], Span(0, len(there[0].text)), values)
        elif any(component.text != there[0].text for component in there):
            yield from _varying(there)


def _key(component: Component) -> tuple[Section, str]:
    """Tools are the same by name wherever they stand; everything else by its field."""
    if component.section is Section.TOOLS and component.name:
        return (component.section, component.name)
    return (component.section, component.location.path)


def _varying(versions: Sequence[Component]) -> Iterator[_Region]:
    """The varying regions of one component, in the coordinates of its first version."""
    reference = versions[0]
    if any(component.opaque for component in versions):
        yield _Region(reference, Span(0, len(reference.text)), tuple(component.text for component in versions))
        return
    hunks = [_hunks(reference.text, component.text) for component in versions]
    for span in _united([before for each in hunks for before, _ in each]):
        values = tuple(
            component.text[_mapped(span.start, each, end=False) : _mapped(span.end, each, end=True)]
            for component, each in zip(versions, hunks, strict=True)
        )
        yield _Region(reference, span, values)


def _hunks(before: str, after: str) -> list[tuple[Span, Span]]:
    """All differing regions of two texts: spans in each."""
    found: list[tuple[Span, Span]] = []
    current, moved = after, 0  # `moved`: how far offsets of `current` lie before those of `after`
    while (hunk := first_hunk(before, current)) is not None:
        if len(found) == _REGIONS:
            return [(Span(0, len(before)), Span(0, len(after)))]
        found.append((hunk.before, Span(hunk.after.start + moved, hunk.after.end + moved)))
        current = current[: hunk.after.start] + before[hunk.before.start : hunk.before.end] + current[hunk.after.end :]
        moved += len(hunk.after) - len(hunk.before)
    return found


def _united(spans: Sequence[Span]) -> list[Span]:
    """Spans that overlap or touch drawn together, in order."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if found and span.start <= found[-1].end:
            found[-1] = replace(found[-1], end=max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


def _mapped(offset: int, hunks: Sequence[tuple[Span, Span]], *, end: bool) -> int:
    """Start or end of a region of the first version in another one; what was inserted there lies inside."""
    moved = 0
    for before, after in hunks:
        if before.end > offset or (before.start >= offset and not end):
            break
        moved = after.end - before.end
    return offset + moved


def _classed(region: _Region, known: Dimensions) -> VaryingRegion:
    names = [*_KNOWN, *(name for name in known if name not in _KNOWN)]
    follows = tuple(name for name in names if name in known and _follows(region.values, known[name]))
    distinct = list(dict.fromkeys(value for value in region.values if value is not None))
    component, span = region.component, region.span
    start = point(0, component, span.start)
    end = point(0, component, span.end)
    source = component.location.source
    first, last = source.position(start.offset), source.position(max(end.offset, start.offset))
    return VaryingRegion(
        place=Place(source.name, start.path, first.line, first.column, last.line, last.column),
        varies=f"per {follows[0]}" if follows else "per request",
        follows=follows,
        values=len(set(region.values)),
        examples=tuple(excerpt(value) for value in distinct[:_SHOWN]),
    )


def _follows(values: Sequence[str | None], dimension: Sequence[str]) -> bool:
    """Whether a value is decided by a dimension that itself varies: the same there, the same here."""
    if len(set(dimension)) in (1, len(dimension)):  # the same everywhere, or as fine as the requests themselves
        return False
    decided: dict[str, str | None] = {}
    return all(decided.setdefault(key, value) == value for key, value in zip(dimension, values, strict=True))
