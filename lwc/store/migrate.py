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

from lwc import clock, filesystem, packaged
from lwc.errors import STORE_CORRUPT, STORE_MIGRATION_FAILED, STORE_UNFINISHED
from lwc.store import meta, tables
from lwc.store.dialects import sqlite


@dataclass(frozen=True, slots=True, kw_only=True)
class Road:
    """Where the revisions stand and which one to end at."""

    scripts: Path
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrated:
    """What a migration did; `backup` is the copy from before, none when there was nothing to do."""

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
        backup = _backup(path, before)
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


def _backup(path: Path, version: int) -> Path:
    folder = path.parent / "checkpoints"
    moment = clock.now().strftime("%Y%m%dT%H%M%S%f")
    target = folder / f"pre-migrate-{version:04d}-{moment}-{os.getpid()}.db"
    with filesystem.errors_told():
        folder.mkdir(mode=0o700, exist_ok=True)
        sqlite.back_up(path, target)
    return target
