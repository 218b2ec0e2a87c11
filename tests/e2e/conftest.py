"""One hook repository and one pre-commit home for all tests of this folder."""

from __future__ import annotations

import pytest
from hooking import Hooks, Repository, copy_tree, linked_packages, without_index


@pytest.fixture(scope="session")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Hooks:
    folder = tmp_path_factory.mktemp("hooks")
    environment = without_index(linked_packages(folder / "packages"), PRE_COMMIT_HOME=str(folder / "home"))
    repository = Repository(copy_tree(folder / "promptlint"), environment)
    repository.commit("Everything")
    return Hooks(repository, environment)
