"""Whole command lines: an update is drafted, verified, published, verified again, and undone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

Lwc = Callable[..., Any]

LOCKS = """# Locks

Only one writer can hold the lock at any moment. Readers never wait for it.

A lease that ran out gives the job back to the queue.
"""
OLD = "The queue hands a job to whoever asks first. See [[writers]].\n"
SUMMARY = """Who may write, and when.[^c1] See [[writers]] and [[queue]].

[^c1]: source:{source} "Only one writer can hold the lock at any moment"
"""
DERIVED = """A job whose lease ran out is handed out again.[^c1] Links to [[locks]].

[^c1]: source:{source} "A lease that ran out gives the job back to the queue"
"""


@pytest.fixture
def told(lwc: Lwc, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs a command that must be answered, as an agent would; the answer."""

    def run(*argv: str, stdin: str = "", **environ: str) -> Any:
        with monkeypatch.context() as patch:
            for name, value in environ.items():
                patch.setenv(name, value)
            ran = lwc(*argv, stdin=stdin)
        assert ran.status == 0, ran.err
        return json.loads(ran.out)

    return run


@pytest.fixture
def seen(project: Path, told: Callable[..., Any]) -> Callable[[], str]:
    """A digest of all that live readers can see: answers of commands, and projected files."""

    def digest() -> str:
        found = sha256()
        for part in (*_answers(told), *_files(project / ".lwc")):
            found.update(part)
        return found.hexdigest()

    return digest


def _answers(told: Callable[..., Any]) -> Iterator[bytes]:
    slugs = [page["slug"] for page in told("page", "list")["pages"]]
    sources = [source["id"] for source in told("source", "list")["sources"]]
    lines = [
        *(("page", verb, slug) for slug in slugs for verb in ("show", "links", "history")),
        *(("source", verb, str(number)) for number in sources for verb in ("show", "refs")),
        *(("schema", "show"), ("purpose", "show"), ("page", "list"), ("source", "list")),
        *(("search", words) for words in ("writer lock", "lease queue", "job", "hands")),
        *(("check", "list"), ("lint",)),
    ]
    for line in lines:
        answer = told(*line)
        # The journal goes on: claims, windows and analyses are live by design.
        answer.pop("revision", None)
        yield json.dumps([line, answer], sort_keys=True).encode()


def _files(store: Path) -> Iterator[bytes]:
    for folder in ("wiki", "raw"):
        for path in sorted((store / folder).rglob("*")):
            # The log tells of claims, too, when something is projected.
            if path.is_file() and path.name != "log.md":
                yield str(path.relative_to(store)).encode() + b"\0" + path.read_bytes()


def test_an_update_is_invisible_until_it_is_right_and_can_be_undone(
    project: Path, told: Callable[..., Any], lwc: Lwc, seen: Callable[[], str]
) -> None:
    told("page", "put", "writers", "--title", "Writers", "--file", "-", stdin="One at a time.\n")
    told("page", "put", "queue", "--title", "Queue", "--file", "-", stdin=OLD)
    (project / "locks.md").write_text(LOCKS)
    before = seen()

    told("changeset", "draft", "spring")
    draft = {"LWC_CHANGESET": "spring", "LWC_AGENT": "ada"}
    source = told("source", "add", "locks.md", **draft)["source"]["id"]
    packet = told("ingest", "next", "--source-max-chars", "40", **draft)
    assert packet["job"]["source"]["id"] == source
    claimed = {**draft, "LWC_CLAIM_TOKEN": packet["job"]["claim"]["token"]}
    window = {"remaining_chars": 1}
    while window["remaining_chars"]:
        window = told("ingest", "read", str(source), "--max-chars", "60", **claimed)
    told("ingest", "analyze", str(source), "--file", "-", stdin="What locks promise.", **claimed)
    put = ("page", "put")
    told(
        *(*put, "locks", "--title", "Locks", "--kind", "source", "--summary", "Who may write."),
        *("--file", "-"),
        stdin=SUMMARY.format(source=source),
        **draft,
    )
    told(
        *(*put, "queue", "--title", "Queue", "--summary", "How jobs are handed out."),
        *("--file", "-", "--if-revision", "1"),
        stdin=DERIVED.format(source=source),
        **draft,
    )
    assert told("ingest", "complete", str(source), **claimed)["job"]["status"] == "completed"
    told(
        *("check", "add", "locks", "--query", "who may write at the same time"),
        *("--paraphrase", "single writer holding the lock"),
        **draft,
    )
    assert told("check", "run", **draft)["held"]
    assert told("lint", "--severity", "error", **draft)["total"] == 0
    diff = told("changeset", "diff", "spring")
    assert "+A job whose lease ran out is handed out again.[^c1] Links to [[locks]]." in str(diff)
    shown = told("changeset", "show", "spring")
    assert (shown["ready"], shown["missing"], shown["conflict"]) == (True, [], False)
    assert told("page", "show", "locks", **draft)["page"]["title"] == "Locks"
    assert lwc("page", "show", "locks").status == 3
    assert seen() == before

    published = told("changeset", "publish", "spring")
    assert (published["status"], published["verification"]) == ("committed", "pending")
    assert published["completed_jobs"] == [source]
    assert told("page", "show", "queue")["page"]["revision"] == 2
    assert told("ingest", "show", str(source))["job"]["status"] == "completed"
    assert told("search", "single writer lock")["results"][0]["identifier"] == "locks"
    verified = told("changeset", "verify", published["changeset_id"])
    assert verified["verification"] == "passed"
    assert lwc("changeset", "publish", "spring").status == 4
    assert "wiki/sources/locks.md" in [
        str(path.relative_to(project / ".lwc")) for path in (project / ".lwc").rglob("*.md")
    ]

    told("changeset", "rollback", published["changeset_id"])
    assert lwc("page", "show", "locks").status == 3
    assert told("page", "show", "queue")["page"]["body"] == OLD
    assert told("page", "history", "queue")["total"] == 3
    assert told("source", "list")["total"] == 0
    restored = {
        path.relative_to(project / ".lwc").as_posix()
        for path in (project / ".lwc" / "wiki").rglob("*.md")
    }
    assert "wiki/sources/locks.md" not in restored
