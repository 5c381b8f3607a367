"""Hostile surroundings of a wiki: repositories, homes, owners, umasks and disks."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import stat
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from processes import apart, as_nobody
from storefiles import closed_store

from lwc import workspace
from lwc.errors import DATABASE_FULL, LwcError
from lwc.services import workspaces
from lwc.services.git_exclude import LARGEST_EXCLUDE
from lwc.store.dialects import sqlite
from lwc.wiki import Wiki
from lwc.workspace import Scope


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return folder


def reason(act: Callable[[], Any]) -> str:
    """The finest word for why it is refused."""
    with pytest.raises(LwcError) as caught:
        act()
    return caught.value.problem.name


class TestRepositories:
    @pytest.mark.parametrize("target", ["link", "zeros", "too large"])
    def test_an_exclude_file_that_is_no_plain_small_file_is_left_alone(
        self, target: str, repository: Path, tmp_path: Path
    ) -> None:
        exclude = repository / ".git" / "info" / "exclude"
        exclude.parent.mkdir(exist_ok=True)
        exclude.unlink(missing_ok=True)
        victim = tmp_path / "victim"
        victim.write_text("mine\n")
        if target == "too large":
            exclude.write_text("x\n" * LARGEST_EXCLUDE)
        else:
            exclude.symlink_to(victim if target == "link" else "/dev/zero")
        init = partial(workspaces.init, repository, environ=dict(os.environ))
        assert reason(init) == "git_exclude_failed"
        assert victim.read_text() == "mine\n"
        assert not (repository / ".lwc").exists()

    def test_a_work_tree_that_is_set_elsewhere_is_none_of_ours(
        self, repository: Path, tmp_path: Path
    ) -> None:
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        subprocess.run(
            ["git", "config", "core.worktree", str(elsewhere)], cwd=repository, check=True
        )
        made = workspaces.init(repository, environ=dict(os.environ))
        assert (made.created, made.git_exclude.status) == (True, "not_git")


@pytest.mark.parametrize("home", [".", "relative", "../up", "~"])
def test_a_home_that_is_relative_is_none(home: str, tmp_path: Path) -> None:
    find = partial(workspace.find, tmp_path, scope=Scope.GLOBAL, environ={"HOME": home})
    assert reason(find) == "home_not_set"


class TestOwners:
    @pytest.mark.parametrize("act", [workspace.find, workspace.place])
    @pytest.mark.parametrize("inside", [".", "inner"])
    def test_a_store_of_another_user_is_refused_unless_trusted(
        self, act: Callable[..., Any], inside: str, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        owner = own_for_another(project, monkeypatch)
        folder = project / inside
        folder.mkdir(exist_ok=True)
        assert reason(partial(act, folder, scope=Scope.PROJECT, environ={})) == "store_foreign"
        trusting = {"LWC_ALLOW_OWNER": str(owner)}
        assert act(folder, scope=Scope.PROJECT, environ=trusting).root == project

    def test_a_store_of_the_system_is_trusted(self, open_folder: Path, empty_store: Path) -> None:
        if os.geteuid() != 0:
            pytest.skip("only root makes what root owns")
        with closed_store():
            shutil.copytree(empty_store, open_folder / ".lwc")
        (open_folder / ".lwc").chmod(0o755)
        found = as_nobody(
            lambda: str(workspace.find(open_folder, scope=Scope.PROJECT, environ={}).root)
        )
        assert found == str(open_folder)


def own_for_another(project: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    if os.geteuid() == 0:
        os.chown(project / ".lwc", 12_345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12_345)
    return os.stat(project / ".lwc").st_uid


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777], ids=oct)
def test_a_store_is_its_owners_alone_whatever_the_umask(umask: int, tmp_path: Path) -> None:
    def make() -> dict[str, int]:
        os.umask(umask)
        workspaces.init(tmp_path, environ={}, exclude_from_git=False)
        store = tmp_path / ".lwc"
        return {path.name: stat.S_IMODE(path.stat().st_mode) for path in (store, *store.iterdir())}

    modes = apart(make)
    assert modes.pop(".lwc") == 0o700
    assert modes == {"wiki.db": 0o600, "init.lock": 0o600}


def test_a_wiki_that_could_not_be_made_leaves_nothing_and_was_not_committed(
    tmp_path: Path,
) -> None:
    def make() -> Any:
        # As a full disk: no file may grow beyond this.
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
        try:
            workspaces.init(tmp_path, environ={}, exclude_from_git=False)
        except LwcError as error:
            return error.committed
        return "made"

    assert apart(make) is False
    assert [path.name for path in (tmp_path / ".lwc").iterdir()] == ["init.lock"]
    assert workspaces.init(tmp_path, environ={}, exclude_from_git=False).created


def test_a_folder_that_may_not_be_listed_can_hold_a_wiki(open_folder: Path) -> None:
    open_folder.chmod(0o333)
    assert as_nobody(
        lambda: workspaces.init(open_folder, environ={}, exclude_from_git=False).created
    )


def test_a_hint_names_the_folder_that_may_not_be_written(open_folder: Path) -> None:
    def hint() -> str:
        with pytest.raises(LwcError) as caught:
            workspaces.init(open_folder, environ={}, exclude_from_git=False)
        return caught.value.hint

    open_folder.chmod(0o555)
    assert as_nobody(hint) == "Run the command where .lwc may be written."


def test_no_room_for_the_index_of_the_log_is_no_room() -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    assert sqlite.translated(error).problem is DATABASE_FULL


def test_text_that_no_database_keeps_is_refused_wherever_it_is_asked_for(wiki: Wiki) -> None:
    with pytest.raises(LwcError) as caught, wiki.reading() as conn:
        conn.exec_driver_sql("SELECT ?", ("\udcff",))
    assert caught.value.problem.name == "unsafe_characters"
