"""What a draft stages whole, as it is now: a digest of its content, and who made it so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from lwc import wire
from lwc.domain.changeset import Entity
from lwc.store import cells
from lwc.store.tables import (
    aliases,
    charter,
    checks,
    jobs,
    page_revisions,
    pages,
    source_paths,
    sources,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """An entity's content as a digest, none when it is not there; its revision, and whose it is.

    Equal content has an equal digest, whatever its revision: what was changed and changed back
    conflicts with nothing. An entity that is not there may have had revisions.
    """

    digest: str | None = None
    revision: int = 0
    author: str | None = None
    at: datetime | None = None


def base(conn: Connection, entity: Entity, key: int | str) -> Base:
    """An entity as this connection sees it."""
    return _BASES[entity](conn, key)


def _page(conn: Connection, key: int | str) -> Base:
    row = conn.execute(select(pages).where(pages.c.id == key)).one_or_none()
    if row is None:
        highest = select(func.max(page_revisions.c.revision)).where(page_revisions.c.page_id == key)
        return Base(revision=conn.execute(highest).scalar_one() or 0)
    names = select(aliases.c.slug).where(aliases.c.page_id == key).order_by(aliases.c.key)
    content = [row.slug, row.content_digest, list(conn.execute(names).scalars())]
    return Base(
        digest=wire.digest(content),
        revision=row.revision,
        author=row.author,
        at=cells.moment(row.updated_at),
    )


def _source(conn: Connection, key: int | str) -> Base:
    row = conn.execute(select(sources).where(sources.c.id == key)).one_or_none()
    if row is None:
        return Base()
    content = [row.digest, row.title, row.origin, row.path]
    return Base(digest=wire.digest(content), at=cells.moment(row.created_at))


def _path(conn: Connection, key: int | str) -> Base:
    row = conn.execute(
        select(source_paths)
        .where(source_paths.c.tracked_path == key)
        .order_by(source_paths.c.revision.desc())
        .limit(1)
    ).one_or_none()
    if row is None:
        return Base()
    return Base(
        digest=wire.digest(row.source_id), revision=row.revision, at=cells.moment(row.observed_at)
    )


def _charter(conn: Connection, key: int | str) -> Base:
    row = conn.execute(
        select(charter).where(charter.c.name == key).order_by(charter.c.revision.desc()).limit(1)
    ).one_or_none()
    if row is None:
        return Base()
    return Base(
        digest=row.text_digest,
        revision=row.revision,
        author=row.author,
        at=cells.moment(row.created_at),
    )


def _check(conn: Connection, key: int | str) -> Base:
    row = conn.execute(select(checks).where(checks.c.id == key)).one_or_none()
    if row is None:
        return Base()
    content = [row.page_id, row.query, row.paraphrases, row.top]
    return Base(digest=wire.digest(content), author=row.author, at=cells.moment(row.created_at))


def _completion(conn: Connection, key: int | str) -> Base:
    """The job that is to be completed: in this attempt, and not completed yet."""
    row = conn.execute(select(jobs).where(jobs.c.source_id == key)).one_or_none()
    if row is None:
        return Base()
    return Base(
        digest=wire.digest([row.state, row.attempt]),
        revision=row.attempt,
        author=row.agent,
        at=cells.moment(row.updated_at),
    )


_BASES: Mapping[Entity, Callable[[Connection, int | str], Base]] = {
    Entity.PAGE: _page,
    Entity.SOURCE: _source,
    Entity.PATH: _path,
    Entity.CHARTER: _charter,
    Entity.CHECK: _check,
    Entity.COMPLETION: _completion,
}
