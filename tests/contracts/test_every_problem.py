"""Every row of the error table is met by something a user can do; a row without a scene is dead."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import closing, redirect_stderr
from pathlib import Path

import pytest
import toys
from changeset_scenes import CHANGESETS
from command_lines import in_backticks, parsed
from processes import as_nobody, killed
from scenes import TYPED, Said, Scene, raised, typed
from sqlalchemy import insert
from storefiles import closed_store
from worlds import World, put

from lwc import filesystem
from lwc.cli import app
from lwc.domain.citation import MOST_CITATIONS
from lwc.errors import LwcError, problems
from lwc.projection import keeping, lock
from lwc.projection.tree import Tree
from lwc.reader import read_document
from lwc.services import charter, lint, search
from lwc.store import maintenance, tables, texts
from lwc.store.dialects import sqlite
from lwc.wiki import Call, open_wiki

READ = ("page", "list")
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
CITED = "[^{0}]\n\n[^{0}]: source:1\n\n"


def harmed(act: Callable[[Path], object]) -> Callable[[World], object]:
    """Something is done to the closed database."""
    return lambda world: world.damage(act)


def executed(*statements: str) -> Callable[[World], object]:
    """Another program changes the closed database."""

    def act(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as conn:
            for statement in statements:
                conn.execute(statement)

    return harmed(act)


def later_schema(world: World) -> None:
    """This program becomes one of a later schema, without the migration to it."""
    later = f"{int(tables.SCHEMA) + 1:04d}"
    for module in ("store.tables", "store.tables.base", "wiki", "store.dialects.sqlite"):
        world.patch.setattr(f"lwc.{module}.SCHEMA", later)


def second_wiki_above(world: World) -> None:
    harmed(lambda path: shutil.copytree(path.parent, world.project.parent / ".lwc"))(world)


def linked_home(world: World) -> None:
    """The user's own wiki is reached through a link."""
    (Path(os.environ["HOME"]) / ".lwc").symlink_to(world.project / ".lwc")


def owned_by_another(world: World) -> None:
    """The store belongs to a user who is neither this one nor the system's own."""
    if os.geteuid() == 0:
        harmed(lambda path: os.chown(path.parent, 12_345, -1))(world)
    else:
        world.patch.setattr(os, "geteuid", lambda: 12_345)


def broken_git(world: World) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=world.project, check=True)
    info = world.project / ".git" / "info"
    shutil.rmtree(info, ignore_errors=True)
    info.write_text("a file where git keeps a folder")


def unsafe_disk(world: World) -> None:
    world.patch.setattr(filesystem, "kind_of", lambda folder: "nfs4")


def spoken(status: int, err: bytes | str) -> Said:
    """The words of a refusal that was not read by `world.lwc`."""
    error = json.loads(err)["error"]
    return Said(code=error["code"], reason=error["reason"], status=status)


def toy(*argv: str) -> Scene:
    """A command that goes wrong on purpose, run as all commands are."""

    def play(world: World) -> Said:
        with redirect_stderr(io.StringIO()) as err:
            status = app.run(argv, table=toys.TABLE)
        return spoken(status, err.getvalue())

    return play


def full_device(world: World) -> Said:
    """The answer goes to a device that is always full."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "lwc", *READ],
            cwd=world.project,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    return spoken(done.returncode, done.stderr)


def busy(world: World) -> Said:
    """Another command holds the lock for longer than anybody waits."""
    world.patch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    with open_wiki(world.project) as wiki, wiki.writing(Call()):
        return typed(*put("fresh"), stdin="Text.\n")(world)


MATERIALIZE = ("maintenance", "materialize")


def projecting(world: World) -> Said:
    """Another command holds the projection's lock for longer than anybody waits."""
    world.patch.setattr(keeping, "LONG_PATIENCE", 0.05)
    with Tree(world.project / ".lwc") as tree, lock.held(tree, patience=1.0):
        return typed(*MATERIALIZE)(world)


def in_the_way(world: World) -> None:
    """A folder of somebody else where the index belongs."""
    world.do(*MATERIALIZE)
    index = world.project / ".lwc" / "wiki" / "index.md"
    index.unlink()
    index.mkdir()
    (index / "mine.md").write_text("Mine.\n")


