"""What the files of the projection are to hold, as the wiki is at one moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from lwc.domain.changeset import Entity
from lwc.domain.projection import INDEX, OVERVIEW, page_path
from lwc.domain.projection_page import page_file
from lwc.domain.projection_whole import IndexedPage, index_line, overview_file
from lwc.errors import LwcError
from lwc.store import outbox, projectable
from lwc.store.database import Connection
from lwc.store.outbox import Waiting


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file and the digest of what it is to hold; without content it holds the text of that
    digest, which is read when it is written."""

    path: str
    digest: str
    content: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The files of an entity: none when it is gone, and nothing known when it is `damaged`.

    `line` is that of a page in the index.
    """

    waiting: Waiting
    files: tuple[File, ...] = ()
    damaged: str | None = None
    line: str | None = None


def wishes(conn: Connection, waiting: Sequence[Waiting]) -> tuple[Wish, ...]:
    """The files of these entities; as many as fit one statement."""
    pages = projectable.pages_of(conn, _numbers(waiting, Entity.PAGE))
    sources = projectable.source_files(conn, _numbers(waiting, Entity.SOURCE))

    def wish(one: Waiting) -> Wish:
        entity, key = one.owner
        if entity == Entity.CHARTER:
            digest = projectable.charter_digest(conn, key)
            files = () if digest is None else (File(path=f"{key}.md", digest=digest),)
            return Wish(waiting=one, files=files)
        if entity == Entity.SOURCE and (source := sources.get(int(key))):
            path, digest = source
            return Wish(waiting=one, files=(File(path=path, digest=digest),))
        if entity == Entity.PAGE and (found := pages.get(int(key))):
            page, content = found
            path = page_path(page.slug, page.kind)
            line = index_line(
                IndexedPage(slug=page.slug, title=page.title, kind=page.kind, summary=page.summary)
            )
            if content is None:
                return Wish(waiting=one, damaged=path, line=line)
            return Wish(waiting=one, files=(_file(path, page_file(content)),), line=line)
        return Wish(waiting=one)

    return tuple(map(wish, waiting))


def whole(conn: Connection, index: str) -> Wish:
    """The files that gather all, but for the log, which only grows."""
    waiting = Waiting(owner=outbox.WHOLE, operation_id=None)
    files = (_file(INDEX, index),)
    try:
        digest = projectable.charter_digest(conn, "purpose")
        purpose = None if digest is None else projectable.text(conn, digest)
    except LwcError:
        return Wish(waiting=waiting, files=files, damaged=OVERVIEW)
    overview = overview_file(projectable.totals(conn), purpose=purpose or "")
    return Wish(waiting=waiting, files=(*files, _file(OVERVIEW, overview)))


def _numbers(waiting: Sequence[Waiting], entity: Entity) -> list[int]:
    return [int(one.owner[1]) for one in waiting if one.owner[0] == entity]


def _file(path: str, text: str) -> File:
    content = text.encode()
    return File(path=path, digest=sha256(content).hexdigest(), content=content)
