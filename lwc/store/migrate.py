"""Schemas: making a new wiki's, and bringing an older one up, each in one transaction."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from lwc import clock, packaged
from lwc.domain.checkpoint import Kind, Making
from lwc.errors import STORE_CORRUPT, STORE_MIGRATION_FAILED, STORE_UNFINISHED
from lwc.store import checkpoints, meta, tables
from lwc.store.checkpoints import Checkpoint
from lwc.store.dialects import sqlite
from lwc.store.dialects import sqlite_copies as copies


@dataclass(frozen=True, slots=True, kw_only=True)
class Road:
    """Where the revisions stand and which one to end at."""

    scripts: Path
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrated:
    """What a migration did; `backup` is the checkpoint from before, if there was anything to do."""

    before: int
    after: int
    backup: str | None


def our_road() -> Road:
    return Road(scripts=packaged.folder("migrations"), head=tables.SCHEMA)


def make(path: Path) -> str:
    """Make a new, complete database at `path` (which must not exist); answers its store id."""
    engine = sqlite.born(path)
    store_id = token_hex(32)
    try:
        with engine.connect().execution_options(immediate=True) as conn, conn.begin():
            _upgrade(conn, our_road())
            meta.put(conn, "store_id", store_id)
            meta.put(conn, "created_at", clock.stamp(clock.now()))
    except DBAPIError as error:
        raise sqlite.translated(error, path=path) from error
    finally:
        engine.dispose()
    return store_id


def bring_up(path: Path, *, road: Road | None = None) -> Migrated:
    """Bring the wiki to the newest schema, after a backup; all of it happens or nothing.

    Two processes that arrive together do it once: the second finds the version already there.
    """
    road = road or our_road()
    engine = sqlite.engine(path, foreign_keys=False)
    try:
        before = _version(engine)
        if before == 0:
            raise STORE_UNFINISHED()
        if before >= int(road.head):
            return Migrated(before=before, after=before, backup=None)
        backup = _backup(path, before, road)
        try:
            after = _climb(engine, road)
        except (SQLAlchemyError, CommandError) as error:
            if isinstance(error, DBAPIError) and sqlite.translated(error).problem.retryable:
                raise
            raise STORE_MIGRATION_FAILED(
                known=int(road.head), what=str(error).splitlines()[0], backup=backup.name
            ) from error
    except DBAPIError as error:
        raise sqlite.translated(error, path=path) from error
    finally:
        engine.dispose()
    return Migrated(before=before, after=after, backup=backup.name)


def bring_up_copy(path: Path) -> None:
    """Bring a scratch copy to the newest schema; when that fails it is worth nothing."""
    engine = sqlite.engine(path, mode="scratch", foreign_keys=False)
    try:
        _climb(engine, our_road())
    except (SQLAlchemyError, CommandError) as error:
        raise STORE_CORRUPT(what=str(error).splitlines()[0]) from error
    finally:
        engine.dispose()


def strange_in(path: Path) -> str | None:
    """What a closed copy of the newest schema has, or lacks, that a new wiki has not."""
    fresh = path.with_name(f"{path.stem}-fresh.db")
    try:
        make(fresh)
        ours, theirs = copies.definitions(fresh), copies.definitions(path)
    finally:
        fresh.unlink(missing_ok=True)
    strange = sorted(
        name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)
    )
    return strange[0] if strange else None


def _version(engine: Engine) -> int:
    with engine.connect() as conn:
        return sqlite.version(conn)


def _climb(engine: Engine, road: Road) -> int:
    with engine.connect().execution_options(immediate=True) as conn, conn.begin():
        if sqlite.version(conn) < int(road.head):
            _upgrade(conn, road)
        return sqlite.version(conn)


def _upgrade(conn: Connection, road: Road) -> None:
    config = Config()
    config.set_main_option("script_location", str(road.scripts).replace("%", "%%"))
    config.attributes["connection"] = conn
    command.upgrade(config, road.head)
    if broken := sqlite.foreign_keys_broken(conn):
        raise STORE_CORRUPT(what=f"{len(broken)} rows point to rows that are not there")
    sqlite.mark_version(conn, int(road.head))


def _backup(path: Path, version: int, road: Road) -> Checkpoint:
    now = clock.now()
    name = f"{Kind.PRE_MIGRATE}-{version:04d}-{now:%Y%m%dT%H%M%S%f}-{os.getpid()}"
    why = f"before the migration from schema {version} to {int(road.head)}"
    making = Making(kind=Kind.PRE_MIGRATE, made_at=now, why=why)
    return checkpoints.make(path, path.parent / "checkpoints", name, making=making)
