"""`lwc maintenance`: upkeep an operator asks for by name."""

from __future__ import annotations

from lwc.cli.options import Context, Limit, Offset, command
from lwc.services import database, maintenance
from lwc.services.database import Examined
from lwc.services.maintenance import MigrationReport, Reindexed
from lwc.workspace import Scope


@command()
def migrate(ctx: Context) -> MigrationReport:
    """Bring the wiki to this version's schema, after a backup in `.lwc/checkpoints/`.

    All of it happens or nothing. A wiki that is at the newest schema is left as it is.
    """
    return maintenance.migrate(ctx.cwd, scope=Scope(ctx.scope), environ=ctx.environ)


@command(mutates=True)
def reindex(ctx: Context) -> Reindexed:
    """Make the search index anew from the pages and sources, in one transaction.

    Needed only when `lwc lint` reports `search_index_*`.
    """
    return maintenance.reindex(ctx.wiki(), ctx.call)


@command()
def check(ctx: Context, *, limit: Limit = 100, offset: Offset = 0) -> Examined:
    """Look for damage: SQLite's own checks, references, the search index, every text's digest.

    Findings are an answer: the exit status is 0 however many there are; `sound` says there are
    none. It reads the whole database. What the pages say is checked by `lwc lint`.
    """
    return database.examine(ctx.wiki(), limit=limit, offset=offset)
