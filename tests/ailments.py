"""Damage to plant in the healthy wiki: for each invariant, statements that break it."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from storefiles import closed_store

Plant = Callable[[Path], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ailment:
    """One damage: what is done to the closed store, and how the doctor calls it."""

    name: str
    code: str
    plant: Plant
    entity: str = ""
    key: str = ""


def sql(*statements: str) -> Plant:
    """Another program writes to the database, past every rule of it."""

    def plant(store: Path) -> None:
        with closing(sqlite3.connect(store / "wiki.db", isolation_level=None)) as conn:
            conn.execute("PRAGMA foreign_keys = 0")
            conn.execute("PRAGMA ignore_check_constraints = 1")
            for statement in statements:
                conn.execute(statement)

    return plant


def in_file(old: bytes, new: bytes) -> Plant:
    """Bytes of the database file change, as bad disks change them."""

    def plant(store: Path) -> None:
        content = (store / "wiki.db").read_bytes()
        assert old in content
        (store / "wiki.db").write_bytes(content.replace(old, new, 1))

    return plant


def plant(ailment: Ailment, project: Path) -> None:
    with closed_store():
        ailment.plant(project / ".lwc")


def _zeroed(table: str) -> Plant:
    """The root page of a table is lost."""

    def plant(store: Path) -> None:
        with closing(sqlite3.connect(store / "wiki.db")) as conn:
            (size,) = conn.execute("PRAGMA page_size").fetchone()
            (root,) = conn.execute(
                "SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)
            ).fetchone()
        content = bytearray((store / "wiki.db").read_bytes())
        content[(root - 1) * size : root * size] = bytes(size)
        (store / "wiki.db").write_bytes(content)

    return plant


def _old(path: Path) -> None:
    """A file that a stopped command left long ago."""
    path.write_bytes(b"half")
    os.utime(path, (1_000_000, 1_000_000))


def _projected_later(store: Path) -> None:
    """The database knows less than the files, as one that lost its log does."""
    known = json.loads((store / "projection.json").read_text())
    (store / "projection.json").write_text(json.dumps({**known, "revision": 9999}))


def _link(store: Path) -> None:
    (store / "checkpoints").mkdir(mode=0o700, exist_ok=True)
    (store / "checkpoints" / "old.db").symlink_to(store / "wiki.db")


def _long_log(store: Path) -> None:
    with (store / "wiki.db-wal").open("wb") as log:
        os.truncate(log.fileno(), 300 * 1024 * 1024)
    (store / "wiki.db-wal").chmod(0o600)


def _gone(table: str, condition: str) -> Plant:
    return sql(f"DELETE FROM {table} WHERE {condition}")


_PART = "digest = (SELECT digest FROM sources WHERE id = 1)"

# One or more for each row of the table of invariants.
AILMENTS = (
    Ailment(name="lost-page", code="database_damaged", plant=_zeroed("page_notes")),
    Ailment(
        name="lost-search",
        code="schema_differs",
        plant=sql("DROP TABLE page_fts"),
        key="page_fts",
    ),
    Ailment(name="lost-table", code="schema_differs", plant=sql("DROP TABLE links"), key="links"),
    Ailment(
        name="new-column",
        code="schema_differs",
        plant=sql("ALTER TABLE pages ADD COLUMN stars TEXT"),
        key="pages.stars",
    ),
    Ailment(name="new-table", code="schema_differs", plant=sql("CREATE TABLE x (y)"), key="x"),
    Ailment(
        name="lost-index",
        code="schema_differs",
        plant=sql("DROP INDEX ix_links_key"),
        key="ix_links_key",
    ),
    Ailment(
        name="lost-source",
        code="reference_broken",
        plant=_gone("sources", "id = 2"),
        entity="citations",
    ),
    Ailment(name="lost-name", code="identity_wrong", plant=_gone("meta", "key = 'store_id'")),
    Ailment(
        name="other-schema",
        code="identity_wrong",
        plant=sql("UPDATE alembic_version SET version_num = '0001'"),
    ),
    Ailment(
        name="no-time",
        code="cell_malformed",
        plant=sql("UPDATE pages SET updated_at = '2026-13-30T20:33:43.191Z' WHERE id = 1"),
        key="pages.updated_at",
    ),
    Ailment(
        name="no-json",
        code="cell_malformed",
        plant=sql("UPDATE operations SET detail = '{' WHERE id = 3"),
        key="operations.detail",
    ),
    Ailment(
        name="no-digest",
        code="cell_malformed",
        plant=sql("UPDATE text_parts SET part_digest = 'abc' WHERE start = 0"),
        key="text_parts.part_digest",
    ),
    Ailment(
        name="low-counter",
        code="sequence_behind",
        plant=sql("UPDATE sqlite_sequence SET seq = 2 WHERE name = 'pages'"),
        key="pages",
    ),
    Ailment(
        name="other-words",
        code="content_hash_mismatch",
        plant=sql(f"UPDATE text_parts SET body = replace(body, 'one', 'two') WHERE {_PART}"),
        entity="source",
        key="1",
    ),
    Ailment(
        name="no-utf8",
        code="content_hash_mismatch",
        plant=sql(f"UPDATE text_parts SET body = CAST(x'ff' AS TEXT) WHERE {_PART}"),
        entity="source",
        key="1",
    ),
    Ailment(
        name="no-parts", code="content_hash_mismatch", plant=_gone("text_parts", _PART), key="1"
    ),
    Ailment(
        name="lost-part",
        code="content_hash_mismatch",
        plant=_gone("text_parts", "start = 65536"),
        key="4",
    ),
    Ailment(
        name="wrong-length",
        code="content_hash_mismatch",
        plant=sql(f"UPDATE texts SET chars = chars + 1 WHERE {_PART}"),
        key="1",
    ),
    Ailment(
        name="flipped-body",
        code="content_hash_mismatch",
        plant=in_file(b"Nearly the same.", b"Nearly tie same."),
        entity="page",
        key="waitin",
    ),
    Ailment(
        name="flipped-old-body",
        code="content_hash_mismatch",
        plant=in_file(b"It will go.", b"It wilm go."),
        entity="page_revision",
        key="gone@1",
    ),
    Ailment(
        name="flipped-charter",
        code="content_hash_mismatch",
        plant=in_file(b"# How pages are written", b"# How pages are wrItten"),
        entity="charter",
        key="schema@2",
    ),
    Ailment(
        name="flipped-analysis",
        code="content_hash_mismatch",
        plant=in_file(b"It is about lock 3.", b"It is about lock 1."),
        entity="analysis",
        key="3@1",
    ),
    Ailment(
        name="flipped-draft",
        code="content_hash_mismatch",
        plant=in_file(b"The sixth is staged in a draft.\n", b"The sixth is staged in a Draft.\n"),
        entity="draft_source",
    ),
    Ailment(name="journal-hole", code="journal_gap", plant=_gone("operations", "id = 7")),
    Ailment(
        name="journal-end-lost",
        code="journal_cut",
        plant=sql("DELETE FROM operations WHERE id = (SELECT max(id) FROM operations)"),
    ),
    Ailment(
        name="operation-ahead",
        code="operation_unknown",
        plant=sql("UPDATE page_sources SET touched = 999 WHERE page_id = 1"),
        key="page_sources.touched",
    ),
    Ailment(
        name="answer-lost",
        code="request_unanswered",
        plant=_gone("requests", "request_id = 'lint-1'"),
        key="lint-1",
    ),
    Ailment(
        name="odd-setting",
        code="setting_invalid",
        plant=sql("UPDATE settings SET value = 'soon'"),
        key="lease_seconds",
    ),
    Ailment(
        name="unknown-setting",
        code="setting_invalid",
        plant=sql("UPDATE settings SET key = 'colour'"),
        key="colour",
    ),
    Ailment(
        name="charter-hole",
        code="charter_history_broken",
        plant=_gone("charter", "name = 'schema' AND revision = 1"),
        key="schema",
    ),
    Ailment(
        name="other-id",
        code="source_digest_differs",
        plant=sql(
            "UPDATE source_ids SET digest = replace(digest, substr(digest, 1, 4), 'abcd')"
            " WHERE id = 5"
        ),
        key="5",
    ),
    Ailment(
        name="lost-job", code="source_without_job", plant=_gone("jobs", "source_id = 5"), key="5"
    ),
    Ailment(
        name="lost-source-of-job",
        code="job_without_source",
        plant=_gone("sources", "id = 5"),
        key="5",
    ),
    Ailment(
        name="tokenless",
        code="job_state_inconsistent",
        plant=sql("UPDATE jobs SET token_hash = NULL WHERE source_id = 3"),
        key="3",
    ),
    Ailment(
        name="lease-without-claim",
        code="job_state_inconsistent",
        plant=sql("UPDATE jobs SET lease_until = '2026-11-30T20:33:43.191Z' WHERE source_id = 5"),
        key="5",
    ),
    Ailment(
        name="failed-without-why",
        code="job_state_inconsistent",
        plant=sql("UPDATE jobs SET failure = NULL WHERE source_id = 2"),
        key="2",
    ),
    Ailment(
        name="unclaimed-claim",
        code="job_state_inconsistent",
        plant=sql("UPDATE jobs SET claim_operation = NULL WHERE source_id = 4"),
        key="4",
    ),
    Ailment(
        name="evidence-of-nothing",
        code="job_state_inconsistent",
        plant=sql("UPDATE jobs SET evidence = '[]' WHERE source_id = 5"),
        key="5",
    ),
    Ailment(
        name="lost-attempt",
        code="attempts_inconsistent",
        plant=_gone("attempts", "source_id = 3 AND attempt = 1"),
        key="3",
    ),
    Ailment(
        name="two-attempts-open",
        code="attempts_inconsistent",
        plant=sql("UPDATE attempts SET outcome = 'active', ended_at = NULL WHERE source_id = 3"),
        key="3",
    ),
    Ailment(
        name="open-attempt-ended",
        code="attempts_inconsistent",
        plant=sql("UPDATE attempts SET ended_at = claimed_at WHERE source_id = 4"),
        key="4",
    ),
    Ailment(
        name="completed-by-none",
        code="attempts_inconsistent",
        plant=sql("UPDATE attempts SET outcome = 'failed' WHERE source_id = 1"),
        key="1",
    ),
    Ailment(
        name="lost-analysis",
        code="analyses_inconsistent",
        plant=_gone("analyses", "source_id = 3"),
        key="3",
    ),
    Ailment(
        name="analysis-hole",
        code="analyses_inconsistent",
        plant=sql("UPDATE analyses SET version = 2 WHERE source_id = 1"),
        key="1",
    ),
    Ailment(
        name="windows-overlap",
        code="delivery_inconsistent",
        plant=sql("INSERT INTO deliveries VALUES (4, 1, 10, 20)"),
        key="4",
    ),
    Ailment(
        name="window-behind-the-text",
        code="delivery_inconsistent",
        plant=sql('UPDATE deliveries SET "end" = 99999999 WHERE source_id = 4'),
        key="4",
    ),
    Ailment(
        name="window-of-no-attempt",
        code="delivery_inconsistent",
        plant=sql("UPDATE deliveries SET attempt = 9 WHERE source_id = 4"),
        key="4",
    ),
    Ailment(
        name="lost-evidence",
        code="evidence_missing",
        plant=sql("UPDATE jobs SET evidence = NULL WHERE source_id = 1"),
        key="1",
    ),
    Ailment(
        name="pinned-to-nothing",
        code="pin_broken",
        plant=_gone("draft_completions", "source_id = 6"),
        key="6",
    ),
    Ailment(
        name="not-pinned",
        code="pin_broken",
        plant=sql("UPDATE jobs SET pinned = NULL WHERE source_id = 6"),
        key="6",
    ),
    Ailment(
        name="pinned-to-the-ended",
        code="pin_broken",
        plant=sql(
            "UPDATE jobs SET pinned = 3 WHERE source_id = 6",
            "UPDATE draft_completions SET changeset = 3",
        ),
        key="6",
    ),
    Ailment(
        name="other-key",
        code="page_key_differs",
        plant=sql("UPDATE pages SET key = 'else' WHERE slug = 'waitin'"),
        entity="page",
        key="waitin",
    ),
    Ailment(
        name="other-key-then",
        code="page_key_differs",
        plant=sql("UPDATE page_revisions SET slug = 'Gone-2' WHERE slug = 'gone'"),
        entity="page_revision",
        key="Gone-2",
    ),
    Ailment(
        name="alias-of-a-page",
        code="alias_collides",
        plant=sql("UPDATE aliases SET key = 'notes', slug = 'notes'"),
        key="notes",
    ),
    Ailment(
        name="lost-revision",
        code="page_history_broken",
        plant=_gone("page_revisions", "slug = 'waiting' AND revision = 2"),
        key="waiting",
    ),
    Ailment(
        name="lost-history",
        code="page_history_broken",
        plant=_gone("page_revisions", "slug = 'waitin'"),
        key="waitin",
    ),
    Ailment(
        name="lost-removal",
        code="page_history_broken",
        plant=_gone("page_revisions", "slug = 'gone' AND revision = 2"),
        key="gone",
    ),
    Ailment(
        name="removed-and-there",
        code="page_history_broken",
        plant=sql("UPDATE page_revisions SET action = 'remove' WHERE slug = 'waitin'"),
        key="waitin",
    ),
    Ailment(
        name="made-by-nothing",
        code="page_history_broken",
        plant=sql("UPDATE page_revisions SET action = 'magic' WHERE slug = 'waitin'"),
        key="waitin",
    ),
    Ailment(
        name="page-ahead",
        code="page_history_broken",
        plant=sql("UPDATE pages SET revision = 9 WHERE slug = 'waitin'"),
        key="waitin",
    ),
    Ailment(
        name="other-title-then",
        code="page_differs_from_history",
        plant=sql("UPDATE page_revisions SET title = 'Other' WHERE slug = 'waitin'"),
        key="waitin",
    ),
    Ailment(
        name="other-title",
        code="content_digest_mismatch",
        plant=sql("UPDATE pages SET title = 'Waitim' WHERE slug = 'waitin'"),
        entity="page",
        key="waitin",
    ),
    Ailment(
        name="other-summary",
        code="content_digest_mismatch",
        plant=sql("UPDATE pages SET summary = 'Two at a time.' WHERE slug = 'locks'"),
        entity="page",
        key="locks",
    ),
    Ailment(
        name="other-kind",
        code="content_digest_mismatch",
        plant=sql("UPDATE pages SET kind = 'source' WHERE slug = 'waitin'"),
        entity="page",
        key="waitin",
    ),
    Ailment(
        name="lost-provenance",
        code="content_digest_mismatch",
        plant=sql("DELETE FROM page_provenance WHERE provenance = 'user-provided'"),
        entity="page",
        key="waitin",
    ),
    Ailment(
        name="named-no-more",
        code="content_digest_mismatch",
        plant=sql("UPDATE page_sources SET named = 0 WHERE source_id = 1 AND named = 1"),
        entity="page",
        key="locks",
    ),
    Ailment(
        name="other-summary-then",
        code="content_digest_mismatch",
        plant=sql("UPDATE page_revisions SET summary = 'X' WHERE slug = 'mutexes'"),
        entity="page_revision",
        key="mutexes@1",
    ),
    Ailment(
        name="other-sources-then",
        code="content_digest_mismatch",
        plant=sql("UPDATE page_revisions SET source_ids = 'null' WHERE slug = 'mutexes'"),
        entity="page_revision",
        key="mutexes@1",
    ),
    Ailment(
        name="other-title-drafted",
        code="content_digest_mismatch",
        plant=sql("UPDATE draft_pages SET title = 'Draughted' WHERE slug = 'drafted'"),
        entity="page",
        key="drafted",
    ),
    Ailment(
        name="other-title-of-a-draft-then",
        code="content_digest_mismatch",
        plant=sql("UPDATE draft_page_revisions SET title = 'Draughted' WHERE slug = 'drafted'"),
        entity="draft_page_revision",
        key="drafted@1",
    ),
    Ailment(
        name="draft-ahead",
        code="page_differs_from_history",
        plant=sql("UPDATE draft_pages SET revision = 9 WHERE slug = 'drafted'"),
        entity="draft_page",
        key="drafted",
    ),
    Ailment(
        name="published-by-another",
        code="changeset_inconsistent",
        plant=sql("UPDATE changesets SET published_revision = 2 WHERE name = 'published'"),
    ),
    Ailment(
        name="lost-citation-row",
        code="page_sources_differ",
        plant=_gone("page_sources", "page_id = 2 AND source_id = 2"),
        key="locks",
    ),
    Ailment(
        name="lost-link",
        code="page_links_stale",
        plant=_gone("links", "page_id = 2 AND key = 'nowhere'"),
        key="locks",
    ),
    Ailment(
        name="link-of-nowhere",
        code="page_links_stale",
        plant=sql("INSERT INTO links VALUES (3, 'locks', 'Locks', 1)"),
        key="waitin",
    ),
    Ailment(
        name="drafted-link-lost",
        code="page_links_stale",
        plant=_gone("draft_links", "key = 'six'"),
        key="drafted",
    ),
    Ailment(
        name="citation-elsewhere",
        code="page_citations_stale",
        plant=sql("UPDATE citations SET start = start + 1 WHERE label = 'exact'"),
        key="locks",
    ),
    Ailment(
        name="citation-found",
        code="page_citations_stale",
        plant=sql("UPDATE citations SET state = 'exact', start = 0 WHERE label = 'wrong'"),
        key="waiting",
    ),
    Ailment(
        name="lost-citation",
        code="page_citations_stale",
        plant=_gone("citations", "label = 'near'"),
        key="locks",
    ),
    Ailment(
        name="other-quote",
        code="page_citations_stale",
        plant=sql("UPDATE citations SET quote = 'Else' WHERE label = 'near'"),
        key="locks",
    ),
    Ailment(
        name="lost-note",
        code="page_notes_stale",
        plant=_gone("page_notes", "code = 'footnote_unreferenced'"),
        key="waiting",
    ),
    Ailment(
        name="structural",
        code="page_notes_stale",
        plant=sql("UPDATE pages SET structural = 1 WHERE slug = 'waitin'"),
        key="waitin",
    ),
    Ailment(
        name="ended-and-open",
        code="changeset_inconsistent",
        plant=sql("UPDATE changesets SET ended_at = created_at WHERE status = 'draft'"),
    ),
    Ailment(
        name="published-by-nothing",
        code="changeset_inconsistent",
        plant=sql("UPDATE changesets SET published_revision = NULL WHERE name = 'published'"),
    ),
    Ailment(
        name="undone-by-nothing",
        code="changeset_inconsistent",
        plant=sql("UPDATE changesets SET rollback_revision = NULL WHERE name = 'undone'"),
    ),
    Ailment(
        name="never-to-be-verified",
        code="changeset_inconsistent",
        plant=sql("UPDATE changesets SET verification = NULL WHERE name = 'published'"),
    ),
    Ailment(
        name="draft-left",
        code="changeset_leftover",
        plant=sql("UPDATE draft_links SET changeset = 3"),
    ),
    Ailment(
        name="staged-left", code="changeset_leftover", plant=sql("UPDATE staged SET changeset = 3")
    ),
    Ailment(
        name="not-touched",
        code="staged_without_entity",
        plant=_gone("staged", "entity = 'page' AND key = '1'"),
    ),
    Ailment(
        name="charter-not-touched",
        code="staged_without_entity",
        plant=_gone("staged", "entity = 'charter'"),
    ),
    Ailment(
        name="other-inverse",
        code="inverse_damaged",
        plant=sql("UPDATE inverses SET after_digest = NULL WHERE changeset = 1"),
    ),
    Ailment(
        name="lost-inverse",
        code="inverse_damaged",
        plant=sql("DELETE FROM inverses WHERE changeset = 1 AND before IS NULL"),
    ),
    Ailment(
        name="inverse-of-a-draft",
        code="inverse_damaged",
        plant=sql("UPDATE inverses SET changeset = 4 WHERE changeset = 1"),
    ),
    Ailment(
        name="not-indexed",
        code="search_index_missing",
        plant=sql("INSERT INTO source_fts (source_fts) VALUES ('delete-all')"),
        entity="source",
        key="1",
    ),
    Ailment(
        name="draft-not-indexed",
        code="search_index_missing",
        plant=sql("DELETE FROM draft_page_fts"),
        entity="draft_page",
        key="drafted",
    ),
    Ailment(
        name="indexed-and-gone",
        code="search_index_orphan",
        plant=sql("INSERT INTO page_fts (rowid, title) VALUES (77, 'ghost')"),
        entity="page",
        key="77",
    ),
    Ailment(
        name="draft-in-the-live-index",
        code="search_index_orphan",
        plant=sql("INSERT INTO page_fts (rowid, title) VALUES (10, 'drafted')"),
        entity="page",
        key="10",
    ),
    Ailment(
        name="other-word-indexed",
        code="search_index_differs",
        plant=sql("INSERT INTO page_fts (rowid, body) VALUES (3, 'ghost')"),
        entity="page",
        key="waitin",
    ),
    Ailment(
        name="other-source-title",
        code="search_index_differs",
        plant=sql("UPDATE sources SET title = 'Number two' WHERE id = 2"),
        entity="source",
        key="2",
    ),
    Ailment(
        name="draft-index-differs",
        code="search_index_differs",
        plant=sql("UPDATE draft_sources SET path = 'seven.md', title = 'Seven'"),
        entity="draft_source",
        key="6",
    ),
    Ailment(
        name="index-counts-wrong",
        code="search_index_miscounted",
        plant=sql("UPDATE page_fts_data SET block = x'0701020304' || x'05' WHERE id = 1"),
        key="page_fts",
    ),
    Ailment(
        name="open-to-all",
        code="file_exposed",
        plant=lambda store: (store / "wiki.db").chmod(0o644),
        key=".lwc/wiki.db",
    ),
    Ailment(
        name="folder-open-to-all",
        code="file_exposed",
        plant=lambda store: store.chmod(0o755),
        key=".lwc",
    ),
    Ailment(
        name="linked-checkpoint",
        code="file_unexpected",
        plant=_link,
        key=".lwc/checkpoints/old.db",
    ),
    Ailment(
        name="left",
        code="file_leftover",
        plant=lambda store: _old(store / "making-1.db"),
        key=".lwc/making-1.db",
    ),
    Ailment(name="long-log", code="log_long", plant=_long_log, key=".lwc/wiki.db-wal"),
    Ailment(
        name="file-waits",
        code="projection_pending",
        plant=sql("INSERT INTO outbox VALUES ('page', '1', 1)"),
    ),
    Ailment(
        name="file-edited",
        code="projection_differs",
        plant=lambda store: (store / "schema.md").write_text("Edited.\n"),
        key="schema.md",
    ),
    Ailment(
        name="file-lost",
        code="projection_differs",
        plant=lambda store: (store / "wiki" / "index.md").unlink(),
        key="wiki/index.md",
    ),
    Ailment(
        name="went-back",
        code="projection_ahead",
        plant=_projected_later,
        key="9999",
    ),
    Ailment(
        name="file-left",
        code="file_leftover",
        plant=lambda store: _old(store / "wiki" / ".lwc-projecting"),
        key=".lwc/wiki/.lwc-projecting",
    ),
)
