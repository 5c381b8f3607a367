"""`lwc source add`, `add-dir`, `add-manifest` and `remove`: what changes the set of sources."""

from __future__ import annotations

from typing import Annotated

import typer

from lwc.cli.options import Context, SourceId, command, progress
from lwc.services import source_folders, source_writes
from lwc.services.source_folders import FolderAdded
from lwc.services.source_writes import ManifestAdded, SourceAdded, SourceRemoved

AllowExternal = Annotated[
    bool,
    typer.Option(
        "--allow-external-source",
        help="Take files from outside the project, or with a second name on the disk.",
    ),
]
AcknowledgeSensitive = Annotated[
    bool,
    typer.Option(
        "--acknowledge-sensitive-source",
        help="Say that the text may be kept even if it is sensitive; the log notes it.",
    ),
]


@command(mutates=True)
def add(
    ctx: Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file: UTF-8, at most 64 MiB.")],
    *,
    title: Annotated[
        str | None, typer.Option("--title", help="Its title; the path when there is none.")
    ] = None,
    allow_external_source: AllowExternal = False,
    acknowledge_sensitive_source: AcknowledgeSensitive = False,
) -> SourceAdded:
    """Take a file in as an immutable source, with a pending job to ingest it.

    The same text again is the same source: `created` is then false, and nothing is written unless
    the file's path held another text before. Next: `lwc ingest next`.
    """
    return source_writes.add(
        ctx.wiki(),
        ctx.call,
        path=file,
        title=title,
        base=ctx.cwd,
        allow_external=allow_external_source,
        acknowledge_sensitive=acknowledge_sensitive_source,
    )


@command(mutates=True)
def add_dir(
    ctx: Context,
    directory: Annotated[str, typer.Argument(metavar="DIR", help="The folder.")],
    *,
    allow_external_source: AllowExternal = False,
    acknowledge_sensitive_source: AcknowledgeSensitive = False,
) -> FolderAdded:
    """Take in every document below a folder, at most 100,000.

    Documents are md mdx txt csv json html htm rtf xml yaml yml org sql base; links and names that
    begin with a dot are passed over. Files that cannot be taken are skipped: the others are in, and
    the command fails with `partial_import`, which tells both. Run again, it goes on where it
    stopped. Next: `lwc ingest next`.
    """
    with progress(None, "Reading files") as advance:
        return source_folders.add_dir(
            ctx.wiki(),
            ctx.call,
            path=directory,
            base=ctx.cwd,
            allow_external=allow_external_source,
            acknowledge_sensitive=acknowledge_sensitive_source,
            progress=advance,
        )


@command(mutates=True)
def add_manifest(
    ctx: Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The manifest, a JSON file.")],
    *,
    allow_external_source: AllowExternal = False,
    acknowledge_sensitive_source: AcknowledgeSensitive = False,
) -> ManifestAdded:
    """Take in the files a manifest lists, all of them or none.

    A manifest is `{"sources": [{"path": "notes.md", "title": "Notes"}]}`; titles may be left out,
    and relative paths start at the manifest's folder. Next: `lwc ingest next`.
    """
    with progress(None, "Reading files") as advance:
        return source_writes.add_manifest(
            ctx.wiki(),
            ctx.call,
            path=file,
            base=ctx.cwd,
            allow_external=allow_external_source,
            acknowledge_sensitive=acknowledge_sensitive_source,
            progress=advance,
        )


@command(mutates=True)
def remove(ctx: Context, source: SourceId) -> SourceRemoved:
    """Remove a source that no page cites and nobody ingests, with its job and its text.

    Its paths are no longer tracked. Its id is never given to another text; added again, the same
    text is the same source. `lwc source refs ID` tells which pages cite it.
    """
    return source_writes.remove(ctx.wiki(), ctx.call, source_id=source)
