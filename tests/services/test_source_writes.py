from __future__ import annotations

import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sourcing import Add, AddManifest, Clock, claim, count, operations, refusal

from lwc.domain.terms import query_terms
from lwc.errors import (
    BLANK,
    EMPTY_SOURCE,
    FILE_NOT_FOUND,
    MANIFEST_ENTRY_REFUSED,
    MANIFEST_TOO_LARGE,
    PATH_OUTSIDE_ROOT,
    REQUEST_ID_REUSED,
    SOURCE_CLAIMED,
    SOURCE_IN_USE,
    SOURCE_NOT_FOUND,
    STALE_REVISION,
    STDIN_REFUSED,
    UNSAFE_CHARACTERS,
    Problem,
)
from lwc.services import intake, source_writes, sources
from lwc.store import jobs, search
from lwc.store import sources as rows
from lwc.wiki import Call, Wiki


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


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(st.tuples(st.sampled_from("xy"), st.sampled_from("abc")), max_size=8))
def test_the_revisions_of_a_path_are_its_changes_in_order(
    wiki: Wiki, call: Call, add: Add, steps: list[tuple[str, str]]
) -> None:
    histories: dict[str, list[str]] = {}
    for path, text in steps:
        added = add(path, text)
        history = histories.setdefault(path, [])
        assert added.path_advanced == (not history or history[-1] != text)
        if added.path_advanced:
            history.append(text)
        assert added.path_revision == len(history)
    for source in sources.listed(wiki).sources:
        source_writes.remove(wiki, call, source_id=source.id)
    with wiki.reading() as conn:
        assert rows.heads(conn, histories) == {}


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
    left = os.listdir(wiki.workspace.store)
    files_for_readers = ("raw", "wiki", "schema.md", "purpose.md", ".obsidian", "projection.")
    own = ("wiki.db", "init.lock", *files_for_readers)
    assert [name for name in left if not name.startswith(own)] == []


def test_a_manifest_is_a_file(wiki: Wiki, project: Path, call: Call) -> None:
    refusal(lambda: source_writes.add_manifest(wiki, call, path="-", base=project), STDIN_REFUSED)


def test_a_huge_manifest_is_refused_before_it_is_parsed(
    wiki: Wiki, project: Path, call: Call
) -> None:
    (project / "m.json").write_bytes(b"[" * (17 * 1024 * 1024))
    refusal(
        lambda: source_writes.add_manifest(wiki, call, path="m.json", base=project),
        MANIFEST_TOO_LARGE,
    )


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


def test_a_cited_source_stays(wiki: Wiki, call: Call, cited: str) -> None:
    error = refusal(lambda: source_writes.remove(wiki, call, source_id=1), SOURCE_IN_USE)
    assert error.details["pages"] == ["by-words", "whole"]
    assert count(wiki) == 1
