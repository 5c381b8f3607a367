"""`lwc context` and `lwc log`: the wiki as a whole, and what was done to it."""

from __future__ import annotations

from typing import Annotated

import typer

from lwc.cli.options import Context, Limit, Offset, bounded, command
from lwc.services import overview
from lwc.services.overview import CHARTER_CHARS, CHARTER_CHARS_MOST, Log, Overview

MaxChars = Annotated[
    int,
    typer.Option(
        "--max-chars",
        parser=bounded("--max-chars", least=1, most=CHARTER_CHARS_MOST),
        metavar="N",
        help="Show so much of the schema and of the purpose.",
    ),
]


@command(merges=True)
def context(
    ctx: Context, *, limit: Limit = 50, offset: Offset = 0, max_chars: MaxChars = CHARTER_CHARS
) -> Overview:
    """Show what a newcomer needs: purpose, schema, the pages written last, what was done last.

    Begin here; then `lwc search` for what you need, or `lwc ingest next` for work.
    """
    return overview.context(ctx.wikis(), limit=limit, offset=offset, max_chars=max_chars)


@command()
def log(
    ctx: Context,
    *,
    action: Annotated[
        str | None, typer.Option("--action", metavar="NAME", help="Only this, such as page_put.")
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", metavar="NAME", help="Only of this slug or id.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="Only from this day or time on.")
    ] = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> Log:
    """List what was done to the wiki, newest first."""
    return overview.log(
        ctx.wiki(), action=action, target=target, since=since, limit=limit, offset=offset
    )
