"""Whole command lines: documents come in, and what is wrong with one is told without harm."""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from processes import race

LIMIT = 64 * 1024 * 1024
Lwc = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class Bad:
    """An input that is refused: what makes it, what is typed, and what is answered."""

    make: Callable[[Path], object]
    argv: tuple[str, ...] = ("add", "notes.md")
    status: int
    code: str
    reason: str
    details: dict[str, Any]


def manifest(text: str | bytes) -> Callable[[Path], object]:
    content = text.encode() if isinstance(text, str) else text
    return lambda folder: (folder / "m.json").write_bytes(content)


def listing(*entries: dict[str, str]) -> str:
    return json.dumps({"sources": list(entries)})


def many(folder: Path) -> None:
    (folder / "ok.md").write_text("text")
    entries = [{"path": "ok.md"}] * 499
    (folder / "m.json").write_text(listing(*entries, {"path": "nowhere.md"}))


ADD_MANIFEST = ("add-manifest", "m.json")
BAD = {
    "a file that is not there": Bad(
        make=lambda folder: None,
        status=3,
        code="io_error",
        reason="source_file_not_found",
        details={"path": "notes.md"},
    ),
    "a FIFO": Bad(
        make=lambda folder: os.mkfifo(folder / "notes.md"),
        status=6,
        code="not_a_regular_file",
        reason="not_a_regular_file",
        details={"path": "notes.md", "kind": "FIFO"},
    ),
    "a link to a file outside": Bad(
        make=lambda folder: (folder / "notes.md").symlink_to("/etc/passwd"),
        status=6,
        code="symlink_refused",
        reason="symlink_refused",
        details={"path": "notes.md"},
    ),
    "a file outside": Bad(
        make=lambda folder: (folder.parent / "outside.md").write_text("text"),
        argv=("add", "../outside.md"),
        status=5,
        code="external_source_requires_acknowledgement",
        reason="path_outside_root",
        details={"path": "../outside.md"},
    ),
    "a second name of a file outside": Bad(
        make=lambda folder: (
            (folder.parent / "outside.md").write_text("text"),
            (folder / "notes.md").hardlink_to(folder.parent / "outside.md"),
        ),
        status=5,
        code="external_source_requires_acknowledgement",
        reason="multiple_links",
        details={"path": "notes.md"},
    ),
    "an empty file": Bad(
        make=lambda folder: (folder / "notes.md").touch(),
        status=6,
        code="invalid_input",
        reason="empty_source",
        details={"path": "notes.md"},
    ),
    "a blank file": Bad(
        make=lambda folder: (folder / "notes.md").write_text(" \n\t\u3000\n"),
        status=6,
        code="invalid_input",
        reason="empty_source",
        details={"path": "notes.md"},
    ),
    "bytes that are not UTF-8": Bad(
        make=lambda folder: (folder / "notes.md").write_bytes(b"ab\xff\xfe\x80"),
        status=6,
        code="invalid_utf8",
        reason="invalid_encoding",
        details={"path": "notes.md", "offset": 2},
    ),
    "a NUL in the middle": Bad(
        make=lambda folder: (folder / "notes.md").write_bytes("é\0x".encode()),
        status=6,
        code="binary_source",
        reason="binary_source",
        details={"path": "notes.md", "offset": 2},
    ),
    "one byte too many": Bad(
        make=lambda folder: os.truncate(_touched(folder / "notes.md"), LIMIT + 1),
        status=6,
        code="input_too_large",
        reason="source_too_large",
        details={"path": "notes.md", "most": LIMIT},
    ),
    "standard input": Bad(
        make=lambda folder: None,
        argv=("add", "-"),
        status=6,
        code="invalid_input",
        reason="stdin_refused",
        details={},
    ),
    "a web address": Bad(
        make=lambda folder: None,
        argv=("add", "https://example.org/a.md"),
        status=6,
        code="invalid_input",
        reason="url_refused",
        details={"path": "https://example.org/a.md"},
    ),
    "a blank title": Bad(
        make=lambda folder: (folder / "notes.md").write_text("text"),
        argv=("add", "notes.md", "--title", " "),
        status=6,
        code="invalid_input",
        reason="blank",
        details={"field": "The title"},
    ),
    "the wiki's own database": Bad(
        make=lambda folder: None,
        argv=("add", ".lwc/wiki.db"),
        status=6,
        code="invalid_source_path",
        reason="store_file_refused",
        details={"path": ".lwc/wiki.db"},
    ),
    "a folder given as a file": Bad(
        make=lambda folder: (folder / "notes.md").mkdir(),
        status=6,
        code="not_a_regular_file",
        reason="not_a_regular_file",
        details={"path": "notes.md", "kind": "folder"},
    ),
    "a file given as a folder": Bad(
        make=lambda folder: (folder / "notes.md").write_text("text"),
        argv=("add-dir", "notes.md"),
        status=6,
        code="invalid_source_directory",
        reason="invalid_source_directory",
        details={"path": "notes.md", "what": "it is a file"},
    ),
    "a link given as a folder": Bad(
        make=lambda folder: (folder / "notes.md").symlink_to("/etc"),
        argv=("add-dir", "notes.md"),
        status=6,
        code="invalid_source_directory",
        reason="invalid_source_directory",
        details={"path": "notes.md", "what": "it is a symbolic link"},
    ),
    "a folder outside": Bad(
        make=lambda folder: None,
        argv=("add-dir", ".."),
        status=5,
        code="external_source_requires_acknowledgement",
        reason="path_outside_root",
        details={"path": ".."},
    ),
    "a manifest that is not JSON": Bad(
        make=manifest("hello"),
        argv=ADD_MANIFEST,
        status=6,
        code="invalid_manifest",
        reason="invalid_manifest",
        details={"path": "m.json", "line": 1, "column": 1},
    ),
    "a manifest that lists nothing": Bad(
        make=manifest('{"sources": []}'),
        argv=ADD_MANIFEST,
        status=6,
        code="invalid_manifest",
        reason="empty_manifest",
        details={"path": "m.json"},
    ),
    "a manifest that says a key twice": Bad(
        make=manifest('{"sources":[{"path":"ok.md","path":"../../etc/passwd"}]}'),
        argv=ADD_MANIFEST,
        status=6,
        code="invalid_manifest",
        reason="duplicate_key",
        details={"path": "m.json", "key": "path"},
    ),
    "a manifest with an unknown field": Bad(
        make=manifest('{"sources":[{"path":"ok.md","tag":"x"}]}'),
        argv=ADD_MANIFEST,
        status=6,
        code="invalid_manifest",
        reason="invalid_manifest",
        details={"path": "m.json"},
    ),
    "a manifest that leads outside": Bad(
        make=lambda folder: (
            (folder.parent / "outside.md").write_text("text"),
            manifest(listing({"path": "../outside.md"}))(folder),
        ),
        argv=ADD_MANIFEST,
        status=5,
        code="external_source_requires_acknowledgement",
        reason="path_outside_root",
        details={"path": "../outside.md", "index": 0, "entry": 1},
    ),
    "a manifest whose last of 500 is bad": Bad(
        make=many,
        argv=ADD_MANIFEST,
        status=3,
        code="io_error",
        reason="source_file_not_found",
        details={"path": "nowhere.md", "index": 499, "entry": 500},
    ),
    "a manifest nested without end": Bad(
        make=manifest("[" * 100_000),
        argv=ADD_MANIFEST,
        status=6,
        code="invalid_manifest",
        reason="invalid_manifest",
        details={"path": "m.json"},
    ),
    "a manifest with too many entries": Bad(
        make=manifest(listing(*[{"path": "ok.md"}] * 100_001)),
        argv=ADD_MANIFEST,
        status=6,
        code="input_too_large",
        reason="manifest_too_large",
        details={"path": "m.json"},
    ),
    "a manifest of 17 MiB": Bad(
        make=manifest(b" " * (17 * 1024 * 1024)),
        argv=ADD_MANIFEST,
        status=6,
        code="input_too_large",
        reason="manifest_too_large",
        details={"path": "m.json"},
    ),
    "a source that is not there": Bad(
        make=lambda folder: None,
        argv=("remove", "7"),
        status=3,
        code="source_not_found",
        reason="source_not_found",
        details={"source": 7},
    ),
    **{
        f"the id {typed!r}": Bad(
            make=lambda folder: None,
            argv=("show", "--", typed),
            status=2,
            code="usage_error",
            reason="not_a_number",
            details={},
        )
        for typed in ("0", "-1", "1.0", "1e3", "٣", " 1", "1_000", "99999999999999999999")
    },
}


