"""`lwc ingest list` and `show`: looking at jobs."""

from __future__ import annotations

from typing import Annotated

import typer

from lwc.cli.options import Context, Limit, Offset, SourceId, bounded, command
from lwc.services import jobs
from lwc.services.jobs import ANALYSIS_CHARS, ANALYSIS_CHARS_MOST, JobShown, JobsListed


@command()
def list_(
    ctx: Context,
    *,
    status: Annotated[
        str | None,
        typer.Option(
            "--status",
            metavar="pending|analyzing|generating|completed|failed",
            help="Only jobs in this state.",
        ),
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="NAME", help="Only jobs this agent holds.")
    ] = None,
    expired: Annotated[
        bool, typer.Option("--expired", help="Only claims whose lease ran out.")
    ] = False,
    limit: Limit = 100,
    offset: Offset = 0,
) -> JobsListed:
    """List the jobs by source id: state, who holds them, how often they were tried."""
    return jobs.listed(
        ctx.wiki(), status=status, agent=agent, expired=expired, limit=limit, offset=offset
    )


@command()
def show(
    ctx: Context,
    source_id: SourceId,
    *,
    max_chars: Annotated[
        int,
        typer.Option(
            "--max-chars",
            parser=bounded("--max-chars", least=1, most=ANALYSIS_CHARS_MOST),
            metavar="N",
            help="How much of each analysis is shown.",
        ),
    ] = ANALYSIS_CHARS,
) -> JobShown:
    """Show a job: its state and claim, attempts, analyses, what was read, and each gate."""
    return jobs.show(ctx.wiki(), source_id, max_chars=max_chars)
