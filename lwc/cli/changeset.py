"""`lwc changeset`: drafts begun, looked at and mended."""

from __future__ import annotations

from typing import Annotated

import typer

from lwc.cli.options import Context, bounded, command, source_id
from lwc.cli.parameters import check_id
from lwc.services import changeset_drop, changeset_rebase, changesets
from lwc.services.changeset_drop import ChangesetDropped
from lwc.services.changeset_rebase import TEXT_CHARS, ChangesetRebased
from lwc.services.changesets import ChangesetBegun, ChangesetRenamed
from lwc.services.pages import DIFF_CHARS_MOST

Name = Annotated[str, typer.Argument(metavar="NAME", help="The draft's name.")]
To = Annotated[str, typer.Argument(metavar="TO", help="Its new name.")]


@command(mutates=True)
def draft(ctx: Context, name: Name) -> ChangesetBegun:
    """Begin a draft: an update of several commands that nobody sees before it is published.

    Give --changeset NAME (or set LWC_CHANGESET) to the commands that work on it: they read the
    wiki with the draft laid over it, and what they write is staged. Next: `lwc changeset show`,
    then `publish`.
    """
    return changesets.draft(ctx.wiki(), ctx.call, name=name)


@command(mutates=True)
def rename(ctx: Context, name: Name, to: To) -> ChangesetRenamed:
    """Give a draft another name; what is staged in it stays."""
    return changesets.rename(ctx.wiki(), ctx.call, name=name, to=to)


@command(mutates=True)
def drop(
    ctx: Context,
    name: Name,
    *,
    slug: Annotated[str | None, typer.Option("--slug", metavar="SLUG", help="A page.")] = None,
    source: Annotated[
        int | None, typer.Option("--source", parser=source_id, metavar="ID", help="A source.")
    ] = None,
    job: Annotated[
        int | None,
        typer.Option("--job", parser=source_id, metavar="ID", help="The completion of a job."),
    ] = None,
    schema: Annotated[bool, typer.Option("--schema", help="The schema.")] = False,
    purpose: Annotated[bool, typer.Option("--purpose", help="The purpose.")] = False,
    path: Annotated[
        str | None, typer.Option("--path", metavar="PATH", help="What a tracked path holds.")
    ] = None,
    check: Annotated[
        int | None, typer.Option("--check", parser=check_id, metavar="ID", help="A check.")
    ] = None,
) -> ChangesetDropped:
    """Take one thing out of a draft: it is as live again, and the rest stays staged.

    Name just one. Refused while something else in the draft needs it, such as a page that cites
    a staged source: drop or change that first. A job whose completion is dropped is pending again.
    """
    target = changeset_drop.target(
        slug=slug,
        source=source,
        job=job,
        schema=schema,
        purpose=purpose,
        path=path,
        check=check,
    )
    return changeset_drop.drop(ctx.wiki(), ctx.call, name=name, target=target)


@command(mutates=True)
def rebase(
    ctx: Context,
    name: Name,
    *,
    resolved: Annotated[
        tuple[str, ...],
        typer.Option(
            "--resolved",
            metavar="SLUG=REV",
            help="The draft's text takes in what is live at this revision; repeat.",
        ),
    ] = (),
    max_chars: Annotated[
        int,
        typer.Option(
            "--max-chars",
            parser=bounded("--max-chars", least=1, most=DIFF_CHARS_MOST),
            metavar="N",
            help="Show at most so much of each text.",
        ),
    ] = TEXT_CHARS,
) -> ChangesetRebased:
    """Bring a draft onto what is live now; live stays as it is.

    What live left alone goes along, what it made of itself is taken out of the draft. What it
    changed otherwise is named with both texts: take live's changes into the draft's page, then say
    --resolved with the live revision that you took in (0 for a page that is not there any more).
    The advice with each conflict tells the commands. Next: `lwc changeset publish`.
    """
    taken = changeset_rebase.parse_resolved(resolved)
    return changeset_rebase.rebase(
        ctx.wiki(), ctx.call, name=name, resolved=taken, max_chars=max_chars
    )
