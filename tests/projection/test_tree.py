from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rights import without_rights

from lwc.projection.tree import HANDS, UNFINISHED, Tree, UnsafePlaceError

PATH = "wiki/concepts/a.md"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    folder = tmp_path / "top"
    folder.mkdir()
    return folder


@pytest.fixture
def tree(top: Path) -> Iterator[Tree]:
    with Tree(top) as opened:
        yield opened


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "a.md").write_text("theirs")
    return folder


def content(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if path.is_file()
    }


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_and_its_folders_are_made_for_their_owner_alone(top: Path, tree: Tree) -> None:
    before = os.umask(0o377)
    try:
        tree.replace(PATH, b"text")
    finally:
        os.umask(before)
    tree.settle()
    assert content(top) == {PATH: "text"}
    assert mode(top / PATH) == 0o600
    assert mode(top / "wiki") == mode(top / "wiki/concepts") == 0o700
    assert tree.read(PATH) == b"text"
    assert tree.read(PATH, start=2, most=1) == b"x"


def test_what_is_not_there_has_no_digest(tree: Tree) -> None:
    assert tree.digest(PATH) is tree.read(PATH) is tree.size(PATH) is None
    tree.remove(PATH)
    tree.settle()


def linked_file(top: Path, outside: Path) -> None:
    (top / "wiki/concepts").mkdir(parents=True)
    (top / PATH).symlink_to(outside / "a.md")


def linked_folder(top: Path, outside: Path) -> None:
    (top / "wiki").mkdir()
    (top / "wiki/concepts").symlink_to(outside)


def linked_top_folder(top: Path, outside: Path) -> None:
    (outside / "concepts").mkdir()
    (top / "wiki").symlink_to(outside)


def file_for_folder(top: Path, outside: Path) -> None:
    (top / "wiki").mkdir()
    (top / "wiki/concepts").write_text("a file")


def folder_for_file(top: Path, outside: Path) -> None:
    (top / PATH).mkdir(parents=True)


def pipe_for_file(top: Path, outside: Path) -> None:
    (top / "wiki/concepts").mkdir(parents=True)
    os.mkfifo(top / PATH)


@pytest.mark.parametrize(
    "obstacle",
    [
        linked_file,
        linked_folder,
        linked_top_folder,
        file_for_folder,
        folder_for_file,
        pipe_for_file,
    ],
)
def test_what_is_no_plain_file_is_neither_read_nor_written_through(
    obstacle: Callable[[Path, Path], None], top: Path, outside: Path
) -> None:
    obstacle(top, outside)
    before = content(top), content(outside)
    with Tree(top) as tree:
        for act in (
            lambda: tree.digest(PATH),
            lambda: tree.read(PATH),
            lambda: tree.replace(PATH, b"ours"),
        ):
            with pytest.raises(UnsafePlaceError):
                act()
    assert (content(top), content(outside)) == before


def test_a_link_at_the_name_of_an_unfinished_file_is_not_written_through(
    top: Path, tree: Tree, outside: Path
) -> None:
    (top / "wiki/concepts").mkdir(parents=True)
    for hand in range(HANDS):
        (top / f"wiki/concepts/{UNFINISHED}-{hand}").symlink_to(outside / "a.md")
    tree.replace_all([(f"wiki/concepts/{number}.md", b"ours") for number in range(20)])
    assert content(outside) == {"a.md": "theirs"}
    tree.clear_unfinished("wiki/concepts")
    assert not list(top.rglob(f"{UNFINISHED}*"))


def test_a_second_name_of_a_file_elsewhere_keeps_its_content(
    top: Path, tree: Tree, outside: Path
) -> None:
    (top / "wiki/concepts").mkdir(parents=True)
    (top / PATH).hardlink_to(outside / "a.md")
    assert tree.size(PATH) is None, "what has two names is never added to in place"
    tree.replace(PATH, b"ours")
    assert content(outside) == {"a.md": "theirs"}
    assert tree.read(PATH) == b"ours"


def test_many_files_are_written_side_by_side_and_each_failure_is_its_own(
    top: Path, tree: Tree
) -> None:
    names = [f"wiki/concepts/{number}.md" for number in range(40)]
    (top / names[7]).mkdir(parents=True)
    failed = tree.replace_all([(name, name.encode()) for name in names])
    tree.settle()
    assert [at for at, error in enumerate(failed) if error] == [7]
    assert content(top) == {name: name for name in names if name != names[7]}


def test_what_cannot_be_written_leaves_nothing_unfinished(top: Path, tree: Tree) -> None:
    tree.replace(PATH, b"old")
    os.chmod(top / "wiki/concepts", 0o555)
    os.chmod(top, 0o755)
    os.chmod(top / "wiki", 0o755)
    with without_rights():
        (error,) = tree.replace_all([(PATH, b"new")])
    assert isinstance(error, PermissionError)
    assert content(top) == {PATH: "old"}


def test_what_is_set_aside_gets_a_name_that_is_free(top: Path, tree: Tree) -> None:
    for text in ("first", "second"):
        tree.replace(PATH, text.encode())
        tree.set_aside(PATH)
    assert content(top) == {f"{PATH}.edited-1": "first", f"{PATH}.edited-2": "second"}
    tree.replace("schema.md", b"s")
    assert tree.set_aside("schema.md") == "schema.md.edited-1"


def test_a_folder_goes_with_its_last_file_and_comes_again(top: Path, tree: Tree) -> None:
    tree.replace(PATH, b"a")
    tree.replace("wiki/concepts/b.md", b"b")
    tree.remove(PATH)
    assert (top / "wiki/concepts").is_dir()
    tree.remove("wiki/concepts/b.md")
    tree.settle()
    assert not (top / "wiki/concepts").exists()
    assert not (top / "wiki").exists()
    tree.replace(PATH, b"again")
    tree.settle()
    assert content(top) == {PATH: "again"}


def test_a_file_is_added_to_at_its_end(top: Path, tree: Tree) -> None:
    tree.replace("wiki/log.md", b"one")
    tree.append("wiki/log.md", b" two", at=3)
    assert tree.read("wiki/log.md") == b"one two"
    assert tree.size("wiki/log.md") == 7
