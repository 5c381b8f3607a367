from __future__ import annotations

import os
import resource
import sqlite3
import stat
import subprocess
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from processes import apart, as_nobody, killed, race

from lwc import filesystem
from lwc.domain.charter import DEFAULTS
from lwc.errors import (
    HOME_IS_GLOBAL,
    PROJECT_ROOT_ESCAPE,
    REQUEST_ID_REUSED,
    STALE_REVISION,
    STORE_NOT_LWC,
    UNSUPPORTED_FILESYSTEM,
    LwcError,
)
from lwc.services import charter, configuration, workspaces
from lwc.services.git_exclude import GitExclude
from lwc.services.workspaces import Initialised
from lwc.store import migrate
from lwc.wiki import Call, open_wiki
from lwc.workspace import Scope

DISABLED = GitExclude(status="disabled")


def init(folder: Path, *, exclude: bool = False, **options: Any) -> Initialised:
    environ = {**os.environ, **options.pop("environ", {})}
    return workspaces.init(folder, environ=environ, exclude_from_git=exclude, **options)


def refused(work: Callable[[], object]) -> LwcError:
    with pytest.raises(LwcError) as caught:
        work()
    return caught.value


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path.resolve() / "folder"
    made.mkdir()
    return made


class TestInit:
    def test_it_makes_a_wiki_with_a_schema_and_a_purpose(self, folder: Path) -> None:
        made = init(folder, call=Call(agent="anna"))
        assert made == Initialised(
            scope="project",
            database=str(folder / ".lwc" / "wiki.db"),
            revision=1,
            created=True,
            git_exclude=DISABLED,
            policy="standard",
        )
        with open_wiki(folder) as wiki:
            for name, text in DEFAULTS.items():
                shown = charter.show(wiki, name)
                assert (shown.text, shown.text_revision, shown.author) == (text, 1, "anna")

    def test_repeated_it_finds_what_was_made_and_changes_nothing(self, folder: Path) -> None:
        init(folder)
        with open_wiki(folder) as wiki:
            store_id = wiki.store_id()
            written = charter.put(wiki, Call(), name="purpose", text="Mine.")
        again = init(folder)
        assert (again.created, again.revision) == (False, written.revision)
        with open_wiki(folder) as wiki:
            assert wiki.store_id() == store_id
            assert charter.show(wiki, "purpose").text == "Mine."

    def test_below_a_wiki_it_finds_that_one(self, folder: Path) -> None:
        init(folder)
        inner = folder / "a" / "b"
        inner.mkdir(parents=True)
        again = init(inner)
        assert (again.created, again.database) == (False, str(folder / ".lwc" / "wiki.db"))
        assert not (inner / ".lwc").exists()

    def test_with_a_root_it_works_there(self, folder: Path) -> None:
        inner = folder / "a"
        inner.mkdir()
        made = init(inner, environ={"LWC_PROJECT_ROOT": str(folder)})
        assert (made.created, made.database) == (True, str(folder / ".lwc" / "wiki.db"))

    def test_with_a_root_a_wiki_above_it_is_not_its_own(self, folder: Path) -> None:
        init(folder)
        inner = folder / "a"
        inner.mkdir()
        made = init(inner, environ={"LWC_PROJECT_ROOT": str(inner)})
        assert (made.created, made.database) == (True, str(inner / ".lwc" / "wiki.db"))

    def test_the_global_wiki_is_made_in_the_home_folder(self, folder: Path) -> None:
        made = init(folder, scope=Scope.GLOBAL, exclude=True, environ={"HOME": str(folder)})
        assert (made.scope, made.created) == ("global", True)
        assert made.git_exclude == GitExclude(status="not_applicable")
        with open_wiki("/", scope="global", environ={"HOME": str(folder)}) as wiki:
            assert wiki.revision() == 1

    def test_the_home_folder_is_no_project(self, folder: Path) -> None:
        error = refused(lambda: init(folder, environ={"HOME": str(folder)}))
        assert error.problem is HOME_IS_GLOBAL
        assert "--scope global" in error.hint
        assert list(folder.iterdir()) == []

    def test_processes_that_come_together_make_one_wiki(self, folder: Path) -> None:
        def arrive(number: int) -> list[Any]:
            made = init(folder, call=Call(agent=f"a{number}"))
            with open_wiki(folder) as wiki:
                return [made.created, made.revision, wiki.store_id()]

        answers = race(16, arrive)
        assert [created for created, _, _ in answers].count(True) == 1
        assert {(revision, store_id) for _, revision, store_id in answers} == {
            (1, answers[0][2]),
        }
        # Two that close at once may each leave the log to the other; the next to close takes it in.
        left = set(os.listdir(folder / ".lwc")) - {"wiki.db-wal", "wiki.db-shm"}
        assert left >= {"init.lock", "wiki.db"}

    @pytest.mark.parametrize(
        "place",
        ["fcntl.flock", "lwc.store.migrate._upgrade", "lwc.store.charter.put", "os.rename"],
        ids=["before all", "in the schema", "in the texts", "before its name"],
    )
    def test_killed_it_leaves_no_half_made_wiki_and_is_made_up_for(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, place: str
    ) -> None:
        def die(*_: Any, **__: Any) -> None:
            os.kill(os.getpid(), 9)

        with monkeypatch.context() as patch:
            patch.setattr(place, die)
            assert killed(lambda: init(folder))
        assert not (folder / ".lwc" / "wiki.db").exists()
        assert init(folder).created
        assert set(os.listdir(folder / ".lwc")) == {"init.lock", "wiki.db"}

    def test_what_cannot_be_moved_out_of_its_log_is_not_given_its_name(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make = migrate.make

        with closing(sqlite3.connect(":memory:")) as held:

            def make_and_hold(path: Path) -> str:
                store_id = make(path)
                held.execute("ATTACH ? AS making", [str(path)])
                held.execute("SELECT count(*) FROM making.meta").fetchone()
                return store_id

            monkeypatch.setattr(migrate, "make", make_and_hold)
            assert refused(lambda: init(folder)).problem.code == "database_error"
        assert not (folder / ".lwc" / "wiki.db").exists()

    @pytest.mark.parametrize("room", [0, 4_096, 20_000, 150_000, 250_000])
    def test_without_room_no_wiki_is_made(self, folder: Path, room: int) -> None:
        def make() -> str:
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
            return refused(lambda: init(folder)).problem.code

        assert apart(make) == "database_error"
        assert not (folder / ".lwc" / "wiki.db").exists()
        assert init(folder).created

    def test_a_file_in_its_place_is_refused_and_kept(self, folder: Path) -> None:
        (folder / ".lwc").write_text("mine")
        assert refused(lambda: init(folder)).problem is PROJECT_ROOT_ESCAPE
        assert (folder / ".lwc").read_text() == "mine"

    def test_a_strange_database_is_refused_and_kept(self, project: Path) -> None:
        subprocess.run(["truncate", "--size=0", project / ".lwc" / "wiki.db"], check=True)
        assert refused(lambda: init(project)).problem is STORE_NOT_LWC
        assert (project / ".lwc" / "wiki.db").stat().st_size == 0


class TestRequests:
    def test_a_repeated_request_answers_that_it_made_the_wiki(self, folder: Path) -> None:
        call = Call(request_id="r1", command="init")
        first = init(folder, call=call, strict=True)
        with open_wiki(folder) as wiki:
            configuration.put(wiki, Call(), values={"policy": "standard"})
        again = init(folder, call=call, strict=True)
        assert (first.created, first.replayed, first.revision) == (True, False, 2)
        assert again == replace(first, replayed=True)

    def test_a_request_that_found_the_wiki_is_kept_as_well(self, project: Path) -> None:
        call = Call(request_id="r1", command="init")
        assert [init(project, call=call).replayed for _ in range(2)] == [False, True]

    def test_its_id_is_used_for_nothing_else(self, project: Path) -> None:
        init(project, call=Call(request_id="r1", command="init"))
        other = Call(request_id="r1", command="init", arguments={"strict": True})
        assert refused(lambda: init(project, call=other, strict=True)).problem is REQUEST_ID_REUSED

    def test_against_another_revision_nothing_is_made(self, folder: Path) -> None:
        error = refused(lambda: init(folder, call=Call(if_revision=3)))
        assert (error.problem, error.details) == (STALE_REVISION, {"expected": 3, "found": 0})
        assert not (folder / ".lwc" / "wiki.db").exists()
        assert init(folder, call=Call(if_revision=0)).created
        assert init(folder, call=Call(if_revision=1)).revision == 1
        late = refused(lambda: init(folder, call=Call(if_revision=0), strict=True))
        assert late.problem is STALE_REVISION


class TestWithoutTheRightToWrite:
    def test_nothing_can_be_made(self, open_folder: Path) -> None:
        open_folder.chmod(0o755)
        told = as_nobody(lambda: refused(lambda: init(open_folder)).problem.name)
        assert told == "store_readonly"
        assert list(open_folder.iterdir()) == []

    def test_what_is_there_is_found(self, open_folder: Path, project: Path) -> None:
        place = project.rename(open_folder / "project")
        for path in (*place.rglob("*"), place):
            path.chmod(0o555 if path.is_dir() else 0o444)
        assert as_nobody(lambda: init(place).created) is False
        told = as_nobody(lambda: refused(lambda: init(place, strict=True)).problem.name)
        assert told == "store_readonly"


class TestStrict:
    def policy(self, folder: Path) -> dict[str, str]:
        with open_wiki(folder) as wiki:
            return {value.key: value.value for value in configuration.show(wiki).settings}

    @pytest.mark.parametrize("first", [True, False], ids=["at once", "later"])
    def test_it_turns_every_policy_on(self, folder: Path, first: bool) -> None:
        assert init(folder, strict=first).policy == ("strict" if first else "standard")
        assert init(folder, strict=True).policy == "strict"
        policy = self.policy(folder)
        assert (policy["claims"], policy["citations"], policy["checks"]) == (
            "strict",
            "required",
            "required",
        )

    def test_it_is_never_turned_off_by_init_and_told_once(self, folder: Path) -> None:
        made = init(folder, strict=True)
        assert (made.created, made.revision) == (True, 2)
        again = init(folder)
        assert (again.policy, again.revision) == ("strict", 2)
        assert init(folder, strict=True).revision == 2


class TestModes:
    @pytest.mark.parametrize("umask", [0o000, 0o022, 0o077], ids=oct)
    def test_what_is_made_is_its_owners_alone(self, folder: Path, umask: int) -> None:
        def make() -> dict[str, int]:
            os.umask(umask)
            init(folder)
            with open_wiki(folder) as wiki:
                charter.put(wiki, Call(), name="purpose", text="Mine.")
                return {
                    name.name: stat.S_IMODE(name.stat().st_mode)
                    for name in (folder / ".lwc", *(folder / ".lwc").rglob("*"))
                }

        made = apart(make)
        folders = {".lwc", ".obsidian", "wiki"}
        files = {"init.lock", "wiki.db", "wiki.db-shm", "wiki.db-wal", "purpose.md", "index.md"}
        assert folders | files <= set(made)
        assert made == {name: 0o700 if name in folders else 0o600 for name in made}


class TestDisk:
    @pytest.fixture
    def disk(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
        """Makes every folder be on a disk of a kind."""

        def be(kind: str) -> None:
            monkeypatch.setattr(filesystem, "kind_of", lambda folder: kind)

        return be

    @pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse", "fuse.sshfs"])
    def test_one_whose_locks_are_not_to_be_trusted_is_refused(
        self, folder: Path, disk: Callable[[str], None], kind: str
    ) -> None:
        disk(kind)
        error = refused(lambda: init(folder))
        assert error.problem is UNSUPPORTED_FILESYSTEM
        assert f"LWC_ALLOW_FILESYSTEM={kind}" in error.hint
        assert list(folder.iterdir()) == []

    def test_unless_that_risk_is_taken_by_name(
        self, folder: Path, disk: Callable[[str], None]
    ) -> None:
        disk("nfs4")
        assert refused(lambda: init(folder, environ={"LWC_ALLOW_FILESYSTEM": "nfs"}))
        assert init(folder, environ={"LWC_ALLOW_FILESYSTEM": "nfs4"}).created

    @pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "tmpfs", "overlay", "apfs"])
    def test_any_other_is_taken(self, folder: Path, disk: Callable[[str], None], kind: str) -> None:
        disk(kind)
        assert filesystem.unsafe_for_locks(folder) is None

    def test_the_kernel_tells_the_kind_of_this_one(self, folder: Path) -> None:
        kind = filesystem.kind_of(folder)
        assert kind is None or kind.replace(".", "").replace("_", "").isalnum()