def no_lock(world: World) -> None:
    """A folder where the projection's lock belongs."""
    place = world.project / ".lwc" / "projection.lock"
    place.unlink(missing_ok=True)
    place.mkdir()


def commit_fails(world: World) -> None:
    with open_wiki(world.project) as wiki, wiki.writing(Call()) as change:
        change.conn.exec_driver_sql("PRAGMA defer_foreign_keys=1")
        nowhere = {"tracked_path": "a", "revision": 1, "source_id": 99, "observed_at": "now"}
        change.conn.execute(insert(tables.source_paths).values(nowhere))


def disk_full(world: World) -> None:
    with open_wiki(world.project) as wiki, wiki.writing(Call()) as change:
        size = change.conn.exec_driver_sql("PRAGMA page_count").scalar_one()
        change.conn.exec_driver_sql(f"PRAGMA max_page_count={size}")
        texts.put(change.conn, "long " * 20_000)


def file_that_grows(world: World) -> None:
    """Somebody writes to the file for as long as it takes to be met reading."""
    path = world.write("growing.md", "text\n" * 200_000)
    done = threading.Event()

    def grow() -> None:
        with path.open("ab", buffering=0) as file:
            while not done.is_set():
                file.write(b"more\n")

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        for _ in range(10_000):
            read_document("growing.md", root=world.project, base=world.project)
    finally:
        done.set()
        writer.join()


def for_others(act: Callable[[Path], object], *, log_left: bool = False) -> Scene:
    """What another user meets, who may read the wiki and not write to its folder."""

    def play(world: World) -> Said:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name).resolve()
            folder.chmod(0o755)
            with closed_store():
                project = Path(shutil.copytree(world.project, folder / "project"))
            if log_left:
                assert killed(lambda: _write_and_die(project))
                (project / ".lwc" / "wiki.db-shm").unlink()
            for path in (*project.rglob("*"), project):
                path.chmod(0o555 if path.is_dir() else 0o444)
            return Said(**as_nobody(lambda: _refusal(lambda: act(project))))

    return play


def _write_and_die(project: Path) -> None:
    charter.put(open_wiki(project), Call(), name="purpose", text="Only in the log.\n")
    os.kill(os.getpid(), 9)


def _refusal(act: Callable[[], object]) -> dict[str, object]:
    with pytest.raises(LwcError) as caught:
        act()
    problem = caught.value.problem
    return {"code": problem.code, "reason": problem.name, "status": int(problem.exit)}


def write_purpose(project: Path) -> None:
    with open_wiki(project) as wiki:
        charter.put(wiki, Call(), name="purpose", text="Another.\n")


def skipped(world: World) -> Said:
    """What is not even tried is told within a partial import."""
    os.mkfifo(world.project / "more" / "pipe.md")
    error = world.lwc("source", "add-dir", "more").error
    (entry,) = error["details"]["skipped_files"]
    return Said(code=entry["code"], reason=entry["reason"], status=6)


def slow_query(world: World) -> None:
    with open_wiki(world.project) as wiki, wiki.reading() as conn:
        maintenance.query(conn, ENDLESS, most=1, seconds=0.01)


def unknown_severity(world: World) -> None:
    with open_wiki(world.project) as wiki:
        lint.lint(wiki, severity="grave")


def unknown_type(world: World) -> None:
    with open_wiki(world.project) as wiki:
        search.search(wiki, query="store", type="picture")


