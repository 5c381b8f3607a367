"""Drafts and their publication, retrieval checks, and the outbox of the Markdown projection.

The job of a source may stand before the source does, for the source may be staged only.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "changesets",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("changeset_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column(
            "base_revision", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("draft_revision", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.Text(), nullable=True),
        sa.Column("ended_by", sa.Text(), nullable=True),
        sa.Column(
            "published_revision",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=True,
        ),
        sa.Column(
            "rollback_revision", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("verification", sa.Text(), nullable=True),
        sa.Column("published", sa.Text(), nullable=True),
        sa.Column("verified", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "status IN ('draft', 'committed', 'discarded', 'rolled_back')",
            name=op.f("ck_changesets_status"),
        ),
        sa.CheckConstraint(
            "verification IN ('pending', 'passed', 'failed')",
            name=op.f("ck_changesets_verification"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_changesets")),
        sa.UniqueConstraint("changeset_id", name=op.f("uq_changesets_changeset_id")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_changesets_name"), "changesets", ["name"], unique=False)
    op.create_index(
        "uq_changesets_name_draft",
        "changesets",
        ["name"],
        unique=True,
        sqlite_where=sa.text("status = 'draft'"),
        postgresql_where=sa.text("status = 'draft'"),
    )
    op.create_table(
        "outbox",
        sa.Column("entity", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column(
            "operation_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.CheckConstraint(
            "entity IN ('page', 'source', 'charter')", name=op.f("ck_outbox_entity")
        ),
        sa.PrimaryKeyConstraint("entity", "key", name=op.f("pk_outbox")),
        sqlite_strict=True,
    )
    op.create_table(
        "projected",
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("entity", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("path", name=op.f("pk_projected")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_projected_entity_key"), "projected", ["entity", "key"], unique=False)
    _project_what_is_there()
    op.create_table(
        "draft_aliases",
        sa.Column(
            "changeset", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("page_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["changeset"],
            ["changesets.id"],
            name=op.f("fk_draft_aliases_changeset_changesets"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("changeset", "key", name=op.f("pk_draft_aliases")),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_draft_aliases_changeset_page_id"),
        "draft_aliases",
        ["changeset", "page_id"],
        unique=False,
    )
    op.create_table(
        "draft_charter",
        sa.Column(
            "changeset", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("text_digest", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["changeset"],
            ["changesets.id"],
            name=op.f("fk_draft_charter_changeset_changesets"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["text_digest"], ["texts.digest"], name=op.f("fk_draft_charter_text_digest_texts")
        ),
        sa.PrimaryKeyConstraint("changeset", "name", "revision", name=op.f("pk_draft_charter")),
        sqlite_strict=True,
    )
    op.create_table(
        "draft_checks",
        sa.Column(
            "changeset", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("page_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("paraphrases", sa.Text(), nullable=False),
        sa.Column("top", sa.Integer(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["changeset"],
            ["changesets.id"],
            name=op.f("fk_draft_checks_changeset_changesets"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("changeset", "id", name=op.f("pk_draft_checks")),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_draft_checks_changeset_page_id"),
        "draft_checks",
        ["changeset", "page_id"],
        unique=False,
    )
    op.create_table(
        "draft_citations",
        sa.Column(
            "changeset", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("page_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column(
            "source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("quote", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=True),
        sa.Column("end", sa.Integer(), nullable=True),
        sa.Column("places", sa.Integer(), nullable=False),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("found", sa.Text(), nullable=True),
        sa.Column("range_wrong", sa.Integer(), nullable=False),
        sa.Column("weak", sa.Integer(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["changeset"],
            ["changesets.id"],
            name=op.f("fk_draft_citations_changeset_changesets"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("changeset", "page_id", "ordinal", name=op.f("pk_draft_citations")),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_draft_citations_changeset_source_id"),
        "draft_citations",
        ["changeset", "source_id"],
        unique=False,
    )
    op.create_table(
        "draft_links",
        sa.Column(
            "changeset", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("page_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["changeset"],
            ["changesets.id"],
            name=op.f("fk_draft_links_changeset_changesets"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("changeset", "page_id", "key", name=op.f("pk_draft_links")),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_draft_links_changeset_key"), "draft_links", ["changeset", "key"], unique=False
    )
    op.create_table(
        "draft_operations",
        sa.Column(
            "changeset", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("dropped", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["changeset"],
            ["changesets.id"],
            name=op.f("fk_draft_operations_changeset_changesets"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("changeset", "sequence", name=op.f("pk_draft_operations")),
        sqlite_strict=True,
    )
    op.create_table(
        "draft_page_notes",
        sa.Column(
            "changeset", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("page_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["changeset"],
            ["changesets.id"],
            name=op.f("fk_draft_page_notes_changeset_changesets"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "changeset", "page_id", "ordinal", name=op.f("pk_draft_page_notes")
        ),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_draft_page_notes_changeset_code"),
        "draft_page_notes",
        ["changeset", "code"],
        unique=False,
    )
    op.create_table(
        "draft_page_provenance",
        sa.Column(
            "changeset", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("page_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("provenance", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["changeset"],
            ["changesets.id"],
            name=op.f("fk_draft_page_provenance_changeset_changesets"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "changeset", "page_id", "provenance", name=op.f("pk_draft_page_provenance")
        ),
        sqlite_strict=True,
    )
    op.create_table(
        "draft_page_revisions",
        sa.Column(
            "changeset", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("page_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("body_digest", sa.Text(), nullable=False),
        sa.Column("content_digest", sa.Text(), nullable=False),
        sa.Column("source_ids", sa.Text(), nullable=False),
        sa.Column("named_ids", sa.Text(), nullable=False),
        sa.Column("provenance", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column(
            "operation_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["body_digest"],
            ["texts.digest"],
            name=op.f("fk_draft_page_revisions_body_digest_texts"),
        ),
        sa.ForeignKeyConstraint(
            ["changeset"],
            ["changesets.id"],
            name=op.f("fk_draft_page_revisions_changeset_changesets"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "changeset", "page_id", "revision", name=op.f("pk_draft_page_revisions")
        ),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_draft_page_revisions_changeset_key"),
        "draft_page_revisions",
        ["changeset", "key"],
        unique=False,
    )
    op.create_table(
        "draft_page_sources",
        sa.Column(
            "changeset", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("page_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("named", sa.Integer(), nullable=False),
        sa.Column("touched", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(
            ["changeset"],
            ["changesets.id"],
            name=op.f("fk_draft_page_sources_changeset_changesets"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "changeset", "page_id", "source_id", name=op.f("pk_draft_page_sources")
        ),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_draft_page_sources_changeset_source_id"),
        "draft_page_sources",
        ["changeset", "source_id"],
        unique=False,
    )
    op.create_table(
        "draft_pages",
        sa.Column(
            "changeset", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("body_digest", sa.Text(), nullable=False),
        sa.Column("content_digest", sa.Text(), nullable=False),
        sa.Column("structural", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["body_digest"], ["texts.digest"], name=op.f("fk_draft_pages_body_digest_texts")
        ),
        sa.ForeignKeyConstraint(
            ["changeset"],
            ["changesets.id"],
            name=op.f("fk_draft_pages_changeset_changesets"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("changeset", "id", name=op.f("pk_draft_pages")),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_draft_pages_changeset_key"), "draft_pages", ["changeset", "key"], unique=False
    )
    op.create_index(
        op.f("ix_draft_pages_changeset_slug"), "draft_pages", ["changeset", "slug"], unique=False
    )
    op.create_table(
        "draft_source_paths",
        sa.Column(
            "changeset", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("tracked_path", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column(
            "source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("observed_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["changeset"],
            ["changesets.id"],
            name=op.f("fk_draft_source_paths_changeset_changesets"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "changeset", "tracked_path", "revision", name=op.f("pk_draft_source_paths")
        ),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_draft_source_paths_changeset_source_id"),
        "draft_source_paths",
        ["changeset", "source_id"],
        unique=False,
    )
    op.create_table(
        "draft_sources",
        sa.Column(
            "changeset", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["changeset"],
            ["changesets.id"],
            name=op.f("fk_draft_sources_changeset_changesets"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["digest"], ["texts.digest"], name=op.f("fk_draft_sources_digest_texts")
        ),
        sa.PrimaryKeyConstraint("changeset", "id", name=op.f("pk_draft_sources")),
        sqlite_strict=True,
    )
    op.create_table(
        "inverse_texts",
        sa.Column(
            "changeset", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["changeset"],
            ["changesets.id"],
            name=op.f("fk_inverse_texts_changeset_changesets"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["digest"], ["texts.digest"], name=op.f("fk_inverse_texts_digest_texts")
        ),
        sa.PrimaryKeyConstraint("changeset", "digest", name=op.f("pk_inverse_texts")),
        sqlite_strict=True,
    )
    op.create_table(
        "inverses",
        sa.Column(
            "changeset", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("entity", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after_digest", sa.Text(), nullable=True),
        sa.Column("checksum", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "entity IN ('source', 'path', 'charter', 'page', 'check', 'completion')",
            name=op.f("ck_inverses_entity"),
        ),
        sa.ForeignKeyConstraint(
            ["changeset"],
            ["changesets.id"],
            name=op.f("fk_inverses_changeset_changesets"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("changeset", "entity", "key", name=op.f("pk_inverses")),
        sqlite_strict=True,
    )
    op.create_table(
        "staged",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "changeset", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("entity", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("base_digest", sa.Text(), nullable=True),
        sa.Column("base_revision", sa.Integer(), nullable=True),
        sa.Column("base_author", sa.Text(), nullable=True),
        sa.Column("base_at", sa.Text(), nullable=True),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "entity IN ('source', 'path', 'charter', 'page', 'check', 'completion')",
            name=op.f("ck_staged_entity"),
        ),
        sa.ForeignKeyConstraint(
            ["changeset"],
            ["changesets.id"],
            name=op.f("fk_staged_changeset_changesets"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_staged")),
        sa.UniqueConstraint(
            "changeset", "entity", "key", name=op.f("uq_staged_changeset_entity_key")
        ),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_staged_changeset_entity_number"),
        "staged",
        ["changeset", "entity", "number"],
        unique=False,
    )
    op.create_table(
        "checks",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("page_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("paraphrases", sa.Text(), nullable=False),
        sa.Column("top", sa.Integer(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.CheckConstraint('"top" >= 1', name=op.f("ck_checks_top")),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.id"], name=op.f("fk_checks_page_id_pages"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_checks")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_checks_page_id"), "checks", ["page_id"], unique=False)
    op.create_table(
        "check_results",
        sa.Column("check_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("held", sa.Integer(), nullable=False),
        sa.Column("places", sa.Text(), nullable=False),
        sa.Column("revision", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("ran_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["check_id"],
            ["checks.id"],
            name=op.f("fk_check_results_check_id_checks"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("check_id", name=op.f("pk_check_results")),
        sqlite_strict=True,
    )

    op.add_column(
        "requests",
        sa.Column("undone", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
    )
    _loosen_jobs()
    op.create_table(
        "draft_completions",
        sa.Column(
            "changeset", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column(
            "source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("no_derived_pages_reason", sa.Text(), nullable=True),
        sa.Column("unread_reason", sa.Text(), nullable=True),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("staged_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["changeset"],
            ["changesets.id"],
            name=op.f("fk_draft_completions_changeset_changesets"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["jobs.source_id"],
            name=op.f("fk_draft_completions_source_id_jobs"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("changeset", "source_id", name=op.f("pk_draft_completions")),
        sqlite_strict=True,
    )
    for table, column in (
        ("pages", "body_digest"),
        ("page_revisions", "body_digest"),
        ("analyses", "text_digest"),
        ("draft_pages", "body_digest"),
        ("draft_page_revisions", "body_digest"),
        ("draft_sources", "digest"),
        ("inverse_texts", "digest"),
    ):
        op.create_index(op.f(f"ix_{table}_{column}"), table, [column], unique=False)
    if op.get_bind().dialect.name == "sqlite":
        _make_sqlite_search()


def _project_what_is_there() -> None:
    """Nothing was projected before: all of it waits."""
    op.execute(
        "INSERT INTO outbox (entity, key, operation_id)"
        " SELECT 'page', CAST(id AS TEXT), (SELECT max(id) FROM operations) FROM pages"
    )
    op.execute(
        "INSERT INTO outbox (entity, key, operation_id)"
        " SELECT 'source', CAST(id AS TEXT), (SELECT max(id) FROM operations) FROM sources"
    )
    op.execute(
        "INSERT INTO outbox (entity, key, operation_id)"
        " SELECT DISTINCT 'charter', name, (SELECT max(id) FROM operations) FROM charter"
    )


def _loosen_jobs() -> None:
    op.create_table(
        "jobs_anew",
        sa.Column(
            "source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=True),
        sa.Column("token_hash", sa.Text(), nullable=True),
        sa.Column(
            "claim_operation", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True
        ),
        sa.Column("lease_seconds", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.Text(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("no_derived_pages_reason", sa.Text(), nullable=True),
        sa.Column("unread_reason", sa.Text(), nullable=True),
        sa.Column("evidence", sa.Text(), nullable=True),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.Column("pinned", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.CheckConstraint(
            "(state IN ('analyzing', 'generating')) = (token_hash IS NOT NULL AND lease_until IS NOT NULL AND agent IS NOT NULL)",
            name=op.f("ck_jobs_held"),
        ),
        sa.CheckConstraint(
            "state IN ('pending', 'analyzing', 'generating', 'completed', 'failed')",
            name=op.f("ck_jobs_state"),
        ),
        sa.CheckConstraint("attempts >= 0 AND attempt >= attempts", name=op.f("ck_jobs_attempts")),
        sa.ForeignKeyConstraint(
            ["source_id"], ["source_ids.id"], name=op.f("fk_jobs_source_id_source_ids")
        ),
        sa.PrimaryKeyConstraint("source_id", name=op.f("pk_jobs")),
        sqlite_strict=True,
    )
    op.execute(
        "INSERT INTO jobs_anew (source_id, state, attempts, attempt, agent, token_hash,"
        " claim_operation, lease_seconds, lease_until, failure, no_derived_pages_reason,"
        " unread_reason, evidence, updated_at)"
        " SELECT source_id, state, attempts, attempt, agent, token_hash,"
        " claim_operation, lease_seconds, lease_until, failure, no_derived_pages_reason,"
        " unread_reason, evidence, updated_at FROM jobs"
    )
    op.drop_table("jobs")
    op.rename_table("jobs_anew", "jobs")
    op.create_index(op.f("ix_jobs_lease_until"), "jobs", ["lease_until"], unique=False)
    op.create_index(op.f("ix_jobs_state_source_id"), "jobs", ["state", "source_id"], unique=False)


def _make_sqlite_search() -> None:
    # With their content: a draft may be discarded whole, and its rows are published as they are.
    op.execute(
        "CREATE VIRTUAL TABLE draft_page_fts USING fts5(title, path, summary, body, parts,"
        " tokenize='unicode61 remove_diacritics 0 categories ''L* M* N* Co'' ')"
    )
    op.execute(
        "CREATE VIRTUAL TABLE draft_source_fts USING fts5(title, path, body, parts,"
        " tokenize='unicode61 remove_diacritics 0 categories ''L* M* N* Co'' ')"
    )
