"""`lwc ingest`: the steps of a claimed job, from reading its source to completion or return."""

from __future__ import annotations

from typing import Annotated

import typer

from lwc.cli.options import ClaimToken, Context, SourceId, TextFile, bounded, command, offset
from lwc.services import completion, reading, steps
from lwc.services.completion import Checked, Completed, Waivers
from lwc.services.job_views import JobMoved
from lwc.services.packet import WINDOW_MOST
from lwc.services.reading import SourceRead
from lwc.services.steps import Analyzed, LeaseExtended

Reason = Annotated[
    str | None, typer.Option("--reason", metavar="TEXT", help="Why; kept in the history.")
]
MaxChars = Annotated[
    int | None,
    typer.Option(
        "--max-chars",
        parser=bounded("--max-chars", least=1, most=WINDOW_MOST),
        metavar="N",
        help="How large the window is; 40000 unless configured.",
    ),
]
OffsetChars = Annotated[
    int | None,
    typer.Option(
        "--offset-chars",
        parser=offset,
        metavar="N",
        help="Where the window begins; without it, at the first character not read yet.",
    ),
]


@command(mutates=True)
def read(
    ctx: Context,
    source_id: SourceId,
    *,
    offset_chars: OffsetChars = None,
    max_chars: MaxChars = None,
    token: ClaimToken = None,
) -> SourceRead:
    """Read a window of a claimed source; what was read is recorded, and the lease is renewed.

    Without an offset it is the first part not read yet in this attempt. `next` is the command that
    reads on, null when all was read.
    """
    return reading.read(
        ctx.wiki(),
        ctx.call,
        source_id,
        offset_chars=offset_chars,
        max_chars=max_chars,
        token=token,
    )


@command(mutates=True)
def analyze(
    ctx: Context, source_id: SourceId, *, file: TextFile, token: ClaimToken = None
) -> Analyzed:
    """Hand in the analysis of a claimed source: what it says, and which pages that touches.

    The job must be claimed and not analysed in this attempt. Write the pages next, then
    `lwc ingest complete ID`.
    """
    text = ctx.read(file, what="The analysis")
    return steps.analyze(ctx.wiki(), ctx.call, source_id, text=text, token=token)


@command(mutates=True)
def complete(
    ctx: Context,
    source_id: SourceId,
    *,
    no_derived_pages_reason: Annotated[
        str | None,
        typer.Option(
            "--no-derived-pages-reason",
            metavar="TEXT",
            help="Why no page but the source's own summary cites it.",
        ),
    ] = None,
    unread_reason: Annotated[
        str | None,
        typer.Option(
            "--unread-reason", metavar="TEXT", help="Why parts of the source were not read."
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only tell what would be refused; change nothing.")
    ] = False,
    token: ClaimToken = None,
) -> Completed | Checked:
    """Complete a job whose knowledge is in pages.

    The source must be analysed and read whole, a page of kind source and one of another kind must
    cite it, and no quote of it may be missing in its text. A refusal lists every gate that does not
    hold.
    """
    waivers = Waivers(no_derived_pages_reason=no_derived_pages_reason, unread_reason=unread_reason)
    act = completion.check if check else completion.complete
    return act(ctx.wiki(), ctx.call, source_id, waivers=waivers, token=token)


@command(mutates=True)
def fail(
    ctx: Context,
    source_id: SourceId,
    *,
    message: Annotated[str, typer.Option("--message", metavar="TEXT", help="What went wrong.")],
    token: ClaimToken = None,
) -> JobMoved:
    """Give a claimed job up, saying why; `lwc ingest retry ID` puts it back in the queue."""
    return steps.fail(ctx.wiki(), ctx.call, source_id, message=message, token=token)


@command(mutates=True)
def release(
    ctx: Context, source_id: SourceId, *, reason: Reason = None, token: ClaimToken = None
) -> JobMoved:
    """Hand a claimed job back without a failure; it is pending again."""
    return steps.release(ctx.wiki(), ctx.call, source_id, reason=reason, token=token)


@command(mutates=True)
def heartbeat(ctx: Context, source_id: SourceId, *, token: ClaimToken = None) -> LeaseExtended:
    """Extend the lease of a claim by its length, and see when it ends."""
    return steps.heartbeat(ctx.wiki(), ctx.call, source_id, token=token)


@command(mutates=True)
def retry(
    ctx: Context,
    source_id: SourceId,
    *,
    reset: Annotated[
        bool, typer.Option("--reset", help="Count its attempts anew; needs --reason.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Take it from whoever holds it; needs --reason.")
    ] = False,
    reason: Reason = None,
    token: ClaimToken = None,
) -> JobMoved:
    """Put a failed job back in the queue.

    A claimed one needs its token or agent, an expired lease, or --force. A job that was tried as
    often as the wiki allows needs --reset.
    """
    return steps.retry(
        ctx.wiki(), ctx.call, source_id, reset=reset, force=force, reason=reason, token=token
    )


@command(mutates=True)
def reopen(
    ctx: Context,
    source_id: SourceId,
    *,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; kept.")],
) -> JobMoved:
    """Take a completed job up again, for a changed schema or a mistake that was found."""
    return steps.reopen(ctx.wiki(), ctx.call, source_id, reason=reason)
