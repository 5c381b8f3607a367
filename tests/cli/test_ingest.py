"""`lwc ingest` as it is typed: options, exit statuses, and input that is refused."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import Result

from lwc.cli import app

Lwc = Callable[..., Result]
LARGEST = 64 * 1024 * 1024


@pytest.fixture
def pending(project: Path, lwc: Lwc) -> Lwc:
    """The command line in a project with one pending job."""
    (project / "notes.md").write_text("Only one writer can hold the lock at any moment.\n")
    lwc("source", "add", "notes.md").ok()
    return lwc


@pytest.fixture
def claimed(pending: Lwc) -> Lwc:
    """The command line in a project with one claimed job."""
    pending("ingest", "next").ok()
    return pending


def refusal(result: Result) -> tuple[int, str, str]:
    """Exit status, code and reason; the rest of a refusal must be there, too."""
    error = result.error
    assert set(error) == {
        "code",
        "reason",
        "message",
        "hint",
        "retryable",
        "committed",
        "details",
    }
    assert error["message"]
    assert error["hint"]
    assert result.err.count("\n") == 1
    return result.status, error["code"], error["reason"]


def test_analyze_without_a_claim_is_refused(pending: Lwc) -> None:
    result = pending("ingest", "analyze", "1", "--file", "-", stdin="Mine.")
    assert refusal(result) == (4, "invalid_ingest_state", "claim_required")
    assert pending("ingest", "show", "1").ok()["analyses"] == []


def test_complete_twice_is_refused_unless_it_is_the_same_request(
    claimed: Lwc, project: Path
) -> None:
    claimed("ingest", "analyze", "1", "--file", "-", stdin="Locks.").ok()
    put = ("--title", "Notes", "--kind", "source", "--source", "1", "--file", "-")
    claimed("page", "put", "notes", *put, stdin="Locks.").ok()
    complete = ("ingest", "complete", "1", "--no-derived-pages-reason", "None.")
    first = claimed(*complete, "--request-id", "r1").ok()
    again = claimed(*complete, "--request-id", "r1").ok()
    assert again == {**first, "replayed": True}
    assert refusal(claimed(*complete)) == (4, "invalid_ingest_state", "bad_state")
    assert refusal(claimed("ingest", "complete", "1", "--request-id", "r1")) == (
        4,
        "request_id_reused",
        "request_id_reused",
    )


def test_an_analysis_larger_than_64_mib_is_refused(claimed: Lwc) -> None:
    result = claimed("ingest", "analyze", "1", "--file", "-", stdin=b"a" * (LARGEST + 1))
    assert refusal(result)[:2] == (6, "input_too_large")
    assert claimed("ingest", "show", "1").ok()["job"]["status"] == "analyzing"


@pytest.mark.parametrize(
    "content, code, reason",
    [
        pytest.param(b"caf\xe9", "invalid_utf8", "invalid_encoding", id="Latin-1"),
        pytest.param(b"a\0b", "binary_source", "binary_source", id="NUL"),
        pytest.param(b"\xed\xa0\x80", "invalid_utf8", "invalid_encoding", id="a surrogate"),
        pytest.param(b" \n\t", "invalid_input", "blank", id="blank"),
        pytest.param(b"", "invalid_input", "blank", id="empty"),
    ],
)
def test_an_analysis_that_is_no_text_is_refused(
    claimed: Lwc, content: bytes, code: str, reason: str
) -> None:
    result = claimed("ingest", "analyze", "1", "--file", "-", stdin=content)
    assert refusal(result) == (6, code, reason)
    assert claimed("ingest", "show", "1").ok()["job"]["status"] == "analyzing"


def test_of_sixteen_processes_that_call_next_one_gets_the_job(
    pending: Lwc, lwc_process: Lwc
) -> None:
    with ThreadPoolExecutor(16) as pool:
        runs = [pool.submit(lwc_process, "ingest", "next", "--agent", f"a{n}") for n in range(16)]
        answers: list[Any] = [run.result().ok() for run in runs]
    assert sum(answer["job"] is not None for answer in answers) == 1
    assert sum(answer["reason"] == "queue_empty" for answer in answers) == 15


@pytest.mark.parametrize(
    "argv, status, code",
    [
        pytest.param(["claim", "99"], 3, "ingest_job_not_found", id="claim no job"),
        pytest.param(["show", "99"], 3, "ingest_job_not_found", id="show no job"),
        pytest.param(["read", "99"], 3, "ingest_job_not_found", id="read no job"),
        pytest.param(["complete", "99"], 3, "ingest_job_not_found", id="complete no job"),
        pytest.param(["claim", "0"], 2, "usage_error", id="claim 0"),
        pytest.param(["claim", "x"], 2, "usage_error", id="claim a word"),
        pytest.param(["claim", str(2**63)], 2, "usage_error", id="claim beyond ids"),
        pytest.param(["claim", "1", "--lease", "59"], 6, "invalid_limit", id="lease too short"),
        pytest.param(["claim", "1", "--lease", "86401"], 6, "invalid_limit", id="lease too long"),
        pytest.param(["next", "--context-limit", "0"], 6, "invalid_limit", id="no pages"),
        pytest.param(["next", "--context-limit", "1001"], 6, "invalid_limit", id="too many pages"),
        pytest.param(["next", "--source-max-chars", "0"], 6, "invalid_limit", id="no window"),
        pytest.param(["next", "--agent", "a\nb"], 6, "invalid_input", id="an agent of two lines"),
        pytest.param(["list", "--status", "done"], 6, "invalid_ingest_status", id="no state"),
        pytest.param(["list", "--limit", "0"], 6, "invalid_limit", id="no limit"),
        pytest.param(["show", "1", "--max-chars", "0"], 6, "invalid_limit", id="no characters"),
        pytest.param(["read", "1"], 4, "invalid_ingest_state", id="read unclaimed"),
        pytest.param(["heartbeat", "1"], 4, "invalid_ingest_state", id="heartbeat unclaimed"),
        pytest.param(["release", "1"], 4, "invalid_ingest_state", id="release unclaimed"),
        pytest.param(["retry", "1"], 4, "invalid_ingest_state", id="retry pending"),
        pytest.param(["reopen", "1", "--reason", "R"], 4, "invalid_ingest_state", id="reopen"),
        pytest.param(["reopen", "1"], 2, "usage_error", id="reopen without a reason"),
        pytest.param(["fail", "1"], 2, "usage_error", id="fail without a message"),
        pytest.param(["fail", "1", "--message", " "], 6, "invalid_input", id="a blank message"),
        pytest.param(["retry", "1", "--reset"], 6, "invalid_input", id="reset without reason"),
        pytest.param(["retry", "1", "--force"], 6, "invalid_input", id="force without reason"),
        pytest.param(["analyze", "1"], 2, "usage_error", id="analyze without a file"),
        pytest.param(["analyze", "1", "--file", "gone"], 3, "io_error", id="analyze a lost file"),
        pytest.param(["next", "--scope", "all"], 2, "scope_not_supported", id="in all scopes"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    pending: Lwc, argv: list[str], status: int, code: str
) -> None:
    before = pending("log").ok()
    assert refusal(pending("ingest", *argv))[:2] == (status, code)
    assert pending("log").ok() == before
    assert pending("ingest", "list").ok()["jobs"][0]["status"] == "pending"


@pytest.mark.parametrize("offset", ["-1", "1000"])
def test_reading_begins_in_the_source(claimed: Lwc, offset: str) -> None:
    result = claimed("ingest", "read", "1", "--offset-chars", offset)
    assert refusal(result)[:2] == (6, "invalid_offset")


def test_an_agent_is_named_by_option_or_environment(
    pending: Lwc, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LWC_AGENT", "from-environment")
    assert pending("ingest", "next").ok()["job"]["claim"]["agent"] == "from-environment"
    assert pending("ingest", "heartbeat", "1").ok()["job"]["agent"] == "from-environment"
    assert refusal(pending("ingest", "heartbeat", "1", "--agent", "other"))[1] == "claim_lost"


def test_the_token_may_come_from_the_environment(
    pending: Lwc, monkeypatch: pytest.MonkeyPatch
) -> None:
    pending("config", "set", "--policy", "claims=strict").ok()
    token = pending("ingest", "next").ok()["job"]["claim"]["token"]
    assert refusal(pending("ingest", "read", "1"))[1] == "claim_token_required"
    monkeypatch.setenv("LWC_CLAIM_TOKEN", token)
    assert pending("ingest", "read", "1").ok()["remaining_chars"] == 0


def test_every_next_command_is_a_command(pending: Lwc) -> None:
    packet = pending("ingest", "next", "--source-max-chars", "5").ok()
    word, *argv = shlex.split(packet["next"])
    assert word == "lwc"
    assert app.parse(argv).name == "ingest read"
    _, *argv = shlex.split(pending(*argv).ok()["next"] or "lwc ingest show 1")
    assert app.parse(argv).name == "ingest show"


def test_a_person_sees_a_packet_as_text(pending: Lwc) -> None:
    result = pending("ingest", "next", "--output", "text")
    assert result.status == 0
    with pytest.raises(json.JSONDecodeError):
        json.loads(result.out)
    assert "Only one writer" in result.out


@pytest.mark.parametrize(
    "argv",
    [["list"], ["show", "1"], ["heartbeat", "1"], ["complete", "1", "--check"], ["read", "1"]],
    ids=lambda argv: argv[0],
)
def test_answers_name_their_wiki(claimed: Lwc, argv: list[str], project: Path) -> None:
    answer = claimed("ingest", *argv).ok()
    assert answer["scope"] == "project"
    assert answer["database"] == str(project / ".lwc" / "wiki.db")
