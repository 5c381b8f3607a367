from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from processes import race

from lwc.errors import GIT_EXCLUDE_FAILED, LwcError
from lwc.services import git_exclude, workspaces
from lwc.services.git_exclude import GitExclude


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path.resolve() / "folder"
    made.mkdir()
    return made


def told(folder: Path, **environ: str) -> GitExclude:
    """What `init` tells of git in a folder."""
    return workspaces.init(folder, environ={**os.environ, **environ}).git_exclude


def refused(work: Callable[[], object]) -> LwcError:
    with pytest.raises(LwcError) as caught:
        work()
    return caught.value


@pytest.fixture
def git(folder: Path) -> Callable[..., str]:
    """Runs git in the folder, of which it has made a repository."""

    def run(*words: str, cwd: Path = folder) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        return subprocess.run(
            ["git", *identity, *words], cwd=cwd, check=True, capture_output=True, text=True
        ).stdout

    run("init", "--quiet")
    return run


@pytest.fixture
def excluded(folder: Path) -> Callable[[], list[str]]:
    """The lines of git's exclude file that are no remarks."""

    def lines() -> list[str]:
        text = (folder / ".git" / "info" / "exclude").read_text("utf-8", "surrogateescape")
        return [line for line in text.split("\n") if line and not line.startswith("#")]

    return lines


@pytest.fixture(autouse=True)
def nothing_of_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("GIT_DIR", raising=False)
    monkeypatch.delenv("GIT_WORK_TREE", raising=False)


def test_outside_of_any_repository_there_is_nothing_to_tell(folder: Path) -> None:
    assert told(folder) == GitExclude(status="not_git")


def test_without_git_there_is_nothing_to_tell(folder: Path, tmp_path: Path) -> None:
    assert told(folder, PATH=str(tmp_path)) == GitExclude(status="not_git")


def test_in_gits_own_folder_there_is_nothing_to_tell(folder: Path, git: Callable[..., str]) -> None:
    assert told(folder / ".git") == GitExclude(status="not_git")


def test_git_is_not_told_when_that_is_not_wanted(
    folder: Path, git: Callable[..., str], excluded: Callable[[], list[str]]
) -> None:
    made = workspaces.init(folder, environ=os.environ, exclude_from_git=False)
    assert made.git_exclude == GitExclude(status="disabled")
    assert excluded() == []


def test_git_ignores_the_store_and_nothing_of_the_project_is_touched(
    folder: Path, git: Callable[..., str], excluded: Callable[[], list[str]]
) -> None:
    assert told(folder) == GitExclude(
        status="added", path=str(folder / ".git" / "info" / "exclude"), pattern="/.lwc/"
    )
    assert excluded() == ["/.lwc/"]
    assert git("status", "--porcelain") == ""


def test_it_is_told_once(
    folder: Path, git: Callable[..., str], excluded: Callable[[], list[str]]
) -> None:
    told(folder)
    assert told(folder) == GitExclude(status="already_ignored", pattern="/.lwc/")
    assert excluded() == ["/.lwc/"]


def test_processes_that_come_together_tell_it_once(
    folder: Path, git: Callable[..., str], excluded: Callable[[], list[str]]
) -> None:
    statuses = race(6, lambda _: told(folder).status)
    assert sorted(statuses) == ["added"] + ["already_ignored"] * 5
    assert excluded() == ["/.lwc/"]


def test_a_line_is_never_added_twice_whoever_else_adds_it(tmp_path: Path) -> None:
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
    folder: Path, git: Callable[..., str], ignoring: str, wanted: GitExclude | None
) -> None:
    (folder / ".gitignore").write_text(f"{ignoring}\n")
    found = told(folder)
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
    folder: Path,
    git: Callable[..., str],
    excluded: Callable[[], list[str]],
    name: str,
) -> None:
    inner = folder / name / "in"
    inner.mkdir(parents=True)
    made = told(inner)
    assert (made.status, excluded()) == ("added", [made.pattern])
    assert git("status", "--porcelain") == ""
    assert told(inner).status == "already_ignored"
    bystander = folder / "a1"
    (bystander / "in" / ".lwc").mkdir(parents=True)
    (bystander / "in" / ".lwc" / "wiki").touch()
    assert "a1/" in git("status", "--porcelain")


def test_in_a_linked_work_tree_it_is_told_where_git_looks(
    folder: Path, tmp_path: Path, git: Callable[..., str]
) -> None:
    git("commit", "--allow-empty", "--quiet", "-m", "a")
    tree = tmp_path / "tree"
    git("worktree", "add", "--quiet", str(tree))
    assert told(tree).status == "added"
    assert git("status", "--porcelain", cwd=tree) == ""


@pytest.mark.parametrize(
    "before",
    [b"*.tmp", b"", b"caf\xe9\r\n", None],
    ids=["no line end", "empty", "not UTF-8", "missing"],
)
def test_what_stands_in_the_exclude_file_is_kept(
    folder: Path, git: Callable[..., str], before: bytes | None
) -> None:
    file = folder / ".git" / "info" / "exclude"
    file.unlink()
    if before is None:
        file.parent.rmdir()
    else:
        file.write_bytes(before)
    assert told(folder).status == "added"
    text = file.read_bytes()
    assert text.startswith(before or b"")
    assert text.splitlines()[-1] == b"/.lwc/"


def test_a_git_that_speaks_another_language_is_understood(folder: Path, tmp_path: Path) -> None:
    git = tmp_path / "git"
    git.write_text(
        "#!/bin/sh\n"
        'test "$LC_ALL" = C && what="not a git repository" || what="Kein Git-Repository"\n'
        'echo "$what" >&2; exit 128\n'
    )
    git.chmod(0o755)
    spoken = {"LC_ALL": "de_DE.UTF-8", "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    assert told(folder, **spoken).status == "not_git"


def test_a_git_that_fails_is_told_before_anything_is_made(
    folder: Path, git: Callable[..., str]
) -> None:
    (folder / ".git" / "config").write_text("[core\n")
    error = refused(lambda: told(folder))
    assert error.problem is GIT_EXCLUDE_FAILED
    assert "--no-git-exclude" in error.hint
    assert not (folder / ".lwc").exists()


def test_an_exclude_file_that_cannot_be_written_is_told_before_anything_is_made(
    folder: Path, git: Callable[..., str]
) -> None:
    file = folder / ".git" / "info" / "exclude"
    file.unlink()
    file.mkdir()
    assert refused(lambda: told(folder)).problem is GIT_EXCLUDE_FAILED
    assert not (folder / ".lwc").exists()


def test_a_git_that_cannot_be_run_is_told(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "git").write_text("no program")
    (tmp_path / "git").chmod(0o755)
    environ = {"PATH": str(tmp_path)}
    assert refused(lambda: told(folder, **environ)).problem is (GIT_EXCLUDE_FAILED)
