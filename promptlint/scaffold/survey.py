"""A look at a repository: which files are prompts, which models they are for, where its CI runs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from promptlint import jsonspans
from promptlint.config import OWN, SHARED
from promptlint.jsonspans import JsonKind, Node
from promptlint.model.errors import PromptlintError
from promptlint.model.source import Source
from promptlint.readers import template
from promptlint.readers.detect import detect_wire
from promptlint.readers.template import structured
from promptlint.readers.template.chat import is_chat_file
from promptlint.readers.template.found import named_as_prompt
from promptlint.scaffold.models import Named, most_named
from promptlint.sources.files import CODE_SUFFIXES, PROMPT_SUFFIXES, TEMPLATE_SUFFIXES, is_walked
from promptlint.sources.git import Repository

_LARGEST = 1_000_000  # bytes; what is larger is data
# Documents for people (or for the coding assistants of people) that stand in many repositories.
_DOCUMENTS = re.compile(
    r"readme|changelog|changes|history|contributing|licen[cs]e|code_of_conduct|security|authors|todo|notice|"
    r"requirements.*|robots|llms.*|agents|claude|gemini|copilot-instructions"
)
# What stands in the template of a web page or of a mail, and seldom in that of a prompt.
_MARKUP = re.compile(
    r"(?i)</?(?:html|head|body|div|span|p|br|h[1-6]|ul|ol|li|table|t[rdh]|img|form|input|button|a|script|style|link)\b[^<>]*>"
)
_PAGE_BESIDE = re.compile(r"\{%-?\s*(?:extends|include|import|from)\s+[\"'][^\"'\n]*\.html?\b")
_FEW = 2
_SETTINGS = frozenset({".yaml", ".yml", ".toml", ".ini", ".cfg", ".json"})
PRE_COMMIT = (".pre-commit-config.yaml", ".pre-commit-config.yml")
GITLAB = ".gitlab-ci.yml"


@dataclass(frozen=True, slots=True)
class Survey:
    """Paths count from `top`, with slashes. `others`: files that a check would read although they are no prompts.

    `together`: prompt files of one folder of which one lists tools or messages. `model`: the one that most files name.
    `configured`: the file that holds a configuration already. `gitlab`: whether CI runs there; GitHub otherwise.
    """

    top: str
    prompts: tuple[str, ...]
    code: tuple[str, ...]
    others: tuple[str, ...]
    together: tuple[str, ...]
    model: Named | None
    branch: str
    gitlab: bool
    configured: str | None
    files: frozenset[str]


def survey(folder: str) -> Survey:
    """Of the git repository around a folder. Raises InputError outside of one."""
    repository = Repository(folder)
    top = Path(repository.top)
    paths = sorted({*repository.tracked(), *repository.untracked()})
    paths = [path for path in paths if path.isprintable()]  # no configuration could name the others
    texts = {path: text for path in paths if (text := _text(top / path, path)) is not None}
    walked = [path for path in paths if is_walked(path.split("/"))]
    code = [path for path in walked if PurePosixPath(path).suffix.lower() in CODE_SUFFIXES]
    named = "\n".join(texts.get(path, "") for path in code)
    kinds = {path: _kind(path, texts.get(path, ""), named) for path in walked if path not in set(code)}
    prompts = [path for path, kind in kinds.items() if kind]
    return Survey(
        top=repository.top,
        prompts=tuple(prompts),
        code=tuple(code),
        others=tuple(path for path, kind in kinds.items() if not kind),
        together=_together(prompts, kinds),
        model=most_named({path: texts[path] for path in texts if path in set(prompts) or _may_name(path)}),
        branch=repository.default_branch(),
        gitlab=GITLAB in paths or any("gitlab" in url for url in repository.remotes()),
        configured=_configured(texts),
        files=frozenset(paths),
    )


def _text(file: Path, path: str) -> str | None:
    suffix = PurePosixPath(path).suffix.lower()
    if (
        suffix not in PROMPT_SUFFIXES | TEMPLATE_SUFFIXES | CODE_SUFFIXES | _SETTINGS
        or file.is_symlink()
        or not file.is_file()
    ):
        return None
    try:
        if file.stat().st_size > _LARGEST:
            return None
        return file.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _may_name(path: str) -> bool:
    """Whether a file is one in which a program's model is named: no lock file, no document."""
    suffix = PurePosixPath(path).suffix.lower()
    return suffix in CODE_SUFFIXES | _SETTINGS and "lock" not in PurePosixPath(path).name


