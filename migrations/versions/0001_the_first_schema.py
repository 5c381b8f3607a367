"""The first schema: sources, jobs, pages, citations, the journal and the search index."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "meta",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_meta")),
        sqlite_strict=True,
    )
    op.create_table(
        "operations",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_operations")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_operations_action_id"), "operations", ["action", "id"], unique=False)
    op.create_table(
        "requests",
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("command", sa.Text(), nullable=False),
        sa.Column("arguments_digest", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("request_id", name=op.f("pk_requests")),
        sqlite_strict=True,
    )
    op.create_table(
        "settings",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_settings")),
        sqlite_strict=True,
    )
    op.create_table(
        "source_ids",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source_ids")),
        sa.UniqueConstraint("digest", name=op.f("uq_source_ids_digest")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "texts",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("chars", sa.Integer(), nullable=False),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_texts")),
        sqlite_strict=True,
    )
    op.create_table(
        "charter",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("text_digest", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.CheckConstraint("name IN ('schema', 'purpose')", name=op.f("ck_charter_name")),
        sa.ForeignKeyConstraint(
            ["text_digest"], ["texts.digest"], name=op.f("fk_charter_text_digest_texts")
        ),
        sa.PrimaryKeyConstraint("name", "revision", name=op.f("pk_charter")),
        sqlite_strict=True,
    )
    op.create_table(
        "page_revisions",
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
            ["body_digest"], ["texts.digest"], name=op.f("fk_page_revisions_body_digest_texts")
        ),
        sa.PrimaryKeyConstraint("page_id", "revision", name=op.f("pk_page_revisions")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_page_revisions_key"), "page_revisions", ["key"], unique=False)
    op.create_table(
        "pages",
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
            ["body_digest"], ["texts.digest"], name=op.f("fk_pages_body_digest_texts")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pages")),
        sa.UniqueConstraint("key", name=op.f("uq_pages_key")),
        sa.UniqueConstraint("slug", name=op.f("uq_pages_slug")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_pages_kind_slug"), "pages", ["kind", "slug"], unique=False)
    op.create_index(op.f("ix_pages_updated_at"), "pages", ["updated_at"], unique=False)
    op.create_table(
        "sources",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["digest"], ["texts.digest"], name=op.f("fk_sources_digest_texts")),
        sa.ForeignKeyConstraint(["id"], ["source_ids.id"], name=op.f("fk_sources_id_source_ids")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sources")),
        sa.UniqueConstraint("digest", name=op.f("uq_sources_digest")),
        sqlite_strict=True,
    )
    op.create_table(
        "text_parts",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("part_digest", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["digest"],
            ["texts.digest"],
            name=op.f("fk_text_parts_digest_texts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("digest", "start", name=op.f("pk_text_parts")),
        sqlite_strict=True,
    )
    op.create_table(
        "aliases",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("page_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.id"], name=op.f("fk_aliases_page_id_pages"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_aliases")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_aliases_page_id"), "aliases", ["page_id"], unique=False)
    op.create_table(
        "citations",
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
        sa.CheckConstraint(
            "state IN ('exact', 'near', 'missing', 'unquoted')", name=op.f("ck_citations_state")
        ),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.id"], name=op.f("fk_citations_page_id_pages"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_citations_source_id_sources")
        ),
        sa.PrimaryKeyConstraint("page_id", "ordinal", name=op.f("pk_citations")),
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_citations_source_id_state"), "citations", ["source_id", "state"], unique=False
    )
    op.create_index(op.f("ix_citations_state"), "citations", ["state"], unique=False)
    op.create_table(
        "jobs",
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
            ["source_id"],
            ["sources.id"],
            name=op.f("fk_jobs_source_id_sources"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("source_id", name=op.f("pk_jobs")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_jobs_lease_until"), "jobs", ["lease_until"], unique=False)
    op.create_index(op.f("ix_jobs_state_source_id"), "jobs", ["state", "source_id"], unique=False)
    op.create_table(
        "links",
        sa.Column("page_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.id"], name=op.f("fk_links_page_id_pages"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("page_id", "key", name=op.f("pk_links")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_links_key"), "links", ["key"], unique=False)
    op.create_table(
        "page_notes",
        sa.Column("page_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.id"], name=op.f("fk_page_notes_page_id_pages"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("page_id", "ordinal", name=op.f("pk_page_notes")),
        sa.UniqueConstraint(
            "page_id", "code", "line", "target", name=op.f("uq_page_notes_page_id_code_line_target")
        ),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_page_notes_code"), "page_notes", ["code"], unique=False)
    op.create_table(
        "page_provenance",
        sa.Column("page_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("provenance", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "provenance IN ('user-provided', 'agent-observed', 'hypothesis')",
            name=op.f("ck_page_provenance_provenance"),
        ),
        sa.ForeignKeyConstraint(
            ["page_id"],
            ["pages.id"],
            name=op.f("fk_page_provenance_page_id_pages"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("page_id", "provenance", name=op.f("pk_page_provenance")),
        sqlite_strict=True,
    )
    op.create_table(
        "page_sources",
        sa.Column("page_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column(
            "source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("named", sa.Integer(), nullable=False),
        sa.Column("touched", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(
            ["page_id"],
            ["pages.id"],
            name=op.f("fk_page_sources_page_id_pages"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_page_sources_source_id_sources")
        ),
        sa.PrimaryKeyConstraint("page_id", "source_id", name=op.f("pk_page_sources")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_page_sources_source_id"), "page_sources", ["source_id"], unique=False)
    op.create_table(
        "source_paths",
        sa.Column("tracked_path", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column(
            "source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("observed_at", sa.Text(), nullable=False),
        sa.CheckConstraint("revision >= 1", name=op.f("ck_source_paths_revision")),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_source_paths_source_id_sources")
        ),
        sa.PrimaryKeyConstraint("tracked_path", "revision", name=op.f("pk_source_paths")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_source_paths_source_id"), "source_paths", ["source_id"], unique=False)
    op.create_table(
        "analyses",
        sa.Column(
            "source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("text_digest", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["jobs.source_id"],
            name=op.f("fk_analyses_source_id_jobs"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["text_digest"], ["texts.digest"], name=op.f("fk_analyses_text_digest_texts")
        ),
        sa.PrimaryKeyConstraint("source_id", "version", name=op.f("pk_analyses")),
        sqlite_strict=True,
    )
    op.create_table(
        "attempts",
        sa.Column(
            "source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("claimed_at", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "outcome IN ('active', 'completed', 'failed', 'released', 'expired', 'retried')",
            name=op.f("ck_attempts_outcome"),
        ),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["jobs.source_id"],
            name=op.f("fk_attempts_source_id_jobs"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("source_id", "attempt", name=op.f("pk_attempts")),
        sqlite_strict=True,
    )
    op.create_table(
        "deliveries",
        sa.Column(
            "source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False
        ),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.CheckConstraint('start >= 0 AND "end" >= start', name=op.f("ck_deliveries_range")),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["jobs.source_id"],
            name=op.f("fk_deliveries_source_id_jobs"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("source_id", "attempt", "start", name=op.f("pk_deliveries")),
        sqlite_strict=True,
    )

    if op.get_bind().dialect.name == "sqlite":
        _make_sqlite_search()


def _make_sqlite_search() -> None:
    # Contentless with detail=full: detail=column or none makes bm25() return 0 without a word.
    op.execute(
        "CREATE VIRTUAL TABLE page_fts USING fts5(title, path, summary, body, parts,"
        " content='', tokenize='unicode61 remove_diacritics 0 categories ''L* M* N* Co'' ')"
    )
    op.execute(
        "CREATE VIRTUAL TABLE source_fts USING fts5(title, path, body, parts,"
        " content='', tokenize='unicode61 remove_diacritics 0 categories ''L* M* N* Co'' ')"
    )
    op.execute("CREATE VIRTUAL TABLE page_vocab USING fts5vocab(page_fts, row)")
