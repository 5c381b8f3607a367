"""What tests of sources share: the shapes of their fixtures, and looking into the wiki."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import pytest

from lwc.domain.claim import token_hash
from lwc.errors import (
    LwcError,
    Problem,
)
from lwc.services import sources
from lwc.services.source_folders import FolderAdded
from lwc.services.source_writes import ManifestAdded, SourceAdded
from lwc.store import jobs, journal, readings
from lwc.wiki import Call, Wiki


class Add(Protocol):
    """Writes a file, when its text is given, and adds it."""

    def __call__(
        self, path: str, text: str | None = None, *, call: Call = ..., **rules: Any
    ) -> SourceAdded: ...


class Clock(Protocol):
    def tick(self, seconds: float) -> None: ...


AddDir = Callable[..., FolderAdded]
AddManifest = Callable[..., ManifestAdded]


def operations(wiki: Wiki) -> list[tuple[str, str | None, dict[str, object]]]:
    """What the journal says, the oldest first, without the making of the wiki."""
    with wiki.reading() as conn:
        told = journal.recent(conn, limit=100)
    return [
        (each.action, each.target, dict(each.detail))
        for each in reversed(told)
        if each.action != "init"
    ]


def refusal(of: Callable[[], object], problem: Problem) -> LwcError:
    with pytest.raises(LwcError) as caught:
        of()
    assert caught.value.problem is problem
    return caught.value


def count(wiki: Wiki) -> int:
    return sources.listed(wiki).total


def claim(wiki: Wiki, source_id: int, *, agent: str = "reader", token: str = "t0ken") -> None:
    with wiki.writing(Call(agent=agent)) as change:
        claimed = jobs.claim(
            change.conn,
            source_id,
            agent=agent,
            token_hash=token_hash(token),
            lease_seconds=60,
            max_attempts=3,
            now=change.now,
        )
        assert claimed is not None


def delivered(wiki: Wiki, source_id: int, attempt: int = 1) -> tuple[tuple[int, int], ...]:
    with wiki.reading() as conn:
        return readings.ranges(conn, source_id, attempt)
