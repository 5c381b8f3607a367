"""`lwc db`: the wiki's database, asked with SQL by an operator."""

from __future__ import annotations

import csv
import io
import sys
from typing import Annotated, Literal

import typer

from lwc import wire
from lwc.cli import views
from lwc.cli.options import Context, Limit, Verbatim, command
from lwc.cli.output import natural_mode
from lwc.services import database
from lwc.services.database import QueryAnswer


@command()
def db(
    ctx: Context,
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One statement that only reads.")],
    *,
    limit: Limit = 100,
    format: Annotated[
        Literal["json", "csv", "table"] | None,
        typer.Option("--format", help="JSON with all that is known, rows as CSV, or a table."),
    ] = None,
) -> QueryAnswer | Verbatim:
    """Read the database with SQL, for questions that no command answers.

    The connection cannot write; a query is stopped after 2 seconds. The tables are lwc's own and
    may change with its version: `lwc db "SELECT name, sql FROM sqlite_master"` lists them. Scripts
    that shall last use the other commands.
    """
    found = database.query(ctx.wiki(), sql, limit=limit)
    at_terminal = natural_mode(sys.stdout) == "text"
    match format:
        case None:
            return found
        case "json":
            return Verbatim(wire.encode(found) + "\n")
        case "table":
            return Verbatim(views.render(found, terminal=at_terminal))
        case "csv":
            return Verbatim(wire.visible(_csv(found)) if at_terminal else _csv(found))


def _csv(found: QueryAnswer) -> str:
    written = io.StringIO()
    writer = csv.DictWriter(written, found.columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(found.rows)
    return written.getvalue()
