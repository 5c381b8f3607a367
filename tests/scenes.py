"""For rows of the error table, what a user types to meet them; the wiki is the furnished one."""

from __future__ import annotations

import json
import os
import sqlite3
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from bad_inputs import file, listing, outside, sparse
from storefiles import closed_store
from worlds import HELD, World, put

from lwc.domain.check import CHECKS_MOST, PARAPHRASES_MOST
from lwc.errors import LwcError

MOST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """How a problem shows: its words, and the exit status."""

    code: str
    reason: str
    status: int


Scene = Callable[[World], Said]


def typed(
    *argv: str,
    stdin: str | bytes = "",
    make: Callable[[World], object] | None = None,
    environ: Mapping[str, str | None] | None = None,
) -> Scene:
    """The refusal of a command line, after something was arranged; None unsets a variable."""

    def play(world: World) -> Said:
        if make is not None:
            make(world)
        for name, value in (environ or {}).items():
            if value is None:
                world.patch.delenv(name, raising=False)
            else:
                world.patch.setenv(name, value.format(project=world.project))
        return said(world.lwc(*argv, stdin=stdin))

    return play


def said(refused: object) -> Said:
    """The words of a refused command."""
    error = refused.error  # type: ignore[attr-defined]
    status = refused.status  # type: ignore[attr-defined]
    return Said(code=error["code"], reason=error["reason"], status=status)


def raised(act: Callable[[World], object]) -> Scene:
    """The exception of a call of the Python API."""

    def play(world: World) -> Said:
        with pytest.raises(LwcError) as caught:
            act(world)
        problem = caught.value.problem
        return Said(code=problem.code, reason=problem.name, status=int(problem.exit))

    return play


def after(*lines: tuple[str, ...], stdin: str = "Text.\n") -> Callable[[World], object]:
    """Commands that must succeed before."""
    return lambda world: [world.do(*line, stdin=stdin) for line in lines]


ADD = ("source", "add", "notes.md")
MANIFEST = ("source", "add-manifest", "m.json")
COMPLETE = ("ingest", "complete")
TAKEN = (
    ("ingest", "claim", "3", *HELD),
    ("ingest", "analyze", "3", *HELD, "--file", "-"),
)
AGAIN = (
    (*COMPLETE, "1", *HELD),
    ("ingest", "reopen", "1", "--reason", "Again."),
    ("ingest", "claim", "1", *HELD),
    ("ingest", "analyze", "1", *HELD, "--file", "-"),
)
WRONG_QUOTE = 'A claim.[^c1]\n\n[^c1]: source:1 "The store keeps two writers at a time"\n'
WRONG_RANGE = 'A claim.[^c1]\n\n[^c1]: source:1#9-3 "The store keeps"\n'

