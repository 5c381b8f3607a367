"""Looking at the files without touching them: how far they are, and where they differ."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lwc.domain.projection_state import FileError, Reason, file_error
from lwc.projection import index, log, manifest, steps, wanted
from lwc.projection.keeping import AT_ONCE
from lwc.projection.steps import Comparison
from lwc.projection.tree import Tree
from lwc.store import journal, meta, outbox, pages, settings, sources
from lwc.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """How far the projection is.

    `projected_revision` is the wiki's when it was projected last; `errors` are those of that run.
    `standing` is `store_went_back` when the database knows less than was projected from it.
    """

    projection: str
    revision: int
    projected_revision: int | None
    standing: str
    pages: int
    pages_projected: int
    sources: int
    sources_projected: int
    behind: int
    errors: tuple[FileError, ...]


def survey(database: Database, folder: Path) -> Survey:
    """Count what there is and what is projected; only the database and one small file are read."""
    known = None
    with suppress(OSError), Tree(folder) as tree:
        known = manifest.read(tree)
    with database.reading() as conn:
        revision = journal.revision(conn)
        written = outbox.written_counts(conn)
        standing = manifest.standing(
            known, store_id=meta.value(conn, "store_id") or "", revision=revision
        )
        return Survey(
            projection=settings.load(conn).word("projection"),
            revision=revision,
            projected_revision=None if known is None else known.revision,
            standing=standing.value,
            pages=pages.total(conn),
            pages_projected=written.get("page", 0),
            sources=sources.total(conn),
            sources_projected=written.get("source", 0),
            behind=outbox.count(conn),
            errors=() if known is None else known.errors,
        )


def differences(database: Database, folder: Path) -> Iterator[FileError]:
    """Every file that is not what the wiki says; what waits in the outbox differs, too."""
    with Tree(folder) as tree:
        with database.reading() as conn:
            every = [one for one in outbox.owners(conn) if one.owner != outbox.WHOLE]
        for at in range(0, max(len(every), 1), AT_ONCE):
            part = every[at : at + AT_ONCE]
            with database.reading() as conn:
                wishes = wanted.wishes(conn, part)
                if at + AT_ONCE >= len(every):
                    wishes = (*wishes, wanted.whole(conn, index.made_anew(conn)))
                known = outbox.written(
                    conn,
                    of=[wish.waiting.owner for wish in wishes],
                    at=[file.path for wish in wishes for file in wish.files],
                )
            yield from _differing(steps.compare(tree, wishes, known))
        yield from log.differences(database, tree)


def _differing(found: Comparison) -> Iterator[FileError]:
    for step in found.writes:
        yield file_error(step.path, Reason.ABSENT if step.standing is None else Reason.DIFFERS)
    for step in (*found.early, *found.stale):
        yield file_error(step.path, Reason.STALE)
    yield from (error for _, error in found.errors)
