"""A database that comes from elsewhere, in an archive or as a checkpoint's file.

It is proved twice: as bytes before anything is made of it, and as a wiki before it gets a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from sqlalchemy.exc import DBAPIError

from lwc.errors import (
    ARCHIVE_INVALID,
    ARCHIVE_NEWER,
    CHECKPOINT_INVALID,
    CHECKPOINT_NEWER,
    STORE_NEWER,
    LwcError,
)
from lwc.store import archives, checkpoints, meta, outbox, restoring
from lwc.store.archives import Progress
from lwc.store.dialects import sqlite
from lwc.store.dialects import sqlite_copies as copies
from lwc.store.dialects.sqlite_copies import Identity
from lwc.store.tables import SCHEMA

SQLITE = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A database whose bytes are what they were: how long it is, and how it is written out."""

    bytes: int
    extract: Callable[[Path], None]


@contextmanager
def reading(path: Path, *, name: str, progress: Progress | None = None) -> Iterator[Incoming]:
    """An archive of a wiki or a checkpoint, after all of it was read and its checksums compared."""
    with archives.opened(path, name=name) as file:
        head = file.read(len(SQLITE))
    if head == SQLITE:
        with _told(name):
            found = _checkpoint(path, name)
        yield found
        return
    with archives.reading(path, name=name) as archive:
        archive.check(progress=progress)
        yield Incoming(bytes=archive.manifest.bytes, extract=archive.extract)


def _checkpoint(path: Path, name: str) -> Incoming:
    if path.name == archives.DATABASE or path.suffix != ".db":
        # Whose log stands beside it, and who writes to it, is not known.
        raise ARCHIVE_INVALID(path=name, what="it is a database, and none that lwc has kept")
    found = checkpoints.find(path.parent, path.name.removesuffix(".db"))
    checkpoints.proven(found)
    return Incoming(bytes=found.bytes, extract=lambda target: checkpoints.copy_out(found, target))


def make_ours(path: Path, *, name: str, as_new: bool) -> Identity:
    """Bring a database that was written out to the schema of now; refused unless it is sound.

    `as_new` gives it an identity of its own. Answers what it was.
    """
    # Alembic costs 0.4 s to import; nobody else pays.
    from lwc.store import migrate

    with _told(name):
        was = copies.identity(path)
        if was.schema < int(SCHEMA):
            migrate.bring_up_copy(path)
        strange = migrate.strange_in(path)
        if strange is not None:
            raise ARCHIVE_INVALID(path=name, what=f"its {strange} is not as lwc makes it")
        with restoring.connected(path, mode="scratch") as conn:
            what = restoring.damage(conn)
            if what is not None:
                raise ARCHIVE_INVALID(path=name, what=what)
            with conn.begin():
                if as_new:
                    meta.put(conn, "store_id", token_hex(32))
                # The Markdown files of the other place are not here.
                outbox.carry_over(conn, ())
    return was


@contextmanager
def _told(name: str) -> Iterator[None]:
    """What is wrong with the copy, said of the file that was given."""
    try:
        yield
    except DBAPIError as error:
        raise ARCHIVE_INVALID(path=name, what=sqlite.translated(error).message) from error
    except LwcError as error:
        if error.problem in (STORE_NEWER, CHECKPOINT_NEWER):
            found, known = error.details["found"], error.details["known"]
            raise ARCHIVE_NEWER(path=name, found=found, known=known) from error
        if error.problem is CHECKPOINT_INVALID:
            raise ARCHIVE_INVALID(path=name, what=error.details["what"]) from error
        if error.problem.retryable or error.problem is ARCHIVE_INVALID:
            raise
        raise ARCHIVE_INVALID(path=name, what=error.message.rstrip(".")) from error
