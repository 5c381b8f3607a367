from __future__ import annotations

import errno
import fcntl
import os
import shutil
import time
from pathlib import Path

import pytest
from ingesting import a_source
from page_makers import cited, put
from projecting import (
    catch_up,
    clear,
    files,
    made_anew,
    manifest,
    materialize,
    switch,
)
from sqlalchemy import update

from lwc import projection
from lwc.domain.changeset import Entity
from lwc.domain.projection_state import Reason
from lwc.projection import keeping
from lwc.services import charter, page_moves, page_writes, source_writes
from lwc.store import drafts, journal, outbox
from lwc.store.dialects import sqlite
from lwc.store.tables import text_parts
from lwc.wiki import Call, Wiki, open_wiki

LOCKS = "wiki/concepts/locks.md"


def test_a_page_and_what_it_rests_on_are_files_at_once(wiki: Wiki, store: Path) -> None:
    source_id = a_source(wiki, "Only one writer can hold the lock at any moment.\n")
    answer = put(
        wiki,
        "locks",
        cited(source_id),
        summary="Who may write.",
        provenance=("hypothesis",),
    )
    assert answer.projection is None
    told = files(store)
    assert set(told) == {
        ".obsidian/app.json",
        "purpose.md",
        "raw/sources/1--notes.md",
        "schema.md",
        "wiki/concepts/locks.md",
        "wiki/index.md",
        "wiki/log.md",
        "wiki/overview.md",
    }
    assert told["raw/sources/1--notes.md"] == "Only one writer can hold the lock at any moment.\n"
    assert "- [[concepts/locks|locks]] — Who may write.\n" in told["wiki/index.md"]
    assert "- Pages: 1\n- Sources: 1\n" in told["wiki/overview.md"]
    assert "page_put locks" in told["wiki/log.md"]
    assert "[^c1]: source:1 ([1--notes.md](../../raw/sources/1--notes.md), exact)" in told[LOCKS]
    assert told == made_anew(wiki)


def test_every_file_is_its_owners_alone(wiki: Wiki, store: Path) -> None:
    put(wiki, "locks")
    for path in store.rglob("*"):
        if path.name.startswith(("wiki.db", "init.lock")):
            continue
        assert path.stat().st_mode & 0o077 == 0, path


def test_another_kind_or_name_moves_the_file(wiki: Wiki, store: Path, call: Call) -> None:
    put(wiki, "locks")
    put(wiki, "locks", kind="entity")
    assert not (store / LOCKS).parent.exists()
    assert (store / "wiki/entities/locks.md").exists()
    page_moves.rename(wiki, call, slug="locks", to="bolts")
    told = files(store)
    assert "wiki/entities/locks.md" not in told
    assert 'aliases:\n  - "locks"\n' in told["wiki/entities/bolts.md"]
    assert "[[entities/bolts|" in told["wiki/index.md"]
    assert told == made_anew(wiki)


def test_what_is_removed_has_no_file(wiki: Wiki, store: Path, call: Call) -> None:
    before = files(store)
    source_id = a_source(wiki, "A text that is long enough.")
    put(wiki, "locks")
    page_moves.remove(wiki, call, slug="locks")
    source_writes.remove(wiki, call, source_id=source_id)
    told = files(store)
    assert told.keys() == before.keys()
    assert told["wiki/index.md"] == before["wiki/index.md"]


def test_a_name_taken_over_by_another_page_has_its_file(
    wiki: Wiki, store: Path, call: Call
) -> None:
    switch(wiki, "off")
    put(wiki, "locks", "First.")
    switch(wiki, "on")
    catch_up(wiki)
    switch(wiki, "off")
    page_moves.rename(wiki, call, slug="locks", to="bolts")
    page_moves.remove(wiki, call, slug="bolts")
    put(wiki, "locks", "Second.")
    switch(wiki, "on")
    catch_up(wiki)
    told = files(store)
    assert told[LOCKS].endswith("Second.\n")
    assert told == made_anew(wiki)


