"""`lwc page show`, `list`, `links`, `history` and `diff`: reading pages."""

from __future__ import annotations

from typing import Annotated

import typer

from lwc.cli.options import (
    Context,
    Limit,
    Offset,
    PageSlug,
    bounded,
    command,
    revision_id,
    source_id,
)
from lwc.services import pages
from lwc.services.pages import (
    DIFF_CHARS,
    DIFF_CHARS_MOST,
    PageDiff,
    PageHistory,
    PageLinks,
    PageList,
    PageShown,
)


@command()
def show(
    ctx: Context,
    slug: PageSlug,
    *,
    revision: Annotated[
        int | None,
        typer.Option(
            "--revision", parser=revision_id, metavar="N", help="As it was at this revision."
        ),
    ] = None,
) -> PageShown:
    """Show a page: its text, its sources, and of each quote whether it stands in its source.

    `page.revision` is what --if-revision of the writing commands takes. An earlier name leads to
    the page. With --revision a page that was removed can be shown, too.
    """
    return pages.show(ctx.wiki(), slug=slug, revision=revision)


@command()
def list_(
    ctx: Context,
    *,
    kind: Annotated[str | None, typer.Option("--kind", help="Only pages of this kind.")] = None,
    source: Annotated[
        int | None,
        typer.Option(
            "--source", parser=source_id, metavar="ID", help="Only pages that cite this source."
        ),
    ] = None,
    updated_since: Annotated[
        str | None,
        typer.Option(
            "--updated-since",
            metavar="TIME",
            help="Only pages written at or after this time: 2026-11-30 or 2026-11-30T18:00:00Z.",
        ),
    ] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> PageList:
    """List the pages by slug, without their texts."""
    return pages.list_(
        ctx.wiki(),
        kind=kind,
        source_id=source,
        updated_since=updated_since,
        limit=limit,
        offset=offset,
    )


@command()
def links(ctx: Context, slug: PageSlug, *, limit: Limit = 1000, offset: Offset = 0) -> PageLinks:
    """Show where a page leads, which pages lead to it, and which of its links lead nowhere.

    --limit and --offset hold for each of the lists; `totals` counts them whole.
    """
    return pages.links_of(ctx.wiki(), slug=slug, limit=limit, offset=offset)


@command()
def history(ctx: Context, slug: PageSlug, *, limit: Limit = 100, offset: Offset = 0) -> PageHistory:
    """List the revisions of a page, newest first: who made each, when, and by which operation.

    A page that was removed has its history still; `lwc page restore` brings it back.
    """
    return pages.history(ctx.wiki(), slug=slug, limit=limit, offset=offset)


@command()
def diff(
    ctx: Context,
    slug: PageSlug,
    *,
    from_: Annotated[
        int | None,
        typer.Option(
            "--from",
            parser=revision_id,
            metavar="N",
            help="The earlier revision; the one before --to when not said, 0 for nothing.",
        ),
    ] = None,
    to: Annotated[
        int | None,
        typer.Option("--to", parser=revision_id, metavar="M", help="The later revision."),
    ] = None,
    max_chars: Annotated[
        int,
        typer.Option(
            "--max-chars",
            parser=bounded("--max-chars", least=1, most=DIFF_CHARS_MOST),
            metavar="N",
            help="Show at most so many characters of the diff.",
        ),
    ] = DIFF_CHARS,
) -> PageDiff:
    """Compare two revisions of a page: a unified diff of the text, and what else changed.

    Without options it shows what the newest revision changed.
    """
    return pages.diff(
        ctx.wiki(), slug=slug, from_revision=from_, to_revision=to, max_chars=max_chars
    )
