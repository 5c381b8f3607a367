"""`lwc page put`, `put-many`, `patch`, `restore`, `confirm`, `rename` and `remove`."""

from __future__ import annotations

from typing import Annotated

import typer

from lwc.cli.options import (
    Context,
    PageRevision,
    PageSlug,
    SourceIds,
    TextArgument,
    TextFile,
    command,
    revision_id,
    source_id,
)
from lwc.services import page_files, page_moves, page_writes
from lwc.services.page_files import PagesPut
from lwc.services.page_moves import PageRemoved, PageRenamed
from lwc.services.page_writes import PageConfirmed, PagePut

# On these commands --if-revision is the page's revision; the wiki's has an option of its own.
WIKI_REVISION = "--if-wiki-revision"


@command(mutates=True, revision_option=WIKI_REVISION)
def put(
    ctx: Context,
    slug: PageSlug,
    *,
    title: Annotated[str, typer.Option("--title", help="What the page is called.")],
    file: TextFile,
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            help="source, concept, entity, query, comparison, synthesis, or one of the schema's.",
        ),
    ] = "concept",
    summary: Annotated[
        str, typer.Option("--summary", help="One sentence that says what the page is about.")
    ] = "",
    source: SourceIds = (),
    provenance: Annotated[
        tuple[str, ...],
        typer.Option(
            "--provenance",
            metavar="P",
            help="user-provided, agent-observed or hypothesis; repeat.",
        ),
    ] = (),
    if_revision: PageRevision = None,
) -> PagePut:
    """Write a page whole; what is not said again is dropped. The same page again changes nothing.

    Cite with footnotes: `[^c1]: source:12 "the exact words"`. `citations` in the answer tells of
    each quote whether it is in its source (exact, near or missing) and shows the nearest text.
    Give --if-revision N with the revision `lwc page show` told, or 0 for a page that must be new.
    """
    return page_writes.put(
        ctx.wiki(),
        ctx.call,
        slug=slug,
        title=title,
        body=ctx.read(file, what="The page body"),
        kind=kind,
        summary=summary,
        source_ids=source,
        provenance=provenance,
        if_revision=if_revision,
    )


@command(mutates=True, revision_option=WIKI_REVISION)
def put_many(ctx: Context, file: TextArgument) -> PagesPut:
    """Write the pages of a JSON Lines file in one change: all of them, or none.

    One object a line: slug, title and body, and as needed kind, summary, sources, provenance and
    if_revision. A refusal says in its details which line it is about.
    """
    return page_files.put_many(ctx.wiki(), ctx.call, text=ctx.read(file, what="The pages file"))


@command(mutates=True, revision_option=WIKI_REVISION)
def patch(
    ctx: Context, slug: PageSlug, *, file: TextFile, if_revision: PageRevision = None
) -> PagePut:
    """Change passages of a page: a JSON list of {"old": …, "new": …}, applied one after the other.

    Each old text must stand in the page exactly once, or nothing is changed.
    """
    return page_writes.patch(
        ctx.wiki(),
        ctx.call,
        slug=slug,
        edits=ctx.read(file, what="The list of edits"),
        if_revision=if_revision,
    )


@command(mutates=True, revision_option=WIKI_REVISION)
def restore(
    ctx: Context,
    slug: PageSlug,
    *,
    revision: Annotated[
        int,
        typer.Option(
            "--revision", parser=revision_id, metavar="N", help="The revision to bring back."
        ),
    ],
    if_revision: PageRevision = None,
) -> PagePut:
    """Make an earlier revision of a page the newest; also of a page that was removed.

    `lwc page history SLUG` lists the revisions. Refused when a source it cited is gone.
    """
    return page_writes.restore(
        ctx.wiki(), ctx.call, slug=slug, revision=revision, if_revision=if_revision
    )


@command(mutates=True, revision_option=WIKI_REVISION)
def confirm(
    ctx: Context,
    slug: PageSlug,
    *,
    source: Annotated[
        int,
        typer.Option(
            "--source", parser=source_id, metavar="ID", help="The source it was read against."
        ),
    ],
    if_revision: PageRevision = None,
) -> PageConfirmed:
    """Say that a page was read again against a source it cites and still holds.

    Under the strict policy a job is completed only when a page that cites its source was written
    or confirmed since it was claimed.
    """
    return page_writes.confirm(
        ctx.wiki(), ctx.call, slug=slug, source_id=source, if_revision=if_revision
    )


@command(mutates=True, revision_option=WIKI_REVISION)
def rename(
    ctx: Context,
    slug: PageSlug,
    to: Annotated[str, typer.Argument(metavar="NEW", help="The slug it shall have.")],
    *,
    if_revision: PageRevision = None,
) -> PageRenamed:
    """Give a page another slug, and rewrite the wikilinks to it in every page, in one change.

    The old slug stays an alias: reads and links follow it, and no other page can take it.
    """
    return page_moves.rename(ctx.wiki(), ctx.call, slug=slug, to=to, if_revision=if_revision)


@command(mutates=True, revision_option=WIKI_REVISION)
def remove(ctx: Context, slug: PageSlug, *, if_revision: PageRevision = None) -> PageRemoved:
    """Remove a page that no other page links to; `lwc page links SLUG` lists those that do.

    Its revisions stay: `lwc page restore SLUG --revision N` brings it back.
    """
    return page_moves.remove(ctx.wiki(), ctx.call, slug=slug, if_revision=if_revision)
