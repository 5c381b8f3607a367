from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

import pytest

from lwc.domain.claim import token_hash
from lwc.domain.terms import query_terms
from lwc.errors import (
    BLANK,
    EMPTY_SOURCE,
    FILE_NOT_FOUND,
    INVALID_ENCODING,
    INVALID_OFFSET,
    INVALID_SOURCE_DIRECTORY,
    LIMIT_OUT_OF_RANGE,
    MANIFEST_ENTRY_REFUSED,
    MANIFEST_TOO_LARGE,
    NOT_A_DOCUMENT,
    PARTIAL_IMPORT,
    PATH_OUTSIDE_ROOT,
    REQUEST_ID_REUSED,
    SOURCE_CLAIMED,
    SOURCE_IN_USE,
    SOURCE_NOT_FOUND,
    STALE_REVISION,
    STDIN_REFUSED,
    UNSAFE_CHARACTERS,
    LwcError,
    Problem,
)
from lwc.services import intake, page_writes, source_folders, source_writes, sources
from lwc.services.source_folders import FolderAdded
from lwc.services.source_writes import ManifestAdded, SourceAdded
from lwc.store import jobs, journal, readings, search
from lwc.store import settings as kept_settings
from lwc.store import sources as rows
from lwc.wiki import Call, Wiki


class Add(Protocol):
    """Writes a file, when its text is given, and adds it."""

    def __call__(
        self, path: str, text: str | None = None, *, call: Call = ..., **rules: Any
    ) -> SourceAdded: ...


class Clock(Protocol):
    def tick(self, seconds: float) -> None: ...


AddDir = Callable[..., FolderAdded]
AddManifest = Callable[..., ManifestAdded]


@pytest.fixture
def add(wiki: Wiki, project: Path, call: Call) -> Add:
    def run(path: str, text: str | None = None, *, call: Call = call, **rules: Any) -> SourceAdded:
        if text is not None:
            (project / path).parent.mkdir(parents=True, exist_ok=True)
            (project / path).write_bytes(text.encode())
        return source_writes.add(wiki, call, path=path, base=project, **rules)

    return run


@pytest.fixture
def add_dir(wiki: Wiki, project: Path, call: Call) -> AddDir:
    def run(path: str = "docs", *, call: Call = call, **rules: Any) -> FolderAdded:
        return source_folders.add_dir(wiki, call, path=path, base=project, **rules)

    return run


@pytest.fixture
def docs(project: Path) -> Path:
    folder = project / "docs"
    folder.mkdir()
    for name in ("b.md", "a.txt", "deep/c.md"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f"the text of {name}")
    return folder


def operations(wiki: Wiki) -> list[tuple[str, str | None, dict[str, object]]]:
    """What the journal says, the oldest first, without the making of the wiki."""
    with wiki.reading() as conn:
        told = journal.recent(conn, limit=100)
    return [
        (each.action, each.target, dict(each.detail))
        for each in reversed(told)
        if each.action != "init"
    ]


def refusal(of: Callable[[], object], problem: Problem) -> LwcError:
    with pytest.raises(LwcError) as caught:
        of()
    assert caught.value.problem is problem
    return caught.value


def count(wiki: Wiki) -> int:
    return sources.listed(wiki).total


def claim(wiki: Wiki, source_id: int, *, agent: str = "reader", token: str = "t0ken") -> None:
    with wiki.writing(Call(agent=agent)) as change:
        claimed = jobs.claim(
            change.conn,
            source_id,
            agent=agent,
            token_hash=token_hash(token),
            lease_seconds=60,
            max_attempts=3,
            now=change.now,
        )
        assert claimed is not None


def delivered(wiki: Wiki, source_id: int, attempt: int = 1) -> tuple[tuple[int, int], ...]:
    with wiki.reading() as conn:
        return readings.ranges(conn, source_id, attempt)


