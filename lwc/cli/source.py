"""`lwc source list`, `show`, `refs` and `coverage`: reading what is known of sources."""

from __future__ import annotations

import shutil
import sys
from typing import Annotated, Literal

import typer

from lwc import wire
from lwc.cli.options import (
    ClaimToken,
    Context,
    Limit,
    Offset,
    SourceId,
    Verbatim,
    bounded,
    command,
    offset,
)
from lwc.cli.output import natural_mode
from lwc.services import coverage as coverages
from lwc.services import coverage_map, sources
from lwc.services.coverage import Coverage
from lwc.services.sources import LARGEST_WINDOW, SourceRefs, SourceShown, SourcesListed


@command()
def list_(ctx: Context, *, limit: Limit = 100, offset: Offset = 0) -> SourcesListed:
    """List the sources by id, without their texts."""
    return sources.listed(ctx.wiki(), limit=limit, offset=offset)


@command()
def show(
    ctx: Context,
    source: SourceId,
    *,
    offset_chars: Annotated[
        int,
        typer.Option("--offset-chars", parser=offset, metavar="N", help="Begin at this character."),
    ] = 0,
    max_chars: Annotated[
        int | None,
        typer.Option(
            "--max-chars",
            parser=bounded("--max-chars", least=1, most=LARGEST_WINDOW),
            metavar="N",
            help="Show at most so many; by default the wiki's window_chars.",
        ),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option("--agent", metavar="NAME", envvar="LWC_AGENT", help="Who reads."),
    ] = None,
    token: ClaimToken = None,
) -> SourceShown:
    """Show a window of a source, in characters.

    `window.next_offset_chars` is where to go on with --offset-chars; nothing is left when it is
    null. What the holder of the source's claim is shown, by --token or --agent, counts as read.
    """
    return sources.show(
        ctx.wiki(),
        source,
        offset_chars=offset_chars,
        max_chars=max_chars,
        agent=agent or ctx.agent,
        token=token,
    )


@command()
def refs(ctx: Context, source: SourceId, *, limit: Limit = 100, offset: Offset = 0) -> SourceRefs:
    """List the pages that cite a source, with its quotes and whether they are in its text."""
    return sources.refs(ctx.wiki(), source, limit=limit, offset=offset)


@command()
def coverage(
    ctx: Context,
    source: SourceId,
    *,
    format: Annotated[
        Literal["text", "json", "html"] | None,
        typer.Option("--format", help="Bars for people, JSON, or a fragment of HTML."),
    ] = None,
) -> Coverage | Verbatim:
    """Show which parts of a source were handed over for reading, and which pages cite which.

    A bar is the text from its begin to its end; percents are shares of its characters.
    """
    found = coverages.coverage(ctx.wiki(), source)
    match format or ctx.output or natural_mode(sys.stdout):
        case "text":
            return Verbatim(coverage_map.as_text(found, columns=_columns()))
        case "html":
            return Verbatim(coverage_map.as_html(found))
        case _:
            return found if format is None else Verbatim(wire.encode(found) + "\n")


def _columns() -> int:
    """How wide the text may be: as the terminal is, and the same everywhere when it is piped."""
    if natural_mode(sys.stdout) == "json":
        return coverage_map.COLUMNS
    return shutil.get_terminal_size((coverage_map.COLUMNS, 24)).columns
