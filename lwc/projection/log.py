"""The file of the log: it is added to, and made anew where it is not what the journal says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lwc.domain.projection import LOG
from lwc.domain.projection_state import FileError, Reason, file_error
from lwc.domain.projection_whole import LOG_HEAD, log_entries
from lwc.projection.steps import told
from lwc.projection.tree import Tree
from lwc.store import outbox, projectable
from lwc.store.database import Connection, Database
from lwc.store.outbox import Written

# A command adds so many operations; claims alone may have piled up more.
MOST_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """What became of the log: what to keep of it, whether it was written, what was set aside."""

    row: Written | None = None
    written: bool = False
    kept: str | None = None
    error: FileError | None = None


def bring_up(database: Database, tree: Tree, *, whole: bool, force: bool = False) -> Logged:
    """Have the log tell what the journal tells.

    Its end is known: the last operation and its length, kept when it was written. Only where it
    ends there is it added to. A kill in between leaves it longer, and so it is compared as a whole,
    as it is when `whole` asks for it.
    """
    try:
        with database.reading() as conn:
            row = outbox.written(conn, at=(LOG,)).get(LOG)
        last, length = _end(row)
        if not whole and row is not None and _ends_there(database, tree, last, length):
            return _added(database, tree, last, length)
        return _compared(database, tree, row, force=force)
    except OSError as error:
        return Logged(error=told(LOG, error))


def _end(row: Written | None) -> tuple[int, int]:
    if row is None or len(row.digests) != 2:
        return 0, 0
    last, length = row.digests
    return int(last), int(length)


def _row(last: int, length: int) -> Written:
    return Written(path=LOG, owner=outbox.WHOLE, digests=(str(last), str(length)))


def _ends_there(database: Database, tree: Tree, last: int, length: int) -> bool:
    if length == 0 or tree.size(LOG) != length:
        return False
    with database.reading() as conn:
        operation = projectable.logged_operation(conn, last)
    if operation is None:
        return False
    entry = log_entries([operation]).encode()
    return tree.read(LOG, start=max(0, length - len(entry))) == entry


def _added(database: Database, tree: Tree, last: int, length: int) -> Logged:
    with database.reading() as conn:
        operations = projectable.logged(conn, after=last, limit=MOST_AT_ONCE)
    if not operations:
        return Logged()
    content = log_entries(operations).encode()
    tree.append(LOG, content, at=length)
    return Logged(row=_row(operations[-1].id, length + len(content)), written=True)


def _compared(database: Database, tree: Tree, row: Written | None, *, force: bool) -> Logged:
    with database.reading() as conn:
        last, content = _everything(conn)
        known_last, known_length = _end(row)
        is_forgotten = projectable.logged_operation(conn, known_last) is None
    standing = tree.read(LOG)
    if standing == content:
        return Logged(row=_row(last, len(content)))
    # The beginning of what it is to be: it lags, or a kill cut it short. Or it is as it was written
    # and the journal has forgotten: another state of the wiki was put in place.
    ours = standing is None or content.startswith(standing)
    ours = ours or (row is not None and is_forgotten and len(standing or b"") == known_length)
    kept = None
    if not ours:
        if row is None and not force:
            return Logged(error=file_error(LOG, Reason.FOREIGN))
        kept = tree.set_aside(LOG)
    tree.replace(LOG, content)
    return Logged(row=_row(last, len(content)), written=True, kept=kept)


def differences(database: Database, tree: Tree) -> Iterator[FileError]:
    """What is wrong with the log; that it does not tell the newest operations yet is not."""
    with database.reading() as conn:
        _, content = _everything(conn)
    try:
        standing = tree.read(LOG)
    except OSError as error:
        yield told(LOG, error)
        return
    if standing is None:
        yield file_error(LOG, Reason.ABSENT)
    elif not content.startswith(standing):
        yield file_error(LOG, Reason.DIFFERS)


def _everything(conn: Connection) -> tuple[int, bytes]:
    last, parts = 0, [LOG_HEAD]
    while operations := projectable.logged(conn, after=last):
        parts.append(log_entries(operations))
        last = operations[-1].id
    return last, "".join(parts).encode()
