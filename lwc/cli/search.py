"""`lwc search`: pages and sources that hold the words of a query."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lwc.cli.options import Context, Limit, Offset, command
from lwc.services import search as searching
from lwc.services.search import SearchAnswer


@command(mutates=True, merges=True)
def search(
    ctx: Context,
    query: Annotated[str, typer.Argument(help="Plain words; any of them may occur.")],
    *,
    type: Annotated[
        Literal["auto", "page", "source", "all"],
        typer.Option("--type", help="auto: pages, then the sources that no page found tells of."),
    ] = "auto",
    kind: Annotated[
        tuple[str, ...],
        typer.Option("--kind", metavar="KIND", help="Only pages of this kind; repeat."),
    ] = (),
    limit: Limit = 20,
    offset: Offset = 0,
    record: Annotated[bool, typer.Option("--record", help="Enter it in the journal.")] = False,
) -> SearchAnswer:
    """Search pages and sources.

    Words are words: no quote, sign or colon in them is syntax. With `--scope all` the project's
    and the global wiki are searched and take turns. Read on with `lwc page show SLUG`, or for a
    source with `lwc source show ID --offset-chars` and the `snippet_offset` of the result.
    """
    return searching.search_all(
        ctx.wikis(),
        ctx.call,
        query=query,
        type=type,
        kinds=kind,
        limit=limit,
        offset=offset,
        record=record,
    )
