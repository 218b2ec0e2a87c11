"""The files of one run: each with what it imports is run once, and what reached a prompt in it is asked for by file."""

from __future__ import annotations

import gc
import importlib
import re
from pathlib import PurePosixPath

from promptlint.model.errors import InputError
from promptlint.model.flow import Additions, Flow
from promptlint.model.prompt import Skip
from promptlint.model.source import Source
from promptlint.readers.code import SUFFIXES, Files, ir
from promptlint.readers.code.catalogue import catalogue
from promptlint.readers.code.engine import Engine
from promptlint.readers.code.flows import flows
from promptlint.readers.code.imports import Resolver
from promptlint.readers.code.scope import Event, Unit

# Expressions that are looked at for one file, those of what it imports included: a bound on time.
_STEPS = 10_000
_STEPS_PER_BYTE = 0.2
# Source that is held at once (bytes); beyond it all is forgotten and read anew, which keeps memory flat.
_MOST_HELD = 8_000_000


# A chat template and what fills it.
_HAS_TEMPLATES = re.compile(rb"from_?[mM]essages")
_FILLS = re.compile(rb"\.a?(?:invoke|stream|format_?[mM]essages|format_?[pP]rompt|partial)\s*\(")
_NEVER = re.compile(rb"(?!)")


class Program:
    """Files that know each other. Results do not depend on which file is asked for first."""

    def __init__(self, files: Files, additions: Additions) -> None:
        self._files, self._additions = files, additions
        self._forget()

    def _forget(self) -> None:
        self._sources: dict[str, Source] = {}
        self._languages: dict[str, str] = {}
        self._held = 0
        self._engine = Engine(Resolver(self._files), self._load)

    def _load(self, name: str) -> Unit | None:
        if name not in self._sources:
            text = self._files.text(name)
            if text is None:
                return None
            self._sources[name] = Source(name, text)
        try:
            return self._unit(self._sources[name])
        except (InputError, RecursionError):
            return None

    def _unit(self, source: Source) -> Unit:
        suffix = PurePosixPath(source.name).suffix.lower()
        language = SUFFIXES[suffix]
        front_end = importlib.import_module(f"promptlint.readers.code.{language}")
        if suffix == ".ipynb":
            from promptlint.readers.code import notebook

            data = notebook.code(source)
        else:
            data = source.text.encode("utf-8", "surrogatepass")
        module: ir.Module = front_end.read(data, suffix)
        self._languages[source.name] = language
        self._held += len(data)
        return Unit(source.name, module, catalogue(language, self._additions))

    def read(self, source: Source) -> tuple[list[Flow], list[Skip]]:
        """What reaches a prompt in one file, and why (a part of) it was not looked into."""
        if self._held > _MOST_HELD:
            self._forget()
            gc.collect()  # parts of it know each other, and syntax trees are much larger than the collector sees
        self._sources[source.name] = source
        engine = self._engine
        try:
            unit = engine.adopted(source.name, lambda: self._unit(source))
            events = self._events(engine, unit)
        except InputError as error:
            return [], [Skip(source.name, error.message)]
        except RecursionError:
            self._forget()
            return [], [Skip(source.name, "is nested too deeply to be followed")]
        found = flows(events, self._sources, self._languages, engine.tail)
        if engine.steps >= engine.most_steps:
            engine.undo()
            return found, [Skip(source.name, "is too entangled: only a part of it was followed")]
        broken = [Skip(source.name, "has syntax errors; what stands around them was not read")]
        return found, broken if unit.module.broken else []

    def _events(self, engine: Engine, unit: Unit) -> list[Event]:
        engine.begin(_STEPS + int(_STEPS_PER_BYTE * len(unit.module.data)))
        engine.start(unit, imported=False)
        events = list(unit.events)
        for function in _worth_asking(unit):
            events += engine.summary(unit, function).events
        return events


def _everything(unit: Unit) -> list[ir.Function]:
    """All functions of a file, and the methods of its classes."""
    methods = (method for class_ in unit.module.classes.values() for method in class_.methods.values())
    return [*unit.module.functions.values(), *methods]


def _worth_asking(unit: Unit) -> list[ir.Function]:
    """Functions that give something to a model, and those that hand one of these something that changes."""
    functions = _everything(unit)
    returns = unit.catalogue.patterns["returns"]
    fills = _FILLS if _HAS_TEMPLATES.search(unit.module.data) else _NEVER
    own = [
        f
        for f in functions
        if unit.lands(f.span)
        or fills.search(unit.module.data, *f.span)
        or any(returns.fullmatch(each) for each in f.decorators)
        or unit.catalogue.given_by(f.owner, f.name)
    ]
    names = sorted({function.name.encode() for function in own if function.name})
    if not names:
        return own
    found = set(own)
    rest = [function for function in functions if function not in found]
    return [*own, *(f for f in rest if unit.speaks(f.span) and unit.names(f.span, names))]
