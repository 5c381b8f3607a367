"""`lwc ingest next` and `claim`: taking a job.

The steps that follow are in `ingest_steps`, what only looks in `ingest_jobs`: a claim must start
fast.
"""

from __future__ import annotations

from typing import Annotated

import typer

from lwc.cli.options import Context, SourceId, bounded, command
from lwc.domain.ingest import LEASE_DEFAULT, LEASE_LEAST, LEASE_MOST
from lwc.services import ingest
from lwc.services.packet import PAGES_DEFAULT, PAGES_MOST, WINDOW_MOST, Packet, PacketSize

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

    A repeated --request-id answers the same claim with a new token: the one before it is valid no
    more.
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

    The job must be pending, or its lease must have run out. A repeated --request-id answers the
    same claim with a new token.
    """
    size = PacketSize(pages=context_limit, source_chars=source_max_chars)
    return ingest.claim(ctx.wiki(), ctx.call, source_id, lease=lease, size=size)