def test_a_file_becomes_a_source_with_a_pending_job(wiki: Wiki, add: Add) -> None:
    added = add("docs/a.md", "the text\n")
    assert added.created
    assert (added.source.id, added.source.title, added.source.origin) == (
        1,
        "docs/a.md",
        "docs/a.md",
    )
    assert (added.source.bytes, added.source.content_hash) == (9, sha256(b"the text\n").hexdigest())
    assert (added.tracked_path, added.path_revision, added.path_advanced) == ("docs/a.md", 1, True)
    assert (added.graph.engine, added.graph.status) == ("disabled", "disabled")
    with wiki.reading() as conn:
        assert jobs.find(conn, 1).state == "pending"
    assert operations(wiki) == [
        (
            "source_add",
            "docs/a.md",
            {
                "source_id": 1,
                "created": True,
                "tracked_path": "docs/a.md",
                "path_revision": 1,
                "path_advanced": True,
                "acknowledged_sensitive": False,
            },
        )
    ]


def test_the_same_text_again_is_quiet(wiki: Wiki, add: Add) -> None:
    first = add("a.md", "text", title="First")
    again = add("a.md", title="Second")
    assert (again.created, again.path_advanced) == (False, False)
    assert (again.source, again.revision) == (first.source, first.revision)
    assert len(operations(wiki)) == 1


def test_the_same_text_at_another_path_is_told_once(wiki: Wiki, add: Add) -> None:
    first = add("a.md", "text")
    copy = add("copy.md", "text")
    assert (copy.created, copy.path_advanced, copy.tracked_path) == (False, True, "copy.md")
    assert (copy.source.id, copy.source.origin) == (first.source.id, "a.md")
    assert copy.revision == first.revision + 1


def test_a_path_that_returns_to_its_first_text_is_at_its_third_revision(add: Add) -> None:
    answers = [add("p.md", text) for text in ("a", "b", "a")]
    assert [answer.path_revision for answer in answers] == [1, 2, 3]
    assert [answer.source.id for answer in answers] == [1, 2, 1]
    assert [answer.created for answer in answers] == [True, True, False]


def test_a_path_typed_in_another_way_is_tracked_as_one(project: Path, add: Add) -> None:
    add("docs/a.md", "text")
    again = add("./docs/../docs/a.md")
    absolute = add(str(project / "docs" / "a.md"))
    assert [each.tracked_path for each in (again, absolute)] == ["docs/a.md", "docs/a.md"]
    assert (again.path_advanced, absolute.path_advanced) == (False, False)


def test_the_origin_is_the_path_as_typed_and_the_title_the_tracked_one(add: Add) -> None:
    added = add("./docs//a.md", "text")
    assert (added.source.origin, added.source.title) == ("./docs//a.md", "docs/a.md")


def test_a_completed_job_stays_completed_when_its_text_is_added_again(wiki: Wiki, add: Add) -> None:
    add("a.md", "text")
    claim(wiki, 1)
    add("b.md", "text")
    with wiki.reading() as conn:
        assert jobs.find(conn, 1).state == "analyzing"


def test_an_acknowledgement_is_noted(wiki: Wiki, add: Add) -> None:
    add("a.md", "text", acknowledge_sensitive=True)
    ((_, _, detail),) = operations(wiki)
    assert detail["acknowledged_sensitive"] is True


