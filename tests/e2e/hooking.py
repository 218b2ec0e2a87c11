"""The real pre-commit and pip without a package index: this tree is the hook's repository, its dependencies are linked.

`pre-commit` clones the repository, makes an environment of its own and has pip build and install the package there, as
it does for users. What an index would serve comes from the packages that the tests run with.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from support import ROOT

BUILT_FROM = ("promptlint", "rules", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml", "examples/ci")
# For zizmor: an action is named by its major version; its own default wants hashes of those that are not GitHub's.
REF_PINS = {"rules": {"unpinned-uses": {"config": {"policies": {"*": "ref-pin"}}}}}
_OWN = re.compile(r"_*(?:editable_+)?_*(?:impl_)?promptlint|.*\.pth\Z", re.IGNORECASE)


def copy_tree(folder: Path) -> Path:
    """What the package is built from, and nothing that an earlier run left behind."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in BUILT_FROM:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    return folder


def linked_packages(folder: Path) -> Path:
    """All installed packages but promptlint itself."""
    folder.mkdir(parents=True, exist_ok=True)
    for site in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for entry in Path(site).iterdir():
            if not _OWN.match(entry.name):
                (folder / entry.name).symlink_to(entry)
    return folder


def without_index(packages: Path, **more: str) -> dict[str, str]:
    """The environment in which pip takes what it needs from `packages`."""
    return {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(packages),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip's spelling of "no build isolation" in the environment
        "PIP_QUIET": "1",
        **more,
    }


class Repository:
    """A git repository in which commands run as a developer types them."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.environment = environment | {
            "GIT_AUTHOR_NAME": "Nobody",
            "GIT_AUTHOR_EMAIL": "nobody@example.invalid",
            "GIT_COMMITTER_NAME": "Nobody",
            "GIT_COMMITTER_EMAIL": "nobody@example.invalid",
        }
        self.run("git", "init", "--quiet", "--initial-branch=main")

    def run(self, *command: str, status: int | None = 0) -> str:
        """Both outputs of a command; fails where it ends with another status (None: any will do)."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
        assert status in (None, done.returncode), f"{command} ended with {done.returncode}:\n{done.stdout}"
        return done.stdout

    def commit(self, message: str, *options: str, status: int | None = 0) -> str:
        self.run("git", "add", "--all")
        return self.run("git", "commit", "--quiet", "--message", message, *options, status=status)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")

    def read(self, name: str) -> str:
        return (self.folder / name).read_text("utf-8")


@dataclass(frozen=True, slots=True)
class Hooks:
    """The repository to name in a `.pre-commit-config.yaml`, and the environment to run pre-commit in."""

    repository: Repository
    environment: dict[str, str]