COMMANDS: Mapping[str, Scene] = {
    "USAGE_ERROR": typed("page", "list", "--colour"),
    "UNKNOWN_COMMAND": typed("pages"),
    "INCOMPLETE_COMMAND": typed("page"),
    "NOT_A_NUMBER": typed("source", "show", "0"),
    "NOT_A_REVISION": typed("page", "show", "alone", "--revision", "x"),
    "LIMIT_NOT_A_NUMBER": typed("source", "list", "--limit", "ten"),
    "LIMIT_OUT_OF_RANGE": typed("source", "list", "--limit", "0"),
    "INVALID_OFFSET": typed("source", "list", "--offset", "-1"),
    "BLANK": typed("ingest", "fail", "2", *HELD, "--message", " "),
    "TOO_LONG": typed("ingest", "fail", "2", *HELD, "--message", "x" * 4001),
    "UNSAFE_CHARACTERS": typed("ingest", "fail", "2", *HELD, "--message", "\x1b[2J"),
    "INVALID_TIME": typed("log", "--since", "yesterday"),
    "INVALID_REQUEST_ID": typed(*ADD, "--request-id", "a b"),
    "INVALID_AGENT": typed("ingest", "next", "--agent", "a\nb"),
    "REQUEST_ID_REUSED": typed(
        *("source", "remove", "3", "--request-id", "r1"),
        make=after(("source", "add", "late.md", "--request-id", "r1")),
    ),
    "STALE_REVISION": typed("source", "add", "late.md", "--if-revision", "1"),
    "SCOPE_NOT_SUPPORTED": typed("page", "list", "--scope", "all"),
    "CHANGESET_NAME_INVALID": typed("page", "list", "--changeset", "../x"),
    "CHANGESET_NOT_FOUND": typed("page", "list", "--changeset", "draft"),
}
FILES: Mapping[str, Scene] = {
    "FILE_NOT_FOUND": typed(*ADD),
    "FILE_UNREADABLE": typed("page", "put", "fresh", "--title", "T", "--file", "x" * 300),
    "NOT_A_REGULAR_FILE": typed(*ADD, make=lambda world: os.mkfifo(world.project / "notes.md")),
    "SYMLINK_REFUSED": typed(
        *ADD, make=lambda world: (world.project / "notes.md").symlink_to("late.md")
    ),
    "HARD_LINK_REFUSED": typed(
        *ADD,
        make=lambda world: (world.project / "notes.md").hardlink_to(world.project / "late.md"),
    ),
    "PATH_OUTSIDE_ROOT": typed("source", "add", "../outside.md", make=outside),
    "STORE_FILE_REFUSED": typed("source", "add", ".lwc/wiki.db"),
    "INVALID_SOURCE_PATH": typed("source", "add", ""),
    "INPUT_TOO_LARGE": typed(
        *("page", "put", "fresh", "--title", "T", "--file", "big.md"),
        make=sparse("big.md", MOST + 1),
    ),
    "SOURCE_TOO_LARGE": typed(*ADD, make=sparse("notes.md", MOST + 1)),
    "EMPTY_SOURCE": typed(*ADD, make=file("notes.md", " \n")),
    "INVALID_ENCODING": typed(*ADD, make=file("notes.md", b"\xff")),
    "BINARY_SOURCE": typed(*ADD, make=file("notes.md", b"a\0b")),
    "STDIN_REFUSED": typed("source", "add", "-"),
    "URL_REFUSED": typed("source", "add", "https://example.org/notes.md"),
}
SOURCES: Mapping[str, Scene] = {
    "SOURCE_NOT_FOUND": typed("source", "show", "99"),
    "SOURCE_IN_USE": typed("source", "remove", "1"),
    "SOURCE_CLAIMED": typed("source", "remove", "2"),
    "INVALID_SOURCE_DIRECTORY": typed("source", "add-dir", "late.md"),
    "PARTIAL_IMPORT": typed("source", "add-dir", "more", make=file("more/empty.md", "")),
    "INVALID_MANIFEST": typed(*MANIFEST, make=file("m.json", "hello")),
    "EMPTY_MANIFEST": typed(*MANIFEST, make=file("m.json", '{"sources": []}')),
    "DUPLICATE_KEY": typed(*MANIFEST, make=file("m.json", '{"sources": [], "sources": []}')),
    "MANIFEST_TOO_LARGE": typed(*MANIFEST, make=sparse("m.json", 17 * 1024 * 1024)),
    "MANIFEST_ENTRY_REFUSED": typed(*MANIFEST, make=listing("more\\00.md")),
}
INGEST: Mapping[str, Scene] = {
    "JOB_NOT_FOUND": typed("ingest", "show", "99"),
    "INVALID_INGEST_STATUS": typed("ingest", "list", "--status", "done"),
    "ILLEGAL_TRANSITION": typed("ingest", "analyze", "1", *HELD, "--file", "-", stdin="Again."),
    "CLAIM_REQUIRED": typed("ingest", "analyze", "3", "--file", "-", stdin="Analysis."),
    "CLAIM_LOST": typed("ingest", "fail", "2", "--agent", "berta", "--message", "Mine."),
    "CLAIM_TOKEN_REQUIRED": typed(
        *("ingest", "fail", "2", *HELD, "--message", "No."),
        make=after(("config", "set", "claims=strict")),
    ),
    "REASON_REQUIRED": typed("ingest", "retry", "2", *HELD, "--reset"),
    "ATTEMPTS_EXHAUSTED": typed(
        "ingest", "retry", "2", *HELD, make=after(("config", "set", "max_attempts=1"))
    ),
    "SOURCE_SUMMARY_MISSING": typed(*COMPLETE, "3", *HELD, make=after(*TAKEN)),
    "SOURCE_NOT_FULLY_READ": typed(
        *(*COMPLETE, "3", *HELD),
        make=after(("config", "set", "window_chars=10"), *TAKEN),
    ),
    "INTEGRATION_REQUIRED": typed(
        *(*COMPLETE, "3", *HELD),
        make=after(*TAKEN, put("three", "--kind", "source", "--source", "3")),
    ),
    "DERIVED_PAGES_EXIST": typed(
        *COMPLETE, "1", *HELD, "--no-derived-pages-reason", "Nothing to say."
    ),
    "CITATION_MISSING": typed(
        *COMPLETE, "1", *HELD, make=after(put("wrong", "--source", "1"), stdin=WRONG_QUOTE)
    ),
    "CITATION_REQUIRED": typed(
        *(*COMPLETE, "1", *HELD),
        make=after(
            ("config", "set", "citations=required"),
            put("store-source", "--kind", "source", "--source", "1"),
        ),
    ),
    "PAGES_NOT_TOUCHED": typed(
        *(*COMPLETE, "1", *HELD),
        make=after(*AGAIN, ("config", "set", "policy=strict", "claims=standard")),
    ),
}
PAGES: Mapping[str, Scene] = {
    "INVALID_SLUG": typed(*put("../x"), stdin="Text.\n"),
    "SLUG_RESERVED": typed(*put("con"), stdin="Text.\n"),
    "SLUG_COLLISION": typed(*put("Alone"), stdin="Text.\n"),
    "SLUG_RENAMED": typed(
        *put("alone"), stdin="Text.\n", make=after(("page", "rename", "alone", "solo"))
    ),
    "PAGE_NOT_FOUND": typed("page", "show", "nowhere"),
    "PAGE_IN_USE": typed("page", "remove", "readers"),
    "PAGE_REVISION_CONFLICT": typed(*put("alone", "--if-revision", "1"), stdin="Text.\n"),
    "PAGE_REVISION_NOT_FOUND": typed("page", "show", "alone", "--revision", "9"),
    "EMPTY_BODY": typed(*put("fresh"), stdin=" \n"),
    "UNKNOWN_KIND": typed(*put("fresh", "--kind", "sources"), stdin="Text.\n"),
    "INVALID_PROVENANCE": typed(*put("fresh", "--provenance", "gossip"), stdin="Text.\n"),
    "INVALID_SPAN": typed(*put("fresh", "--source", "1"), stdin=WRONG_RANGE),
    "INVALID_EDITS": typed("page", "patch", "alone", "--file", "-", stdin="{}"),
    "EDIT_NOT_UNIQUE": typed(
        *("page", "patch", "alone", "--file", "-"),
        stdin=json.dumps([{"old": "nowhere", "new": "somewhere"}]),
    ),
    "INVALID_PAGES_FILE": typed("page", "put-many", "-", stdin="hello\n"),
    "NOT_CITED_BY_PAGE": typed("page", "confirm", "alone", "--source", "1"),
}
CHECKS: Mapping[str, Scene] = {
    "CHECK_NOT_FOUND": typed("check", "remove", "99"),
    "NOT_A_CHECK": typed("check", "remove", "first"),
    "CHECK_WITHOUT_WORDS": typed("check", "add", "alone", "--query", "?!"),
    "CHECK_SAME_WORDS": typed(
        *("check", "add", "alone", "--query", "one writer", "--paraphrase", "Writers: one")
    ),
    "TOO_MANY_PARAPHRASES": typed(
        *("check", "add", "alone", "--query", "first"),
        *(
            word
            for number in range(PARAPHRASES_MOST + 1)
            for word in ("--paraphrase", f"w{number}")
        ),
    ),
    "TOO_MANY_CHECKS": typed(
        *("check", "add", "alone", "--query", "one more"),
        make=after(
            *(("check", "add", "alone", "--query", f"word{n}") for n in range(CHECKS_MOST)),
            stdin="",
        ),
    ),
}
KEPT = ("checkpoint", "create", "kept")
FOLDER = ".lwc/checkpoints"


