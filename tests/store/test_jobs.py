"""Claims under real concurrency, and what they cost in a large wiki."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from ingesting import AGENT, a_source, claimed, the_job
from sqlalchemy import Connection, event, insert, text, update

from lwc import clock, wire
from lwc.domain.ingest import MAX_ATTEMPTS, JobEvent, JobState
from lwc.errors import CLAIM_REQUIRED, JOB_NOT_FOUND, LwcError
from lwc.services import ingest
from lwc.services.packet import PacketSize
from lwc.store import job_history, jobs
from lwc.store.tables import jobs as job_rows
from lwc.store.tables import source_ids, sources, text_parts
from lwc.store.tables import texts as text_rows
from lwc.wiki import Call, Wiki, open_wiki

PROCESSES = 16
LEASE = 1800


def many_sources(wiki: Wiki, count: int) -> list[int]:
    """So many sources of a few letters with pending jobs, put in at once."""
    ids = list(range(1, count + 1))
    bodies = {number: f"{number:08}" for number in ids}
    digests = {number: wire.text_digest(body) for number, body in bodies.items()}
    with wiki.writing(AGENT) as change:
        conn = change.conn
        named = {
            "title": "x",
            "origin": "x.md",
            "path": "x.md",
            "created_at": clock.stamp(change.now),
        }
        conn.execute(insert(source_ids), [{"id": n, "digest": digests[n]} for n in ids])
        conn.execute(
            insert(text_rows), [{"digest": digests[n], "chars": 8, "bytes": 8} for n in ids]
        )
        conn.execute(
            insert(text_parts),
            [
                {"digest": digests[n], "start": 0, "part_digest": digests[n], "body": bodies[n]}
                for n in ids
            ],
        )
        conn.execute(insert(sources), [{"id": n, "digest": digests[n], **named} for n in ids])
        for number in ids:
            jobs.open_job(conn, number, change.now)
    return ids


def race(project: Path, act: Callable[[Wiki, Call], list[Any]], results: Path) -> list[list[Any]]:
    """What `act` answered in each of 16 processes that began at the same moment."""
    fork = multiprocessing.get_context("fork")
    start = fork.Barrier(PROCESSES)

    def run(number: int) -> None:
        status = 1
        try:
            with open_wiki(project) as wiki:
                start.wait(60)
                found = act(wiki, Call(agent=f"agent-{number}"))
            (results / f"{number}.json").write_text(json.dumps(found))
            status = 0
        finally:
            # A fork of the test runner must not end as one.
            os._exit(status)

    workers = [fork.Process(target=run, args=(number,)) for number in range(PROCESSES)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [worker.exitcode for worker in workers] == [0] * PROCESSES
    return [json.loads((results / f"{n}.json").read_text()) for n in range(PROCESSES)]


def claims_of_the_store(opened: Wiki, call: Call) -> list[int]:
    """All this process could take, by the one statement that decides."""
    mine: list[int] = []
    while (taken := take(opened, agent=call.agent)) is not None:
        mine.append(taken)
    return mine


def claims_of_the_service(opened: Wiki, call: Call) -> list[int]:
    """All this process could take, as `lwc ingest next` does."""
    mine: list[int] = []
    size = PacketSize(pages=1, source_chars=1)
    while (job := ingest.next_job(opened, call, size=size).job) is not None:
        mine.append(job.source.id)
    return mine


@pytest.mark.parametrize(
    "act, count",
    [
        pytest.param(claims_of_the_store, 2000, id="2,000 by the store"),
        pytest.param(claims_of_the_service, 200, id="200 by the service"),
    ],
)
def test_sixteen_processes_claim_each_job_once(
    wiki: Wiki,
    project: Path,
    tmp_path: Path,
    act: Callable[[Wiki, Call], list[Any]],
    count: int,
) -> None:
    ids = many_sources(wiki, count)
    wiki.close()
    found = race(project, act, tmp_path)
    taken = Counter(source_id for mine in found for source_id in mine)
    assert sorted(taken) == ids
    assert set(taken.values()) == {1}
    with wiki.reading() as conn:
        listed, total = job_history.listed(
            conn, job_history.Wanted(state=JobState.ANALYZING), limit=count, offset=0
        )
    assert total == count
    holders = {item.job.source_id: item.job.agent for item in listed}
    assert holders == {
        source_id: f"agent-{number}" for number, mine in enumerate(found) for source_id in mine
    }


def test_of_sixteen_processes_that_want_one_job_one_gets_it(
    wiki: Wiki, project: Path, tmp_path: Path
) -> None:
    source_id = a_source(wiki)
    wiki.close()

    def claim_one(opened: Wiki, call: Call) -> list[Any]:
        packet = ingest.next_job(opened, call)
        return [packet.job.source.id if packet.job else packet.reason]

    found = Counter(answer for (answer,) in race(project, claim_one, tmp_path))
    assert found == {source_id: 1, "queue_empty": PROCESSES - 1}
    assert the_job(wiki, source_id).attempt == 1


@pytest.fixture
def crowd(wiki: Wiki) -> Wiki:
    """A wiki whose only claimable jobs are the last two of 1,000: one expired, one pending."""
    ids = many_sources(wiki, 1000)
    with wiki.writing(AGENT) as change:
        change.conn.execute(update(job_rows).values(state=JobState.COMPLETED))
        change.conn.execute(
            update(job_rows).where(job_rows.c.source_id == ids[-1]).values(state=JobState.PENDING)
        )
        _held(change.conn, ids[-2], until=change.now - timedelta(seconds=1))
    return wiki


def _held(conn: Connection, source_id: int, *, until: Any, attempts: int = 1) -> None:
    conn.execute(
        update(job_rows)
        .where(job_rows.c.source_id == source_id)
        .values(
            state=JobState.ANALYZING,
            agent="dead",
            token_hash="0" * 64,
            attempts=attempts,
            attempt=attempts,
            lease_until=clock.stamp(until),
        )
    )


def take(wiki: Wiki, source_id: int | None = None, *, agent: str = "tester") -> int | None:
    with wiki.writing(AGENT) as change:
        job = jobs.claim(
            change.conn,
            source_id,
            agent=agent,
            token_hash="1" * 64,
            lease_seconds=LEASE,
            max_attempts=MAX_ATTEMPTS,
            now=change.now,
        )
    return None if job is None else job.source_id


def test_the_lowest_claimable_job_is_taken_be_it_pending_or_expired(crowd: Wiki) -> None:
    assert [take(crowd), take(crowd), take(crowd)] == [999, 1000, None]


def test_a_claim_does_not_walk_through_finished_jobs(crowd: Wiki) -> None:
    """The work of the engine, counted in steps of its own machine, does not grow with them."""
    steps = [0]

    def count() -> int:
        steps[0] += 1
        return 0

    with crowd.writing(AGENT) as change:
        driver = change.conn.connection.driver_connection
        assert driver is not None
        driver.set_progress_handler(count, 1)
        jobs.claim(
            change.conn,
            agent="tester",
            token_hash="1" * 64,
            lease_seconds=LEASE,
            max_attempts=MAX_ATTEMPTS,
            now=change.now,
        )
        driver.set_progress_handler(None, 0)
    # A walk over 998 finished jobs takes more than 5,000.
    assert steps[0] < 1_000


def test_a_claim_is_one_statement(wiki: Wiki) -> None:
    many_sources(wiki, 2)
    statements: list[str] = []
    with wiki.writing(AGENT) as change:

        @event.listens_for(change.conn, "before_cursor_execute")
        def _(conn: Any, cursor: Any, statement: str, *rest: Any) -> None:
            statements.append(statement)

        jobs.claim(
            change.conn,
            agent="tester",
            token_hash="1" * 64,
            lease_seconds=LEASE,
            max_attempts=MAX_ATTEMPTS,
            now=change.now,
        )
    (statement,) = statements
    assert statement.startswith("UPDATE jobs SET")
    assert "RETURNING" in statement


@pytest.mark.parametrize(
    "seconds, attempts, taken",
    [
        pytest.param(-1, 1, True, id="ran out"),
        pytest.param(1, 1, False, id="runs"),
        pytest.param(-1, MAX_ATTEMPTS, False, id="ran out at the limit"),
        pytest.param(10 * 365 * 86_400, 1, True, id="absurdly far ahead"),
        pytest.param(10 * 365 * 86_400, MAX_ATTEMPTS, False, id="absurdly far ahead at the limit"),
    ],
)
@pytest.mark.parametrize("named", [False, True], ids=["next", "by id"])
def test_which_claimed_jobs_can_be_taken(
    wiki: Wiki, seconds: int, attempts: int, taken: bool, named: bool
) -> None:
    (source_id,) = many_sources(wiki, 1)
    with wiki.writing(AGENT) as change:
        until = change.now + timedelta(seconds=seconds)
        _held(change.conn, source_id, until=until, attempts=attempts)
    assert take(wiki, source_id if named else None) == (source_id if taken else None)


def test_a_job_is_made_once(wiki: Wiki) -> None:
    source_id = a_source(wiki)
    claimed(wiki, source_id)
    with wiki.writing(AGENT) as change:
        jobs.open_job(change.conn, source_id, change.now)
    assert the_job(wiki, source_id).state is JobState.ANALYZING


def test_a_step_is_taken_only_in_the_attempt_that_was_checked(wiki: Wiki) -> None:
    source_id = a_source(wiki)
    claimed(wiki, source_id)
    with wiki.writing(AGENT) as change:
        checked = jobs.find(change.conn, source_id)
        change.conn.execute(update(job_rows).values(state=JobState.PENDING, **jobs.UNHELD))
        with pytest.raises(LwcError) as caught:
            jobs.move(change.conn, checked, JobEvent.ANALYZE, now=change.now)
    assert caught.value.problem is CLAIM_REQUIRED


def test_what_is_no_job_is_not_found(wiki: Wiki) -> None:
    with wiki.reading() as conn, pytest.raises(LwcError) as caught:
        jobs.find(conn, 7)
    assert caught.value.problem is JOB_NOT_FOUND


@pytest.mark.parametrize(
    "values",
    [
        pytest.param({"state": "analyzing"}, id="claimed without a holder"),
        pytest.param(
            {"agent": "a", "token_hash": "0", "lease_until": "2026"}, id="held without a claim"
        ),
        pytest.param({"state": "done"}, id="no state"),
        pytest.param({"attempts": 2}, id="more attempts than there were"),
    ],
)
def test_the_database_refuses_a_job_that_cannot_be(wiki: Wiki, values: dict[str, Any]) -> None:
    (source_id,) = many_sources(wiki, 1)
    with pytest.raises(LwcError), wiki.writing(AGENT) as change:
        change.conn.execute(
            update(job_rows).where(job_rows.c.source_id == source_id).values(**values)
        )


def test_a_source_that_goes_takes_its_job_and_history_along(wiki: Wiki) -> None:
    held = claimed(wiki, a_source(wiki))
    with wiki.writing(AGENT) as change:
        change.conn.execute(text("DELETE FROM jobs WHERE source_id = :id"), {"id": held.id})
        left = [
            change.conn.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()
            for table in ("attempts", "deliveries", "analyses")
        ]
    assert left == [0, 0, 0]
