from __future__ import annotations

import shutil
import sqlite3
import stat
from collections import defaultdict
from contextlib import closing
from pathlib import Path

import pytest
from ailments import AILMENTS, Ailment, plant, sql
from command_lines import in_backticks, parsed
from healthy import healthy, healthy_template
from ingesting import refused
from processes import as_nobody
from state import VOLATILE, content
from storefiles import closed_store

from lwc import filesystem
from lwc.domain.doctor import DAMAGE, Area
from lwc.domain.invariants import BY_CODE, INVARIANTS
from lwc.errors import (
    LIMIT_OUT_OF_RANGE,
    MIGRATION_REQUIRED,
    STORE_READONLY,
    UNKNOWN_SEVERITY,
)
from lwc.services import doctor, projection
from lwc.services.doctor import Examined
from lwc.store import journal
from lwc.store.tables import pages
from lwc.wiki import Call, open_wiki

__all__ = ["healthy", "healthy_template"]

CALL = Call(agent="doctor")
# Of each kind one on the live wiki, and those of drafts.
DERIVED = [
    *{one.code: one for one in AILMENTS if BY_CODE[one.code].derived}.values(),
    *(one for one in AILMENTS if one.name in ("drafted-link-lost", "draft-not-indexed")),
]
GIVEN = [
    ailment
    for ailment in AILMENTS
    if BY_CODE[ailment.code].area in (Area.TEXTS, Area.PAGES)
    and not BY_CODE[ailment.code].derived
    # What is no text any more cannot be compared by the test either.
    and ailment.name != "no-utf8"
][::3]


def examined(project: Path) -> Examined:
    with open_wiki(project) as wiki:
        return doctor.examine(wiki, limit=1000)


def repaired(project: Path, call: Call = CALL) -> Examined:
    with open_wiki(project) as wiki:
        return doctor.repair(wiki, call, limit=1000)


def planted(project: Path, *names: str) -> None:
    for ailment in AILMENTS:
        if ailment.name in names:
            plant(ailment, project)


def given(project: Path) -> dict[str, list[object]]:
    """What was given to the wiki: every table but those that are made from it."""
    made = {"links", "citations", "page_notes", "operations", "projected", "outbox"}
    made |= {f"draft_{name}" for name in made}
    kept = {name: rows for name, rows in content(project).items() if name not in made}
    at = [one.name for one in pages.columns if one.name not in VOLATILE].index("structural")
    kept["pages"] = [row[:at] + row[at + 1 :] for row in kept["pages"]]
    return kept


