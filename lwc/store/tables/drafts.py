"""The tables of changesets: drafts, what they stage, and what publishing them replaced.

A draft is rows beside the live ones, laid over them when it is read: see `dialects/`.
"""

from __future__ import annotations

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from lwc.domain.changeset import Entity, Status, Verification
from lwc.store.tables.base import COUNTED, STRICT, Id, metadata, one_of
from lwc.store.tables.wiki import (
    aliases,
    charter,
    checks,
    citations,
    links,
    page_notes,
    page_provenance,
    page_revisions,
    page_sources,
    pages,
    source_paths,
    sources,
    texts,
)

changesets = Table(
    "changesets",
    metadata,
    Column("id", Id, primary_key=True, nullable=False),
    Column("changeset_id", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("base_revision", Id, nullable=False),
    # How often something was staged: what `--if-revision` is compared with in the draft.
    Column("draft_revision", Integer, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("ended_at", Text),
    Column("ended_by", Text),
    # The journal's entries of its publication and its rollback.
    Column("published_revision", Id),
    Column("rollback_revision", Id),
    Column("verification", Text),
    # What was found at publication and by the last verification, as JSON.
    Column("published", Text),
    Column("verified", Text),
    CheckConstraint(one_of("status", tuple(Status)), name="status"),
    CheckConstraint(one_of("verification", tuple(Verification)), name="verification"),
    Index(
        "uq_changesets_name_draft",
        "name",
        unique=True,
        sqlite_where=text("status = 'draft'"),
        postgresql_where=text("status = 'draft'"),
    ),
    Index(None, "name"),
    **COUNTED,
)

# What a draft has touched. `base_digest` is of the live content when it was touched first, null
# when there was none. `id` is its rowid in the draft's search index.
staged = Table(
    "staged",
    metadata,
    Column("id", Id, primary_key=True, nullable=False),
    Column("changeset", Id, ForeignKey("changesets.id", ondelete="CASCADE"), nullable=False),
    Column("entity", Text, nullable=False),
    Column("key", Text, nullable=False),
    # The key as a number, for entities that have an id: what live rows are compared with.
    Column("number", Id),
    Column("base_digest", Text),
    Column("base_revision", Integer),
    Column("base_author", Text),
    Column("base_at", Text),
    Column("sequence", Integer, nullable=False),
    CheckConstraint(one_of("entity", tuple(Entity)), name="entity"),
    UniqueConstraint("changeset", "entity", "key"),
    Index(None, "changeset", "entity", "number"),
    **COUNTED,
)

# The journal of a draft; replayed into the live one when it is published.
draft_operations = Table(
    "draft_operations",
    metadata,
    Column("changeset", Id, ForeignKey("changesets.id", ondelete="CASCADE"), primary_key=True),
    Column("sequence", Integer, primary_key=True, nullable=False),
    Column("action", Text, nullable=False),
    Column("target", Text),
    Column("detail", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("request_id", Text),
    Column("created_at", Text, nullable=False),
    # 1: what it did was dropped from the draft again.
    Column("dropped", Integer, nullable=False),
    **STRICT,
)

# A completion that waits for its draft: the claim it was staged under, and its reasons.
draft_completions = Table(
    "draft_completions",
    metadata,
    Column("changeset", Id, ForeignKey("changesets.id", ondelete="CASCADE"), primary_key=True),
    Column("source_id", Id, ForeignKey("jobs.source_id", ondelete="CASCADE"), primary_key=True),
    Column("attempt", Integer, nullable=False),
    Column("agent", Text, nullable=False),
    Column("no_derived_pages_reason", Text),
    Column("unread_reason", Text),
    Column("evidence", Text, nullable=False),
    Column("staged_at", Text, nullable=False),
    **STRICT,
)

# What publishing replaced, to be put back by a rollback; `checksum` is of all its other cells.
inverses = Table(
    "inverses",
    metadata,
    Column("changeset", Id, ForeignKey("changesets.id", ondelete="CASCADE"), primary_key=True),
    Column("entity", Text, primary_key=True, nullable=False),
    Column("key", Text, primary_key=True, nullable=False),
    Column("before", Text),
    Column("after_digest", Text),
    Column("checksum", Text, nullable=False),
    CheckConstraint(one_of("entity", tuple(Entity)), name="entity"),
    **STRICT,
)

# The texts that inverses speak of: they stay while a rollback may want them.
inverse_texts = Table(
    "inverse_texts",
    metadata,
    Column("changeset", Id, ForeignKey("changesets.id", ondelete="CASCADE"), primary_key=True),
    Column("digest", Text, ForeignKey("texts.digest"), primary_key=True),
    Index(None, "digest"),
    **STRICT,
)


def _drafted(live: Table, *indexed: str, of_texts: tuple[str, ...] = ()) -> Table:
    """The rows of a live table as drafts stage them: the same columns, by changeset.

    Nothing is referred to but texts: what a page cites or a path holds may itself be staged.
    """
    columns = [
        Column(
            column.name,
            column.type,
            *(ForeignKey("texts.digest") for _ in [0] if column.references(texts.c.digest)),
            primary_key=column.primary_key,
            nullable=column.nullable,
        )
        for column in live.columns
    ]
    changeset = Column(
        "changeset",
        Id,
        ForeignKey("changesets.id", ondelete="CASCADE"),
        primary_key=True,
        nullable=False,
    )
    indexes = [Index(None, "changeset", name) for name in indexed]
    indexes += [Index(None, name) for name in of_texts]
    return Table(f"draft_{live.name}", metadata, changeset, *columns, *indexes, **STRICT)


draft_pages = _drafted(pages, "key", "slug", of_texts=("body_digest",))
draft_page_revisions = _drafted(page_revisions, "key", of_texts=("body_digest",))
draft_aliases = _drafted(aliases, "page_id")
draft_page_sources = _drafted(page_sources, "source_id")
draft_page_provenance = _drafted(page_provenance)
draft_links = _drafted(links, "key")
draft_citations = _drafted(citations, "source_id")
draft_page_notes = _drafted(page_notes, "code")
draft_checks = _drafted(checks, "page_id")
draft_sources = _drafted(sources, of_texts=("digest",))
draft_source_paths = _drafted(source_paths, "source_id")
draft_charter = _drafted(charter)
