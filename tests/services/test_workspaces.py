from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from processes import apart, killed, race

from lwc import filesystem
from lwc.domain.charter import DEFAULTS
from lwc.errors import (
    GIT_EXCLUDE_FAILED,
    HOME_IS_GLOBAL,
    PROJECT_ROOT_ESCAPE,
    STORE_NOT_LWC,
    UNSUPPORTED_FILESYSTEM,
    LwcError,
)
from lwc.services import charter, configuration, git_exclude, workspaces
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
        assert set(os.listdir(folder / ".lwc")) == {"init.lock", "wiki.db"}

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

    def test_a_file_in_its_place_is_refused_and_kept(self, folder: Path) -> None:
        (folder / ".lwc").write_text("mine")
        assert refused(lambda: init(folder)).problem is PROJECT_ROOT_ESCAPE
        assert (folder / ".lwc").read_text() == "mine"

    def test_a_strange_database_is_refused_and_kept(self, project: Path) -> None:
        subprocess.run(["truncate", "--size=0", project / ".lwc" / "wiki.db"], check=True)
        assert refused(lambda: init(project)).problem is STORE_NOT_LWC
        assert (project / ".lwc" / "wiki.db").stat().st_size == 0


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
                    for name in (folder / ".lwc", *(folder / ".lwc").iterdir())
                }

        assert apart(make) == {
            ".lwc": 0o700,
            "init.lock": 0o600,
            "wiki.db": 0o600,
            "wiki.db-shm": 0o600,
            "wiki.db-wal": 0o600,
        }


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