ARRANGED: Mapping[str, Scene] = {
    "INTERRUPTED": toy("toy", "stop", "SIGINT"),
    "INTERNAL_ERROR": toy("toy", "boom"),
    "OUTPUT_NOT_WRITTEN": full_device,
    "SOURCE_CHANGED": raised(file_that_grows),
    "NOT_A_DOCUMENT": skipped,
    "TOO_MANY": typed(
        *put("fresh"), stdin="".join(CITED.format(n) for n in range(MOST_CITATIONS + 1))
    ),
    "UNKNOWN_SEVERITY": raised(unknown_severity),
    "UNKNOWN_SEARCH_TYPE": raised(unknown_type),
    "QUERY_TOO_SLOW": raised(slow_query),
    "HOME_NOT_SET": typed(
        *READ, "--scope", "global", environ=dict.fromkeys(("HOME", "USERPROFILE", "HOMEPATH"))
    ),
    "HOME_IS_GLOBAL": typed(
        "init",
        environ={"HOME": "{project}"},
    ),
    "STORE_NOT_FOUND": typed(*READ, make=harmed(lambda path: shutil.rmtree(path.parent))),
    "PROJECT_ROOT_INVALID": typed(*READ, environ={"LWC_PROJECT_ROOT": ""}),
    "PROJECT_ROOT_MISMATCH": typed(*READ, environ={"LWC_PROJECT_ROOT": "{project}/more"}),
    "PROJECT_SCOPE_CONFLICT": typed(
        *READ, make=second_wiki_above, environ={"LWC_PROJECT_ROOT": "{project}/.."}
    ),
    "PROJECT_ROOT_ESCAPE": typed(
        *READ,
        make=harmed(lambda path: path.symlink_to(path.rename(path.parent.parent / "elsewhere.db"))),
    ),
    "STORE_PATH_INVALID": typed(*READ, "--scope", "global", make=linked_home),
    "MULTIPLE_LINKS": typed(
        *READ, make=harmed(lambda path: (path.parent.parent / "second.db").hardlink_to(path))
    ),
    "STORE_FOREIGN": typed(*READ, make=owned_by_another),
    "STORE_EXPOSED": typed(*READ, make=harmed(lambda path: path.parent.chmod(0o777))),
    "UNSUPPORTED_FILESYSTEM": typed("init", make=unsafe_disk),
    "GIT_EXCLUDE_FAILED": typed("init", make=broken_git),
    "STORE_NOT_LWC": typed(*READ, make=harmed(lambda path: os.truncate(path, 0))),
    "STORE_CORRUPT": typed(
        *("page", "show", "alone"), make=executed("UPDATE text_parts SET body = body || '!'")
    ),
    "STORE_NEWER": typed(*READ, make=executed("PRAGMA user_version=999")),
    "STORE_UNFINISHED": typed(*READ, make=executed("PRAGMA user_version=0")),
    "DATABASE_ERROR": typed(*READ, make=executed("PRAGMA foreign_keys=0", "DROP TABLE pages")),
    "MIGRATION_REQUIRED": raised(
        lambda world: (later_schema(world), open_wiki(world.project, migrate=False))
    ),
    "STORE_MIGRATION_FAILED": typed(*READ, make=later_schema),
    "STORE_READONLY": for_others(write_purpose),
    "STORE_READONLY_LOG": for_others(open_wiki, log_left=True),
    "DATABASE_BUSY": busy,
    "PROJECTION_BUSY": projecting,
    "PROJECTION_INCOMPLETE": typed(*MATERIALIZE, make=in_the_way),
    "PROJECTION_FOLDER_REFUSED": typed(*MATERIALIZE, make=no_lock),
    "DATABASE_FULL": raised(disk_full),
    "COMMIT_UNKNOWN": raised(commit_fails),
}
SCENES = {**TYPED, **CHANGESETS, **ARRANGED}
ROWS = dict(problems())
# Facts that are words of a command; any other may be a number.
FACTS = {"scope": "project", "instead": "page --help", "command": "page list", "name": "schema"}
# What a shell reports of a program that a signal ended.
SIGNALLED = {"INTERRUPTED": 130}


def test_every_row_has_its_scene() -> None:
    assert set(SCENES) == set(ROWS)


@pytest.mark.parametrize("name", sorted(SCENES))
def test_the_scene_meets_that_very_row(name: str, world: World) -> None:
    row = ROWS[name]
    status = SIGNALLED.get(name, int(row.exit))
    assert SCENES[name](world) == Said(code=row.code, reason=row.name, status=status)


def test_no_two_rows_say_the_same_words() -> None:
    words = [(row.code, row.name) for row in ROWS.values()]
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_the_commands_of_a_hint_can_be_typed(name: str) -> None:
    for line in in_backticks(ROWS[name].hint):
        parsed(re.sub(r"\{(\w+)\}", lambda fact: FACTS.get(fact.group(1), "1"), line))
