from __future__ import annotations

import json
import os
import shutil
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from checkpointing import shredded
from ingesting import AGENT
from page_makers import put
from processes import apart, race
from sourcing import refusal

from lwc.domain.checkpoint import Kind
from lwc.errors import (
    BLANK,
    CHECKPOINT_EXISTS,
    CHECKPOINT_INVALID,
    CHECKPOINT_NAME_INVALID,
    CHECKPOINT_NOT_FOUND,
    LIMIT_OUT_OF_RANGE,
    STALE_REVISION,
    STORE_CORRUPT,
    UNSAFE_CHARACTERS,
)
from lwc.services import checkpoints, configuration, pages
from lwc.services.checkpoints import CheckpointRow
from lwc.store import checkpoints as files
from lwc.store.dialects import sqlite_copies
from lwc.wiki import Call, Wiki, open_wiki


def keep(wiki: Wiki, name: str = "one", call: Call = AGENT, **options: Any) -> Path:
    return Path(checkpoints.create(wiki, call, name=name, **options).path)


def row(wiki: Wiki, name: str = "one") -> CheckpointRow:
    (found,) = [one for one in checkpoints.list_(wiki).checkpoints if one.name == name]
    return found


def automatic(wiki: Wiki, clock: Any, kind: Kind = Kind.PRE_PUBLISH) -> str:
    clock.tick(1)
    return checkpoints.automatic(wiki, kind, by="tester", why="before something")


