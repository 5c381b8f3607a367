from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from sourcing import AddDir, count, operations, refusal

from lwc.errors import (
    EMPTY_SOURCE,
    INVALID_ENCODING,
    INVALID_SOURCE_DIRECTORY,
    NOT_A_DOCUMENT,
    PARTIAL_IMPORT,
)
from lwc.services import source_folders, sources
from lwc.wiki import Call, Wiki


def test_a_folder_is_added_in_the_order_of_its_paths(
    wiki: Wiki, docs: Path, add_dir: AddDir
) -> None:
    added = add_dir("./docs")
    assert [(entry.path, entry.source_id, entry.created) for entry in added.sources] == [
        ("a.txt", 1, True),
        ("b.md", 2, True),
        ("deep/c.md", 3, True),
    ]
    assert (added.discovered, added.created, added.duplicates, added.skipped) == (3, 3, 0, 0)
    (third,) = sources.listed(wiki, offset=2).sources
    assert (third.title, third.origin, third.path) == (
        "deep/c.md",
        "./docs/deep/c.md",
        "docs/deep/c.md",
    )
    assert operations(wiki) == [
        (
            "source_add_dir",
            "./docs",
            {"created": [1, 2, 3], "advanced_paths": 3, "acknowledged_sensitive": False},
        )
    ]


def test_a_folder_added_again_is_quiet(wiki: Wiki, docs: Path, add_dir: AddDir) -> None:
    first, again = add_dir(), add_dir()
    assert (again.created, again.duplicates, again.revision) == (0, 3, first.revision)
    assert [entry.source_id for entry in again.sources] == [1, 2, 3]


def test_a_changed_and_a_new_file_advance(wiki: Wiki, docs: Path, add_dir: AddDir) -> None:
    add_dir()
    (docs / "b.md").write_text("changed")
    (docs / "new.md").write_text("the text of a.txt")
    again = add_dir()
    assert [(entry.path, entry.source_id) for entry in again.sources if entry.created] == [
        ("b.md", 4)
    ]
    assert operations(wiki)[-1][2] == {
        "created": [4],
        "advanced_paths": 2,
        "acknowledged_sensitive": False,
    }


def test_files_that_cannot_be_taken_are_told_and_the_others_are_in(
    wiki: Wiki, docs: Path, add_dir: AddDir
) -> None:
    (docs / "bad.md").write_bytes(b"ab\xff")
    (docs / "empty.md").touch()
    os.mkfifo(docs / "pipe.md")
    error = refusal(add_dir, PARTIAL_IMPORT)
    assert error.committed is True
    assert error.details["created_ids"] == [1, 2, 3]
    assert {key: error.details[key] for key in ("discovered", "created", "skipped")} == {
        "discovered": 6,
        "created": 3,
        "skipped": 3,
    }
    assert [(skip.path, skip.code, skip.reason) for skip in error.details["skipped_files"]] == [
        ("bad.md", INVALID_ENCODING.code, INVALID_ENCODING.name),
        ("empty.md", EMPTY_SOURCE.code, EMPTY_SOURCE.name),
        ("pipe.md", NOT_A_DOCUMENT.code, NOT_A_DOCUMENT.name),
    ]
    assert error.details["skipped_files"][0].message == (
        "docs/bad.md is not UTF-8: byte 2 cannot be decoded."
    )
    assert count(wiki) == 3


def test_a_repeated_request_tells_a_partial_import_again(
    docs: Path, call: Call, add_dir: AddDir
) -> None:
    (docs / "empty.md").touch()
    call = replace(call, request_id="r1")
    first = refusal(lambda: add_dir(call=call), PARTIAL_IMPORT)
    (docs / "empty.md").write_text("mended")
    again = refusal(lambda: add_dir(call=call), PARTIAL_IMPORT)
    assert again.details == {**first.details, "replayed": True}


def test_no_more_than_a_hundred_skipped_files_are_told(docs: Path, add_dir: AddDir) -> None:
    for number in range(120):
        (docs / f"{number:03d}.md").touch()
    error = refusal(add_dir, PARTIAL_IMPORT)
    assert (error.details["skipped"], len(error.details["skipped_files"])) == (120, 100)


@pytest.mark.parametrize("most", [1, 2, 3], ids=str)
def test_a_large_folder_is_several_transactions_and_one_answer(
    wiki: Wiki, docs: Path, add_dir: AddDir, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(source_folders, "FILES_TOGETHER", most)
    added = add_dir(call=Call(request_id="r1", if_revision=wiki.revision()))
    assert [entry.source_id for entry in added.sources] == [1, 2, 3]
    assert len(operations(wiki)) == -(-3 // most)
    assert added.revision == wiki.revision()
    assert add_dir(call=Call(request_id="r1", if_revision=0)) == replace(added, replayed=True)


def test_a_folder_is_cut_by_bytes_as_well(
    wiki: Wiki, docs: Path, add_dir: AddDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_folders, "BYTES_TOGETHER", 20)
    assert add_dir().created == 3
    assert len(operations(wiki)) == 2


def test_an_interrupted_folder_goes_on_where_it_stopped(
    wiki: Wiki, docs: Path, add_dir: AddDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_folders, "FILES_TOGETHER", 1)

    def stop(done: int, total: int) -> None:
        if done == total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        add_dir(progress=stop)
    assert count(wiki) == 2
    added = add_dir()
    assert (added.created, added.duplicates) == (1, 2)


def test_progress_counts_every_file(docs: Path, add_dir: AddDir) -> None:
    (docs / "empty.md").touch()
    told: list[tuple[int, int]] = []
    refusal(
        lambda: add_dir(progress=lambda done, total: told.append((done, total))), PARTIAL_IMPORT
    )
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_an_empty_folder_is_no_mistake(wiki: Wiki, project: Path, add_dir: AddDir) -> None:
    (project / "docs").mkdir()
    added = add_dir()
    assert (added.discovered, added.sources, operations(wiki)) == (0, (), [])


def test_a_file_is_no_folder(project: Path, add_dir: AddDir) -> None:
    (project / "docs").write_text("text")
    refusal(add_dir, INVALID_SOURCE_DIRECTORY)
