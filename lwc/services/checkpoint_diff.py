"""What has changed in the wiki since a checkpoint, which is what restoring it would take back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lwc.domain.comparison import EntityChange, counted, differences
from lwc.domain.listing import check_part
from lwc.errors import CHECKPOINT_FOREIGN
from lwc.services.checkpoints import folder_of
from lwc.store import checkpoints, comparing, journal, restoring
from lwc.wiki import Answer, Wiki


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointDiff(Answer):
    """From the checkpoint to now: `added` is here and not in the checkpoint.

    `counts` is of all changes, by kind; pages are told apart by what they say, texts by digests.
    """

    checkpoint: str
    checkpoint_revision: int
    revision: int
    counts: Mapping[str, Mapping[str, int]]
    changes: tuple[EntityChange, ...]
    limit: int
    offset: int
    total: int
    has_more: bool


def diff(
    wiki: Wiki, *, name: str, stat: bool = False, limit: int = 100, offset: int = 0
) -> CheckpointDiff:
    """Pages, sources, schema and purpose, jobs, checks, settings and changesets that differ.

    With `stat` they are only counted.
    """
    check_part(limit=limit, offset=offset)
    found = checkpoints.find(folder_of(wiki), name)
    if checkpoints.identified(found).store_id != wiki.store_id():
        raise CHECKPOINT_FOREIGN(name=name)
    with restoring.opened(found) as conn, checkpoints.told(name):
        then, since = comparing.contents(conn), journal.revision(conn)
    with wiki.reading() as conn:
        now, revision = comparing.contents(conn), journal.revision(conn)
    changes = differences(then, now)
    shown = () if stat else changes[offset : offset + limit]
    return CheckpointDiff(
        **wiki.label(),
        checkpoint=name,
        checkpoint_revision=since,
        revision=revision,
        counts=counted(changes),
        changes=shown,
        limit=limit,
        offset=offset,
        total=len(changes),
        has_more=not stat and offset + len(shown) < len(changes),
    )