def spoilt(act: Callable[[Path], object]) -> Callable[[World], object]:
    """Something is done to the file of a checkpoint `kept`, and to nothing else of it."""

    def make(world: World) -> None:
        world.do(*KEPT)
        (world.project / FOLDER / "kept.json").unlink()
        act(world.project / FOLDER / "kept.db")

    return make


def statement(sql: str) -> Callable[[Path], None]:
    def act(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as conn:
            conn.execute(sql)

    return act


def repeated(world: World) -> Said:
    """A request that a restore took back is made again."""
    asked = (*put("since"), "--request-id", "r1")
    world.do(*KEPT)
    world.do(*asked, stdin="Text.\n")
    world.do("checkpoint", "restore", "kept")
    return said(world.lwc(*asked, stdin="Text.\n"))


def newer_archive(world: World) -> None:
    """An archive whose manifest tells a schema that is not known yet."""
    world.do("export", "wiki.zip")
    with zipfile.ZipFile(world.project / "wiki.zip") as packed:
        manifest, content = json.loads(packed.read("manifest.json")), packed.read("wiki.db")
    with zipfile.ZipFile(world.project / "newer.zip", "w") as packed:
        packed.writestr("manifest.json", json.dumps({**manifest, "schema": 999}))
        packed.writestr("wiki.db", content)


def log_left(world: World) -> None:
    world.do("export", "wiki.zip")
    store = Path(os.environ["HOME"]) / ".lwc"
    store.mkdir(mode=0o700)
    with closed_store():
        (store / "wiki.db-wal").write_bytes(b"frames of another wiki")


HOME = ("--scope", "global")
CHECKPOINTS: Mapping[str, Scene] = {
    "CHECKPOINT_NAME_INVALID": typed("checkpoint", "create", "../kept"),
    "CHECKPOINT_EXISTS": typed(*KEPT, make=after(KEPT)),
    "CHECKPOINT_NOT_FOUND": typed("checkpoint", "restore", "none"),
    "CHECKPOINT_INVALID": typed(
        "checkpoint", "restore", "kept", make=spoilt(lambda path: os.truncate(path, 5000))
    ),
    "CHECKPOINT_NEWER": typed(
        *("checkpoint", "restore", "kept"), make=spoilt(statement("PRAGMA user_version=999"))
    ),
    "CHECKPOINT_FOREIGN": typed(
        *("checkpoint", "restore", "kept"),
        make=spoilt(statement("UPDATE meta SET value = 'f' || value WHERE key = 'store_id'")),
    ),
    "CHECKPOINT_DIVERGED": typed(
        *("checkpoint", "restore", "kept"),
        make=spoilt(statement("UPDATE operations SET agent = 'another'")),
    ),
    "REQUEST_UNDONE": repeated,
    "STORE_EXISTS": typed("import", "wiki.zip", make=after(("export", "wiki.zip"))),
    "STORE_LOG_LEFT": typed("import", "wiki.zip", *HOME, make=log_left),
    "ARCHIVE_EXISTS": typed("export", "wiki.zip", make=after(("export", "wiki.zip"))),
    "ARCHIVE_UNWRITABLE": typed("export", "no/such/folder.zip"),
    "ARCHIVE_NOT_FOUND": typed("import", "none.zip", *HOME),
    "ARCHIVE_INVALID": typed("import", "a.zip", *HOME, make=file("a.zip", "No archive.\n")),
    "ARCHIVE_NEWER": typed("import", "newer.zip", *HOME, make=newer_archive),
}
SEARCHES: Mapping[str, Scene] = {
    "BLANK_QUERY": typed("search", " "),
    "KIND_NEEDS_PAGES": typed("search", "store", "--type", "source", "--kind", "concept"),
    "UNKNOWN_RULE": typed("lint", "--code", "beauty"),
    "QUERY_REFUSED": typed("db", "DELETE FROM pages"),
    "INVALID_CONFIG": typed("config", "set", "lease_seconds=soon"),
    "UNKNOWN_SETTING": typed("config", "set", "colour=red"),
    "CHARTER_REVISION_NOT_FOUND": typed("schema", "show", "--revision", "9"),
    "INVALID_SCHEMA": typed("schema", "set", "-", stdin="---\nkinds: {a: b}\n---\n# Schema\n"),
}
TYPED = {**COMMANDS, **FILES, **SOURCES, **INGEST, **PAGES, **CHECKS, **CHECKPOINTS, **SEARCHES}
