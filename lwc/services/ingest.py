"""Taking jobs: the next one, or one by its id. One statement decides; the packet follows.

`ingest read` and all later steps are in `reading`, `steps` and `completion`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from lwc.domain.claim import new_token, token_hash
from lwc.domain.ingest import (
    EXHAUSTED,
    LEASE_LEAST,
    LEASE_MOST,
    Job,
    JobEvent,
    Outcome,
    refusal,
)
from lwc.domain.settings import Settings
from lwc.errors import ATTEMPTS_EXHAUSTED, LIMIT_OUT_OF_RANGE, LwcError
from lwc.services import holder, packet
from lwc.services.packet import Packet, PacketSize, Taken
from lwc.store import attempts, jobs, readings, settings, sources
from lwc.wiki import AlreadyDone, Call, Change, Changed, Wiki

# How a command finds its job: in the transaction, with a fresh token, under the settings in force.
Take = Callable[[Change, str, Settings], Job | None]
# What was taken, none when there was nothing, and the revision that left.
Decided = tuple[Taken | None, int]


def next_job(
    wiki: Wiki, call: Call, *, lease: int | None = None, size: PacketSize | None = None
) -> Packet:
    """Claim the lowest job that is pending or whose lease ran out, and get its packet.

    An empty queue is an answer without a job. Expired claims that were the last permitted ones are
    failed on the way. A repeated request id keeps its attempt and gets a new token.
    """

    def take(change: Change, token: str, in_force: Settings) -> Job | None:
        _exhaust(change, in_force)
        return _claim(change, in_force, token=token, lease=lease)

    size = size or PacketSize()
    return _packet(wiki, _decide(wiki, call, take, lease=lease, size=size), size=size)


def claim(
    wiki: Wiki,
    call: Call,
    source_id: int,
    *,
    lease: int | None = None,
    size: PacketSize | None = None,
) -> Packet:
    """Claim one job that is pending or whose lease ran out, and get its packet.

    A job that was claimed as often as permitted, and whose last lease ran out, is failed instead:
    `attempts_exhausted` is refused with `committed` true.
    """
    exhausted: list[Job] = []

    def take(change: Change, token: str, in_force: Settings) -> Job | None:
        job = jobs.find(change.conn, source_id)
        holder.refuse_pinned(change.conn, job)
        exhausted.extend(_exhaust(change, in_force, source_id))
        if exhausted:
            return None
        taken = _claim(change, in_force, source_id, token=token, lease=lease)
        if taken is None:
            raise refusal(job, JobEvent.CLAIM)
        return taken

    size = size or PacketSize()
    decided = _decide(wiki, call, take, lease=lease, size=size)
    if exhausted:
        raise ATTEMPTS_EXHAUSTED(job=source_id, attempts=exhausted[0].attempts, committed=True)
    return _packet(wiki, decided, size=size)


def _decide(
    wiki: Wiki,
    call: Call,
    take: Take,
    *,
    lease: int | None,
    size: PacketSize,
) -> Decided:
    """Take a job with a fresh token, or the attempt of a repeated request once more."""
    if lease is not None and not LEASE_LEAST <= lease <= LEASE_MOST:
        raise LIMIT_OUT_OF_RANGE(option="--lease", least=LEASE_LEAST, most=LEASE_MOST)
    kept = wiki.kept(call)
    if kept is not None:
        return _taken_again(wiki, call, kept.answer, size=size)
    try:
        return _taken(wiki, call, take, size=size)
    except AlreadyDone as done:
        return _taken_again(wiki, call, done.kept, size=size)


def _packet(wiki: Wiki, decided: Decided, *, size: PacketSize) -> Packet:
    """The packet, built after the claim was committed so that nobody waits for it."""
    taken, revision = decided
    try:
        return packet.build(wiki, taken, size=size, revision=revision)
    except LwcError as error:
        error.committed = taken is not None
        raise


def _taken(wiki: Wiki, call: Call, take: Take, *, size: PacketSize) -> Decided:
    token = new_token()
    with wiki.claiming(call) as change:
        in_force = settings.load(change.conn)
        job = take(change, token, in_force)
        if job is None:
            # Nothing was done that a repeated request could ask about: it just asks again.
            return None, change.revision
        operation = change.record(
            "ingest_claim", job.source_id, attempt=job.attempt, lease_seconds=job.lease_seconds
        )
        jobs.mark_claim(change.conn, job.source_id, operation)
        attempts.begin(change.conn, job.source_id, job.attempt, agent=change.agent, now=change.now)
        taken = _hand_over(change, in_force, job, token=token, size=size)
        # What a repeated request finds is the attempt alone, for the token is nowhere kept.
        done = change.finish(
            Changed(**wiki.label(), revision=change.revision),
            keep={"source_id": job.source_id, "attempt": job.attempt},
        )
        return taken, done.revision


def _taken_again(wiki: Wiki, call: Call, kept: Mapping[str, Any], *, size: PacketSize) -> Decided:
    """The attempt of a repeated request with a new token; the old one dies."""
    token = new_token()
    with wiki.claiming(replace(call, request_id=None, if_revision=None)) as change:
        job = jobs.find(change.conn, kept["source_id"])
        if not job.claimed or job.attempt != kept["attempt"] or job.agent != change.agent:
            raise holder.lost(change.conn, job)
        job = jobs.renew(change.conn, job, now=change.now, token_hash=token_hash(token))
        in_force = settings.load(change.conn)
        taken = _hand_over(change, in_force, job, token=token, size=size)
        return replace(taken, replayed=True), change.revision


def _hand_over(
    change: Change, in_force: Settings, job: Job, *, token: str, size: PacketSize
) -> Taken:
    """Record the first window as delivered, as large as the packet will show it."""
    chars = sources.find(change.conn, job.source_id).chars
    wanted = size.source_chars or in_force.number("window_chars")
    readings.deliver(change.conn, job.source_id, job.attempt, 0, min(wanted, chars))
    return Taken(job=job, token=token, window_chars=wanted)


def _claim(
    change: Change,
    in_force: Settings,
    source_id: int | None = None,
    *,
    token: str,
    lease: int | None,
) -> Job | None:
    return jobs.claim(
        change.conn,
        source_id,
        agent=change.agent,
        token_hash=token_hash(token),
        lease_seconds=lease or in_force.number("lease_seconds"),
        max_attempts=in_force.number("max_attempts"),
        now=change.now,
    )


def _exhaust(change: Change, in_force: Settings, source_id: int | None = None) -> tuple[Job, ...]:
    """Fail what expired at the limit of attempts."""
    failed = jobs.exhaust(
        change.conn, source_id, max_attempts=in_force.number("max_attempts"), now=change.now
    )
    for job in failed:
        attempts.end(
            change.conn, job.source_id, outcome=Outcome.EXPIRED, now=change.now, error=EXHAUSTED
        )
        change.record("ingest_fail", job.source_id, message=EXHAUSTED, attempts=job.attempts)
    return failed
