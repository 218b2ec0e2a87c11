"""Model names as requests give them, with regions, versions and dates, against the globs of the provider tables."""

from __future__ import annotations

import re
from collections.abc import Iterable

from promptlint.model.globs import fits

_REGION = re.compile(r"(?:us|eu|apac|global|jp|au|ca|us-gov)\.(?=[a-z]+\.)")
_SUFFIX = re.compile(r"(?:-latest|-v\d+|-\d{8}|-\d{4}-\d\d-\d\d)\Z")
_DECIMAL = re.compile(r"(?<=\d)\.(?=\d)")


def names(model: str) -> frozenset[str]:
    """Every form of a model name that a glob may mean, in lower case.

    Without vendor path, region (`us.`), `:0` or `:free`; with and without version and date; Claude with hyphens for
    dots; and with the vendor that Bedrock puts in front.
    """
    whole = model.strip().lower().removeprefix("ft:").replace("@", "-")
    found = set()
    for name in {whole, whole.rpartition("/")[2]}:
        form = _REGION.sub("", name, count=1).split(":")[0]
        if "claude" in form:
            form = _DECIMAL.sub("-", form)
        found.add(form)
        while (shorter := _SUFFIX.sub("", form)) != form:
            form = shorter
            found.add(form)
    return frozenset(found | {f"{vendor}.{name}" for vendor in ("anthropic", "amazon", "openai") for name in found})


def best(globs: Iterable[str], forms: frozenset[str]) -> str | None:
    """The longest of `globs` that matches one of `forms`; None where none does."""
    matching = [glob for glob in globs if any(fits(form, glob.lower()) for form in forms)]
    return max(matching, key=len, default=None)


def same_model(left: str, right: str) -> bool:
    """Whether two names mean one model: equal but for host, region and version, or one is an alias of the other."""
    return bool(_whole(left) & names(right)) or bool(_whole(right) & names(left))


def _whole(model: str) -> frozenset[str]:
    """The forms of a name that keep its date and version."""
    shortened = {_SUFFIX.sub("", form) for form in names(model)}
    whole = names(model) - shortened
    return whole or names(model)
