"""`lwc check add`, `list`, `remove` and `run`: queries that must find a page."""

from __future__ import annotations

from typing import Annotated

import typer

from lwc.cli.options import Context, Limit, Offset, PageSlug, bounded, command, progress
from lwc.cli.parameters import check_id
from lwc.domain.check import TOP, TOP_MOST
from lwc.services import checks
from lwc.services.checks import CheckAdded, CheckList, CheckRemoved, ChecksRun


@command(mutates=True)
def add(
    ctx: Context,
    slug: PageSlug,
    *,
    query: Annotated[str, typer.Option("--query", metavar="Q", help="What must find the page.")],
    paraphrase: Annotated[
        tuple[str, ...],
        typer.Option("--paraphrase", metavar="P", help="The same question in other words; repeat."),
    ] = (),
    top: Annotated[
        int,
        typer.Option(
            "--top",
            parser=bounded("--top", least=1, most=TOP_MOST),
            metavar="K",
            help="The page must be among so many first.",
        ),
    ] = TOP,
) -> CheckAdded:
    """Keep a retrieval check with a page: queries that must find it among the first.

    Ask as somebody would who does not know the page. Order, case, endings and little words make no
    paraphrase: it needs other words. The same check again changes nothing. A check goes with its
    page when that is removed, and stays when it is renamed. Next: `lwc check run --page SLUG`.
    """
    return checks.add(ctx.wiki(), ctx.call, slug=slug, query=query, paraphrases=paraphrase, top=top)


@command()
def list_(
    ctx: Context,
    *,
    page: Annotated[
        str | None, typer.Option("--page", metavar="SLUG", help="Only checks of this page.")
    ] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> CheckList:
    """List the retrieval checks by page, with how each came out when it was last run.

    `page_changed` says that the page was written since: run it again.
    """
    return checks.list_(ctx.wiki(), slug=page, limit=limit, offset=offset)


@command(mutates=True)
def remove(
    ctx: Context,
    check: Annotated[int, typer.Argument(parser=check_id, metavar="ID", help="The check's id.")],
) -> CheckRemoved:
    """Remove a retrieval check; `lwc check list` tells the ids."""
    return checks.remove(ctx.wiki(), ctx.call, check)


@command(mutates=True)
def run(
    ctx: Context,
    *,
    page: Annotated[
        tuple[str, ...],
        typer.Option("--page", metavar="SLUG", help="Only checks of this page; repeat."),
    ] = (),
    failed: Annotated[
        bool, typer.Option("--failed", help="Only checks that did not hold, or never ran.")
    ] = False,
    limit: Limit = 100,
    offset: Offset = 0,
) -> ChecksRun:
    """Run the retrieval checks: does each query find its page as `lwc search` would show it?

    All that are meant are run, and what came of each is kept; --limit and --offset choose which
    are shown, those that failed first. For a page that is not found: say the missing words in its
    title, summary or text. In a draft its pages are searched, and nothing is kept.
    """
    with progress(None, "Running checks") as advance:
        return checks.run(
            ctx.wiki(),
            ctx.call,
            slugs=page,
            failed=failed,
            limit=limit,
            offset=offset,
            progress=advance,
        )
