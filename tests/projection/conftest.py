"""A wiki whose files are up."""

from __future__ import annotations

from pathlib import Path

import pytest
from projecting import catch_up

from lwc.wiki import Wiki


@pytest.fixture
def store(wiki: Wiki) -> Path:
    """The folder of the wiki's store, all projected."""
    assert catch_up(wiki) is None
    return wiki.workspace.store
