"""Content-addressed texts, cut into parts so that a window reads and proves only what it shows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from sqlalchemy import Connection, insert, select

from lwc import wire
from lwc.errors import STORE_CORRUPT, LwcError
from lwc.store.tables import text_parts, texts

PART_CHARS = 65_536


def put(conn: Connection, text: str, *, digest: str | None = None, size: int | None = None) -> str:
    """Keep a text; answers its SHA-256. A text that is there already is not written again."""
    digest = digest or wire.text_digest(text)
    if conn.execute(select(texts.c.digest).where(texts.c.digest == digest)).first() is not None:
        return digest
    size = len(text.encode("utf-8")) if size is None else size
    conn.execute(insert(texts), {"digest": digest, "chars": len(text), "bytes": size})
    for start, body in _parts(text):
        part_digest = digest if len(body) == len(text) else wire.text_digest(body)
        part = {"digest": digest, "start": start, "part_digest": part_digest, "body": body}
        conn.execute(insert(text_parts), part)
    return digest


def _parts(text: str) -> Iterator[tuple[int, str]]:
    for start in range(0, max(len(text), 1), PART_CHARS):
        yield start, text[start : start + PART_CHARS]


def whole(conn: Connection, digest: str) -> str:
    """A text, proved by its digest (`corrupt_store` when it is not what was kept)."""
    rows = conn.execute(
        select(text_parts.c.body).where(text_parts.c.digest == digest).order_by(text_parts.c.start)
    )
    text = _joined(rows.scalars())
    if wire.text_digest(text) != digest:
        raise _damaged(digest)
    return text


def window(conn: Connection, digest: str, *, offset: int, size: int) -> str:
    """Up to `size` code points from `offset`; only the parts it touches are read and proved."""
    total = chars(conn, digest)
    end = min(offset + size, total)
    if end <= offset:
        return ""
    first = offset - offset % PART_CHARS
    rows = conn.execute(
        select(text_parts)
        .where(text_parts.c.digest == digest, text_parts.c.start >= first, text_parts.c.start < end)
        .order_by(text_parts.c.start)
    ).fetchall()
    joined = _joined(row.body for row in rows)
    if (
        [row.start for row in rows] != list(range(first, end, PART_CHARS))
        or len(joined) != min(len(rows) * PART_CHARS, total - first)
        or any(wire.text_digest(row.body) != row.part_digest for row in rows)
    ):
        raise _damaged(digest)
    return joined[offset - first : end - first]


def openings(conn: Connection, digests: Collection[str]) -> dict[str, str]:
    """The first part of each of these texts, read at once."""
    rows = conn.execute(
        select(text_parts).where(text_parts.c.digest.in_(digests), text_parts.c.start == 0)
    )
    found = {}
    for row in rows:
        if row.body is None or wire.text_digest(row.body) != row.part_digest:
            raise _damaged(row.digest)
        found[row.digest] = row.body
    for digest in digests:
        if digest not in found:
            raise _damaged(digest)
    return found


def chars(conn: Connection, digest: str) -> int:
    """How many code points a text has."""
    found = conn.execute(select(texts.c.chars).where(texts.c.digest == digest)).scalar_one_or_none()
    if found is None:
        raise _damaged(digest)
    return int(found)


def _joined(bodies: Iterable[str | None]) -> str:
    """The parts together; a damaged row can hold none where the schema forbids it."""
    return "".join(body or "" for body in bodies)


def _damaged(digest: str) -> LwcError:
    return STORE_CORRUPT(what=f"the text {str(digest)[:12]} is not what was kept")
