"""Small commands that the tests of the command line run instead of real ones."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer

from lwc.cli.options import (
    ClaimToken,
    Context,
    InputFile,
    Limit,
    Offset,
    PageRevision,
    SourceId,
    SourceIds,
    TextFile,
    command,
)
from lwc.errors import PAGE_NOT_FOUND

FROM_STDIN = InputFile("-")
TABLE = tuple(
    (f"toy {name}", "toys", name, f"Toy: {name}")
    for name in ("echo", "show", "write", "merge", "refuse", "boom", "stop")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Echo:
    word: str
    color: str | None
    limit: int
    offset: int
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    agent: str
    request_id: str | None
    if_revision: int | None
    command: str
    arguments: dict[str, Any]
    text: str


@command()
def echo(
    ctx: Context,
    word: Annotated[str, typer.Argument(metavar="WORD")],
    color: Annotated[Literal["red", "blue"] | None, typer.Option("--color")] = None,
    limit: Limit = 100,
    offset: Offset = 0,
    sources: SourceIds = (),
) -> Echo:
    """Say a word back.

    It stays as it was.
    """
    return Echo(word=word, color=color, limit=limit, offset=offset, sources=sources)


@command()
def show(ctx: Context, source: SourceId) -> dict[str, int]:
    """Answer the id."""
    return {"source": source}


@command(mutates=True, revision_option="--if-wiki-revision")
def write(
    ctx: Context,
    slug: Annotated[str, typer.Argument(metavar="SLUG")],
    file: TextFile = FROM_STDIN,
    if_revision: PageRevision = None,
    token: ClaimToken = None,
) -> Asked:
    """Answer what a service would be told."""
    call = ctx.call
    return Asked(
        agent=call.agent,
        request_id=call.request_id,
        if_revision=call.if_revision,
        command=call.command,
        arguments=dict(call.arguments),
        text=ctx.read(file),
    )


@command(merges=True)
def merge(ctx: Context) -> dict[str, Any]:
    """Answer which wikis are there."""
    return {"scope": ctx.scope, "wikis": [wiki.workspace.scope for wiki in ctx.wikis()]}


@command()
def refuse(ctx: Context, slug: Annotated[str, typer.Argument()]) -> None:
    """Refuse."""
    raise PAGE_NOT_FOUND(slug=slug)


@command()
def boom(ctx: Context) -> None:
    """Fail in a way nobody foresaw."""
    raise ZeroDivisionError("boom")


@command(mutates=True)
def stop(
    ctx: Context,
    name: Annotated[Literal["SIGINT", "SIGTERM"], typer.Argument()],
    wiki: Annotated[bool, typer.Option("--wiki")] = False,
) -> None:
    """Send this process a signal."""
    if wiki:
        ctx.wiki()
    os.kill(os.getpid(), signal.Signals[name])
    signal.sigtimedwait([], 5)