class TestCreate:
    def test_it_keeps_the_wiki_of_this_moment_for_its_owner_alone(
        self, wiki: Wiki, clock: Any
    ) -> None:
        put(wiki, "a")
        made = checkpoints.create(wiki, AGENT, name="one", reason="Before the move.")
        path = Path(made.path)
        assert path == checkpoints.folder_of(wiki) / "one.db"
        modes = [
            stat.S_IMODE(name.stat().st_mode) for name in (path.parent, *path.parent.iterdir())
        ]
        assert modes == [0o700, 0o600, 0o600]
        assert row(wiki) == CheckpointRow(
            name="one",
            kind=Kind.MANUAL,
            revision=2,
            schema=wiki.database.version(),
            bytes=made.bytes,
            made_at=clock.moment,
            by="tester",
            why="Before the move.",
            usable=True,
            trouble=None,
        )
        assert (made.revision, made.kind, len(made.sha256)) == (2, Kind.MANUAL, 64)

    def test_it_is_no_change_of_the_wiki(self, wiki: Wiki) -> None:
        before = wiki.revision()
        keep(wiki)
        keep(wiki, "two", Call(request_id="r1"))
        assert wiki.revision() == before

    def test_it_never_takes_the_place_of_another(self, wiki: Wiki) -> None:
        kept = keep(wiki).read_bytes()
        put(wiki, "a")
        refusal(lambda: keep(wiki), CHECKPOINT_EXISTS)
        assert (checkpoints.folder_of(wiki) / "one.db").read_bytes() == kept
        assert row(wiki).revision == 1

    @pytest.mark.parametrize("what", ["link", "link to nothing", "folder", "empty file"])
    def test_nor_of_anything_else(self, wiki: Wiki, tmp_path: Path, what: str) -> None:
        folder = checkpoints.folder_of(wiki)
        folder.mkdir()
        path = folder / "one.db"
        outside = tmp_path / "outside"
        if what == "folder":
            path.mkdir()
        elif what == "empty file":
            path.touch()
        else:
            if what == "link":
                outside.write_text("theirs")
            path.symlink_to(outside)
        refusal(lambda: keep(wiki), CHECKPOINT_EXISTS)
        assert not outside.exists() or outside.read_text() == "theirs"

    @pytest.mark.parametrize("name", ["../out", "a/b", ".", "", "a\x00b", "pre-restore-mine"])
    def test_a_name_that_is_none_makes_nothing(self, wiki: Wiki, name: str) -> None:
        refusal(lambda: keep(wiki, name), CHECKPOINT_NAME_INVALID)
        assert not checkpoints.folder_of(wiki).exists()

    @pytest.mark.parametrize(
        "reason, problem", [(" ", BLANK), ("a\x00b", UNSAFE_CHARACTERS)], ids=["blank", "NUL"]
    )
    def test_a_reason_says_something(self, wiki: Wiki, reason: str, problem: Any) -> None:
        refusal(lambda: keep(wiki, reason=reason), problem)

    def test_only_at_the_revision_that_was_seen(self, wiki: Wiki) -> None:
        put(wiki, "a")
        refusal(lambda: keep(wiki, call=Call(if_revision=1)), STALE_REVISION)
        assert checkpoints.list_(wiki).total == 0
        keep(wiki, call=Call(if_revision=2))

    def test_a_repeated_request_makes_one(self, wiki: Wiki) -> None:
        call = Call(agent="tester", request_id="r1", command="checkpoint create")
        first = checkpoints.create(wiki, call, name="one")
        put(wiki, "a")
        again = checkpoints.create(wiki, call, name="one")
        assert again.replayed
        assert (again.sha256, again.revision) == (first.sha256, 1)

    def test_also_when_it_was_stopped_before_it_could_answer(self, wiki: Wiki) -> None:
        call = Call(agent="tester", request_id="r1", command="checkpoint create")
        first = checkpoints.create(wiki, call, name="one")
        with wiki.database.writing() as conn:
            conn.exec_driver_sql("DELETE FROM requests")
        again = checkpoints.create(wiki, call, name="one")
        assert again.replayed
        assert again.sha256 == first.sha256
        other = Call(agent="tester", request_id="r2", command="checkpoint create")
        refusal(lambda: checkpoints.create(wiki, other, name="one"), CHECKPOINT_EXISTS)

    def test_of_those_that_come_together_one_gets_the_name(self, wiki: Wiki, project: Path) -> None:
        wiki.close()

        def arrive(number: int) -> str:
            with open_wiki(project) as one:
                try:
                    checkpoints.create(one, Call(agent=f"a{number}"), name="one")
                except Exception as error:
                    return getattr(error, "problem", error).code  # type: ignore[no-any-return]
                return "made"

        assert sorted(race(4, arrive)) == ["checkpoint_exists"] * 3 + ["made"]
        with open_wiki(project) as again:
            assert checkpoints.show(again, name="one").own
            assert sorted(os.listdir(checkpoints.folder_of(again))) == ["one.db", "one.json"]

    def test_beside_writers_it_is_one_moment(self, wiki: Wiki, project: Path) -> None:
        """Each change writes two pages; no checkpoint has one of them without the other."""
        wiki.close()

        def work(number: int) -> list[int]:
            from lwc.services import page_files

            with open_wiki(project) as one:
                if number:
                    for turn in range(25):
                        lines = [
                            {"slug": f"{side}{number}", "title": "T", "body": f"Turn {turn}.\n"}
                            for side in ("left", "right")
                        ]
                        text = "".join(json.dumps(line) + "\n" for line in lines)
                        page_files.put_many(one, AGENT, text=text)
                    return []
                return [
                    checkpoints.create(one, AGENT, name=f"c{turn}").revision for turn in range(12)
                ]

        revisions = race(3, work)[0]
        assert revisions == sorted(revisions)
        with open_wiki(project) as again:
            for turn in range(12):
                assert checkpoints.show(again, name=f"c{turn}").checkpoint.usable
                halves = sides(checkpoints.folder_of(again) / f"c{turn}.db")
                assert halves["left"] == halves["right"]

    def test_a_damaged_wiki_is_not_kept_as_if_it_were_whole(self, wiki: Wiki) -> None:
        with shredded(wiki, "links") as damaged:
            refusal(lambda: keep(damaged), STORE_CORRUPT)
            assert checkpoints.list_(damaged).total == 0
            # What lwc makes itself keeps even that.
            checkpoints.automatic(damaged, Kind.PRE_RESTORE, by="tester", why="To be sure.")
            assert checkpoints.list_(damaged).total == 1

    def test_on_a_full_disk_nothing_is_left(self, wiki: Wiki) -> None:
        def work() -> list[Any]:
            import resource

            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
            with pytest.raises(Exception) as caught:
                keep(wiki)
            folder = checkpoints.folder_of(wiki)
            return [type(caught.value).__name__, os.listdir(folder)]

        assert apart(work) == ["LwcError", []]


def sides(path: Path) -> dict[str, list[tuple[int, int]]]:
    """Which turn each half is at in a checkpoint."""
    from lwc.store import restoring

    with restoring.connected(path, mode="immutable") as conn:
        rows = conn.exec_driver_sql("SELECT slug, revision FROM pages ORDER BY slug").all()
    return {
        side: [(int(slug[-1]), revision) for slug, revision in rows if slug.startswith(side)]
        for side in ("left", "right")
    }


