from __future__ import annotations

import os
from pathlib import Path

import pytest
from ingesting import a_source, claimed
from page_makers import put
from projecting import catch_up, files, made_anew, materialize, switch

from lwc.projection import log
from lwc.wiki import Wiki


@pytest.fixture
def told(store: Path) -> Path:
    """The file of the log."""
    return store / "wiki/log.md"


def test_the_log_is_added_to_in_place(wiki: Wiki, told: Path) -> None:
    put(wiki, "locks")
    before = told.read_bytes(), told.stat().st_ino
    put(wiki, "other")
    assert told.read_bytes().startswith(before[0])
    assert told.stat().st_ino == before[1]
    assert told.read_text() == made_anew(wiki)["wiki/log.md"]


def test_what_changes_no_file_is_told_with_the_next_that_does(wiki: Wiki, told: Path) -> None:
    source_id = a_source(wiki)
    before = told.read_text()
    claimed(wiki, source_id)
    assert told.read_text() == before
    put(wiki, "locks")
    assert "ingest_claim" in told.read_text().removeprefix(before)
    assert told.read_text() == made_anew(wiki)["wiki/log.md"]


@pytest.mark.parametrize("left", [0, 1, 40, -3])
def test_a_log_that_a_kill_cut_short_is_completed(left: int, wiki: Wiki, told: Path) -> None:
    put(wiki, "locks")
    os.truncate(told, left if left >= 0 else told.stat().st_size + left)
    assert put(wiki, "other").projection is None
    assert told.read_text() == made_anew(wiki)["wiki/log.md"]


def test_a_log_that_was_added_to_before_a_kill_is_taken_as_it_is(wiki: Wiki, told: Path) -> None:
    """The file was written, and the kill came before the database was told."""
    switch(wiki, "off")
    put(wiki, "locks")
    told.write_text(made_anew(wiki)["wiki/log.md"])
    switch(wiki, "on")
    assert catch_up(wiki) is None
    assert told.read_text() == made_anew(wiki)["wiki/log.md"]
    put(wiki, "other")
    assert told.read_text() == made_anew(wiki)["wiki/log.md"]


@pytest.mark.parametrize(
    "edited",
    [
        pytest.param(lambda text: text + "mine", id="longer"),
        pytest.param(lambda text: text[:-1] + "x", id="another end"),
        pytest.param(lambda text: "mine" + text, id="another beginning"),
        pytest.param(lambda text: "mine", id="all of it"),
    ],
)
def test_an_edited_log_is_made_anew_and_the_edit_kept(edited, wiki: Wiki, told: Path) -> None:  # type: ignore[no-untyped-def]
    put(wiki, "locks")
    text = edited(told.read_text())
    told.write_text(text)
    answer = put(wiki, "other")
    assert answer.projection is not None
    assert answer.projection.kept == ("wiki/log.md.edited-1",)
    assert told.with_name("log.md.edited-1").read_text() == text
    assert told.read_text() == made_anew(wiki)["wiki/log.md"]


def test_an_edit_in_the_middle_of_it_is_found_by_a_full_run(wiki: Wiki, told: Path) -> None:
    put(wiki, "locks")
    text = told.read_text().replace("init", "tini", 1)
    told.write_text(text)
    assert put(wiki, "other").projection is None
    assert materialize(wiki).kept == ("wiki/log.md.edited-1",)
    assert told.read_text() == made_anew(wiki)["wiki/log.md"]


def test_a_strangers_log_stays(wiki: Wiki) -> None:
    store = wiki.workspace.store
    (store / "wiki").mkdir()
    (store / "wiki/log.md").write_text("theirs")
    state = catch_up(wiki)
    assert state is not None
    assert [one.path for one in state.errors] == ["wiki/log.md"]
    assert (store / "wiki/log.md").read_text() == "theirs"
    assert materialize(wiki, force=True).kept == ("wiki/log.md.edited-1",)
    assert catch_up(wiki) is None


def test_a_log_with_a_second_name_elsewhere_is_not_added_to_there(wiki: Wiki, told: Path) -> None:
    other = told.parents[2] / "other.md"
    other.hardlink_to(told)
    before = other.read_text()
    put(wiki, "locks")
    assert other.read_text() == before
    assert told.read_text() == made_anew(wiki)["wiki/log.md"]


def test_a_command_tells_so_many_operations_and_the_next_goes_on(
    wiki: Wiki, store: Path, told: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "MOST_AT_ONCE", 2)
    switch(wiki, "off")
    for number in range(5):
        put(wiki, f"p{number}")
    switch(wiki, "on")
    whole = made_anew(wiki)["wiki/log.md"]
    catch_up(wiki)
    assert whole.startswith(told.read_text())
    assert told.read_text() != whole
    for number in range(6):
        put(wiki, "p1", f"Text {number}.")
    materialize(wiki)
    assert files(store) == made_anew(wiki)
