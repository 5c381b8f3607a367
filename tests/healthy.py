"""A wiki with a bit of everything in which all that must hold does, copied for each use.

Sources 1 to 6: job 1 completed, 2 failed, 3 analysed and held by `anna`, 4 claimed and read in
part, 5 pending; source 6 is staged in the draft `open` with its completion. Pages `locks`
(renamed from `mutexes`), `waiting`, `notes` of kind source, and `gone`, which was removed.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from processes import apart
from storefiles import closed_store
from worlds import run

HELD = ("--agent", "anna")
WORDS = "Only one writer can hold the lock at any moment. Everything else waits for it.\n"
EXACT = "Only one writer can hold the lock at any moment"
LOCKS = (
    "# Locks\n\nOne writer holds the lock.[^exact] The rest waits.[^near] See [[waiting]] and"
    " [[Nowhere]].\n\n"
    f'[^exact]: source:1 "{EXACT}"\n[^near]: source:2 "It’s the second writer’s lock"\n'
)
WAITING = (
    "Who waits is told so.[^wrong] See [[mutexes]] and [the notes](notes.md).\n\n"
    '[^wrong]: source:3#5-40 "Nobody ever has to wait for anything"\n[^idle]: source:3\n'
)
LONG = "A long text goes on and on, and nobody reads all of it at once.\n" * 1_100


@pytest.fixture(scope="session")
def healthy_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, closed, to be copied."""
    folder = tmp_path_factory.mktemp("healthy")
    build(folder)
    return folder


@pytest.fixture
def healthy(tmp_path: Path, healthy_template: Path) -> Path:
    """A copy of the project, closed."""
    with closed_store():
        return Path(shutil.copytree(healthy_template, tmp_path / "healthy"))


def build(project: Path) -> None:
    """Make the wiki of a project, in a process of its own."""

    def work() -> None:
        os.chdir(project)
        os.environ["HOME"] = str(project / "nobody")
        run("init", "--no-git-exclude")
        _write_sources(project)
        _ingest()
        _write_pages()
        _settle()
        _stage()

    apart(work)


def _write_sources(project: Path) -> None:
    texts = {
        "one": WORDS,
        "two": "It's the second writer's lock.\n",
        "three": "A third text waits.\n",
    }
    for name, text in {**texts, "four": LONG, "five": "The fifth is pending.\n"}.items():
        (project / f"{name}.md").write_text(text)
        run("source", "add", f"{name}.md")
    (project / "six.md").write_text("The sixth is staged in a draft.\n")


def _ingest() -> None:
    for job in ("1", "2", "3", "4"):
        run("ingest", "claim", job, *HELD, "--request-id", f"claim-{job}")
    run("ingest", "fail", "2", *HELD, "--message", "It was too hard.")
    run("ingest", "release", "3", *HELD)
    run("ingest", "claim", "3", *HELD)
    for job in ("1", "3"):
        run("ingest", "analyze", job, *HELD, "--file", "-", stdin=f"It is about lock {job}.\n")


def put(slug: str, body: str, *more: str) -> Any:
    return run("page", "put", slug, "--title", slug.title(), "--file", "-", *more, stdin=body)


def _write_pages() -> None:
    put("waiting", "Soon.\n", "--provenance", "hypothesis")
    put("mutexes", LOCKS, "--source", "1", "--summary", "One at a time.")
    put("waiting", WAITING, "--provenance", "hypothesis", "--source", "1")
    put("waitin", "Nearly the same.\n", "--provenance", "user-provided")
    put("notes", f'In short.[^1]\n\n[^1]: source:1 "{EXACT}"\n', "--kind", "source")
    put("gone", "It will go.\n", "--provenance", "agent-observed")
    run("page", "rename", "mutexes", "locks")
    run("page", "remove", "gone")
    run("ingest", "complete", "1", *HELD)


def _settle() -> None:
    run("config", "set", "lease_seconds=3600")
    run("schema", "set", "-", stdin="# How pages are written\n")
    run("check", "add", "locks", "--query", "who holds the lock", "--paraphrase", "one writer")
    run("lint", "--record", "--request-id", "lint-1")


def _stage() -> None:
    for name in ("published", "undone"):
        draft = ("--changeset", name)
        run("changeset", "draft", name)
        run("page", "patch", "waiting", "--file", "-", *draft, stdin=_edit(name))
        put(f"in-{name}", "It came with a draft. See [[locks]].\n", "--source", "1", *draft)
        run("changeset", "publish", name, "--allow-lint-issues", "--reason", "They stood before.")
    run("changeset", "rollback", "undone")
    run("changeset", "draft", "thrown")
    put("in-thrown", "Nobody will see it.\n", "--changeset", "thrown")
    run("changeset", "discard", "thrown")
    draft = ("--changeset", "open")
    run("changeset", "draft", "open")
    run("source", "add", "six.md", *draft)
    run("ingest", "claim", "6", *HELD, *draft)
    run("ingest", "analyze", "6", *HELD, "--file", "-", *draft, stdin="It is the sixth.\n")
    cited = 'Staged.[^1]\n\n[^1]: source:6 "The sixth is staged in a draft."\n'
    put("six", cited, "--kind", "source", *draft)
    put("drafted", f"{cited}\nSee [[six]] and [[locks]].\n", *draft)
    run("page", "patch", "waiting", "--file", "-", *draft, stdin=_edit("open"))
    run("purpose", "set", "-", *draft, stdin="# Another purpose\n")
    run("check", "add", "drafted", "--query", "the sixth", "--paraphrase", "staged", *draft)
    run("ingest", "complete", "6", *HELD, *draft)


def _edit(word: str) -> str:
    return '[{"old": "is told so", "new": "is told so by ' + word + '"}]'
