"""What a publication did, as far as it is kept: its entries in the journal, and both its sides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select

from lwc import wire
from lwc.domain.changeset import Entity
from lwc.domain.page import parse_provenance
from lwc.domain.sides import (
    CharterFace,
    CheckFace,
    Face,
    Key,
    PageFace,
    PathFace,
    SourceFace,
)
from lwc.store import cells, faces, texts
from lwc.store.dialects.sqlite_search import PAGE_ROWS
from lwc.store.drafts import Changeset
from lwc.store.inverses import Image, Inverse
from lwc.store.journal import Operation, as_operation
from lwc.store.lint_touched import WRITING
from lwc.store.revisions import Deed, Revision, as_revision
from lwc.store.tables import charter, page_revisions, source_paths
from lwc.store.tables import operations as rows


def operations(
    conn: Connection,
    changeset: Changeset,
    *,
    count: int,
    limit: int | None = None,
    offset: int = 0,
) -> tuple[Operation, ...]:
    """The newest of the `count` entries that a publication took over from its draft.

    They stand right before its own, for all were made in one transaction.
    """
    own = changeset.published_revision
    if own is None:
        return ()
    entries = select(rows).where(rows.c.id >= own - count, rows.c.id < own)
    entries = entries.order_by(rows.c.id.desc())
    if limit is not None:
        entries = entries.limit(limit).offset(offset)
    return tuple(as_operation(row) for row in conn.execute(entries))


def revisions(
    conn: Connection, changeset: Changeset, *, count: int, page_ids: Collection[int]
) -> dict[int, tuple[Revision, ...]]:
    """The revisions that a publication made of these pages, the last of each page at its end."""
    own = changeset.published_revision
    assert own is not None, "it was published"
    made: dict[int, tuple[Revision, ...]] = {}
    for some in faces.parts(page_ids):
        found = conn.execute(
            select(page_revisions)
            .where(
                page_revisions.c.page_id.in_(some),
                page_revisions.c.operation_id.between(own - count, own),
            )
            .order_by(page_revisions.c.page_id, page_revisions.c.revision)
        )
        for row in found:
            made[row.page_id] = (*made.get(row.page_id, ()), as_revision(row))
    return made


def written(kept: Sequence[Inverse], made: Mapping[int, Sequence[Revision]]) -> frozenset[int]:
    """The pages whose content it wrote, as a draft stands for them when it is published."""
    before = {
        int(one.key): None if one.before is None else one.before["pages"][0]["content_digest"]
        for one in kept
        if one.entity is Entity.PAGE
    }
    return frozenset(
        page_id
        for page_id, revisions in made.items()
        if any(one.deed in WRITING for one in revisions)
        and revisions[-1].content_digest != before[page_id]
    )


def waived(conn: Connection, changeset: Changeset) -> frozenset[tuple[str, str | None, str | None]]:
    """The lint errors that it was published with: their codes, pages and targets."""
    found = select(rows.c.detail).where(rows.c.id == changeset.published_revision)
    told = cells.loaded(conn.execute(found).scalar_one())["lint_findings"]
    return frozenset((one["code"], one["page"], one["target"]) for one in told)


def unindexed(conn: Connection, page_ids: Collection[int]) -> frozenset[int]:
    """Those of these pages that the search index does not hold."""
    known: set[int] = set()
    for some in faces.parts(page_ids):
        known.update(conn.execute(select(PAGE_ROWS.c.id).where(PAGE_ROWS.c.id.in_(some))).scalars())
    return frozenset(page_ids) - known


def before(conn: Connection, kept: Sequence[Inverse]) -> dict[Key, Face]:
    """What a publication replaced; what was not there before is left out."""
    return {
        (one.entity, one.key): _BEFORE[one.entity](conn, one.before)
        for one in kept
        if one.before is not None and one.entity in _BEFORE
    }


def after(
    conn: Connection, changeset: Changeset, kept: Sequence[Inverse], *, count: int
) -> dict[Key, Face]:
    """What a publication left, whatever became of it since; what it took away is left out.

    Of sources, paths and checks no history is kept: of what is gone nothing but the name is known.
    """
    of = {entity: [one for one in kept if one.entity is entity] for entity in Entity}
    ids = [int(one.key) for one in of[Entity.PAGE]]
    made = revisions(conn, changeset, count=count, page_ids=ids)
    now = faces.read(
        conn, [(one.entity, one.key) for one in (*of[Entity.SOURCE], *of[Entity.CHECK])]
    )
    found: dict[Key, Face | None] = {
        (Entity.PAGE, one.key): _page_after(conn, one, made.get(int(one.key), ()))
        for one in of[Entity.PAGE]
    }
    found |= {(Entity.PATH, one.key): _path_after(conn, one) for one in of[Entity.PATH]}
    found |= {(Entity.CHARTER, one.key): _text_after(conn, one) for one in of[Entity.CHARTER]}
    for one in of[Entity.SOURCE]:
        found[(Entity.SOURCE, one.key)] = now.get((Entity.SOURCE, one.key), SourceFace())
    for one in of[Entity.CHECK]:
        found[(Entity.CHECK, one.key)] = now.get((Entity.CHECK, one.key), CheckFace())
    left = {(one.entity, one.key) for one in kept if one.after_digest is not None}
    return {key: face for key, face in found.items() if face is not None and key in left}


def _page_before(conn: Connection, image: Image) -> Face:
    (row,) = image["pages"]
    return PageFace(
        slug=row["slug"],
        title=row["title"],
        kind=row["kind"],
        summary=row["summary"],
        source_ids=tuple(sorted(one["source_id"] for one in image["page_sources"])),
        provenance=parse_provenance(one["provenance"] for one in image["page_provenance"]),
        text_digest=row["body_digest"],
        revision=row["revision"],
    )


def _source_before(conn: Connection, image: Image) -> Face:
    (row,) = image["sources"]
    return SourceFace(title=row["title"], path=row["path"], chars=texts.chars(conn, row["digest"]))


def _path_before(conn: Connection, image: Image) -> Face:
    return PathFace(source_id=_newest(image["source_paths"])["source_id"])


def _text_before(conn: Connection, image: Image) -> Face:
    row = _newest(image["charter"])
    return CharterFace(revision=row["revision"], text_digest=row["text_digest"])


def _check_before(conn: Connection, image: Image) -> Face:
    (row,) = image["checks"]
    named = select(page_revisions.c.slug).where(page_revisions.c.page_id == row["page_id"])
    newest = named.order_by(page_revisions.c.revision.desc()).limit(1)
    return CheckFace(
        page=conn.execute(newest).scalar_one_or_none(),
        query=row["query"],
        paraphrases=tuple(cells.loaded(row["paraphrases"])),
        top=row["top"],
    )


_BEFORE: Mapping[Entity, Callable[[Connection, Image], Face]] = {
    Entity.PAGE: _page_before,
    Entity.SOURCE: _source_before,
    Entity.PATH: _path_before,
    Entity.CHARTER: _text_before,
    Entity.CHECK: _check_before,
}


def _page_after(conn: Connection, one: Inverse, made: Sequence[Revision]) -> Face | None:
    """The last revision it made; a page that was only confirmed stayed as it was."""
    if not made:
        return None if one.before is None else _page_before(conn, one.before)
    last = made[-1]
    if last.deed is Deed.REMOVE:
        return None
    return PageFace(
        slug=last.slug,
        title=last.title,
        kind=last.kind,
        summary=last.summary,
        source_ids=last.source_ids,
        provenance=last.provenance,
        text_digest=last.body_digest,
        revision=last.revision,
    )


def _path_after(conn: Connection, one: Inverse) -> Face:
    """What the path was left with: no other source has the digest that was kept."""
    held = select(source_paths.c.source_id).where(source_paths.c.tracked_path == one.key)
    for source_id in conn.execute(held.distinct()).scalars():
        if wire.digest(source_id) == one.after_digest:
            return PathFace(source_id=source_id)
    return PathFace()


def _text_after(conn: Connection, one: Inverse) -> Face | None:
    base = 0 if one.before is None else _newest(one.before["charter"])["revision"]
    row = conn.execute(
        select(charter)
        .where(
            charter.c.name == one.key,
            charter.c.revision >= base,
            charter.c.text_digest == one.after_digest,
        )
        .order_by(charter.c.revision)
        .limit(1)
    ).one_or_none()
    return None if row is None else CharterFace(revision=row.revision, text_digest=row.text_digest)


def _newest(revisions: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return max(revisions, key=lambda row: int(row["revision"]))
