"""`lwc schema` and `lwc purpose`: two texts with the same commands."""

from __future__ import annotations

from typing import Annotated

import typer

from lwc.cli.options import Context, TextArgument, command, revision_id
from lwc.services import charter
from lwc.services.charter import CharterSet, CharterShown

TextRevision = Annotated[
    int | None,
    typer.Option("--revision", parser=revision_id, metavar="N", help="An earlier revision of it."),
]


@command(mutates=True)
def schema_set(ctx: Context, file: TextArgument) -> CharterSet:
    """Replace the schema: the kinds of page and how pages are written.

    The text before is kept. `--if-revision` takes the wiki revision that `lwc schema show` told.
    """
    return charter.put(ctx.wiki(), ctx.call, name="schema", text=ctx.read(file, what="The schema"))


@command()
def schema_show(ctx: Context, *, revision: TextRevision = None) -> CharterShown:
    """Show the schema and its revision."""
    return charter.show(ctx.wiki(), "schema", revision=revision)


@command(mutates=True)
def purpose_set(ctx: Context, file: TextArgument) -> CharterSet:
    """Replace the purpose: the goal, the questions and the scope of the wiki.

    The text before is kept. `--if-revision` takes the wiki revision that `lwc purpose show` told.
    """
    text = ctx.read(file, what="The purpose")
    return charter.put(ctx.wiki(), ctx.call, name="purpose", text=text)


@command()
def purpose_show(ctx: Context, *, revision: TextRevision = None) -> CharterShown:
    """Show the purpose and its revision."""
    return charter.show(ctx.wiki(), "purpose", revision=revision)