class TestWhatIsListed:
    def test_the_newest_comes_first_and_lists_are_bounded(self, wiki: Wiki, clock: Any) -> None:
        for name in ("a", "c", "b"):
            clock.tick(1)
            keep(wiki, name)
        listed = checkpoints.list_(wiki, limit=2)
        assert [one.name for one in listed.checkpoints] == ["b", "c"]
        assert (listed.total, listed.has_more) == (3, True)
        assert listed.bytes_total == 3 * listed.checkpoints[0].bytes
        rest = checkpoints.list_(wiki, limit=2, offset=2)
        assert ([one.name for one in rest.checkpoints], rest.has_more) == (["a"], False)

    def test_a_wiki_without_any_has_none(self, wiki: Wiki) -> None:
        assert checkpoints.list_(wiki).checkpoints == ()

    def test_without_its_note_a_checkpoint_tells_what_its_file_knows(self, wiki: Wiki) -> None:
        path = keep(wiki, reason="Because.")
        path.with_suffix(".json").unlink()
        os.utime(path, (1_000_000_000, 1_000_000_000))
        found = row(wiki)
        assert (found.usable, found.revision, found.kind) == (True, 1, Kind.MANUAL)
        assert (found.by, found.why) == (None, None)
        assert found.made_at == datetime.fromtimestamp(1_000_000_000, UTC)

    @pytest.mark.parametrize(
        "note",
        [
            b"",
            b"{",
            b"[]",
            b"null",
            b'{"kind": "manual"}',
            b'{"kind": "odd", "made_at": "2026-11-30T18:00:00Z"}',
            b'{"kind": "manual", "made_at": "yesterday"}',
            b'{"kind": "manual", "made_at": "2026-11-30T18:00:00"}',
            b'{"kind": "manual", "made_at": 5}',
            b'{"kind": "manual", "made_at": "2026-11-30T18:00:00Z", "by": 5}',
            b'{"kind": "manual", "made_at": "2026-11-30T18:00:00Z", "more": 5}',
            b'{"kind": "manual", "made_at": "2026-11-30T18:00:00Z"' + b" " * 70_000 + b"}",
            b"\xff\xfe",
            b"[" * 50_000,
        ],
        ids=range(14),
    )
    def test_a_note_of_something_else_is_none(self, wiki: Wiki, note: bytes) -> None:
        path = keep(wiki)
        path.with_suffix(".json").write_bytes(note)
        assert (row(wiki).usable, row(wiki).by) == (True, None)

    @pytest.mark.parametrize("what", ["link", "folder", "fifo"])
    def test_a_note_that_is_no_file_is_none(self, wiki: Wiki, what: str, tmp_path: Path) -> None:
        note = keep(wiki).with_suffix(".json")
        moved = note.rename(tmp_path / "note.json")
        if what == "link":
            note.symlink_to(moved)
        elif what == "folder":
            note.mkdir()
        else:
            os.mkfifo(note)
        assert (row(wiki).usable, row(wiki).by) == (True, None)

    @pytest.mark.parametrize(
        "what, trouble",
        [
            ("link", "symbolic link"),
            ("hard link", "hard link"),
            ("folder", "not a plain file"),
            ("fifo", "not a plain file"),
            ("empty", "empty"),
            ("text", "not an lwc wiki"),
            ("other program", "not an lwc wiki"),
            ("log", "left a log"),
            ("cut", "malformed"),
        ],
    )
    def test_what_cannot_be_used_is_listed_with_the_reason(
        self, wiki: Wiki, tmp_path: Path, what: str, trouble: str
    ) -> None:
        spoil(keep(wiki), what, tmp_path)
        found = row(wiki)
        assert not found.usable
        assert found.trouble is not None
        assert trouble in found.trouble
        refusal(lambda: checkpoints.show(wiki, name="one"), CHECKPOINT_INVALID)

    def test_files_that_are_no_checkpoints_are_left_out(self, wiki: Wiki) -> None:
        folder = keep(wiki).parent
        for name in ("notes.txt", "bad name.db", ".hidden.db", ".db", "json.json"):
            (folder / name).write_text("x")
        assert [one.name for one in checkpoints.list_(wiki).checkpoints] == ["one"]

    def test_shown_is_what_was_read_whole(self, wiki: Wiki) -> None:
        put(wiki, "a")
        path = keep(wiki)
        shown = checkpoints.show(wiki, name="one")
        assert shown.own
        assert shown.holds == {
            **{"pages": 1, "sources": 0, "checks": 0, "changesets": 0, "operations": 2},
            "texts": 3,
        }
        content = path.read_bytes()
        path.write_bytes(content[:-5] + bytes([content[-5] ^ 4]) + content[-4:])
        refusal(lambda: checkpoints.show(wiki, name="one"), CHECKPOINT_INVALID)

    def test_there_is_none_of_another_name(self, wiki: Wiki) -> None:
        refusal(lambda: checkpoints.show(wiki, name="one"), CHECKPOINT_NOT_FOUND)
        refusal(lambda: checkpoints.show(wiki, name="../wiki"), CHECKPOINT_NAME_INVALID)


