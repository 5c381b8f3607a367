"""Whether every text still is what its digest says, and whose text a damaged one is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import Column, Connection, LargeBinary, Row, cast, select

from lwc.domain.doctor import Flaw
from lwc.store import tables
from lwc.store.tables import drafts as drafted
from lwc.store.tables import metadata, text_parts
from lwc.store.tables import texts as text_rows

# Values in one statement; engines bound them.
TOGETHER = 500
HOLDERS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Holder:
    """A column that names texts: what its rows are called, and by which columns."""

    column: Column[Any]
    entity: str
    names: tuple[str, ...]


# In the order in which they are told: what is read most comes first.
HOLDERS = (
    Holder(tables.sources.c.digest, "source", ("id",)),
    Holder(tables.pages.c.body_digest, "page", ("slug",)),
    Holder(tables.charter.c.text_digest, "charter", ("name", "revision")),
    Holder(tables.analyses.c.text_digest, "analysis", ("source_id", "version")),
    Holder(tables.page_revisions.c.body_digest, "page_revision", ("slug", "revision")),
    Holder(drafted.draft_sources.c.digest, "draft_source", ("changeset", "id")),
    Holder(drafted.draft_pages.c.body_digest, "draft_page", ("changeset", "slug")),
    Holder(drafted.draft_charter.c.text_digest, "draft_charter", ("changeset", "name", "revision")),
    Holder(
        drafted.draft_page_revisions.c.body_digest,
        "draft_page_revision",
        ("changeset", "slug", "revision"),
    ),
    Holder(drafted.inverse_texts.c.digest, "inverse", ("changeset",)),
)


def contents(conn: Connection) -> Iterator[Flaw]:
    """Texts that are not what was kept. A part is in memory at a time, a text never."""
    flawed: dict[str, str] = {}
    for digest, parts in groupby(_parts(conn), key=attrgetter("digest")):
        what = _flaw(digest, parts)
        if what is not None:
            flawed[str(digest)] = what
    held = _holders(conn, list(flawed))
    for digest, what in flawed.items():
        entity, key = held[digest][0] if digest in held else ("text", digest)
        others = [" ".join(one) for one in held.get(digest, ())]
        yield Flaw(
            code="content_hash_mismatch",
            entity=entity,
            key=key,
            facts={
                "what": what,
                "digest": digest,
                "held_by": others[:HOLDERS_SHOWN],
                "holders": len(others),
            },
        )


def _parts(conn: Connection) -> Iterator[Row[Any]]:
    return iter(
        conn.execute(
            select(
                text_rows,
                text_parts.c.start,
                text_parts.c.part_digest,
                # As bytes: damaged text need not be UTF-8 any more.
                cast(text_parts.c.body, LargeBinary).label("body"),
            )
            .outerjoin(text_parts, text_parts.c.digest == text_rows.c.digest)
            .order_by(text_rows.c.digest, text_parts.c.start)
            .execution_options(yield_per=8)
        )
    )


def _flaw(digest: str, parts: Iterator[Row[Any]]) -> str | None:
    """What is wrong with a text; reads all of its parts whatever is found on the way."""
    flaw = None
    whole = sha256()
    chars = size = 0
    for row in parts:
        if row.body is None:
            return "it has no parts"
        if row.start != chars:
            flaw = flaw or f"the part at {chars} is not there"
        elif sha256(row.body).hexdigest() != row.part_digest:
            flaw = flaw or f"the part at {row.start} is another"
        whole.update(row.body)
        chars = row.start + len(row.body.decode("utf-8", "replace"))
        size += len(row.body)
        kept = row.chars, row.bytes
    if flaw is None and (chars, size) != kept:
        flaw = f"it has {chars} characters in {size} bytes, not {kept[0]} in {kept[1]}"
    if flaw is None and whole.hexdigest() != digest:
        flaw = "its digest is another"
    return flaw


def _holders(conn: Connection, digests: list[str]) -> dict[str, list[tuple[str, str]]]:
    """By digest, what holds the text: an entity and its key."""
    found: dict[str, list[tuple[str, str]]] = {}
    for start in range(0, len(digests), TOGETHER):
        some = digests[start : start + TOGETHER]
        for holder in HOLDERS:
            table = metadata.tables[holder.column.table.name]
            named = [table.c[name] for name in holder.names]
            rows = conn.execute(select(holder.column, *named).where(holder.column.in_(some)))
            for digest, *names in rows:
                key = "@".join(map(str, names))
                found.setdefault(str(digest), []).append((holder.entity, key))
    return found
