from __future__ import annotations

import io
import json
import os
import random
import shutil
import stat
import struct
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from drafting import a_draft, publish
from ingesting import AGENT
from page_makers import put
from processes import apart, killed, race
from sourcing import refusal
from storefiles import closed_store

from lwc import filesystem
from lwc.domain.comparison import differences
from lwc.errors import (
    ARCHIVE_EXISTS,
    ARCHIVE_INVALID,
    ARCHIVE_NEWER,
    ARCHIVE_NOT_FOUND,
    ARCHIVE_UNWRITABLE,
    CHANGESET_COMMAND_UNSUPPORTED,
    DATABASE_FULL,
    STALE_REVISION,
    STORE_EXISTS,
    STORE_LOG_LEFT,
    UNSUPPORTED_FILESYSTEM,
    LwcError,
    Problem,
)
from lwc.services import archives, checkpoints, doctor, search
from lwc.services.archives import Exported, Imported
from lwc.store import comparing
from lwc.wiki import Call, Wiki, open_wiki

FILES = ["manifest.json", "wiki.db"]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder without a wiki."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


@pytest.fixture
def archive(furnished: Wiki, tmp_path: Path) -> Path:
    return Path(export(furnished, tmp_path / "wiki.zip").path)


def export(wiki: Wiki, path: Path) -> Exported:
    return archives.export(wiki, path=path)


def bring_in(place: Path, path: Path, **options: Any) -> Imported:
    options.setdefault("call", AGENT)
    options.setdefault("environ", {"HOME": str(place / "nobody")})
    return archives.import_(place, path=path, exclude_from_git=False, **options)


def contents(wiki: Wiki) -> Any:
    with wiki.database.reading() as conn:
        return comparing.contents(conn)


def left(place: Path) -> list[str]:
    """What an import that was refused has left in a folder."""
    return sorted(str(path.relative_to(place)) for path in place.rglob("*"))


class TestExport:
    def test_it_is_one_file_of_its_owner_alone_with_checksums(
        self, furnished: Wiki, tmp_path: Path
    ) -> None:
        told = export(furnished, tmp_path / "wiki.zip")
        path = tmp_path / "wiki.zip"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert (told.bytes, told.sha256) == (
            path.stat().st_size,
            sha256(path.read_bytes()).hexdigest(),
        )
        with zipfile.ZipFile(path) as packed:
            assert packed.namelist() == FILES
            assert packed.testzip() is None
            manifest = json.loads(packed.read("manifest.json"))
            content = packed.read("wiki.db")
        assert manifest["members"] == {
            "wiki.db": {"bytes": len(content), "sha256": sha256(content).hexdigest()}
        }
        assert manifest["store_id"] == furnished.store_id()
        assert manifest["revision"] == told.revision == furnished.revision()
        assert manifest["schema"] == furnished.database.version()
        assert {name.name for name in tmp_path.iterdir()} >= {"wiki.zip"}
        assert list(tmp_path.glob(".lwc-export-*")) == []

    def test_of_one_moment_all_archives_are_the_same(self, furnished: Wiki, tmp_path: Path) -> None:
        one, other = (export(furnished, tmp_path / name) for name in ("a.zip", "b.zip"))
        assert one.sha256 == other.sha256

    @pytest.mark.parametrize("what", ["file", "folder", "link", "link to nothing"])
    def test_it_never_takes_the_place_of_anything(
        self, furnished: Wiki, tmp_path: Path, what: str
    ) -> None:
        path, outside = tmp_path / "wiki.zip", tmp_path / "outside"
        if what == "file":
            path.write_text("mine")
        elif what == "folder":
            path.mkdir()
        else:
            if what == "link":
                outside.write_text("theirs")
            path.symlink_to(outside)
        refusal(lambda: export(furnished, path), ARCHIVE_EXISTS)
        assert not outside.exists() or outside.read_text() == "theirs"
        assert what != "file" or path.read_text() == "mine"

    @pytest.mark.parametrize("name", ["no/such/folder.zip", "a\x00b", "x" * 300], ids=ascii)
    def test_where_it_cannot_be_written_that_is_said(
        self, furnished: Wiki, tmp_path: Path, name: str
    ) -> None:
        refusal(lambda: export(furnished, tmp_path / name), ARCHIVE_UNWRITABLE)

    def test_on_a_full_disk_nothing_is_left(self, furnished: Wiki, tmp_path: Path) -> None:
        def work() -> list[str]:
            import resource

            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
            with pytest.raises(LwcError):
                export(furnished, tmp_path / "wiki.zip")
            return [path.name for path in tmp_path.glob("*wiki.zip")] + [
                path.name for path in tmp_path.glob(".lwc-*")
            ]

        assert apart(work) == []

    def test_a_draft_is_no_wiki_of_its_own(self, furnished: Wiki, tmp_path: Path) -> None:
        with a_draft(furnished) as draft:
            refusal(lambda: export(draft, tmp_path / "wiki.zip"), CHANGESET_COMMAND_UNSUPPORTED)

    def test_progress_ends_where_the_database_does(self, furnished: Wiki, tmp_path: Path) -> None:
        seen: list[tuple[int, int]] = []
        told = archives.export(
            furnished,
            path=tmp_path / "wiki.zip",
            progress=lambda done, total: seen.append((done, total)),
        )
        assert seen[-1] == (told.database_bytes, told.database_bytes)