class TestGit:
    @pytest.fixture
    def git(self, folder: Path) -> Callable[..., str]:
        """Runs git in the folder, of which it has made a repository."""

        def run(*words: str, cwd: Path = folder) -> str:
            identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
            return subprocess.run(
                ["git", *identity, *words], cwd=cwd, check=True, capture_output=True, text=True
            ).stdout

        run("init", "--quiet")
        return run

    @pytest.fixture
    def excluded(self, folder: Path) -> Callable[[], list[str]]:
        """The lines of git's exclude file that are no remarks."""

        def lines() -> list[str]:
            text = (folder / ".git" / "info" / "exclude").read_text("utf-8", "surrogateescape")
            return [line for line in text.split("\n") if line and not line.startswith("#")]

        return lines

    @pytest.fixture(autouse=True)
    def nothing_of_the_users(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
        monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        monkeypatch.delenv("GIT_DIR", raising=False)
        monkeypatch.delenv("GIT_WORK_TREE", raising=False)

    def test_outside_of_any_repository_there_is_nothing_to_tell(self, folder: Path) -> None:
        assert init(folder, exclude=True).git_exclude == GitExclude(status="not_git")

    def test_nor_where_there_is_no_git(self, folder: Path, tmp_path: Path) -> None:
        made = init(folder, exclude=True, environ={"PATH": str(tmp_path)})
        assert made.git_exclude == GitExclude(status="not_git")

    def test_nor_in_gits_own_folder(self, folder: Path, git: Callable[..., str]) -> None:
        made = init(folder / ".git", exclude=True)
        assert made.git_exclude == GitExclude(status="not_git")

    def test_nor_when_that_is_not_wanted(
        self, folder: Path, git: Callable[..., str], excluded: Callable[[], list[str]]
    ) -> None:
        assert init(folder, exclude=False).git_exclude == DISABLED
        assert excluded() == []

    def test_git_ignores_the_store_and_nothing_of_the_project_is_touched(
        self, folder: Path, git: Callable[..., str], excluded: Callable[[], list[str]]
    ) -> None:
        made = init(folder, exclude=True)
        assert made.git_exclude == GitExclude(
            status="added", path=str(folder / ".git" / "info" / "exclude"), pattern="/.lwc/"
        )
        assert excluded() == ["/.lwc/"]
        assert git("status", "--porcelain") == ""

    def test_it_is_told_once(
        self, folder: Path, git: Callable[..., str], excluded: Callable[[], list[str]]
    ) -> None:
        init(folder, exclude=True)
        again = init(folder, exclude=True).git_exclude
        assert again == GitExclude(status="already_ignored", pattern="/.lwc/")
        assert excluded() == ["/.lwc/"]

    def test_also_by_processes_that_come_together(
        self, folder: Path, git: Callable[..., str], excluded: Callable[[], list[str]]
    ) -> None:
        told = race(6, lambda _: init(folder, exclude=True).git_exclude.status)
        assert sorted(told) == ["added"] + ["already_ignored"] * 5
        assert excluded() == ["/.lwc/"]

    def test_a_line_is_never_added_twice_whoever_else_adds_it(self, tmp_path: Path) -> None:
        file = tmp_path / "exclude"
        lines = [f"/{number}/.lwc/".encode() for number in range(100)]
        added = race(8, lambda _: sum(git_exclude._add_line(file, line) for line in lines))
        assert sum(added) == len(lines)
        assert file.read_bytes().splitlines() == lines

    @pytest.mark.parametrize(
        "ignoring, wanted",
        [
            (".lwc/", GitExclude(status="already_ignored", pattern=".lwc/")),
            (".*", GitExclude(status="already_ignored", pattern=".*")),
            ("a:b\n**/.lwc", GitExclude(status="already_ignored", pattern="**/.lwc")),
            ("*.db", None),
            ("!.lwc/", None),
        ],
        ids=["by name", "by a pattern", "by one with more around it", "in part only", "on purpose"],
    )
    def test_a_project_that_ignores_the_store_itself_is_left_alone(
        self, folder: Path, git: Callable[..., str], ignoring: str, wanted: GitExclude | None
    ) -> None:
        (folder / ".gitignore").write_text(f"{ignoring}\n")
        found = init(folder, exclude=True).git_exclude
        assert found == wanted or (wanted is None and found.status == "added")

    @pytest.mark.parametrize(
        "name",
        [
            "a",
            "a b",
            "a[1]*?",
            "back\\slash",
            "维基",
            "caf\udce9",
            "two\nlines",
            "#!",
            "a\ttab ",
            "-C",
        ],
        ids=repr,
    )
    def test_a_folder_below_the_top_is_told_by_its_name_whatever_that_is(
        self,
        folder: Path,
        git: Callable[..., str],
        excluded: Callable[[], list[str]],
        name: str,
    ) -> None:
        inner = folder / name / "in"
        inner.mkdir(parents=True)
        made = init(inner, exclude=True).git_exclude
        assert (made.status, excluded()) == ("added", [made.pattern])
        assert git("status", "--porcelain") == ""
        assert init(inner, exclude=True).git_exclude.status == "already_ignored"
        bystander = folder / "a1"
        (bystander / "in" / ".lwc").mkdir(parents=True)
        (bystander / "in" / ".lwc" / "wiki").touch()
        assert "a1/" in git("status", "--porcelain")

    def test_in_a_linked_work_tree_it_is_told_where_git_looks(
        self, folder: Path, tmp_path: Path, git: Callable[..., str]
    ) -> None:
        git("commit", "--allow-empty", "--quiet", "-m", "a")
        tree = tmp_path / "tree"
        git("worktree", "add", "--quiet", str(tree))
        assert init(tree, exclude=True).git_exclude.status == "added"
        assert git("status", "--porcelain", cwd=tree) == ""

    @pytest.mark.parametrize(
        "before",
        [b"*.tmp", b"", b"caf\xe9\r\n", None],
        ids=["no line end", "empty", "not UTF-8", "missing"],
    )
    def test_what_stands_in_the_exclude_file_is_kept(
        self, folder: Path, git: Callable[..., str], before: bytes | None
    ) -> None:
        file = folder / ".git" / "info" / "exclude"
        file.unlink()
        if before is None:
            file.parent.rmdir()
        else:
            file.write_bytes(before)
        assert init(folder, exclude=True).git_exclude.status == "added"
        text = file.read_bytes()
        assert text.startswith(before or b"")
        assert text.splitlines()[-1] == b"/.lwc/"

    def test_a_git_that_speaks_another_language_is_understood(
        self, folder: Path, tmp_path: Path
    ) -> None:
        git = tmp_path / "git"
        git.write_text(
            "#!/bin/sh\n"
            'test "$LC_ALL" = C && what="not a git repository" || what="Kein Git-Repository"\n'
            'echo "$what" >&2; exit 128\n'
        )
        git.chmod(0o755)
        spoken = {"LC_ALL": "de_DE.UTF-8", "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        assert init(folder, exclude=True, environ=spoken).git_exclude.status == "not_git"

    def test_a_git_that_fails_is_told_before_anything_is_made(
        self, folder: Path, git: Callable[..., str]
    ) -> None:
        (folder / ".git" / "config").write_text("[core\n")
        error = refused(lambda: init(folder, exclude=True))
        assert error.problem is GIT_EXCLUDE_FAILED
        assert "--no-git-exclude" in error.hint
        assert not (folder / ".lwc").exists()

    def test_so_is_an_exclude_file_that_cannot_be_written(
        self, folder: Path, git: Callable[..., str]
    ) -> None:
        file = folder / ".git" / "info" / "exclude"
        file.unlink()
        file.mkdir()
        assert refused(lambda: init(folder, exclude=True)).problem is GIT_EXCLUDE_FAILED
        assert not (folder / ".lwc").exists()

    def test_and_a_git_that_cannot_be_run(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "git").write_text("no program")
        (tmp_path / "git").chmod(0o755)
        environ = {"PATH": str(tmp_path)}
        assert refused(lambda: init(folder, exclude=True, environ=environ)).problem is (
            GIT_EXCLUDE_FAILED
        )