def _touched(path: Path) -> Path:
    path.touch()
    return path


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_a_bad_input_is_refused_in_its_own_words(bad: Bad, project: Path, lwc: Lwc) -> None:
    bad.make(project)
    before = lwc("log").ok()
    refused = lwc("source", *bad.argv)
    error = refused.error
    assert (refused.status, error["code"], error["reason"]) == (bad.status, bad.code, bad.reason)
    assert bad.details.items() <= error["details"].items()
    assert error["committed"] is False
    assert error["hint"]
    assert "root:" not in refused.err
    assert lwc("source", "list").ok()["total"] == 0
    assert lwc("ingest", "list").ok()["total"] == 0
    assert lwc("log").ok() == before


def test_a_folder_becomes_sources_that_wait_to_be_ingested(project: Path, lwc: Lwc) -> None:
    for name in ("guide.md", "notes/a.txt", "notes/.hidden.md", "picture.png"):
        (project / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (project / "docs" / name).write_text(f"The text of {name}.\n")
    added = lwc("source", "add-dir", "docs").ok()
    assert added["sources"] == [
        {"path": "guide.md", "source_id": 1, "created": True},
        {"path": "notes/a.txt", "source_id": 2, "created": True},
    ]
    jobs = lwc("ingest", "list").ok()["jobs"]
    assert [(job["source_id"], job["status"]) for job in jobs] == [(1, "pending"), (2, "pending")]
    shown = lwc("source", "show", "2").ok()
    assert shown["source"]["content"] == "The text of notes/a.txt.\n"
    assert shown["window"]["has_more"] is False
    found = lwc("search", "text of guide", "--type", "source").ok()
    assert found["results"][0]["identifier"] in ("1", 1)


def test_a_partial_import_keeps_what_is_good(project: Path, lwc: Lwc) -> None:
    (project / "docs").mkdir()
    (project / "docs" / "good.md").write_text("good")
    (project / "docs" / "bad.md").write_bytes(b"\xff")
    refused = lwc("source", "add-dir", "docs", "--request-id", "r1")
    assert refused.status == 6
    error = refused.error
    assert (error["code"], error["committed"]) == ("partial_import", True)
    assert error["details"]["created_ids"] == [1]
    assert [skip["path"] for skip in error["details"]["skipped_files"]] == ["bad.md"]
    again = lwc("source", "add-dir", "docs", "--request-id", "r1")
    assert (again.status, again.error["details"]["replayed"]) == (6, True)
    assert lwc("source", "list").ok()["total"] == 1


def test_a_manifest_lists_files_from_its_own_folder(project: Path, lwc: Lwc) -> None:
    (project / "deep").mkdir()
    (project / "deep" / "a.md").write_text("a")
    (project / "b.md").write_text("b")
    (project / "deep" / "m.json").write_text(
        listing({"path": "a.md", "title": "Alpha"}, {"path": "../b.md"}, {"path": "./a.md"})
    )
    added = lwc("source", "add-manifest", "deep/m.json").ok()
    assert (added["created"], added["duplicates"]) == (2, 1)
    assert [(each["path"], each["source"]["id"], each["created"]) for each in added["sources"]] == [
        ("a.md", 1, True),
        ("../b.md", 2, True),
        ("./a.md", 1, False),
    ]
    assert added["sources"][0]["source"]["title"] == "Alpha"


def test_a_removed_text_comes_back_as_the_source_it_was(project: Path, lwc: Lwc) -> None:
    (project / "a.md").write_text("a")
    assert lwc("source", "add", "a.md").ok()["created"]
    gone = lwc("source", "remove", "1").ok()
    assert (gone["removed"], gone["untracked_paths"]) == (True, ["a.md"])
    assert lwc("source", "show", "1").status == 3
    assert lwc("source", "add", "a.md").ok()["source"]["id"] == 1


def test_two_processes_that_add_one_file_make_one_source(project: Path, lwc: Lwc) -> None:
    for number in range(1, 21):
        name = f"{number}.md"
        (project / name).write_text(f"the text of {name}")

        def add(_: int, name: str = name) -> list[Any]:
            answered = lwc("source", "add", name)
            return [answered.status, answered.json["source"]["id"], answered.json["created"]]

        answers = race(2, add)
        assert [answer[:2] for answer in answers] == [[0, number], [0, number]]
        assert sorted(created for *_, created in answers) == [False, True]
    assert lwc("source", "list").ok()["total"] == 20
    assert lwc("ingest", "list").ok()["total"] == 20


@pytest.mark.slow
@pytest.mark.parametrize("tail", ["abcd", "😀"], ids=["narrow", "wide"])
def test_the_largest_source_is_taken_in_modest_memory(project: Path, lwc: Lwc, tail: str) -> None:
    # Written in parts, for a child begins with the memory of its parent.
    line = " ".join(f"word{number}" for number in range(500)).encode() + b"\n"
    written = sha256()
    with (project / "big.txt").open("wb") as file:
        for start in range(0, LIMIT, len(line)):
            part = line if start + len(line) < LIMIT else line[: LIMIT - start - 4] + tail.encode()
            written.update(part)
            file.write(part)

    def add(_: int) -> list[Any]:
        answer = lwc("source", "add", "big.txt").ok()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return [answer["source"]["content_hash"], answer["source"]["bytes"], peak]

    ((digest, size, peak),) = race(1, add)
    assert (digest, size) == (written.hexdigest(), LIMIT)
    assert peak < 600 * 1024
