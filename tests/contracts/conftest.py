"""The contract tests run in a copy of one furnished project."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from storefiles import closed_store
from worlds import World, furnish


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("furnished")
    furnish(folder)
    return folder


@pytest.fixture
def project(tmp_path: Path, furnished: Path) -> Path:
    """A project with a wiki that holds something of everything."""
    with closed_store():
        return Path(shutil.copytree(furnished, tmp_path / "project"))


@pytest.fixture
def world(
    project: Path,
    lwc: Callable[..., Any],
    lwc_process: Callable[..., Any],
    clock: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> World:
    return World(project=project, lwc=lwc, process=lwc_process, clock=clock, patch=monkeypatch)
