"""Who may work on a claimed job: asked inside the transaction of the step itself."""

from __future__ import annotations

import shlex

from lwc import clock
from lwc.domain.claim import Holding, holds
from lwc.domain.ingest import Job, JobEvent, permits, refusal
from lwc.errors import CLAIM_LOST, CLAIM_TOKEN_REQUIRED, JOB_PINNED, LwcError
from lwc.store import attempts, jobs, settings
from lwc.store.database import Connection
from lwc.wiki import Change, Wiki

# What the holder may do to a job whose completion is staged: it moves nothing.
UNPINNED = (JobEvent.HEARTBEAT, JobEvent.READ)


def held(change: Change, source_id: int, event: JobEvent, *, token: str | None) -> Job:
    """The job, when its state allows the event and the caller holds its claim; or a refusal.

    A claim that was lost is told before the state, which is then the new holder's.
    """
    job = jobs.find(change.conn, source_id)
    if not job.claimed:
        raise refusal(job, event)
    lost = claim_refusal(change.conn, job, token=token, agent=change.agent)
    if lost is not None:
        raise lost
    if not permits(job, event):
        raise refusal(job, event)
    if event not in UNPINNED:
        refuse_pinned(change.conn, job)
    return job


def refuse_pinned(conn: Connection, job: Job) -> None:
    """Refuse to move a job whose completion is staged: it would be completed unseen."""
    if job.pinned is not None:
        # Only who meets a draft pays for the tables of drafts.
        from lwc.store import drafts

        raise JOB_PINNED(job=job.source_id, name=drafts.name_of(conn, job.pinned))


def claim_refusal(conn: Connection, job: Job, *, token: str | None, agent: str) -> LwcError | None:
    """Why the caller does not hold the claim on the job; none when it does."""
    strict = settings.load(conn).word("claims") == "strict"
    holding = holds(job, token=token, agent=agent, strict=strict)
    if holding is Holding.HELD:
        return None
    if holding is Holding.TOKEN_REQUIRED:
        return CLAIM_TOKEN_REQUIRED(job=job.source_id)
    return lost(conn, job)


def lost(conn: Connection, job: Job) -> LwcError:
    """`claim_lost`, with who holds the job now and since when."""
    since = attempts.claimed_at(conn, job.source_id, job.attempt) if job.claimed else None
    return CLAIM_LOST(
        job=job.source_id,
        details={
            "state": job.state,
            "attempt": job.attempt,
            "agent": job.agent,
            "since": None if since is None else clock.stamp(since),
        },
    )


def command(
    wiki: Wiki, *words: str | int, agent: str | None = None, token: str | None = None
) -> str:
    """A command line on this wiki, exact: a shell runs it as it stands."""
    scope = () if wiki.workspace.scope == "project" else ("--scope", wiki.workspace.scope.value)
    draft = () if wiki.changeset is None else ("--changeset", wiki.changeset)
    who = ("--token", token) if token is not None else ("--agent", agent) if agent else ()
    return shlex.join(["lwc", *scope, *draft, *map(str, words), *who])