def _kind(path: str, text: str, code: str) -> str:
    """`text`, `template`, `request`, `tools` or `messages`; empty for what is no prompt."""
    place = PurePosixPath(path)
    if is_chat_file(Source(path, text)):
        return "template"
    if place.suffix.lower() == ".json":
        return _json_kind(path, text)
    if _DOCUMENTS.fullmatch(place.stem.lower()):
        return ""
    said = named_as_prompt(path)
    if place.suffix.lower() in (".yaml", ".yml"):
        return "text" if said and structured.speaks(text) else ""
    if said or re.search(rf"(?<![\w-]){re.escape(place.name)}\b", code):
        return "text"
    return "template" if place.suffix.lower() in TEMPLATE_SUFFIXES and _may_be_prompt(path, text) else ""


def _may_be_prompt(path: str, text: str) -> bool:
    """Whether a template whose name says nothing has placeholders, and makes no web page."""
    page = len(_MARKUP.findall(text)) > _FEW or _PAGE_BESIDE.search(text)
    return not page and template.may_be(Source(path, text, walked=True))


def _json_kind(path: str, text: str) -> str:
    if '"messages"' not in text and '"contents"' not in text and '"name"' not in text and '"role"' not in text:
        return ""
    try:
        node = jsonspans.parse(Source(path, text))
    except PromptlintError:
        return ""
    if node.kind is JsonKind.OBJECT:
        speaks = node.get("messages", "contents") or (node.get("input") and node.get("model"))
        return "request" if speaks and detect_wire(node) else ""
    items = node.items if node.kind is JsonKind.ARRAY else ()
    if items and all(item.kind is JsonKind.OBJECT for item in items):
        if all(_is_tool(item) for item in items):
            return "tools"
        if all(item.get("role") and item.get("content", "parts", "tool_calls") for item in items):
            return "messages"
    return ""


def _is_tool(item: Node) -> bool:
    inner = item.get("function", "toolSpec")
    whole = inner if inner is not None else item
    return bool(whole.get("name")) and bool(whole.get("parameters", "input_schema", "inputSchema", "strict"))


def _together(prompts: Iterable[str], kinds: dict[str, str]) -> tuple[str, ...]:
    """The parts of what looks like one prompt, in the usual order: tools, texts, example messages."""
    order = ("tools", "text", "messages")
    for first in (path for path in prompts if kinds[path] in ("tools", "messages")):
        folder = os.path.dirname(first)  # noqa: PTH120
        near = [path for path in prompts if kinds[path] in order and os.path.dirname(path) == folder]  # noqa: PTH120
        if len(near) > 1:
            return tuple(sorted(near, key=lambda path: (order.index(kinds[path]), path)))
    return ()


def _configured(texts: dict[str, str]) -> str | None:
    if OWN in texts:
        return OWN
    return SHARED if re.search(r"^\[tool\.promptlint[\].]", texts.get(SHARED, ""), re.MULTILINE) else None


def excludes(seen: Survey) -> list[str]:
    """Patterns, as few as can be, that leave out `others` and nothing else that is there now."""
    kept = [*seen.prompts, *seen.code]
    return sorted(dict.fromkeys(_covering(list(seen.others), kept, "")))


def _covering(others: list[str], kept: list[str], folder: str) -> Iterator[str]:
    kept = [path for path in kept if path.startswith(folder)]
    children: dict[str, list[str]] = {}
    for path in others:
        name, slash, _ = path[len(folder) :].partition("/")
        children.setdefault(folder + name + slash, []).append(path)
    for child, paths in children.items():
        if not child.endswith("/") or not any(path.startswith(child) for path in kept):
            yield _literal(child)
        else:
            yield from _by_suffix(paths, kept, child)


def _by_suffix(paths: list[str], kept: list[str], folder: str) -> Iterator[str]:
    """In a folder that holds prompts too: all files of a kind where no prompt is of it, single ones otherwise."""
    used = {PurePosixPath(path).suffix for path in kept if path.startswith(folder)}
    rest = [path for path in paths if PurePosixPath(path).suffix in used]
    yield from (f"{_literal(folder)}**/*{PurePosixPath(path).suffix}" for path in paths if path not in set(rest))
    if rest:
        yield from _covering(rest, kept, folder)


def _literal(path: str) -> str:
    """A path as a pattern that names it and, where it is no folder, nothing else."""
    return "/" + re.sub(r"[*?\[]", lambda sign: f"[{sign[0]}]", path)
