"""`lwc ingest next`, `claim` and `read`: taking a job and reading its source.

The steps that follow are in `ingest_steps`, what only looks in `ingest_jobs`: a claim must start
fast.
"""

from __future__ import annotations

from typing import Annotated

import typer

from lwc.cli.options import ClaimToken, Context, SourceId, bounded, command, offset
from lwc.domain.ingest import LEASE_DEFAULT, LEASE_LEAST, LEASE_MOST
from lwc.services import ingest, reading
from lwc.services.packet import PAGES_DEFAULT, PAGES_MOST, WINDOW_MOST, Packet, PacketSize
from lwc.services.reading import SourceRead

Lease = Annotated[
    int | None,
    typer.Option(
        "--lease",
        parser=bounded("--lease", least=LEASE_LEAST, most=LEASE_MOST),
        metavar="SECONDS",
        help=f"How long the claim lasts without a sign of life; {LEASE_DEFAULT} unless configured.",
    ),
]
ContextLimit = Annotated[
    int,
    typer.Option(
        "--context-limit",
        parser=bounded("--context-limit", least=1, most=PAGES_MOST),
        metavar="N",
        help="How many related pages the packet holds.",
    ),
]
SourceMaxChars = Annotated[
    int | None,
    typer.Option(
        "--source-max-chars",
        parser=bounded("--source-max-chars", least=1, most=WINDOW_MOST),
        metavar="N",
        help="How large the first window of the source is; 40000 unless configured.",
    ),
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
def next_(
    ctx: Context,
    *,
    lease: Lease = None,
    context_limit: ContextLimit = PAGES_DEFAULT,
    source_max_chars: SourceMaxChars = None,
) -> Packet:
    """Claim the next job and get its packet: the source's first window, schema, purpose, pages.

    The lowest pending job is taken, or one whose lease ran out. The answer's `job.claim.token` is
    shown once: give it to the later steps with --token or LWC_CLAIM_TOKEN. `next` is the command to
    run next. With an empty queue `job` is null and the reason `queue_empty`.
    """
    size = PacketSize(pages=context_limit, source_chars=source_max_chars)
    return ingest.next_job(ctx.wiki(), ctx.call, lease=lease, size=size)


@command(mutates=True)
def claim(
    ctx: Context,
    source_id: SourceId,
    *,
    lease: Lease = None,
    context_limit: ContextLimit = PAGES_DEFAULT,
    source_max_chars: SourceMaxChars = None,
) -> Packet:
    """Claim one job and get its packet, as `lwc ingest next` does.

    The job must be pending, or its lease must have run out.
    """
    size = PacketSize(pages=context_limit, source_chars=source_max_chars)
    return ingest.claim(ctx.wiki(), ctx.call, source_id, lease=lease, size=size)


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
