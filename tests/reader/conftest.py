"""Folders that the tests of reading share."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everybody may enter, as a folder below `tmp_path` is not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        yield folder
