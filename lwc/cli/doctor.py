"""`lwc doctor`, and `lwc maintenance check`, which is a part of it."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lwc.cli.options import Context, Limit, Offset, command
from lwc.domain.doctor import DAMAGE
from lwc.services import doctor as checking
from lwc.services.doctor import Examined


@command(mutates=True)
def doctor(
    ctx: Context,
    *,
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Make derived data anew where it is wrong, then look again."),
    ] = False,
    severity: Annotated[
        Literal["error", "warning", "info"] | None,
        typer.Option("--severity", help="Only these; an error says that the wiki is not sound."),
    ] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Examined:
    """Examine the wiki: every text's digest, every reference, history, job, draft and index word.

    Findings are an answer: the exit status is 0 however many there are; `sound` is false when one
    of them is an error, and each names the command that helps. It reads the whole wiki and changes
    nothing. With --repair it makes anew what follows from the rest (links, citations and notes of
    pages, the search index, rights and leftovers of files), enters that in the journal and looks
    again; what was given to the wiki is never touched. An older wiki is not migrated for it.
    """
    wiki = ctx.wiki(migrate=False)
    if repair:
        return checking.repair(wiki, ctx.call, severity=severity, limit=limit, offset=offset)
    return checking.examine(wiki, ctx.call, severity=severity, limit=limit, offset=offset)


@command()
def check(ctx: Context, *, limit: Limit = 100, offset: Offset = 0) -> Examined:
    """Look for damage only: SQLite's own checks, references, every text's digest, the search index.

    It is the part of `lwc doctor` that asks whether everything is as it was kept, and answers as
    that does. What the pages say is checked by `lwc lint`.
    """
    return checking.examine(ctx.wiki(), areas=DAMAGE, limit=limit, offset=offset)
