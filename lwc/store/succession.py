"""What a restored wiki takes over from the one it replaces: all that is given once and for ever.

The journal goes on and every history with it, so that no id and no revision that somebody has seen
ever means something else. What is read here may be damaged; each part stands for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, Table, func, insert, select, update
from sqlalchemy.exc import DBAPIError, IntegrityError

from lwc import clock
from lwc.domain.changeset import Status
from lwc.domain.comparison import Contents
from lwc.errors import CHECKPOINT_DIVERGED, LwcError
from lwc.store import claim_succession, comparing, outbox, page_succession, texts
from lwc.store.dialects import sqlite
from lwc.store.tables import charter, operations, requests, source_ids, text_parts
from lwc.store.tables import texts as text_rows
from lwc.store.tables.drafts import changesets

V = TypeVar("V")

TOGETHER = 200
# What these did is files, which no restore takes back.
ABOUT_FILES = ("checkpoint create", "checkpoint delete", "checkpoint prune")


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """The restore as the journal knows it: its operation, who asked for it, and when."""

    operation: int
    agent: str
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """What can be read of the wiki that is replaced; `contents` are none when it is too damaged."""

    revision: int
    drafts: Mapping[str, str]
    contents: Contents | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Succession:
    """What became of claims, and the parts of the replaced wiki that could not be read."""

    claims_ended: tuple[int, ...]
    missed: tuple[str, ...]


def look(replaced: Connection) -> Replaced:
    """The replaced wiki as far as it can be read."""
    try:
        found = comparing.contents(replaced)
    except LwcError as error:
        if error.problem.retryable:
            raise
        found = None
    return Replaced(
        revision=_last(replaced), drafts={} if found is None else drafts(found), contents=found
    )


def drafts(contents: Contents) -> dict[str, str]:
    """The names of the open drafts by their ids."""
    return {
        key: held.shown["name"]
        for key, held in contents["changeset"].items()
        if held.shown["status"] == Status.DRAFT
    }


def inherit(conn: Connection, replaced: Connection, *, name: str) -> tuple[str, ...]:
    """Go on where the replaced wiki ends: its sequences, its journal, the ids of its sources.

    Answers what could not be read. `name` is the checkpoint's, for the refusal of one whose wiki
    went another way under the same identity.
    """
    _refuse_diverged(conn, replaced, name)
    try:
        return _each(
            conn,
            {
                "sequences": lambda: _raise_sequences(conn, replaced),
                "operations": lambda: _take(conn, replaced, operations),
                "source_ids": lambda: _take(conn, replaced, source_ids),
            },
        )
    except IntegrityError as error:
        raise CHECKPOINT_DIVERGED(name=name) from error


def go_on(conn: Connection, replaced: Connection, restore: Restore) -> Succession:
    """Let every history go on from what both wikis had."""
    ended: list[int] = []
    missed = _each(
        conn,
        {
            "requests": lambda: _take_requests(conn, replaced, restore),
            "page_revisions": lambda: _page_histories(conn, replaced, restore),
            "charter": lambda: _charter(conn, replaced, restore),
            "changesets": lambda: _draft_revisions(conn, replaced),
            "jobs": lambda: ended.extend(claim_succession.settle(conn, replaced, now=restore.now)),
            # The files that are there are those of the replaced wiki.
            "projected": lambda: outbox.carry_over(conn, outbox.all_written(replaced)),
        },
    )
    if "projected" in missed:
        outbox.put_all(conn)
    return Succession(claims_ended=tuple(ended), missed=missed)


def _each(conn: Connection, parts: Mapping[str, Callable[[], None]]) -> tuple[str, ...]:
    """Do each part whole or not at all; answers those that the replaced wiki is too damaged for."""
    failed = []
    for part, take in parts.items():
        try:
            with conn.begin_nested():
                take()
        except IntegrityError:
            raise
        except (DBAPIError, UnicodeDecodeError) as error:
            if isinstance(error, DBAPIError) and sqlite.translated(error).problem.retryable:
                raise
            failed.append(part)
    return tuple(failed)


def _refuse_diverged(conn: Connection, replaced: Connection, name: str) -> None:
    """Two wikis of one identity that share a journal have the same last entry in common."""
    last = min(_last(conn), _last(replaced))
    if last == 0:
        return
    entry = select(operations).where(operations.c.id == last)
    mine, theirs = (one.execute(entry).one_or_none() for one in (conn, replaced))
    if mine is not None and theirs is not None and tuple(mine) != tuple(theirs):
        raise CHECKPOINT_DIVERGED(name=name)


def _last(conn: Connection) -> int:
    """The end of a journal; 0 of one that cannot be read."""
    try:
        return int(conn.execute(select(func.coalesce(func.max(operations.c.id), 0))).scalar_one())
    except DBAPIError:
        return 0


def _raise_sequences(conn: Connection, replaced: Connection) -> None:
    for name, reached in replaced.execute(select(sqlite.SEQUENCES)):
        sqlite.raise_sequence(conn, name, reached)


def _take(conn: Connection, replaced: Connection, table: Table) -> None:
    """Add the rows whose ids are not there."""
    for rows in _missing(conn, replaced, table, "id"):
        conn.execute(insert(table), [dict(row._mapping) for row in rows])


def _take_requests(conn: Connection, replaced: Connection, restore: Restore) -> None:
    """Remember requests that were answered since: what they did is not there any more."""
    for rows in _missing(conn, replaced, requests, "request_id"):
        conn.execute(insert(requests), [_undone(row, restore) for row in rows])


def _undone(row: Row[Any], restore: Restore) -> dict[str, Any]:
    kept = dict(row._mapping)
    if row.command not in ABOUT_FILES:
        kept["undone"] = row.undone or restore.operation
    return kept


def _page_histories(conn: Connection, replaced: Connection, restore: Restore) -> None:
    page_succession.take_histories(
        conn,
        replaced,
        operation=restore.operation,
        agent=restore.agent,
        now=restore.now,
        take_text=lambda digest: take_text(conn, replaced, digest),
    )


def _charter(conn: Connection, replaced: Connection, restore: Restore) -> None:
    """The texts that were set since stay in the history; the one of then is set again."""
    newest = {row.name: row for row in conn.execute(select(charter).order_by(charter.c.revision))}
    last: dict[str, Row[Any]] = {}
    for row in replaced.execute(select(charter).order_by(charter.c.revision)):
        mine = newest.get(row.name)
        if mine is None or row.revision > mine.revision:
            digest = take_text(conn, replaced, row.text_digest)
            conn.execute(insert(charter), {**row._mapping, "text_digest": digest})
            last[row.name] = row
    for name, row in last.items():
        if name in newest:
            conn.execute(
                insert(charter).values(
                    name=name,
                    revision=row.revision + 1,
                    text_digest=newest[name].text_digest,
                    author=restore.agent,
                    created_at=clock.stamp(restore.now),
                )
            )


def _draft_revisions(conn: Connection, replaced: Connection) -> None:
    """A draft of both wikis counts on behind all that was seen of it."""
    seen = select(changesets.c.changeset_id, changesets.c.draft_revision)
    mine: dict[str, int] = dict(conn.execute(seen).all())
    for changeset_id, revision in replaced.execute(seen):
        if revision > mine.get(changeset_id, revision):
            counted = update(changesets).where(changesets.c.changeset_id == changeset_id)
            conn.execute(counted.values(draft_revision=revision + 1))


def take_text(conn: Connection, replaced: Connection, digest: str) -> str:
    """Have a text of the replaced wiki; one that is damaged there becomes a text that says so."""
    if conn.execute(select(text_rows.c.digest).where(text_rows.c.digest == digest)).first():
        return digest
    try:
        texts.whole(replaced, digest)
    except (LwcError, DBAPIError):
        return texts.put(conn, "This text was damaged when the wiki was restored.\n")
    for table, column in ((text_rows, text_rows.c.digest), (text_parts, text_parts.c.digest)):
        for row in replaced.execute(select(table).where(column == digest)):
            conn.execute(insert(table), dict(row._mapping))
    return digest


def _missing(
    conn: Connection, replaced: Connection, table: Table, column: str
) -> Iterator[list[Row[Any]]]:
    """The rows that only the replaced wiki has, some at a time, in the order of their keys."""
    key = table.c[column]
    theirs, mine = (set(one.execute(select(key)).scalars()) for one in (replaced, conn))
    for some in _chunks(sorted(theirs - mine)):
        yield list(replaced.execute(select(table).where(key.in_(some)).order_by(key)))


def _chunks(values: Iterable[V]) -> Iterator[list[V]]:
    rest = iter(values)
    while some := list(islice(rest, TOGETHER)):
        yield some
