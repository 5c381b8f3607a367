"""What waits to be projected as Markdown, and what the files of the projection hold."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import (
    Connection,
    Row,
    bindparam,
    case,
    delete,
    func,
    insert,
    select,
    tuple_,
    update,
)

from lwc.domain.changeset import Entity
from lwc.store import layers
from lwc.store.tables import charter, operations, outbox, pages, projected, sources

V = TypeVar("V")
# Whose files these are: the kind of thing and its key.
Owner = tuple[str, str]

# Values in one statement; engines bound them.
TOGETHER = 400
# The index, the overview and the log belong to no entity.
WHOLE: Owner = ("wiki", "")

_END = select(func.coalesce(func.max(operations.c.id), 0))
# Made once, for adding a folder runs them for each of its thousands of files.
_NUMBER = bindparam("number", type_=outbox.c.operation_id.type)
_AGAIN = (
    update(outbox)
    .where(outbox.c.entity == bindparam("of"), outbox.c.key == bindparam("named"))
    .values(
        operation_id=case(
            (outbox.c.operation_id >= _NUMBER, outbox.c.operation_id + 1), else_=_NUMBER
        )
    )
)
_NEW = insert(outbox).values(entity=bindparam("of"), key=bindparam("named"), operation_id=_NUMBER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """An entity to project; `operation_id` is none for one that is looked at without a change."""

    owner: Owner
    operation_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A file of the projection. `digests` are what it may hold: what it held when it was written
    last, and, while a run is on its way, what it is to hold."""

    path: str
    owner: Owner
    digests: tuple[str, ...]


def put(conn: Connection, entity: Entity, key: int | str, operation_id: int | None = None) -> None:
    """Have an entity projected once this transaction is committed; in a draft nothing is.

    What waits already is marked anew, so that a run which read it before does not take it for done.
    """
    if layers.of(conn) is not None:
        return
    number = conn.execute(_END).scalar_one() if operation_id is None else operation_id
    row = {"of": entity.value, "named": str(key), "number": number}
    if conn.execute(_AGAIN, row).rowcount == 0:
        conn.execute(_NEW, row)


def put_all(conn: Connection) -> None:
    """Have everything projected anew, and what is not there any more taken away."""
    highest = select(func.coalesce(func.max(outbox.c.operation_id), 0)).scalar_subquery()
    number = 1 + max(*conn.execute(select(_END.scalar_subquery(), highest)).one())
    every = [one.owner for one in owners(conn) if one.owner != WHOLE]
    conn.execute(delete(outbox))
    if every:
        rows = [{"entity": kind, "key": key, "operation_id": number} for kind, key in every]
        conn.execute(insert(outbox), rows)


def count(conn: Connection) -> int:
    """How many entities wait."""
    return int(conn.execute(select(func.count()).select_from(outbox)).scalar_one())


def waits(conn: Connection) -> bool:
    """Whether anything waits."""
    return conn.execute(select(outbox.c.entity).limit(1)).first() is not None


def newest(conn: Connection, *, limit: int, below: int | None = None) -> tuple[Waiting, ...]:
    """What waits, changed last first; with `below` only what was changed before that operation."""
    chosen = select(outbox).order_by(outbox.c.operation_id.desc(), outbox.c.entity, outbox.c.key)
    if below is not None:
        chosen = chosen.where(outbox.c.operation_id < below)
    return tuple(_as_waiting(row) for row in conn.execute(chosen.limit(limit)))


def of_owners(conn: Connection, wanted: Collection[Owner]) -> tuple[Waiting, ...]:
    """These entities, each with what it waits for; in the order asked for."""
    names = tuple_(outbox.c.entity, outbox.c.key)
    found = {
        (row.entity, row.key): row.operation_id
        for some in _some(wanted)
        for row in conn.execute(select(outbox).where(names.in_(some)))
    }
    return tuple(Waiting(owner=owner, operation_id=found.get(owner)) for owner in wanted)


def owners(conn: Connection) -> tuple[Waiting, ...]:
    """All that has files, should have or may have: texts first, then sources and pages by id."""
    live = [
        *((Entity.CHARTER.value, name) for name in _all(conn, charter.c.name)),
        *((Entity.SOURCE.value, str(id_)) for id_ in _all(conn, sources.c.id)),
        *((Entity.PAGE.value, str(id_)) for id_ in _all(conn, pages.c.id)),
    ]
    gone = conn.execute(select(projected.c.entity, projected.c.key).distinct())
    waiting = {(row.entity, row.key): row.operation_id for row in conn.execute(select(outbox))}
    every = dict.fromkeys((*live, *((row.entity, row.key) for row in gone), *waiting))
    return tuple(Waiting(owner=owner, operation_id=waiting.get(owner)) for owner in every)


def _all(conn: Connection, column: Any) -> list[Any]:
    return list(conn.execute(select(column).distinct().order_by(column)).scalars())


def settle(conn: Connection, done: Iterable[Waiting]) -> None:
    """Forget what waited, unless it has changed since it was read."""
    names = tuple_(outbox.c.entity, outbox.c.key, outbox.c.operation_id)
    values = [(*one.owner, one.operation_id) for one in done if one.operation_id is not None]
    for some in _some(values):
        conn.execute(delete(outbox).where(names.in_(some)))


def written(
    conn: Connection, *, of: Collection[Owner] = (), at: Collection[str] = ()
) -> dict[str, Written]:
    """By path, the files of these owners and those at these paths."""
    names = tuple_(projected.c.entity, projected.c.key)
    conditions = [
        *(names.in_(some) for some in _some(of)),
        *(projected.c.path.in_(some) for some in _some(at)),
    ]
    return {
        row.path: _as_written(row)
        for condition in conditions
        for row in conn.execute(select(projected).where(condition))
    }


def all_written(conn: Connection) -> tuple[Written, ...]:
    """Every file of the projection, by its path."""
    rows = conn.execute(select(projected).order_by(projected.c.path))
    return tuple(_as_written(row) for row in rows)


def written_counts(conn: Connection) -> dict[str, int]:
    """How many files each kind of owner has."""
    rows = conn.execute(select(projected.c.entity, func.count()).group_by(projected.c.entity))
    return dict(rows.all())


def note(conn: Connection, files: Sequence[Written]) -> None:
    """Keep what these files hold, and whose they are."""
    forget(conn, [one.path for one in files])
    if files:
        conn.execute(
            insert(projected),
            [
                {
                    "path": one.path,
                    "entity": one.owner[0],
                    "key": one.owner[1],
                    "digest": " ".join(one.digests),
                }
                for one in files
            ],
        )


def forget(conn: Connection, paths: Collection[str]) -> None:
    """Keep nothing of these files any more."""
    for some in _some(paths):
        conn.execute(delete(projected).where(projected.c.path.in_(some)))


def carry_over(conn: Connection, files: Sequence[Written]) -> None:
    """After the wiki was replaced by another state of it: these are the files that stand there.

    All is to be projected anew.
    """
    conn.execute(delete(projected))
    note(conn, files)
    put_all(conn)


def _as_waiting(row: Row[Any]) -> Waiting:
    return Waiting(owner=(row.entity, row.key), operation_id=row.operation_id)


def _as_written(row: Row[Any]) -> Written:
    return Written(path=row.path, owner=(row.entity, row.key), digests=tuple(row.digest.split()))


def _some(values: Iterable[V]) -> Iterator[list[V]]:
    rest = iter(dict.fromkeys(values))
    while some := list(islice(rest, TOGETHER)):
        yield some
