"""Sources in the database: snapshots, the ids of their digests, and the history of paths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Delete,
    Row,
    Select,
    bindparam,
    delete,
    exists,
    func,
    insert,
    not_,
    or_,
    select,
)

from lwc import clock
from lwc.domain.changeset import Entity
from lwc.domain.source import PathHead, Source
from lwc.errors import SOURCE_NOT_FOUND
from lwc.store import cells, jobs, layers, outbox, search, texts
from lwc.store.search import SourcePiece
from lwc.store.tables import metadata, source_ids, source_paths, sources, text_parts
from lwc.store.tables import texts as text_rows

V = TypeVar("V")

# Values in one statement; engines bound them, and SQLAlchemy compiles anew for each count.
TOGETHER = 500

INSERT_SOURCE = insert(sources)
INSERT_IDS = insert(source_ids).returning(
    source_ids.c.id, source_ids.c.digest, sort_by_parameter_order=True
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What the removal of a source did to the history of paths."""

    affected_paths: tuple[str, ...]
    untracked_paths: tuple[str, ...]
    removed_path_revisions: int


def find(conn: Connection, source_id: int) -> Source:
    """The source of an id, or `source_not_found`."""
    row = conn.execute(_rows().where(sources.c.id == source_id)).one_or_none()
    if row is None:
        raise SOURCE_NOT_FOUND(source=source_id)
    return as_source(row)


def listed(conn: Connection, *, limit: int, offset: int = 0) -> tuple[Source, ...]:
    """Sources by id."""
    rows = conn.execute(_rows().order_by(sources.c.id).limit(limit).offset(offset))
    return tuple(as_source(row) for row in rows)


def total(conn: Connection) -> int:
    """How many sources there are."""
    return int(conn.execute(select(func.count()).select_from(sources)).scalar_one())


def known(conn: Connection, ids: Iterable[int]) -> set[int]:
    """Those of the ids that are sources."""
    return {
        int(found)
        for some in _chunks(ids)
        for found in conn.execute(select(sources.c.id).where(sources.c.id.in_(some))).scalars()
    }


def by_digest(conn: Connection, digests: Iterable[str]) -> dict[str, Source]:
    """The sources that hold texts of these digests."""
    return {
        row.digest: as_source(row)
        for some in _chunks(digests)
        for row in conn.execute(_rows().where(sources.c.digest.in_(some)))
    }


def digests(conn: Connection) -> set[str]:
    """The digests of all sources."""
    return set(conn.execute(select(sources.c.digest)).scalars())


def _rows() -> Select[Any]:
    return select(sources, text_rows.c.chars, text_rows.c.bytes).join(
        text_rows, text_rows.c.digest == sources.c.digest
    )


def as_source(row: Row[Any]) -> Source:
    return Source(
        id=row.id,
        digest=row.digest,
        title=row.title,
        origin=row.origin,
        path=row.path,
        chars=row.chars,
        bytes=row.bytes,
        created_at=cells.moment(row.created_at),
    )


def make(
    conn: Connection, source: Source, *, text: str, terms: Iterable[SourcePiece] | None = None
) -> None:
    """Make a source that is not there, under the id of its digest; searchable, its job pending.

    `terms` are its analysis, when that was made before the transaction.
    """
    texts.put(conn, text, digest=source.digest, size=source.bytes)
    layers.touch(conn, Entity.SOURCE, source.id)
    conn.execute(
        INSERT_SOURCE,
        {
            "id": source.id,
            "digest": source.digest,
            "title": source.title,
            "origin": source.origin,
            "path": source.path,
            "created_at": clock.stamp(source.created_at),
        },
    )
    jobs.open_job(conn, source.id, source.created_at)
    search.index_source(conn, source.id, _analysed(source, text) if terms is None else terms)
    outbox.put(conn, Entity.SOURCE, source.id)


def ids_of(conn: Connection, digests: Iterable[str]) -> dict[str, int]:
    """The ids that digests have for ever; those that never had one get it now, in this order."""
    wanted = list(dict.fromkeys(digests))
    found = {
        row.digest: int(row.id)
        for some in _chunks(wanted)
        for row in conn.execute(select(source_ids).where(source_ids.c.digest.in_(some)))
    }
    new = [{"digest": digest} for digest in wanted if digest not in found]
    if new:
        rows = conn.execute(INSERT_IDS, new)
        found.update({row.digest: int(row.id) for row in rows})
    return found


