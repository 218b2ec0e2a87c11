"""A replayed log without a word of any prompt; sessions, users and other values of its fields are numbered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from promptlint.model.traced import Branch, Group, Reconciliation, Session, Traced, Waste
from promptlint.reporters.redact import path_shape, paths_in, place_shape, shape
from promptlint.rulebook.rule import Rule

_OPEN_FIELDS = frozenset({"model", "provider", "day", "hour", "status"})  # their values name no person and no prompt


def redacted_trace(result: Traced, rules: Mapping[str, Rule]) -> Traced:
    """Figures, files and lines, models and promptlint's own words are kept. `findings` are left to the report's own."""
    numbered = _numbering()
    return replace(
        result,
        groups=tuple(_group(each, numbered) for each in result.groups),
        sessions=tuple(_session(each, numbered) for each in result.sessions),
        waste=tuple(_waste(each, rules.get(each.code)) for each in result.waste),
        tree=_branch(result.tree) if result.tree else None,
        reconciliation=_reconciliation(result.reconciliation) if result.reconciliation else None,
        notes=tuple(map(paths_in, result.notes)),
        findings=(),
    )


def _numbering() -> Callable[[str, str], str]:
    """Gives each value of a field a number of its own: `user 1`, `user 2`."""
    known: dict[str, dict[str, str]] = {}

    def numbered(field: str, value: str) -> str:
        names = known.setdefault(field, {})
        return names.setdefault(value, f"{field} {len(names) + 1}") if value else ""

    return numbered


def _group(group: Group, numbered: Callable[[str, str], str]) -> Group:
    return group if group.by in _OPEN_FIELDS else replace(group, value=numbered(group.by, group.value))


def _session(session: Session, numbered: Callable[[str, str], str]) -> Session:
    return replace(session, name=numbered("session", session.name), parent=numbered("session", session.parent))


def _waste(waste: Waste, rule: Rule | None) -> Waste:
    """A rule's message quotes the prompt; its summary says the same without."""
    message = waste.message
    if waste.kind == "rule":
        message = rule.summary if rule else shape(message)
    place = place_shape(waste.place) if waste.place else None
    return replace(waste, path=path_shape(waste.path), message=message, place=place)


def _branch(branch: Branch) -> Branch:
    return replace(
        branch,
        label=path_shape(branch.label),
        parts=shape(branch.parts),
        children=tuple(_branch(each) for each in branch.children),
    )


def _reconciliation(each: Reconciliation) -> Reconciliation:
    """The provider's reasons come out of the log: names of its own (`system_changed`) stay, sentences do not."""
    return replace(
        each, vendor={why if why.replace("_", "").isalpha() else shape(why): n for why, n in each.vendor.items()}
    )
