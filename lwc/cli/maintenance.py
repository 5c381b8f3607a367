"""`lwc maintenance`: upkeep an operator asks for by name."""

from __future__ import annotations

from lwc.cli.options import Context, command
from lwc.services import maintenance
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
