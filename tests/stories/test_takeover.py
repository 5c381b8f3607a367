"""A claim whose holder is late: its lease runs out, another takes the job, the late one is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Result

# A process of its own in which it is so many seconds later, and otherwise the real command line.
LATER = """
import sys
from datetime import timedelta

from lwc import clock
from lwc.__main__ import main

now, seconds = clock.now, int(sys.argv[1])
clock.now = lambda: now() + timedelta(seconds=seconds)
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture
def later(project: Path) -> Callable[..., Result]:
    """Runs a command line some seconds from now."""

    def run(seconds: int, *argv: str) -> Result:
        done = subprocess.run(
            [sys.executable, "-c", LATER, str(seconds), *argv],
            cwd=project,
            capture_output=True,
            text=True,
            env=dict(os.environ),
            timeout=120,
            check=False,
        )
        return Result(status=done.returncode, out=done.stdout, err=done.stderr)

    return run


def rows(project: Path, lwc: Callable[..., Result]) -> list[Any]:
    """All that could have been written: the job with its history, the journal, the pages."""
    return [
        lwc("ingest", "show", "1").ok(),
        lwc("log", "--limit", "1000").ok(),
        lwc("page", "list").ok(),
    ]


def test_an_expired_lease_is_taken_over_and_the_late_holder_writes_nothing(
    project: Path, lwc: Callable[..., Result], later: Callable[..., Result]
) -> None:
    (project / "notes.md").write_text("Only one writer can hold the lock at any moment.\n")
    lwc("source", "add", "notes.md").ok()
    late = lwc("ingest", "next", "--agent", "late").ok()["job"]["claim"]

    assert later(1700, "ingest", "next", "--agent", "heir").ok()["reason"] == "queue_empty"
    heir = later(1801, "ingest", "next", "--agent", "heir").ok()["job"]["claim"]
    assert (heir["attempt"], heir["agent"]) == (2, "heir")
    before = rows(project, lwc)

    steps = [
        ["analyze", "--file", "notes.md"],
        ["complete"],
        ["fail", "--message", "Too slow."],
        ["release"],
        ["heartbeat"],
        ["read"],
    ]
    for step, *options in steps:
        for who in (["--token", late["token"]], ["--agent", "late"]):
            refused = lwc("ingest", step, "1", *options, *who)
            assert (refused.status, refused.error["code"]) == (4, "claim_lost"), step
            assert refused.error["retryable"] is False
            assert refused.error["details"]["agent"] == "heir"
            assert refused.error["details"]["attempt"] == 2
            assert refused.error["details"]["since"]
    assert rows(project, lwc) == before

    (project / "analysis.md").write_text("It is about locks.\n")
    argv = ["ingest", "analyze", "1", "--file", "analysis.md", "--token", heir["token"]]
    assert later(1900, *argv).ok()["job"]["status"] == "generating"
    attempts = lwc("ingest", "show", "1").ok()["attempts"]
    assert [attempt["outcome"] for attempt in attempts] == ["expired", "active"]


def test_a_holder_who_is_late_goes_on_when_nobody_took_the_job(
    project: Path, lwc: Callable[..., Result], later: Callable[..., Result]
) -> None:
    (project / "notes.md").write_text("Only one writer can hold the lock at any moment.\n")
    lwc("source", "add", "notes.md").ok()
    token = lwc("ingest", "next").ok()["job"]["claim"]["token"]
    beaten = later(5000, "ingest", "heartbeat", "1", "--token", token).ok()
    assert beaten["job"]["lease"] == "live"
    assert later(6000, "ingest", "next", "--agent", "heir").ok()["job"] is None
    assert json.dumps(beaten).count(token) == 0
