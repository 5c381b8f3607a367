"""`lwc init`."""

from __future__ import annotations

from typing import Annotated

import typer

from lwc.cli.options import Context, command
from lwc.services import workspaces
from lwc.services.workspaces import Initialised
from lwc.workspace import Scope


@command(mutates=True)
def init(
    ctx: Context,
    *,
    strict: Annotated[
        bool, typer.Option("--strict", help="Turn the strict policy on: tokens, quotes, checks.")
    ] = False,
    no_git_exclude: Annotated[
        bool, typer.Option("--no-git-exclude", help="Leave git's exclude file alone.")
    ] = False,
) -> Initialised:
    """Make a wiki in this folder, or find the one that is here.

    Repeating it changes nothing. The store is `.lwc/`; in a git work tree its path is added to
    git's own exclude file. Next: `lwc source add FILE`.
    """
    return workspaces.init(
        ctx.cwd,
        scope=Scope(ctx.scope),
        environ=ctx.environ,
        call=ctx.call,
        strict=strict,
        exclude_from_git=not no_git_exclude,
    )
