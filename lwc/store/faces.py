"""Things as they are compared: each as a connection sees it, live or in a draft."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import TypeVar

from sqlalchemy import Connection, func, select

from lwc.domain.changeset import Entity
from lwc.domain.sides import (
    CharterFace,
    CheckFace,
    Face,
    Key,
    PageFace,
    PathFace,
    SourceFace,
)
from lwc.store import cells, pages, sources
from lwc.store.tables import charter, checks
from lwc.store.tables import pages as page_rows
from lwc.store.tables import sources as source_rows
from lwc.store.tables import texts as text_rows

V = TypeVar("V")

TOGETHER = 500


def read(conn: Connection, keys: Iterable[Key]) -> dict[Key, Face]:
    """These things, those that are there; what is staged of a completion has no face."""
    wanted: dict[Entity, list[int | str]] = {entity: [] for entity in Entity}
    for entity, key in keys:
        wanted[entity].append(key)
    numbers = {
        entity: [key for key in listed if isinstance(key, int)] for entity, listed in wanted.items()
    }
    names = {entity: [str(key) for key in listed] for entity, listed in wanted.items()}
    found: dict[Entity, Mapping[int, Face] | Mapping[str, Face]] = {
        Entity.PAGE: _pages(conn, numbers[Entity.PAGE]),
        Entity.SOURCE: of_sources(conn, numbers[Entity.SOURCE]),
        Entity.PATH: _paths(conn, names[Entity.PATH]),
        Entity.CHARTER: _charter(conn, names[Entity.CHARTER]),
        Entity.CHECK: _checks(conn, numbers[Entity.CHECK]),
    }
    return {(entity, key): face for entity, faces in found.items() for key, face in faces.items()}


def of_sources(conn: Connection, ids: Collection[int]) -> dict[int, SourceFace]:
    """These sources, those that are there."""
    wanted = select(
        source_rows.c.id, source_rows.c.title, source_rows.c.path, text_rows.c.chars
    ).join(text_rows, text_rows.c.digest == source_rows.c.digest)
    return {
        row.id: SourceFace(title=row.title, path=row.path, chars=row.chars)
        for some in parts(ids)
        for row in conn.execute(wanted.where(source_rows.c.id.in_(some)))
    }


def _pages(conn: Connection, ids: Collection[int]) -> dict[int, PageFace]:
    cited = pages.sources_of(conn, ids)
    given = pages.given_provenance_of(conn, ids)
    return {
        page.id: PageFace(
            slug=page.slug,
            title=page.title,
            kind=page.kind,
            summary=page.summary,
            source_ids=cited[page.id],
            provenance=given[page.id],
            text_digest=page.body_digest,
            revision=page.revision,
        )
        for page in pages.of_ids(conn, ids)
    }


def _paths(conn: Connection, paths: Collection[str]) -> dict[str, PathFace]:
    heads = sources.heads(conn, paths)
    return {path: PathFace(source_id=head.source_id) for path, head in heads.items()}


def _charter(conn: Connection, names: Collection[str]) -> dict[str, CharterFace]:
    one = charter.alias()
    newest = select(func.max(one.c.revision)).where(one.c.name == charter.c.name).scalar_subquery()
    rows = conn.execute(
        select(charter.c.name, charter.c.revision, charter.c.text_digest).where(
            charter.c.name.in_(names), charter.c.revision == newest
        )
    )
    return {
        row.name: CharterFace(revision=row.revision, text_digest=row.text_digest) for row in rows
    }


def _checks(conn: Connection, ids: Collection[int]) -> dict[int, CheckFace]:
    wanted = select(
        checks.c.id, page_rows.c.slug, checks.c.query, checks.c.paraphrases, checks.c.top
    ).join(page_rows, page_rows.c.id == checks.c.page_id)
    return {
        row.id: CheckFace(
            page=row.slug,
            query=row.query,
            paraphrases=tuple(cells.loaded(row.paraphrases)),
            top=row.top,
        )
        for some in parts(ids)
        for row in conn.execute(wanted.where(checks.c.id.in_(some)))
    }


def parts(values: Iterable[V]) -> Iterator[list[V]]:
    """These values, some hundred at a time: a statement has room for so many."""
    rest = iter(values)
    while some := list(islice(rest, TOGETHER)):
        yield some
