"""`lwc export` and `lwc import`: a whole wiki as one file, and back."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from lwc.cli.options import Context, command, progress
from lwc.services import archives
from lwc.services.archives import Exported, Imported
from lwc.workspace import Scope

NewFile = Annotated[
    str, typer.Argument(metavar="FILE", help="The archive to write; it must not exist.")
]
ArchiveFile = Annotated[
    str, typer.Argument(metavar="FILE", help="An archive, or the file of a checkpoint.")
]


@command()
def export(ctx: Context, file: NewFile) -> Exported:
    """Write the whole wiki into one archive: texts, pages, histories, drafts, with checksums.

    It is one moment of it, whoever works meanwhile. Only you can read the file. What is exported
    is made a wiki of again by `lwc import`.
    """
    with progress(None, "Exporting") as advance:
        return archives.export(ctx.wiki(), path=ctx.cwd / file, progress=advance)


@command(mutates=True)
def import_(
    ctx: Context,
    file: ArchiveFile,
    *,
    as_: Annotated[
        Literal["same", "new"],
        typer.Option("--as", help="The same wiki in another place, or a new one of its own."),
    ] = "same",
    no_git_exclude: Annotated[
        bool, typer.Option("--no-git-exclude", help="Leave git's exclude file alone.")
    ] = False,
) -> Imported:
    """Make a wiki of an archive, in a folder that has none.

    Every checksum is compared before anything is made, and the wiki is there whole or not at all.
    Nothing of the archive decides where files go. Use `--as new` when the wiki it came from goes
    on: two wikis of one identity cannot restore each other's checkpoints.
    """
    with progress(None, "Importing") as advance:
        return archives.import_(
            ctx.cwd,
            path=ctx.cwd / file,
            scope=Scope(ctx.scope),
            environ=ctx.environ,
            call=ctx.call,
            as_new=as_ == "new",
            exclude_from_git=not no_git_exclude,
            progress=advance,
        )
