"""The Markdown files of a wiki: made anew, and looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lwc import projection
from lwc.errors import PROJECTION_FOLDER_REFUSED, PROJECTION_INCOMPLETE
from lwc.projection import FileError
from lwc.store import derived
from lwc.wiki import Answer, Wiki

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectionMade(Answer):
    """A full run, counted in files; `kept` are edits of others that were set aside.

    `revision` is the wiki's that the files tell.
    """

    revision: int
    written: int
    removed: int
    unchanged: int
    behind: int
    kept: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectionStatus(Answer):
    """How far the Markdown files are, and what else is derived.

    `projected_revision` is the wiki's when files were last written, and `errors` what failed then.
    `standing` is `store_went_back` when the database knows less than was projected from it.
    `log_bytes` is the length of the database's write-ahead log.
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
    search_pages: int
    search_sources: int
    log_bytes: int


def materialize(
    wiki: Wiki, *, force: bool = False, progress: Progress | None = None
) -> ProjectionMade:
    """Make every file be what the wiki says. The wiki itself is not changed.

    With `force`, files that lwc did not write and that stand in the way of its own are set aside.
    """
    try:
        made = projection.materialize(
            wiki.database, wiki.workspace.store, force=force, progress=progress
        )
    except OSError as error:
        what = (error.strerror or "input/output error").lower()
        raise PROJECTION_FOLDER_REFUSED(what=what) from error
    if made.errors:
        done = {name: getattr(made, name) for name in ("written", "removed", "unchanged", "kept")}
        raise PROJECTION_INCOMPLETE(
            failed=made.errors_total, details={**done, "errors": made.errors}
        )
    return ProjectionMade(
        **wiki.label(),
        revision=made.revision,
        written=made.written,
        removed=made.removed,
        unchanged=made.unchanged,
        behind=made.behind,
        kept=made.kept,
    )


def status(wiki: Wiki) -> ProjectionStatus:
    """How far the Markdown files are; none of them is read."""
    seen = projection.survey(wiki.database, wiki.workspace.store)
    with wiki.database.reading() as conn:
        pages, sources = derived.indexed(conn)
    return ProjectionStatus(
        **wiki.label(),
        **{name: getattr(seen, name) for name in seen.__dataclass_fields__},
        search_pages=pages,
        search_sources=sources,
        log_bytes=derived.log_bytes(wiki.workspace.database),
    )