def test_the_texts_of_the_wiki_are_files_as_they_are(wiki: Wiki, store: Path, call: Call) -> None:
    charter.put(wiki, call, name="purpose", text="# Why\r\n\r\nTo know.")
    told = files(store)
    assert told["purpose.md"] == "# Why\r\n\r\nTo know."
    assert told["wiki/overview.md"].endswith("To know.\n")


def test_when_nothing_waits_no_file_is_touched(
    wiki: Wiki, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise AssertionError("a file is opened")

    monkeypatch.setattr(os, "open", refuse)
    assert catch_up(wiki) is None


def test_what_did_not_change_is_not_written_again(wiki: Wiki, store: Path) -> None:
    put(wiki, "locks")
    put(wiki, "other")
    before = {path: path.stat().st_mtime_ns for path in store.rglob("*.md")}
    put(wiki, "other", "Another text.")
    changed = {path.name for path in before if path.stat().st_mtime_ns != before[path]}
    assert changed == {"other.md", "overview.md", "log.md"}
    assert materialize(wiki).written == 0


def test_a_deleted_projection_is_made_again(wiki: Wiki, store: Path) -> None:
    put(wiki, "locks")
    before = files(store)
    clear(wiki)
    made = materialize(wiki)
    assert (made.written, made.errors) == (5, ())
    assert files(store) == before


def test_files_of_others_survive(wiki: Wiki, store: Path, call: Call) -> None:
    put(wiki, "locks")
    mine = {
        "wiki/concepts/my note.md": "mine",
        "wiki/concepts/locks.png": "a picture",
        "raw/assets/picture.png": "another",
        ".obsidian/workspace.json": "{}",
        "mine/deep/note.md": "mine",
    }
    for name, text in mine.items():
        (store / name).parent.mkdir(parents=True, exist_ok=True)
        (store / name).write_text(text)
    page_moves.remove(wiki, call, slug="locks")
    materialize(wiki)
    told = files(store)
    assert {name: told[name] for name in mine} == mine


def test_the_settings_of_the_vault_are_its_readers(wiki: Wiki, store: Path) -> None:
    settings = store / ".obsidian/app.json"
    settings.write_text('{"readableLineLength": true}')
    put(wiki, "locks")
    materialize(wiki, force=True)
    assert settings.read_text() == '{"readableLineLength": true}'
    settings.unlink()
    shutil.rmtree(store / ".obsidian")
    shared = store.parent / "shared"
    shared.mkdir()
    (store / ".obsidian").symlink_to(shared)
    assert materialize(wiki).errors == ()
    assert not list(shared.iterdir())


def test_an_edited_file_is_written_anew_and_the_edit_kept(wiki: Wiki, store: Path) -> None:
    put(wiki, "locks")
    for number in (1, 2):
        (store / LOCKS).write_text(f"edit {number}")
        (store / "wiki/index.md").write_text("edited")
        answer = put(wiki, "locks", f"Text {number}.")
        assert answer.projection is not None
        assert answer.projection.state == "current"
        assert set(answer.projection.kept or ()) == {
            f"{LOCKS}.edited-{number}",
            f"wiki/index.md.edited-{number}",
        }
        assert (store / f"{LOCKS}.edited-{number}").read_text() == f"edit {number}"
    told = {name: text for name, text in files(store).items() if ".edited-" not in name}
    assert told == made_anew(wiki)


def test_an_edited_file_is_kept_when_its_page_goes(wiki: Wiki, store: Path, call: Call) -> None:
    put(wiki, "locks")
    (store / LOCKS).write_text("edited")
    answer = page_moves.remove(wiki, call, slug="locks")
    assert answer.projection is not None
    assert answer.projection.kept == (f"{LOCKS}.edited-1",)
    assert (store / f"{LOCKS}.edited-1").read_text() == "edited"
    assert not (store / LOCKS).exists()


def test_a_strangers_file_is_left_where_ours_should_be(wiki: Wiki, store: Path) -> None:
    (store / LOCKS).parent.mkdir()
    (store / LOCKS).write_text("theirs")
    answer = put(wiki, "locks")
    assert answer.projection is not None
    assert (answer.projection.state, answer.projection.behind) == ("behind", 1)
    (error,) = answer.projection.errors
    assert (error.path, error.reason) == (LOCKS, Reason.FOREIGN)
    assert answer.projection.next == "lwc maintenance materialize"
    assert (store / LOCKS).read_text() == "theirs"
    assert materialize(wiki).errors_total == 1
    assert (store / LOCKS).read_text() == "theirs"
    made = materialize(wiki, force=True)
    assert (made.kept, made.errors, made.behind) == ((f"{LOCKS}.edited-1",), (), 0)
    assert (store / f"{LOCKS}.edited-1").read_text() == "theirs"
    assert (store / LOCKS).read_text() == made_anew(wiki)[LOCKS]


def test_a_strangers_file_with_the_very_content_is_taken_for_ours(wiki: Wiki, store: Path) -> None:
    switch(wiki, "off")
    put(wiki, "locks")
    (store / LOCKS).parent.mkdir()
    (store / LOCKS).write_text(made_anew(wiki)[LOCKS])
    switch(wiki, "on")
    catch_up(wiki)
    assert catch_up(wiki) is None


@pytest.mark.parametrize("name", ["locks.md", "index.md", "log.md", "overview.md"])
def test_what_cannot_be_written_is_told_and_blocks_nothing_else(
    name: str, wiki: Wiki, store: Path
) -> None:
    put(wiki, "locks", "First.")
    put(wiki, "other")
    path = next(store.rglob(name))
    path.unlink()
    path.mkdir()
    shown = str(path.relative_to(store))
    answer = put(wiki, "locks", "Second.")
    assert answer.projection is not None
    assert [(one.path, one.reason) for one in answer.projection.errors] == [(shown, Reason.UNSAFE)]
    put(wiki, "third")
    rest = {file: text for file, text in made_anew(wiki).items() if file != shown}
    assert {file: files(store)[file] for file in rest} == rest
    path.rmdir()
    assert catch_up(wiki) is None
    assert files(store) == made_anew(wiki)


def test_a_full_disk_is_told_and_made_up_for(
    wiki: Wiki, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(wiki, "locks", "First.")
    before = (store / LOCKS).read_text()
    rename = os.rename

    def refuse(*names: str, **folders: int) -> None:
        if names[1] == "locks.md":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/a/path/of/this/machine")
        rename(*names, **folders)

    monkeypatch.setattr(os, "rename", refuse)
    answer = put(wiki, "locks", "Second.")
    monkeypatch.undo()
    assert answer.projection is not None
    (error,) = answer.projection.errors
    assert (error.path, error.reason, error.what) == (
        LOCKS,
        Reason.DISK,
        "no space left on device",
    )
    assert (store / LOCKS).read_text() == before
    assert catch_up(wiki) is None
    assert files(store) == made_anew(wiki)


def test_a_busy_database_leaves_the_files_behind(
    wiki: Wiki, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(wiki, "locks")
    switch(wiki, "off")
    put(wiki, "other")
    switch(wiki, "on")
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    with open_wiki(store.parent) as second, wiki.writing(Call()):
        state = projection.catch_up(second.database, store)
    assert state is not None
    assert (state.state, state.behind) == ("behind", 1)
    assert [one.reason for one in state.errors] == [Reason.STORE]
    assert catch_up(wiki) is None


def test_a_damaged_text_is_told_and_its_file_stays(wiki: Wiki, store: Path, call: Call) -> None:
    put(wiki, "locks", "A text.")
    put(wiki, "other")
    before = (store / LOCKS).read_text()
    with wiki.writing(call) as change:
        damaged = update(text_parts).where(text_parts.c.body == "A text.")
        change.conn.execute(damaged.values(body="Another."))
        outbox.put(change.conn, Entity.PAGE, 1)
        outbox.put(change.conn, Entity.PAGE, 2)
    (store / "wiki/concepts/other.md").unlink()
    state = catch_up(wiki)
    assert state is not None
    assert [(one.path, one.reason) for one in state.errors] == [(LOCKS, Reason.DAMAGED)]
    assert (store / LOCKS).read_text() == before
    assert (store / "wiki/concepts/other.md").exists()


def test_a_closed_folder_never_fails_a_command(wiki: Wiki, store: Path) -> None:
    shutil.rmtree(store / "wiki")
    (store / "wiki").symlink_to(store.parent)
    answer = put(wiki, "locks")
    assert answer.created
    assert answer.projection is not None
    assert {one.reason for one in answer.projection.errors} == {Reason.UNSAFE}
    (store / "projection.lock").unlink()
    (store / "projection.lock").mkdir()
    again = put(wiki, "locks", "Again.")
    assert again.projection is not None
    assert again.projection.state == "behind"
    assert not (store.parent / "concepts").exists()


def test_while_another_projects_a_command_does_not_wait(wiki: Wiki, store: Path) -> None:
    with open(store / "projection.lock", "rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        began = time.monotonic()
        answer = put(wiki, "locks")
        assert time.monotonic() - began < keeping.LONG_PATIENCE / 2
    assert answer.projection is not None
    assert (answer.projection.behind, answer.projection.errors) == (1, ())
    put(wiki, "other")
    assert files(store) == made_anew(wiki)


def test_a_command_writes_so_many_files_and_leaves_the_rest(
    wiki: Wiki, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "MOST_IN_A_COMMAND", 3)
    monkeypatch.setattr(keeping, "AT_ONCE", 2)
    switch(wiki, "off")
    for number in range(8):
        put(wiki, f"p{number}")
    switch(wiki, "on")
    state = catch_up(wiki)
    assert state is not None
    assert (state.behind, state.errors) == (5, ())
    assert {path.stem for path in (store / "wiki/concepts").iterdir()} == {"p5", "p6", "p7"}
    listed = (store / "wiki/index.md").read_text()
    left = []
    for _ in range(3):
        state = catch_up(wiki)
        left.append(0 if state is None else state.behind)
    assert left == [2, 0, 0]
    assert files(store) == made_anew(wiki)
    assert listed == made_anew(wiki)["wiki/index.md"]


def test_a_command_writes_so_many_bytes_and_leaves_the_rest(
    wiki: Wiki, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "MOST_BYTES_IN_A_COMMAND", 2_000)
    switch(wiki, "off")
    for number in range(4):
        put(wiki, f"p{number}", "word " * 300)
    switch(wiki, "on")
    left = []
    for _ in range(4):
        state = catch_up(wiki)
        left.append(0 if state is None else state.behind)
    assert left[0] > 0
    assert left[-1] == 0
    assert files(store) == made_anew(wiki)


def test_a_projection_that_is_off_writes_nothing_until_it_is_asked(wiki: Wiki, store: Path) -> None:
    before = files(store)
    switch(wiki, "off")
    assert put(wiki, "locks").projection is None
    assert files(store) == before
    assert materialize(wiki).written > 0
    assert files(store) == made_anew(wiki)


def test_what_changes_while_a_file_is_written_is_written_after(
    wiki: Wiki, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch(wiki, "off")
    put(wiki, "locks", "First.")
    rename, begun = os.rename, []

    def between(*names: str, **folders: int) -> None:
        if not begun:
            begun.append(True)
            put(wiki, "locks", "Second.")
            put(wiki, "other")
            switch(wiki, "on")
        rename(*names, **folders)

    switch(wiki, "on")
    monkeypatch.setattr(os, "rename", between)
    catch_up(wiki)
    monkeypatch.undo()
    assert files(store) == made_anew(wiki)
    assert catch_up(wiki) is None


def test_nothing_of_a_draft_is_a_file(wiki: Wiki, store: Path, call: Call) -> None:
    put(wiki, "locks")
    before = files(store)
    with wiki.writing(call) as change:
        drafts.begin(change.conn, "x", author="anna", now=change.now)
    with open_wiki(store.parent, changeset="x") as draft:
        answer = page_writes.put(draft, call, slug="locks", title="Locks", body="Drafted.")
        assert answer.projection is None
        page_writes.put(draft, call, slug="fresh", title="Fresh", body="Drafted.")
    materialize(wiki)
    assert files(store) == before


def test_the_manifest_says_what_was_projected_last(wiki: Wiki, store: Path) -> None:
    put(wiki, "locks")
    with wiki.reading() as conn:
        assert manifest(wiki)["revision"] == journal.revision(conn)
    assert manifest(wiki)["store_id"] == wiki.store_id()


@pytest.mark.parametrize("word", ["", "{", '{"revision": "x"}', "[]", "\xff", "x" * 300_000])
def test_a_manifest_that_cannot_be_read_is_made_anew(word: str, wiki: Wiki, store: Path) -> None:
    (store / "projection.json").write_text(word, encoding="latin-1")
    put(wiki, "locks")
    assert manifest(wiki)["went_back"] is False


def test_a_wiki_that_went_back_is_told_until_all_is_made_anew(wiki: Wiki, store: Path) -> None:
    put(wiki, "locks")
    text = (store / "projection.json").read_text()
    (store / "projection.json").write_text(text.replace('"revision": ', '"revision": 9'))
    for number in range(2):
        answer = put(wiki, f"p{number}")
        assert answer.projection is not None
        assert [one.reason for one in answer.projection.errors] == [Reason.WENT_BACK]
        assert projection.survey(wiki.database, store).standing == "store_went_back"
    assert materialize(wiki).errors == ()
    assert projection.survey(wiki.database, store).standing == "current"
    assert put(wiki, "last").projection is None


def test_what_fails_is_remembered_for_who_asks_later(wiki: Wiki, store: Path) -> None:
    (store / LOCKS).mkdir(parents=True)
    put(wiki, "locks")
    seen = projection.survey(wiki.database, store)
    assert [one.path for one in seen.errors] == [LOCKS]
    assert (seen.behind, seen.pages, seen.pages_projected) == (1, 1, 0)


def test_differences_are_told_and_nothing_is_changed(wiki: Wiki, store: Path, call: Call) -> None:
    source_id = a_source(wiki, "A text that is long enough.")
    for slug in ("locks", "edited", "lost"):
        put(wiki, slug)
    (store / "wiki/concepts/edited.md").write_text("edited")
    (store / "wiki/concepts/lost.md").unlink()
    (store / f"raw/sources/{source_id}--notes.md").write_text("edited")
    (store / "wiki/log.md").write_text("edited")
    switch(wiki, "off")
    page_moves.remove(wiki, call, slug="locks")
    before = files(store)
    found = {one.path: one.reason for one in projection.differences(wiki.database, store)}
    assert found == {
        "wiki/concepts/edited.md": Reason.DIFFERS,
        "wiki/concepts/lost.md": Reason.ABSENT,
        "raw/sources/1--notes.md": Reason.DIFFERS,
        "wiki/log.md": Reason.DIFFERS,
        LOCKS: Reason.STALE,
        "wiki/index.md": Reason.DIFFERS,
        "wiki/overview.md": Reason.DIFFERS,
    }
    assert files(store) == before
    materialize(wiki)
    assert list(projection.differences(wiki.database, store)) == []


def test_after_another_state_was_put_in_place_no_file_is_left_over(
    wiki: Wiki, store: Path, call: Call
) -> None:
    """As after a restore: the database is of before, the files are of after."""
    put(wiki, "locks", "Before.")
    put(wiki, "later", "Later.")
    with wiki.reading() as conn:
        standing = outbox.all_written(conn)
    page_moves.remove(wiki, call, slug="later")
    (store / "wiki/concepts/later.md").write_text("stale")
    with wiki.writing(call) as change:
        outbox.carry_over(change.conn, standing)
    materialize(wiki)
    told = files(store)
    assert told.pop("wiki/concepts/later.md.edited-1") == "stale"
    assert told == made_anew(wiki)
