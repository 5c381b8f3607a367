"""`lwc checkpoint`: keep the whole wiki, look at what was kept, and go back to it."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lwc.cli.options import Context, Limit, Offset, bounded, command
from lwc.domain.checkpoint import Kind
from lwc.services import checkpoint_diff, checkpoints
from lwc.services import restore as going_back
from lwc.services.checkpoint_diff import CheckpointDiff
from lwc.services.checkpoints import (
    KEEP_MOST,
    CheckpointList,
    CheckpointMade,
    CheckpointShown,
    CheckpointsRemoved,
)
from lwc.services.restore import Restored

CheckpointName = Annotated[
    str, typer.Argument(metavar="NAME", help="What the checkpoint is called.")
]
Reason = Annotated[
    str | None, typer.Option("--reason", metavar="TEXT", help="Why, for those who come later.")
]


@command(mutates=True)
def create(ctx: Context, name: CheckpointName, *, reason: Reason = None) -> CheckpointMade:
    """Keep the whole wiki as it is now, drafts and history with it, in `.lwc/checkpoints/`.

    One moment of it, whoever works meanwhile. A checkpoint is never overwritten.
    """
    return checkpoints.create(ctx.wiki(), ctx.call, name=name, reason=reason)


@command()
def list_(ctx: Context, *, limit: Limit = 100, offset: Offset = 0) -> CheckpointList:
    """List the checkpoints, newest first: kind, revision, size, when, by whom and why."""
    return checkpoints.list_(ctx.wiki(), limit=limit, offset=offset)


@command()
def show(ctx: Context, name: CheckpointName) -> CheckpointShown:
    """Show one checkpoint after reading all of it: what it holds, and that it is undamaged."""
    return checkpoints.show(ctx.wiki(), name=name)


@command()
def diff(
    ctx: Context,
    name: CheckpointName,
    *,
    stat: Annotated[bool, typer.Option("--stat", help="Only count the changes.")] = False,
    limit: Limit = 100,
    offset: Offset = 0,
) -> CheckpointDiff:
    """List what has changed since a checkpoint, which is what restoring it takes back.

    `added` is in the wiki and not in the checkpoint.
    """
    return checkpoint_diff.diff(ctx.wiki(), name=name, stat=stat, limit=limit, offset=offset)


@command(mutates=True)
def restore(ctx: Context, name: CheckpointName, *, reason: Reason = None) -> Restored:
    """Make the wiki what a checkpoint keeps; look at `lwc checkpoint diff NAME` first.

    A checkpoint of now is made before, so restoring that one undoes it. The journal and the
    histories of pages go on: no revision and no id comes again. Drafts are those of then. A claim
    holds on only if it was held then and is held now.
    """
    return going_back.restore(ctx.wiki(), ctx.call, name=name, reason=reason)


@command(mutates=True)
def delete(ctx: Context, name: CheckpointName) -> CheckpointsRemoved:
    """Remove a checkpoint for good."""
    return checkpoints.delete(ctx.wiki(), ctx.call, name=name)


@command(mutates=True)
def prune(
    ctx: Context,
    *,
    keep: Annotated[
        int,
        typer.Option(
            "--keep",
            parser=bounded("--keep", least=0, most=KEEP_MOST),
            metavar="N",
            help="Keep the newest N of each kind.",
        ),
    ],
    kind: Annotated[
        Literal["manual", "pre-migrate", "pre-restore", "pre-publish"] | None,
        typer.Option("--kind", help="Only this kind."),
    ] = None,
) -> CheckpointsRemoved:
    """Remove old checkpoints that lwc made itself: all but the newest of each kind.

    Those made by hand go only with `--kind manual`. What cannot be used counts as none and stays.
    """
    chosen = None if kind is None else Kind(kind)
    return checkpoints.prune(ctx.wiki(), ctx.call, keep=keep, kind=chosen)