class TestExamining:
    def test_a_wiki_with_a_bit_of_everything_is_sound(self, healthy: Path) -> None:
        found = examined(healthy)
        assert found.sound
        assert (found.findings, found.counts, found.total) == ((), {}, 0)
        assert found.severities == {"error": 0, "warning": 0, "info": 0}
        assert found.checked["areas"] == sorted(Area)
        assert found.checked["rows"]["sources"] == 5
        assert found.checked["sqlite"]["version"] == sqlite3.sqlite_version

    def test_it_changes_nothing(self, healthy: Path) -> None:
        before = content(healthy)
        examined(healthy)
        assert content(healthy) == before

    def test_findings_are_counted_whole_and_read_in_parts(self, healthy: Path) -> None:
        planted(healthy, "lost-link", "other-title", "file-waits")
        with open_wiki(healthy) as wiki:
            first = doctor.examine(wiki, limit=1)
            rest = doctor.examine(wiki, offset=1)
            warnings = doctor.examine(wiki, severity="warning")
        assert not first.sound
        assert first.has_more
        assert (first.total, len(rest.findings), rest.has_more) == (5, 4, False)
        assert first.severities == rest.severities == {"error": 3, "warning": 1, "info": 1}
        assert [one.code for one in warnings.findings] == ["page_links_stale"]
        assert warnings.total == 1
        assert not warnings.sound, "what is left out still counts"

    def test_a_warning_leaves_the_wiki_sound(self, healthy: Path) -> None:
        planted(healthy, "lost-link")
        found = examined(healthy)
        assert found.sound
        assert found.findings[0].repairable
        assert "lwc doctor --repair" in found.findings[0].hint

    def test_damage_is_the_part_that_maintenance_asks_for(self, healthy: Path) -> None:
        planted(healthy, "other-words", "lost-link")
        with open_wiki(healthy) as wiki:
            found = doctor.examine(wiki, areas=DAMAGE)
        assert set(found.counts) == {"content_hash_mismatch"}

    def test_a_damaged_text_is_told_with_all_that_hold_it(self, healthy: Path) -> None:
        planted(healthy, "flipped-body")
        (one,) = [one for one in examined(healthy).findings if one.code == "content_hash_mismatch"]
        assert one.details["held_by"] == ["page waitin", "page_revision waitin@1"]

    def test_the_disk_is_looked_at(self, healthy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(filesystem, "kind_of", lambda folder: "nfs4")
        (one,) = examined(healthy).findings
        assert (one.code, one.details) == ("filesystem_unsafe", {"kind": "nfs4"})

    def test_files_that_nobody_keeps_up_are_not_missed(self, healthy: Path) -> None:
        plant_all = sql(
            "INSERT INTO settings VALUES ('projection', 'off', '2026-11-30T20:33:43.191Z')"
        )
        with closed_store():
            plant_all(healthy / ".lwc")
            (healthy / ".lwc" / "schema.md").unlink()
        assert examined(healthy).total == 0

    @pytest.mark.parametrize("limit", [0, 1001])
    def test_the_limit_has_its_range(self, healthy: Path, limit: int) -> None:
        with open_wiki(healthy) as wiki:
            refused(LIMIT_OUT_OF_RANGE, lambda: doctor.examine(wiki, limit=limit))

    def test_there_are_three_severities(self, healthy: Path) -> None:
        with open_wiki(healthy) as wiki:
            refused(UNKNOWN_SEVERITY, lambda: doctor.examine(wiki, severity="fatal"))

    def test_an_older_wiki_is_only_told_to_be_older(self, healthy: Path) -> None:
        with closed_store(), closing(sqlite3.connect(healthy / ".lwc" / "wiki.db")) as conn:
            conn.execute("PRAGMA user_version = 1")
        refused(MIGRATION_REQUIRED, lambda: open_wiki(healthy, migrate=False))

    def test_a_folder_that_may_not_be_written_is_examined(
        self, healthy_template: Path, open_folder: Path
    ) -> None:
        with closed_store():
            project = Path(shutil.copytree(healthy_template, open_folder / "project"))
        for path in (project, *project.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)

        def work() -> list[object]:
            with open_wiki(project, environ={"LWC_ALLOW_OWNER": "0"}) as wiki:
                found = doctor.examine(wiki)
                refused(STORE_READONLY, lambda: doctor.repair(wiki, CALL))
            return [found.sound, found.checked["opened"], sorted(found.counts)]

        assert as_nobody(work) == [True, "immutable", ["file_exposed"]]


def test_every_hint_names_commands_that_can_be_typed() -> None:
    typed = [
        line
        for row in INVARIANTS
        for line in in_backticks(row.hint.format_map(defaultdict(lambda: "1")))
    ]
    assert len(typed) > len(INVARIANTS) / 2
    for line in typed:
        parsed(line)


class TestRepairing:
    @pytest.mark.parametrize("ailment", DERIVED, ids=lambda ailment: ailment.name)
    def test_derived_data_is_made_anew_and_nothing_given_is_touched(
        self, ailment: Ailment, healthy: Path
    ) -> None:
        plant(ailment, healthy)
        before = given(healthy)
        done = repaired(healthy)
        told = {one.code for one in done.repaired}
        assert ailment.code in told
        assert given(healthy) == before
        assert ailment.code not in done.counts

    def test_one_entry_of_the_journal_says_what_was_mended(self, healthy: Path) -> None:
        planted(healthy, "lost-link", "lost-note", "left")
        done = repaired(healthy)
        with open_wiki(healthy) as wiki, wiki.reading() as conn:
            last, before = journal.recent(conn, limit=2)
        assert last.action == "doctor_repair"
        counts = {"page_links_stale": 1, "page_notes_stale": 1, "file_leftover": 1}
        assert last.detail == {"counts": counts}
        assert before.action != "doctor_repair"
        assert done.revision == last.id
        assert (done.total, done.repaired_total) == (0, 3)

    def test_where_all_is_well_nothing_is_done(self, healthy: Path) -> None:
        before = content(healthy)
        done = repaired(healthy)
        assert (done.repaired, done.repaired_total, done.replayed) == ((), 0, False)
        assert content(healthy) == before

    @pytest.mark.parametrize("ailment", GIVEN, ids=lambda ailment: ailment.name)
    def test_what_was_given_is_never_touched(self, ailment: Ailment, healthy: Path) -> None:
        plant(ailment, healthy)
        before = given(healthy)
        done = repaired(healthy)
        assert given(healthy) == before
        assert ailment.code in done.counts
        assert not done.sound

    def test_files_stay_while_the_wiki_is_damaged(self, healthy: Path) -> None:
        planted(healthy, "other-title")
        page = healthy / ".lwc" / "wiki" / "concepts" / "waitin.md"
        before = page.read_text()
        repaired(healthy)
        assert page.read_text() == before, "it is the last that knows the title"

    def test_an_index_that_lost_a_damaged_text_finds_the_rest(self, healthy: Path) -> None:
        planted(healthy, "not-indexed", "other-words")
        done = repaired(healthy)
        assert set(done.counts) == {"content_hash_mismatch", "search_index_missing"}
        missing = [one.key for one in done.findings if one.code == "search_index_missing"]
        assert missing == ["1"]

    def test_a_repeated_request_repairs_once(self, healthy: Path) -> None:
        planted(healthy, "lost-link")
        call = Call(agent="doctor", request_id="r1", command="doctor", arguments={"repair": True})
        first, second = repaired(healthy, call), repaired(healthy, call)
        assert (first.replayed, second.replayed) == (False, True)
        assert first.repaired == second.repaired
        assert first.revision == second.revision

    def test_rights_are_taken_away_to_the_owner_alone(self, healthy: Path) -> None:
        store = healthy / ".lwc"
        planted(healthy, "open-to-all", "folder-open-to-all")
        repaired(healthy)
        modes = [stat.S_IMODE(path.stat().st_mode) for path in (store, store / "wiki.db")]
        assert modes == [0o700, 0o600]

    def test_a_link_is_left_where_it_is(self, healthy: Path) -> None:
        planted(healthy, "linked-checkpoint")
        repaired(healthy)
        assert (healthy / ".lwc" / "checkpoints" / "old.db").is_symlink()


def test_a_wiki_that_is_written_meanwhile_is_seen_at_one_moment(healthy: Path) -> None:
    """What a reader holds open is what it sees, whatever is committed beside it."""
    from lwc.services import page_writes
    from lwc.store.invariants import examiners

    with open_wiki(healthy) as wiki, open_wiki(healthy) as other:
        with wiki.database.reading() as conn:
            revision = journal.revision(conn)
            page_writes.put(other, CALL, slug="meanwhile", title="Meanwhile", body="Now.\n")
            assert examiners.flaws(conn) == []
            assert journal.revision(conn) == revision
        assert doctor.examine(wiki).sound


def test_a_page_that_is_mended_is_projected_anew(healthy: Path) -> None:
    planted(healthy, "citation-found")
    page = healthy / ".lwc" / "wiki" / "concepts" / "waiting.md"
    before = page.read_text()
    with open_wiki(healthy) as wiki:
        made = projection.materialize(wiki)
    assert made.written >= 1, "it tells now what the damaged row says"
    assert page.read_text() != before
    done = repaired(healthy)
    assert done.counts == {}
    assert page.read_text() == before