def heads(conn: Connection, tracked: Iterable[str]) -> dict[str, PathHead]:
    """What the tracked paths hold now; a path that was never seen is left out."""
    one = source_paths.alias()
    newest = (
        select(func.max(one.c.revision))
        .where(one.c.tracked_path == source_paths.c.tracked_path)
        .scalar_subquery()
    )
    chosen = select(source_paths).where(source_paths.c.revision == newest)
    return {
        row.tracked_path: PathHead(
            tracked_path=row.tracked_path, revision=row.revision, source_id=row.source_id
        )
        for some in _chunks(tracked)
        for row in conn.execute(chosen.where(source_paths.c.tracked_path.in_(some)))
    }


def paths_of(conn: Connection, source_id: int) -> tuple[PathHead, ...]:
    """The heads of all paths at which a source was ever seen."""
    seen = select(source_paths.c.tracked_path).where(source_paths.c.source_id == source_id)
    found = heads(conn, conn.execute(seen.distinct()).scalars().all())
    return tuple(found[path] for path in sorted(found))


def advance(conn: Connection, heads: Sequence[PathHead], now: datetime) -> None:
    """Write new heads of paths, each one revision above what its path had."""
    if not heads:
        return
    for head in heads:
        layers.touch(conn, Entity.PATH, head.tracked_path)
    conn.execute(
        insert(source_paths),
        [
            {
                "tracked_path": head.tracked_path,
                "revision": head.revision,
                "source_id": head.source_id,
                "observed_at": clock.stamp(now),
            }
            for head in heads
        ],
    )


def remove(
    conn: Connection, source: Source, *, terms: Iterable[SourcePiece] | None = None
) -> Forgotten:
    """Take a source out with its job, its text and its place in search and path history.

    The caller has made sure that no page cites it. Its id stays bound to its digest. `terms` are
    its analysis, when that was made before the transaction.
    """
    spare = {source.digest, *jobs.analyses_of(conn, source.id)}
    forgotten = _forget_paths(conn, source.id)
    if terms is None:
        terms = _analysed(source, texts.whole(conn, source.digest))
    layers.touch(conn, Entity.SOURCE, source.id)
    search.drop_source(conn, source.id, terms)
    conn.execute(delete(sources).where(sources.c.id == source.id))
    jobs.drop_unowned(conn, source.id)
    for digest in spare:
        drop_unused_text(conn, digest)
    outbox.put(conn, Entity.SOURCE, source.id)
    return forgotten


def _analysed(source: Source, text: str) -> Iterable[SourcePiece]:
    return search.analyse_source(title=source.title, path=source.path, text=text)


def _forget_paths(conn: Connection, source_id: int) -> Forgotten:
    """A path whose head goes is forgotten whole, so that no older source becomes its head."""
    affected = paths_of(conn, source_id)
    untracked = [head.tracked_path for head in affected if head.source_id == source_id]
    for head in affected:
        layers.touch(conn, Entity.PATH, head.tracked_path)
    count = _forget(conn, source_paths.c.source_id == source_id)
    for some in _chunks(untracked):
        count += _forget(conn, source_paths.c.tracked_path.in_(some))
    return Forgotten(
        affected_paths=tuple(head.tracked_path for head in affected),
        untracked_paths=tuple(untracked),
        removed_path_revisions=count,
    )


def _forget(conn: Connection, condition: ColumnElement[bool]) -> int:
    """Delete rows of paths; counted before, for what goes through a view is not."""
    going = select(func.count()).select_from(source_paths).where(condition)
    count = int(conn.execute(going).scalar_one())
    conn.execute(delete(source_paths).where(condition))
    return count


def drop_unused_text(conn: Connection, digest: str) -> None:
    """Forget a text that nothing refers to any more, live or in any draft."""
    conn.execute(_forgetting(), {"unused": digest})


@cache
def _forgetting() -> Delete:
    """The statement that forgets the text `unused`, unless some column of any table refers to it.

    Made once: a draft that is thrown away asks for thousands.
    """
    # Its tables belong to the metadata once they are imported.
    import lwc.store.tables.drafts  # noqa: F401
    from lwc.store.dialects import sqlite_layers

    digest: BindParameter[str] = bindparam("unused")
    references = [
        sqlite_layers.beneath(table).c[column.name]
        for table in metadata.tables.values()
        for column in table.columns
        if table is not text_parts and column.references(text_rows.c.digest)
    ]
    used = or_(*(exists().where(column == digest) for column in references))
    return delete(text_rows).where(text_rows.c.digest == digest, not_(used))


def _chunks(values: Iterable[V]) -> Iterator[list[V]]:
    """The values without repetition, some hundred at a time: a statement has room for so many."""
    rest = iter(dict.fromkeys(values))
    while some := list(islice(rest, TOGETHER)):
        yield some