class TestImport:
    def test_the_wiki_is_the_same_in_another_place(
        self, furnished: Wiki, archive: Path, place: Path
    ) -> None:
        told = bring_in(place, archive)
        assert told.imported_revision == furnished.revision() == told.revision - 1
        with open_wiki(place) as wiki:
            assert wiki.store_id() == furnished.store_id() == told.store_id
            assert differences(contents(furnished), contents(wiki)) == ()
            assert doctor.examine(wiki).findings == ()
            found = search.search(wiki, query="one writer").results
            assert found[0].identifier == "store"
        modes = {
            path.name: stat.S_IMODE(path.stat().st_mode)
            for path in (place / ".lwc", place / ".lwc" / "wiki.db")
        }
        assert modes == {".lwc": 0o700, "wiki.db": 0o600}

    def test_its_files_for_readers_are_made(self, archive: Path, place: Path) -> None:
        bring_in(place, archive)
        assert len(list((place / ".lwc" / "wiki").rglob("store.md"))) == 1

    def test_drafts_come_with_it(self, furnished: Wiki, tmp_path: Path, place: Path) -> None:
        with a_draft(furnished) as draft:
            put(draft, "newcomer", "Staged.\n")
        export(furnished, tmp_path / "wiki.zip")
        bring_in(place, tmp_path / "wiki.zip")
        with open_wiki(place) as wiki:
            publish(wiki)
            assert "newcomer" in {one.shown["slug"] for one in contents(wiki)["page"].values()}

    def test_a_new_wiki_has_an_identity_of_its_own(
        self, furnished: Wiki, archive: Path, place: Path
    ) -> None:
        told = bring_in(place, archive, as_new=True)
        with open_wiki(place) as wiki:
            assert wiki.store_id() == told.store_id != furnished.store_id()

    def test_a_checkpoint_makes_a_wiki_too(self, furnished: Wiki, place: Path) -> None:
        made = checkpoints.create(furnished, AGENT, name="then")
        before = contents(furnished)
        put(furnished, "newcomer", "New.\n")
        bring_in(place, Path(made.path))
        with open_wiki(place) as wiki:
            assert differences(before, contents(wiki)) == ()

    def test_a_wiki_whose_file_is_lost_comes_back_from_its_checkpoint(
        self, furnished: Wiki
    ) -> None:
        made = checkpoints.create(furnished, AGENT, name="then")
        before, project = contents(furnished), furnished.workspace.root
        furnished.close()
        with closed_store():
            furnished.workspace.database.write_bytes(b"nothing of it is left")
            furnished.workspace.database.rename(project / "wreck.db")
        bring_in(project, Path(made.path))
        with open_wiki(project) as wiki:
            assert differences(before, contents(wiki)) == ()
            assert [one.name for one in checkpoints.list_(wiki).checkpoints] == ["then"]

    def test_where_there_is_a_wiki_nothing_is_imported(
        self, furnished: Wiki, archive: Path
    ) -> None:
        before = contents(furnished)
        refusal(lambda: bring_in(furnished.workspace.root, archive), STORE_EXISTS)
        assert contents(furnished) == before

    def test_a_repeated_request_answers_what_was_made(self, archive: Path, place: Path) -> None:
        call = Call(agent="tester", request_id="i1")
        first = bring_in(place, archive, call=call)
        again = bring_in(place, archive, call=call)
        assert (first.replayed, again.replayed) == (False, True)
        assert again.revision == first.revision
        refusal(lambda: bring_in(place, archive, call=Call(request_id="i2")), STORE_EXISTS)

    def test_of_those_that_come_together_one_makes_it(
        self, furnished: Wiki, archive: Path, place: Path
    ) -> None:
        furnished.close()

        def arrive(number: int) -> str:
            try:
                bring_in(place, archive, call=Call(agent=f"a{number}"))
            except LwcError as error:
                return error.problem.code
            return "made"

        assert sorted(race(3, arrive)) == ["made", "store_exists", "store_exists"]
        with open_wiki(place) as wiki:
            assert doctor.examine(wiki).sound

    def test_nothing_was_seen_there_before(self, archive: Path, place: Path) -> None:
        refusal(lambda: bring_in(place, archive, call=Call(if_revision=3)), STALE_REVISION)
        bring_in(place, archive, call=Call(if_revision=0))

    def test_killed_at_any_step_there_is_no_half_wiki(
        self, furnished: Wiki, archive: Path, place: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        furnished.close()
        from lwc.store import archives as packed
        from lwc.store import incoming

        for module, name in ((packed, "clock"), (incoming, "make_ours"), (os, "rename")):
            with monkeypatch.context() as patch:

                def stop(*_: Any, **__: Any) -> None:
                    os.kill(os.getpid(), 9)

                if name == "clock":
                    patch.setattr(module.Archive, "extract", stop)
                else:
                    patch.setattr(module, name, stop)
                assert killed(lambda: bring_in(place, archive))
            assert not (place / ".lwc" / "wiki.db").exists()
        bring_in(place, archive)
        assert list((place / ".lwc").glob("making-*")) == []


class TestPlaces:
    def test_a_log_without_its_database_is_not_taken_for_the_new_ones(
        self, archive: Path, place: Path
    ) -> None:
        (place / ".lwc").mkdir(mode=0o700)
        with closed_store():
            (place / ".lwc" / "wiki.db-wal").write_bytes(b"frames of another wiki")
        refusal(lambda: bring_in(place, archive), STORE_LOG_LEFT)
        assert not (place / ".lwc" / "wiki.db").exists()

    def test_a_disk_without_room_is_not_filled(
        self, archive: Path, place: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: type("Usage", (), {"free": 1_000_000}))
        refusal(lambda: bring_in(place, archive), DATABASE_FULL)
        assert left(place) == []

    def test_nor_is_a_disk_taken_whose_locks_are_a_promise(
        self, archive: Path, place: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(filesystem, "kind_of", lambda _: "nfs4")
        refusal(lambda: bring_in(place, archive), UNSUPPORTED_FILESYSTEM)
        assert left(place) == []

    @pytest.mark.parametrize("what", ["nothing", "folder", "fifo", "NUL"])
    def test_what_is_no_file_is_not_waited_for(
        self, place: Path, tmp_path: Path, what: str
    ) -> None:
        path = tmp_path / ("a\x00b" if what == "NUL" else "there")
        if what == "folder":
            path.mkdir()
        elif what == "fifo":
            os.mkfifo(path)
        problem = ARCHIVE_INVALID if what in ("folder", "fifo") else ARCHIVE_NOT_FOUND
        refusal(lambda: bring_in(place, path), problem)
        assert left(place) == []


# Member name → content.
Members = Mapping[str, bytes]


def rewritten(
    archive: Path, change: Callable[[dict[str, Any], bytes], Members], **options: Any
) -> Path:
    """An archive made anew of what `change` makes of the manifest and the database."""
    with zipfile.ZipFile(archive) as packed:
        manifest, content = json.loads(packed.read("manifest.json")), packed.read("wiki.db")
    path = archive.with_name("rewritten.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **options) as packed:
        for name, member in change(manifest, content).items():
            packed.writestr(zipfile.ZipInfo(name), member, zipfile.ZIP_DEFLATED)
    return path


def told(manifest: dict[str, Any], content: bytes, **changes: Any) -> Members:
    """Both members, the manifest as it has to be but for the changes."""
    member = {"bytes": len(content), "sha256": sha256(content).hexdigest()}
    manifest = {**manifest, "members": {"wiki.db": member}, **changes}
    return {"manifest.json": json.dumps(manifest).encode(), "wiki.db": content}


def without(manifest: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in manifest.items() if name != key}


def raw(manifest: Any, content: bytes) -> Members:
    text = manifest if isinstance(manifest, bytes) else json.dumps(manifest).encode()
    return {"manifest.json": text, "wiki.db": content}


HOSTILE: Mapping[str, Callable[[dict[str, Any], bytes], Members]] = {
    "no manifest": lambda _, c: {"wiki.db": c, "other": b""},
    "no database": lambda m, c: {"manifest.json": told(m, c)["manifest.json"], "other": b""},
    "one more member": lambda m, c: {**told(m, c), "more.txt": b"x"},
    "a path outside": lambda m, c: {
        "manifest.json": told(m, c)["manifest.json"],
        "../wiki.db": c,
    },
    "an absolute path": lambda m, c: {
        "manifest.json": told(m, c)["manifest.json"],
        "/tmp/wiki.db": c,
    },
    "another database": lambda m, c: {**told(m, c), "wiki.db": c[:-1] + b"\x01"},
    "a shorter database": lambda m, c: {**told(m, c), "wiki.db": c[:-4096]},
    "a longer database": lambda m, c: {**told(m, c), "wiki.db": c + bytes(4096)},
    "no JSON": lambda _, c: raw(b"{", c),
    "JSON of something else": lambda _, c: raw(b"[1]", c),
    "a key twice": lambda _, c: raw(b'{"format": 1, "format": 1}', c),
    "deep JSON": lambda _, c: raw(b"[" * 60_000, c),
    "a long manifest": lambda m, c: {
        **told(m, c),
        "manifest.json": told(m, c)["manifest.json"] + b" " * 70_000,
    },
    "a key missing": lambda m, c: raw(without(m, "store_id"), c),
    "a key more": lambda m, c: told(m, c, more=1),
    "a wrong type": lambda m, c: told(m, c, revision="5"),
    "true for a number": lambda m, c: told(m, c, schema=True),
    "no time": lambda m, c: told(m, c, exported_at="yesterday"),
    "another form": lambda m, c: told(m, c, format=2),
    "no digest": lambda m, c: told(m, c, members={"wiki.db": {"bytes": len(c), "sha256": "x"}}),
    "a negative length": lambda m, c: told(
        m, c, members={"wiki.db": {"bytes": -1, "sha256": sha256(c).hexdigest()}}
    ),
    "another member told": lambda m, c: told(m, c, members={"else.db": {}}),
    "a text for a database": lambda m, _: told(m, b"no database at all\n" * 100),
    "nothing for a database": lambda m, _: told(m, b""),
    "a cut database": lambda m, c: told(m, c[:20_000]),
    "a bit of a text": lambda m, c: told(m, c.replace(b"Nobody waits", b"Nobody w\xe1its", 1)),
}


class TestHostileArchives:
    @pytest.mark.parametrize("what", HOSTILE)
    def test_it_is_refused_and_nothing_is_made(self, archive: Path, place: Path, what: str) -> None:
        path = rewritten(archive, HOSTILE[what])
        error = refusal(lambda: bring_in(place, path), ARCHIVE_INVALID)
        assert error.details["path"] == str(path)
        assert not (place / ".lwc" / "wiki.db").exists()
        assert set(left(place)) <= {".lwc", ".lwc/init.lock"}

    @pytest.mark.parametrize(
        "statement",
        [
            "CREATE TRIGGER t AFTER INSERT ON pages BEGIN DELETE FROM pages; END",
            "CREATE VIEW v AS SELECT 1",
            "CREATE TABLE more (x)",
            "ALTER TABLE pages ADD COLUMN more TEXT",
            "ALTER TABLE pages ADD COLUMN made TEXT AS (upper(slug))",
            "CREATE INDEX more ON pages (abs(revision))",
            "DROP INDEX ix_pages_updated_at",
            "PRAGMA application_id=1",
            "PRAGMA user_version=0",
            "DELETE FROM meta",
            "UPDATE meta SET value = 'x' WHERE key = 'store_id'",
            "UPDATE page_sources SET source_id = 99",
            "UPDATE operations SET created_at = 'soon'",
        ],
    )
    def test_a_database_that_lwc_never_makes_is_refused(
        self, archive: Path, place: Path, tmp_path: Path, statement: str
    ) -> None:
        path = rewritten(archive, lambda m, c: told(m, altered(c, tmp_path, statement)))
        refusal(lambda: bring_in(place, path), ARCHIVE_INVALID)
        assert not (place / ".lwc" / "wiki.db").exists()

    def test_one_of_a_newer_lwc_is_not_guessed_at(self, archive: Path, place: Path) -> None:
        path = rewritten(archive, lambda m, c: told(m, c, schema=999))
        error = refusal(lambda: bring_in(place, path), ARCHIVE_NEWER)
        assert error.details["found"] == 999
        assert left(place) == []

    def test_nor_one_whose_database_only_is_newer(
        self, archive: Path, place: Path, tmp_path: Path
    ) -> None:
        path = rewritten(
            archive, lambda m, c: told(m, altered(c, tmp_path, "PRAGMA user_version=999"))
        )
        refusal(lambda: bring_in(place, path), ARCHIVE_NEWER)

    def test_a_bomb_is_not_unpacked(self, archive: Path, place: Path) -> None:
        content = bytes(80 * 1024 * 1024)
        path = rewritten(archive, lambda m, _: told(m, content))
        assert path.stat().st_size < 200_000
        error = refusal(lambda: bring_in(place, path), ARCHIVE_INVALID)
        assert "200 times" in error.message
        assert left(place) == []

    def test_many_members_are_not_even_listed(self, archive: Path, place: Path) -> None:
        members = {f"{number}": b"" for number in range(3000)}
        path = rewritten(archive, lambda m, c: {**told(m, c), **members})
        refusal(lambda: bring_in(place, path), ARCHIVE_INVALID)

    @pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFDIR, stat.S_IFIFO], ids=oct)
    def test_a_member_is_a_plain_file(self, archive: Path, place: Path, kind: int) -> None:
        with zipfile.ZipFile(archive) as packed:
            members = {name: packed.read(name) for name in FILES}
        path = archive.with_name("kinds.zip")
        with zipfile.ZipFile(path, "w") as packed:
            for name, content in members.items():
                info = zipfile.ZipInfo(name)
                info.create_system = 3
                info.external_attr = (kind | 0o600) << 16
                packed.writestr(info, content)
        refusal(lambda: bring_in(place, path), ARCHIVE_INVALID)

    @pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA], ids=str)
    def test_nor_is_one_packed_in_another_way(
        self, archive: Path, place: Path, packing: int
    ) -> None:
        with zipfile.ZipFile(archive) as packed:
            members = {name: packed.read(name) for name in FILES}
        path = archive.with_name("packed.zip")
        with zipfile.ZipFile(path, "w", packing) as packed:
            for name, content in members.items():
                packed.writestr(name, content)
        refusal(lambda: bring_in(place, path), ARCHIVE_INVALID)

    def test_a_large_directory_is_not_read(self, archive: Path, place: Path) -> None:
        """The end record of a large archive may name a directory of any size."""
        content = archive.read_bytes()
        end = content[-22:]
        large = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 2, 2, 2**40, 0)
        locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, len(content) - 22, 1)
        archive.write_bytes(content[:-22] + large + locator + end)
        refusal(lambda: bring_in(place, archive), ARCHIVE_INVALID)

    @pytest.mark.parametrize("seed", range(4))
    def test_a_flipped_bit_anywhere_is_noticed(self, archive: Path, place: Path, seed: int) -> None:
        chance = random.Random(seed)
        content = archive.read_bytes()
        for _ in range(12):
            at = chance.randrange(len(content))
            spoilt = bytearray(content)
            spoilt[at] ^= 1 << chance.randrange(8)
            path = archive.with_name("flipped.zip")
            path.write_bytes(spoilt)
            found = problem_of(lambda path=path: bring_in(place, path))
            assert found in (None, ARCHIVE_INVALID, ARCHIVE_NEWER), (seed, at)
            assert (place / ".lwc" / "wiki.db").exists() == (found is None)
            if found is None:
                # A moment or a mark that nothing is read by: the wiki is whole all the same.
                with open_wiki(place) as wiki:
                    assert doctor.examine(wiki).sound, (seed, at)
                with closed_store():
                    shutil.rmtree(place / ".lwc")

    @pytest.mark.parametrize("size", [0, 1, 4, 15, 21, 22, 100, 1000, -1, -22])
    def test_a_part_of_one_is_none(self, archive: Path, place: Path, size: int) -> None:
        archive.write_bytes(archive.read_bytes()[:size])
        refusal(lambda: bring_in(place, archive), ARCHIVE_INVALID)
        assert left(place) == []

    def test_a_wikis_own_database_is_no_archive(self, furnished: Wiki, place: Path) -> None:
        furnished.close()
        with closed_store():
            refusal(lambda: bring_in(place, furnished.workspace.database), ARCHIVE_INVALID)


def problem_of(act: Callable[[], object]) -> Problem | None:
    try:
        act()
    except LwcError as error:
        return error.problem
    return None


def altered(content: bytes, tmp_path: Path, statement: str) -> bytes:
    """The database after somebody has changed it."""
    import sqlite3

    path = tmp_path / "altered.db"
    path.write_bytes(content)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute("PRAGMA foreign_keys=0")
        conn.execute(statement)
    return path.read_bytes()


def test_a_zip_that_python_makes_is_read_as_one(archive: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(archive.read_bytes())) as packed:
        assert [info.external_attr >> 16 for info in packed.infolist()] == [0o600, 0o600]