def spoil(path: Path, what: str, tmp_path: Path) -> None:
    """Put something else where a checkpoint was."""
    aside = path.rename(tmp_path / "aside.db")
    match what:
        case "link":
            path.symlink_to(aside)
        case "hard link":
            path.hardlink_to(aside)
        case "folder":
            path.mkdir()
        case "fifo":
            os.mkfifo(path)
        case "empty":
            path.touch()
        case "text":
            path.write_text("It is no database at all. " * 100)
        case "other program":
            import sqlite3

            conn = sqlite3.connect(path)
            conn.execute("CREATE TABLE t(x)")
            conn.close()
        case "log":
            shutil.copy(aside, path)
            Path(f"{path}-wal").write_text("frames")
        case "cut":
            path.write_bytes(aside.read_bytes()[:5000])


class TestWhatIsRemoved:
    def test_a_checkpoint_goes_with_its_note(self, wiki: Wiki) -> None:
        keep(wiki)
        keep(wiki, "two")
        gone = checkpoints.delete(wiki, AGENT, name="one")
        assert (gone.removed, gone.left) == (("one",), 1)
        assert gone.bytes_freed > 0
        assert sorted(os.listdir(checkpoints.folder_of(wiki))) == ["two.db", "two.json"]
        refusal(lambda: checkpoints.delete(wiki, AGENT, name="one"), CHECKPOINT_NOT_FOUND)

    def test_a_link_goes_and_not_what_it_leads_to(self, wiki: Wiki, tmp_path: Path) -> None:
        spoil(keep(wiki), "link", tmp_path)
        checkpoints.delete(wiki, AGENT, name="one")
        assert (tmp_path / "aside.db").exists()
        assert checkpoints.list_(wiki).total == 0

    def test_a_folder_is_not_removed(self, wiki: Wiki, tmp_path: Path) -> None:
        spoil(keep(wiki), "folder", tmp_path)
        refusal(lambda: checkpoints.delete(wiki, AGENT, name="one"), CHECKPOINT_INVALID)

    @pytest.mark.parametrize("name", ["../../wiki", "..", "a/b", ""])
    def test_nothing_outside_is_removed(self, wiki: Wiki, name: str) -> None:
        refusal(lambda: checkpoints.delete(wiki, AGENT, name=name), CHECKPOINT_NAME_INVALID)
        assert wiki.workspace.database.exists()

    def test_pruning_keeps_the_newest_of_each_kind_and_what_was_made_by_hand(
        self, wiki: Wiki, clock: Any
    ) -> None:
        mine = [keep(wiki, name).stem for name in ("a", "b")]
        old = [automatic(wiki, clock) for _ in range(3)]
        other = automatic(wiki, clock, Kind.PRE_RESTORE)
        done = checkpoints.prune(wiki, AGENT, keep=1)
        assert done.removed == tuple(old[:2])
        left = {one.name for one in checkpoints.list_(wiki).checkpoints}
        assert left == {*mine, old[2], other}
        assert done.left == 4

    def test_those_made_by_hand_go_when_their_kind_is_named(self, wiki: Wiki, clock: Any) -> None:
        for name in ("a", "b"):
            clock.tick(1)
            keep(wiki, name)
        kept = automatic(wiki, clock)
        assert checkpoints.prune(wiki, AGENT, keep=1, kind=Kind.MANUAL).removed == ("a",)
        assert checkpoints.prune(wiki, AGENT, keep=0, kind=Kind.PRE_PUBLISH).removed == (kept,)
        assert [one.name for one in checkpoints.list_(wiki).checkpoints] == ["b"]

    def test_what_cannot_be_used_is_never_the_one_that_is_kept(
        self, wiki: Wiki, clock: Any, tmp_path: Path
    ) -> None:
        good, bad = automatic(wiki, clock), automatic(wiki, clock)
        spoil(checkpoints.folder_of(wiki) / f"{bad}.db", "cut", tmp_path)
        assert checkpoints.prune(wiki, AGENT, keep=1).removed == ()
        assert {one.name for one in checkpoints.list_(wiki).checkpoints} == {good, bad}

    @pytest.mark.parametrize("keep_", [-1, 1001])
    def test_a_number_is_in_its_range(self, wiki: Wiki, keep_: int) -> None:
        refusal(lambda: checkpoints.prune(wiki, AGENT, keep=keep_), LIMIT_OUT_OF_RANGE)


