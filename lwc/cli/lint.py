"""`lwc lint`: what is wrong with the wiki."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lwc.cli.options import Context, Limit, Offset, command
from lwc.services import lint as checking
from lwc.services.lint import LintAnswer


@command(mutates=True)
def lint(
    ctx: Context,
    *,
    severity: Annotated[
        Literal["error", "warning", "info"] | None,
        typer.Option("--severity", help="Only these; errors keep work from being published."),
    ] = None,
    code: Annotated[
        str | None, typer.Option("--code", metavar="CODE", help="Only findings of this rule.")
    ] = None,
    page: Annotated[
        str | None, typer.Option("--page", metavar="SLUG", help="Only findings about this page.")
    ] = None,
    limit: Limit = 100,
    offset: Offset = 0,
    record: Annotated[bool, typer.Option("--record", help="Enter it in the journal.")] = False,
) -> LintAnswer:
    """Check the wiki and list what is wrong, each with its place and a command that helps.

    Findings are an answer: the exit status is 0 however many there are. `counts` and `severities`
    are always of the whole wiki, or of the page asked about.
    """
    return checking.lint(
        ctx.wiki(),
        ctx.call,
        severity=severity,
        code=code,
        page=page,
        limit=limit,
        offset=offset,
        record=record,
    )
