"""Prompt files that source code reads: the text of a file whose path is written out in the source."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from promptlint.readers.code import ir
from promptlint.readers.code.scope import Scope, dotted
from promptlint.readers.code.value import Value, literal

if TYPE_CHECKING:
    from promptlint.readers.code.calls import Called

_OWN_FILE = frozenset({"__file__", "__filename", "import.meta.url", "import.meta.filename"})
_OWN_FOLDER = frozenset({"__dirname", "import.meta.dirname"})
_PATHS = frozenset({"Path", "PurePath", "PosixPath"})
_JOINS = frozenset({"join", "resolve"})
_KEEPS = frozenset({"abspath", "realpath", "resolve", "absolute", "expanduser", "fileURLToPath", "str", "String"})
_DEEPEST = 12  # steps of an expression of a path


def read(scope: Scope, called: Called) -> Value | None:
    """The text of the file that a call reads; None where its path is not written out, or no such file is there."""
    func, args = called.expr.func, called.expr.args
    of = func.of if isinstance(func, ir.Attr) and called.name == "read_text" else None
    path = _path(scope, of if of is not None else args[0], _DEEPEST) if of is not None or args else None
    text = scope.engine.resolver.text(path, scope.unit.file) if path else None
    return None if text is None else literal(text, (scope.unit.file, called.expr.span))


def _path(scope: Scope, expr: ir.Expr, deepest: int) -> str | None:
    """The path that an expression gives, absolute where it begins at the file that it stands in."""
    if deepest <= 0:
        return None
    if isinstance(expr, ir.Lit):
        return expr.text
    if isinstance(expr, ir.Name | ir.Attr) and (written := scope.unit.source(expr.span)) in _OWN_FILE | _OWN_FOLDER:
        own = os.path.abspath(scope.unit.file).replace(os.sep, "/")  # noqa: PTH100 (links stay as they are)
        return own if written in _OWN_FILE else posixpath.dirname(own)
    if isinstance(expr, ir.Name):
        assigned = _assigned(scope, expr.name)
        return _path(scope, assigned, deepest - 1) if assigned is not None else None
    if isinstance(expr, ir.Binary) and expr.op == "/":
        return _joined([_path(scope, each, deepest - 1) for each in (expr.left, expr.right)])
    return _made(scope, expr, deepest - 1)


def _made(scope: Scope, expr: ir.Expr, deepest: int) -> str | None:
    """A parent folder, or what a function of paths gives."""
    if isinstance(expr, ir.Attr) and expr.name == "parent":
        return _parent(_path(scope, expr.of, deepest))
    if not isinstance(expr, ir.Call):
        return None
    name = dotted(expr.func)[-1]
    of = expr.func.of if isinstance(expr.func, ir.Attr) else None
    subject = expr.args[0] if expr.args else of
    if name in _KEEPS and len(expr.args) < 2 and subject is not None:
        return _path(scope, subject, deepest)
    given = [_path(scope, each, deepest) for each in expr.args]
    if name == "dirname" and len(given) == 1:
        return _parent(given[0])
    if name == "URL" and len(given) == 2:
        return _joined([_parent(given[1]), given[0]])
    if name == "joinpath" and of is not None:
        return _joined([_path(scope, of, deepest), *given])
    return _joined(given) if name in _PATHS | _JOINS else None


def _assigned(scope: Scope, name: str) -> ir.Expr | None:
    """What a name is set to, where that happens once: in the function, or else at the top level of the file."""
    for body in (scope.function.body() if scope.function else (), scope.unit.module.body):
        values = [each.value for each in _assigns(body, name)]
        if values:
            return values[0] if len(values) == 1 else None
    return None


def _assigns(body: tuple[ir.Stmt, ...], name: str) -> Iterator[ir.Assign]:
    for each in body:
        if isinstance(each, ir.Assign) and isinstance(each.target, ir.Name) and each.target.name == name:
            yield each
        elif isinstance(each, ir.Branch):
            for arm in each.arms:
                yield from _assigns(arm, name)


def _parent(path: str | None) -> str | None:
    return posixpath.dirname(path) or "." if path else None


def _joined(steps: list[str | None]) -> str | None:
    known = [step for step in steps if step is not None]
    return posixpath.join(*known) if known and len(known) == len(steps) else None