def turned_on(wiki: Wiki) -> None:
    configuration.put(wiki, AGENT, values={"checkpoint_before_publish": "on"})


class TestBeforePublishing:
    def test_nothing_is_kept_unless_it_is_wanted(self, wiki: Wiki) -> None:
        with wiki.writing(AGENT) as change:
            assert checkpoints.before_publish(change, name="draft") is None
        assert checkpoints.list_(wiki).total == 0

    def test_the_wiki_is_kept_as_it_was_before_the_transaction(
        self, wiki: Wiki, clock: Any
    ) -> None:
        turned_on(wiki)
        put(wiki, "a")
        with wiki.writing(AGENT) as change:
            change.record("something")
            name = checkpoints.before_publish(change, name="draft")
        assert name is not None
        kept = row(wiki, name)
        assert (kept.kind, kept.revision, kept.by) == (Kind.PRE_PUBLISH, 3, "tester")
        assert kept.why == "before the changeset draft was published"

    def test_the_newest_ten_are_kept(self, wiki: Wiki, clock: Any) -> None:
        turned_on(wiki)
        keep(wiki)
        made = []
        for _ in range(checkpoints.KEPT_BEFORE_PUBLISH + 2):
            clock.tick(1)
            with wiki.writing(AGENT) as change:
                made.append(checkpoints.before_publish(change, name="draft"))
        left = [one.name for one in checkpoints.list_(wiki).checkpoints]
        assert left == [*reversed(made[2:]), "one"]


class TestWhatIsLeftBehind:
    def test_scratch_of_an_hour_ago_goes_and_newer_stays(self, wiki: Wiki, clock: Any) -> None:
        folder = keep(wiki).parent
        old, new = folder / ".scratch-1-aa.db", folder / ".scratch-2-bb.db"
        for path, age in ((old, 3700), (new, 3500)):
            path.touch()
            moment = (clock.moment - timedelta(seconds=age)).timestamp()
            os.utime(path, (moment, moment))
        keep(wiki, "two")
        assert (old.exists(), new.exists()) == (False, True)

    def test_a_copy_that_has_its_name_already_is_no_second_name(self, wiki: Wiki) -> None:
        path = keep(wiki)
        path.parent.joinpath(".scratch-9-cc.db").hardlink_to(path)
        assert row(wiki).usable
        assert sorted(os.listdir(path.parent)) == ["one.db", "one.json"]

    def test_a_disk_without_hard_links_does_as_well(
        self, wiki: Wiki, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def link(*_: Any, **__: Any) -> None:
            raise PermissionError(1, "no hard links here")

        monkeypatch.setattr(os, "link", link)
        keep(wiki)
        refusal(lambda: keep(wiki), CHECKPOINT_EXISTS)
        assert checkpoints.show(wiki, name="one").own
        assert sorted(os.listdir(checkpoints.folder_of(wiki))) == ["one.db", "one.json"]

    def test_one_of_an_older_lwc_has_a_log_in_its_head_and_is_as_good(self, wiki: Wiki) -> None:
        put(wiki, "a")
        path = keep(wiki)
        path.with_suffix(".json").unlink()
        content = bytearray(path.read_bytes())
        content[18:20] = b"\x02\x02"
        path.write_bytes(content)
        assert checkpoints.show(wiki, name="one").holds["pages"] == 1
        assert sorted(os.listdir(path.parent)) == ["one.db"]
        from lwc.services import restore

        put(wiki, "b")
        restore.restore(wiki, AGENT, name="one")
        assert [one.slug for one in pages.list_(wiki).pages] == ["a"]
        assert files.find(path.parent, "one").bytes == len(content)
        assert sqlite_copies.flaw(path) is None