def test_a_file_outside_the_project_is_tracked_by_its_full_path(
    project: Path, tmp_path: Path, add: Add
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("text")
    refusal(lambda: add(str(outside)), PATH_OUTSIDE_ROOT)
    added = add(str(outside), allow_external=True)
    assert added.tracked_path == str(outside.resolve())


def test_a_blank_title_is_refused_before_the_file_is_read(add: Add) -> None:
    refusal(lambda: add("nowhere.md", title=" "), BLANK)


def test_a_repeated_request_answers_what_was_answered(wiki: Wiki, project: Path, add: Add) -> None:
    call = Call(agent="tester", request_id="r1", command="source add", arguments={"file": "a.md"})
    first = add("a.md", "text", call=call)
    (project / "a.md").unlink()
    assert add("a.md", call=call) == replace(first, replayed=True)
    other = replace(call, arguments={"file": "b.md"})
    refusal(lambda: add("b.md", "other", call=other), REQUEST_ID_REUSED)
    assert count(wiki) == 1


def test_a_wiki_that_moved_on_is_not_written_to(wiki: Wiki, add: Add) -> None:
    seen = add("a.md", "text").revision
    refusal(lambda: add("b.md", "other", call=Call(if_revision=seen - 1)), STALE_REVISION)
    assert count(wiki) == 1
    add("b.md", call=Call(if_revision=seen))


# A folder


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


# A manifest


@pytest.fixture
def add_manifest(wiki: Wiki, project: Path, call: Call) -> AddManifest:
    def run(entries: object, *, at: str = "manifest.json", **rules: Any) -> ManifestAdded:
        (project / at).parent.mkdir(exist_ok=True)
        (project / at).write_text(json.dumps({"sources": entries}))
        return source_writes.add_manifest(wiki, call, path=at, base=project, **rules)

    return run


def test_a_manifest_is_added_in_its_order(
    wiki: Wiki, docs: Path, add_manifest: AddManifest
) -> None:
    added = add_manifest(
        [{"path": "deep/c.md", "title": " Sea "}, {"path": "./a.txt"}], at="docs/m.json"
    )
    assert (added.created, added.duplicates) == (2, 0)
    assert [(each.path, each.source.id, each.created) for each in added.sources] == [
        ("deep/c.md", 1, True),
        ("./a.txt", 2, True),
    ]
    assert [each.source.title for each in added.sources] == ["Sea", "docs/a.txt"]
    assert [each.source.origin for each in added.sources] == ["deep/c.md", "./a.txt"]
    assert [action for action, _, _ in operations(wiki)] == ["source_add_manifest"]


def test_a_file_listed_twice_is_one_source(docs: Path, add_manifest: AddManifest) -> None:
    added = add_manifest([{"path": "docs/a.txt"}, {"path": "./docs/a.txt"}])
    assert [(each.source.id, each.created) for each in added.sources] == [(1, True), (1, False)]
    assert (added.created, added.duplicates) == (1, 1)


@pytest.mark.parametrize(
    "entry, problem",
    [
        ({"path": "../outside.md"}, PATH_OUTSIDE_ROOT),
        ({"path": "docs/empty.md"}, EMPTY_SOURCE),
        ({"path": "docs/nowhere.md"}, FILE_NOT_FOUND),
        ({"path": "docs/b.md", "title": "two\nlines"}, UNSAFE_CHARACTERS),
        ({"path": "docs\\b.md"}, MANIFEST_ENTRY_REFUSED),
    ],
    ids=["outside", "empty", "missing", "title", "backslash"],
)
def test_one_bad_entry_refuses_the_whole_manifest(
    wiki: Wiki, docs: Path, add_manifest: AddManifest, entry: object, problem: Problem
) -> None:
    (docs / "empty.md").touch()
    error = refusal(lambda: add_manifest([{"path": "docs/a.txt"}, entry]), problem)
    assert (error.details["index"], error.details["entry"]) == (1, 2)
    assert (count(wiki), operations(wiki)) == (0, [])


def test_a_manifest_may_list_files_outside_when_that_is_allowed(
    tmp_path: Path, add_manifest: AddManifest
) -> None:
    (tmp_path / "outside.md").write_text("text")
    added = add_manifest([{"path": "../outside.md"}], allow_external=True)
    assert added.created == 1


def test_texts_that_find_no_room_in_memory_are_taken_in_whole(
    wiki: Wiki, docs: Path, add_manifest: AddManifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake.Shelf.__init__, "__kwdefaults__", {"room": 5})
    (docs / "b.md").write_text("Ζεύς, 雷神 – 𝄞 thunder\r\n", newline="")
    names = ["a.txt", "b.md", "deep/c.md"]
    added = add_manifest([{"path": f"docs/{name}"} for name in names])
    for name, each in zip(names, added.sources, strict=True):
        shown = sources.show(wiki, each.source.id)
        assert shown.source.content == (docs / name).read_bytes().decode()
    with wiki.reading() as conn:
        found = search.match_sources(conn, query_terms("雷神 thunder").terms, limit=5)
    assert [hit.id for hit in found.hits] == [2]
    assert sorted(os.listdir(project_store(wiki))) == sorted(
        name for name in os.listdir(project_store(wiki)) if name.startswith(("wiki.db", "init"))
    )


def project_store(wiki: Wiki) -> Path:
    return wiki.workspace.store


def test_a_manifest_is_a_file(wiki: Wiki, project: Path, call: Call) -> None:
    refusal(lambda: source_writes.add_manifest(wiki, call, path="-", base=project), STDIN_REFUSED)


def test_a_huge_manifest_is_refused_before_it_is_parsed(
    wiki: Wiki, project: Path, call: Call
) -> None:
    (project / "m.json").write_bytes(b"[" * (17 * 1024 * 1024))
    refusal(
        lambda: source_writes.add_manifest(wiki, call, path="m.json", base=project),
        MANIFEST_ENTRY_REFUSED,
        MANIFEST_TOO_LARGE,
    )


# Looking


def test_sources_are_listed_in_parts(wiki: Wiki, docs: Path, add_dir: AddDir) -> None:
    add_dir()
    part = sources.listed(wiki, limit=2)
    assert ([each.id for each in part.sources], part.total, part.has_more) == ([1, 2], 3, True)
    rest = sources.listed(wiki, limit=2, offset=2)
    assert ([each.id for each in rest.sources], rest.has_more) == ([3], False)


@pytest.mark.parametrize("limit", [0, 1001, -1], ids=str)
def test_a_list_is_bounded(wiki: Wiki, limit: int) -> None:
    refusal(lambda: sources.listed(wiki, limit=limit), LIMIT_OUT_OF_RANGE)
    refusal(lambda: sources.refs(wiki, 1, limit=limit), LIMIT_OUT_OF_RANGE)


def test_windows_follow_each_other_through_a_source(wiki: Wiki, add: Add) -> None:
    text = "aé雷𝄞\r\n" * 30_000
    add("a.md", text)
    seen, offset = "", 0
    while True:
        shown = sources.show(wiki, 1, offset_chars=offset, max_chars=50_000)
        assert shown.window.offset_chars == len(seen)
        seen += shown.source.content
        if shown.window.next_offset_chars is None:
            break
        offset = shown.window.next_offset_chars
    assert seen == text
    assert not shown.window.has_more


def test_a_window_is_bounded_by_the_setting_unless_asked(wiki: Wiki, call: Call, add: Add) -> None:
    add("a.md", "x" * 50_000)
    assert sources.show(wiki, 1).window.returned_chars == 40_000
    assert sources.show(wiki, 1, max_chars=10**7).window.returned_chars == 50_000
    with wiki.writing(call) as change:
        kept_settings.put(change.conn, "window_chars", "10", now=change.now)
    assert sources.show(wiki, 1).window.returned_chars == 10


def test_the_end_of_a_source_is_an_empty_window(wiki: Wiki, add: Add) -> None:
    add("a.md", "text")
    shown = sources.show(wiki, 1, offset_chars=4)
    assert (shown.source.content, shown.window.has_more) == ("", False)
    refusal(lambda: sources.show(wiki, 1, offset_chars=5), INVALID_OFFSET)
    refusal(lambda: sources.show(wiki, 1, max_chars=0), LIMIT_OUT_OF_RANGE)
    refusal(lambda: sources.show(wiki, 2), SOURCE_NOT_FOUND)


@pytest.mark.parametrize(
    "who, counts",
    [
        ({"agent": "reader"}, True),
        ({"agent": "stranger"}, False),
        ({"agent": "stranger", "token": "t0ken"}, True),
        ({"agent": "stranger", "token": "another"}, False),
        ({"agent": "reader", "token": "of another job"}, True),
    ],
    ids=["holder", "stranger", "token", "wrong token", "holder with another token"],
)
def test_what_the_holder_is_shown_counts_as_read(
    wiki: Wiki, add: Add, who: dict[str, str], counts: bool
) -> None:
    add("a.md", "x" * 100)
    claim(wiki, 1)
    before = wiki.revision()
    shown = sources.show(wiki, 1, offset_chars=10, max_chars=20, **who)  # type: ignore[arg-type]
    assert shown.recorded is counts
    assert delivered(wiki, 1) == (((10, 30),) if counts else ())
    assert wiki.revision() == before


def test_under_strict_claims_only_the_token_counts(wiki: Wiki, call: Call, add: Add) -> None:
    add("a.md", "x" * 100)
    claim(wiki, 1)
    with wiki.writing(call) as change:
        kept_settings.put(change.conn, "claims", "strict", now=change.now)
    assert not sources.show(wiki, 1, agent="reader").recorded
    assert sources.show(wiki, 1, agent="reader", token="t0ken").recorded


def test_nothing_counts_as_read_without_a_claim(wiki: Wiki, add: Add) -> None:
    add("a.md", "text")
    assert not sources.show(wiki, 1, agent="tester").recorded


# Removing


def test_a_removed_source_comes_back_under_its_id(
    wiki: Wiki, project: Path, call: Call, add: Add
) -> None:
    add("a.md", "one")
    add("b.md", "two")
    gone = source_writes.remove(wiki, call, source_id=1)
    assert (gone.source_id, gone.removed, gone.removed_path_revisions, gone.untracked_paths) == (
        1,
        True,
        1,
        ("a.md",),
    )
    assert operations(wiki)[-1] == (
        "source_remove",
        "1",
        {
            "title": "a.md",
            "origin": "a.md",
            "removed_path_revisions": 1,
            "untracked_paths": ["a.md"],
            "affected_paths": ["a.md"],
        },
    )
    back = add("a.md")
    assert (back.source.id, back.created, back.path_revision) == (1, True, 1)
    with wiki.reading() as conn:
        assert jobs.find(conn, 1).attempt == 0


def test_an_older_head_never_comes_back(wiki: Wiki, call: Call, add: Add) -> None:
    for text in ("old", "new"):
        add("p.md", text)
    gone = source_writes.remove(wiki, call, source_id=2)
    assert (gone.removed_path_revisions, gone.untracked_paths) == (2, ("p.md",))
    with wiki.reading() as conn:
        assert rows.heads(conn, ("p.md",)) == {}


def test_a_source_that_somebody_ingests_stays(
    wiki: Wiki, call: Call, add: Add, clock: Clock
) -> None:
    add("a.md", "text")
    claim(wiki, 1)
    error = refusal(lambda: source_writes.remove(wiki, call, source_id=1), SOURCE_CLAIMED)
    assert error.details["agent"] == "reader"
    clock.tick(61)
    assert source_writes.remove(wiki, call, source_id=1).removed


def test_what_is_not_there_cannot_be_removed(wiki: Wiki, call: Call) -> None:
    refusal(lambda: source_writes.remove(wiki, call, source_id=1), SOURCE_NOT_FOUND)


# Who cites


@pytest.fixture
def cited(wiki: Wiki, call: Call, add: Add) -> str:
    """A source of 100 characters that two pages cite, one of them by its words."""
    text = "The store keeps one writer at a time. " + "x" * 62
    add("a.md", text)
    page_writes.put(wiki, call, slug="whole", title="Whole", body="Text.", source_ids=(1,))
    body = (
        "One.[^a] Two.[^b]\n\n"
        '[^a]: source:1 "The store keeps one writer"\n'
        '[^b]: source:1 "The store keeps no writer at all"\n'
    )
    page_writes.put(wiki, call, slug="by-words", title="By words", body=body)
    return text


def test_refs_tell_the_pages_and_the_state_of_their_quotes(wiki: Wiki, cited: str) -> None:
    told = sources.refs(wiki, 1)
    assert [(page.slug, page.title, page.provenance) for page in told.pages] == [
        ("by-words", "By words", ("source-grounded",)),
        ("whole", "Whole", ("source-grounded",)),
    ]
    by_words, whole = told.pages
    assert [(quote.label, quote.state, quote.start, quote.end) for quote in by_words.citations] == [
        ("a", "exact", 0, 26),
        ("b", "missing", None, None),
    ]
    assert whole.citations == ()
    part = sources.refs(wiki, 1, limit=1, offset=1)
    assert ([page.slug for page in part.pages], part.total, part.has_more) == (["whole"], 2, False)


def test_a_cited_source_stays(wiki: Wiki, call: Call, cited: str) -> None:
    error = refusal(lambda: source_writes.remove(wiki, call, source_id=1), SOURCE_IN_USE)
    assert error.details["pages"] == ["by-words", "whole"]
    assert count(wiki) == 1
