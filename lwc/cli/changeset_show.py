"""`lwc changeset list`, `show` and `diff`: looking at changesets."""

from __future__ import annotations

from typing import Annotated

import typer

from lwc.cli.options import Context, Limit, Offset, bounded, command
from lwc.domain.changeset import Status
from lwc.services import changeset_diff, changeset_show
from lwc.services.changeset_diff import DIFF_CHARS, ChangesetDiff
from lwc.services.changeset_show import ChangesetList, DraftShown, EndedShown
from lwc.services.pages import DIFF_CHARS_MOST

Changeset = Annotated[
    str, typer.Argument(metavar="NAME|ID", help="The changeset's name, or its id.")
]


@command()
def list_(
    ctx: Context,
    *,
    status: Annotated[
        Status | None, typer.Option("--status", help="Only changesets of this status.")
    ] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> ChangesetList:
    """List the drafts, then the changesets that ended, newest first.

    `committed` is what was published; `verification` says whether that was found to hold. What a
    draft lacks tells `lwc changeset show`.
    """
    return changeset_show.list_(ctx.wiki(), status=status, limit=limit, offset=offset)


@command()
def show(
    ctx: Context, changeset: Changeset, *, limit: Limit = 20, offset: Offset = 0
) -> DraftShown | EndedShown:
    """Show what a draft holds and what it lacks, or what became of a changeset that ended.

    Of a draft: what was done in it, newest first (--limit and --offset choose which), what live has
    changed under it, the lint errors it brings, how its pages stand in their checks, and the jobs
    it completes. `missing` is all that `publish` would refuse it for now; `ready` when nothing is.
    """
    return changeset_show.show(ctx.wiki(), changeset=changeset, limit=limit, offset=offset)


@command()
def diff(
    ctx: Context,
    changeset: Changeset,
    *,
    stat: Annotated[
        bool, typer.Option("--stat", help="Only what is touched, and how many lines.")
    ] = False,
    slug: Annotated[
        tuple[str, ...],
        typer.Option("--slug", metavar="S", help="Only this page and its checks; repeat."),
    ] = (),
    max_chars: Annotated[
        int,
        typer.Option(
            "--max-chars",
            parser=bounded("--max-chars", least=1, most=DIFF_CHARS_MOST),
            metavar="N",
            help="Show at most so many characters of the diff of one text.",
        ),
    ] = DIFF_CHARS,
    limit: Limit = 100,
    offset: Offset = 0,
) -> ChangesetDiff:
    """Show what a changeset changes: each text as a unified diff, and what comes and goes.

    A draft is compared with live as it is now; a published changeset is told as it was published,
    also after a rollback. --limit and --offset hold for each of the lists, `totals` counts them
    whole.
    """
    return changeset_diff.diff(
        ctx.wiki(),
        changeset=changeset,
        slugs=slug,
        stat=stat,
        max_chars=max_chars,
        limit=limit,
        offset=offset,
    )
