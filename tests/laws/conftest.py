"""What the laws are tried on."""

from __future__ import annotations

from pathlib import Path

import pytest
from laws.bench import Template, furnished


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory, empty_store: Path) -> Template:
    """A furnished wiki, closed, and the model of it."""
    return furnished(empty_store, tmp_path_factory.mktemp("furnished"))
