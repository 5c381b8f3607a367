from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rights import without_rights

from lwc.errors import (
    FILE_NOT_FOUND,
    INVALID_SOURCE_DIRECTORY,
    PATH_OUTSIDE_ROOT,
    STORE_FILE_REFUSED,
    SYMLINK_REFUSED,
    LwcError,
    Problem,
)
from lwc.reader import Walk, read_document, walk_documents


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project's folder."""
    inside = tmp_path / "project"
    inside.mkdir()
    return inside


def put(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("some text")


def walk(folder: Path, path: str = ".", **rules: object) -> Walk:
    return walk_documents(path, root=folder, base=folder, **rules)  # type: ignore[arg-type]


def names(answer: Walk) -> list[str]:
    return [found.relative for found in answer.found]


def test_documents_are_told_by_their_extension_in_any_case(folder: Path) -> None:
    put(folder, "a.md", "b.MDX", "c.Txt", "d.json", "e.base", "f.yml")
    put(folder, "a.png", "md", "base", "Makefile", "g.md.bak", "h.")
    assert names(walk(folder)) == ["a.md", "b.MDX", "c.Txt", "d.json", "e.base", "f.yml"]


def test_paths_come_in_the_order_of_their_bytes(folder: Path) -> None:
    put(folder, "a/b.md", "a.md", "a-b.md", "B.md", "é.md", "z.md", "ｚ.md", "𝄞.md")
    found = names(walk(folder))
    assert found == sorted(found, key=os.fsencode)
    assert found[:4] == ["B.md", "a-b.md", "a.md", "a/b.md"]


@pytest.mark.parametrize(
    "path",
    [".hidden.md", ".obsidian/a.md", ".git/a.md", ".claudian/a.md", "docs/.lwc/raw/a.md", ".md"],
)
def test_what_begins_with_a_dot_is_passed_over(folder: Path, path: str) -> None:
    put(folder, path, "a.md")
    answer = walk(folder)
    assert (names(answer), answer.skipped) == (["a.md"], ())


def test_links_are_passed_over(folder: Path) -> None:
    put(folder, "a.md", "docs/b.md", "../outside/secret.md")
    (folder / "link.md").symlink_to("a.md")
    (folder / "docs" / "again").symlink_to("..")
    (folder / "outside").symlink_to("../outside")
    answer = walk(folder)
    assert (names(answer), answer.skipped) == (["a.md", "docs/b.md"], ())


def test_what_looks_like_a_document_and_is_none_is_told(folder: Path) -> None:
    put(folder, "a.md")
    os.mkfifo(folder / "b.md")
    os.mkfifo(folder / "pipe")
    (folder / "c.md").mkdir()
    answer = walk(folder)
    assert names(answer) == ["a.md"]
    assert [(skip.relative, skip.what) for skip in answer.skipped] == [("b.md", "it is a FIFO")]


def test_names_that_are_not_utf_8_are_told(folder: Path) -> None:
    put(folder, "a.md")
    for name in (b"\xff.md", b"\xff.png"):
        os.close(os.open(os.fsencode(folder) + b"/" + name, os.O_CREAT | os.O_WRONLY))
    os.mkdir(os.fsencode(folder) + b"/\xfe")
    answer = walk(folder)
    assert names(answer) == ["a.md"]
    assert [skip.relative for skip in answer.skipped] == ["\\udcfe", "\\udcff.md"]


def test_a_folder_that_cannot_be_listed_is_told(public: Path) -> None:
    put(public, "a.md", "closed/b.md")
    (public / "closed").chmod(0)
    with without_rights():
        answer = walk(public)
    assert names(answer) == ["a.md"]
    assert [skip.relative for skip in answer.skipped] == ["closed"]


def test_each_path_says_where_it_stands_and_can_be_read(folder: Path) -> None:
    put(folder, "docs/deep/a.md")
    (folder / "work").mkdir()
    answer = walk_documents("../docs", root=folder, base=folder / "work")
    (found,) = answer.found
    assert found.relative == "deep/a.md"
    assert found.origin == "../docs/deep/a.md"
    assert found.path == folder / "docs" / "deep" / "a.md"
    document = read_document(found.origin, root=folder, base=folder / "work")
    assert document.tracked == "docs/deep/a.md"


def test_a_tree_deeper_than_the_limit_of_open_files_is_walked(folder: Path) -> None:
    deep = "d/" * 200 + "a.md"
    put(folder, deep)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
    try:
        assert names(walk(folder)) == [deep]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_tree_deeper_than_a_path_can_be_is_told_and_not_followed(folder: Path) -> None:
    here = os.open(folder, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=here)
        inner = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    answer = walk(folder)
    assert [skip.what for skip in answer.skipped] == ["its path is too long"]


def test_more_documents_than_allowed_are_refused(folder: Path) -> None:
    put(folder, "a.md", "b.md", "docs/c.md", "d.png")
    assert len(walk(folder, most=3).found) == 3
    with pytest.raises(LwcError) as caught:
        walk(folder, most=2)
    assert caught.value.problem is INVALID_SOURCE_DIRECTORY


@pytest.mark.parametrize(
    "path, problem",
    [
        pytest.param("missing", FILE_NOT_FOUND, id="missing"),
        pytest.param("a.md", INVALID_SOURCE_DIRECTORY, id="file"),
        pytest.param("link", INVALID_SOURCE_DIRECTORY, id="link"),
        pytest.param("link/deep", SYMLINK_REFUSED, id="below-a-link"),
        pytest.param("../outside", PATH_OUTSIDE_ROOT, id="outside"),
        pytest.param(".lwc", STORE_FILE_REFUSED, id="store"),
    ],
)
def test_what_is_no_folder_to_add_is_refused(folder: Path, path: str, problem: Problem) -> None:
    put(folder, "a.md", "docs/deep/b.md", ".lwc/c.md", "../outside/d.md")
    (folder / "link").symlink_to("docs")
    with pytest.raises(LwcError) as caught:
        walk(folder, path)
    assert caught.value.problem is problem
    assert str(folder) not in repr(caught.value.body())


def test_a_folder_outside_is_walked_when_that_is_allowed(folder: Path) -> None:
    put(folder, "../outside/a.md")
    answer = walk(folder, "../outside", allow_external=True)
    assert [str(found.path) for found in answer.found] == [str(folder.parent / "outside/a.md")]
    assert names(walk_documents("../outside", root=None, base=folder)) == ["a.md"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(st.sets(st.sampled_from([f"{a}/{b}{c}" for a in "aB" for b in "é-x" for c in (".md", "")])))
def test_all_documents_are_found_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, paths: set[str]
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    put(folder, *paths)
    wanted = sorted((path for path in paths if path.endswith(".md")), key=os.fsencode)
    assert names(walk(folder)) == wanted
