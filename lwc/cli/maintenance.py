"""`lwc maintenance`: upkeep an operator asks for by name."""

from __future__ import annotations

from typing import Annotated

import typer

from lwc.cli.options import Context, command, progress
from lwc.services import maintenance, projection
from lwc.services.maintenance import MigrationReport, Reindexed
from lwc.services.projection import ProjectionMade, ProjectionStatus
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
def materialize(
    ctx: Context,
    *,
    force: Annotated[
        bool,
        typer.Option("--force", help="Set files aside that stand where those of lwc belong."),
    ] = False,
) -> ProjectionMade:
    """Make all the Markdown files below `.lwc/` be what the wiki says; remove left-overs.

    Commands keep the files up by themselves; this is for what `projection` in an answer says is
    behind. The wiki is not changed. Files of yours stay; an edited file of lwc's is written anew
    and the edit kept beside it as `NAME.edited-1`. When files fail, the others are made and the
    command fails with `projection_incomplete`, which names them.
    """
    with progress(None, "Writing files") as advance:
        return projection.materialize(ctx.wiki(), force=force, progress=advance)


@command()
def status(ctx: Context) -> ProjectionStatus:
    """Show how far the Markdown files and the search index are, without reading them.

    `behind` counts what still waits to be written; `errors` is what failed when files were last
    written. Next: `lwc maintenance materialize`; for what is damaged, `lwc doctor`.
    """
    return projection.status(ctx.wiki())
