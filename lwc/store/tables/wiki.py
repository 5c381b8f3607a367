"""The tables of the live wiki.

Texts are content-addressed and cut into parts, so that a window of a long source reads (and proves
by digest) only what it shows. Times are stamps, which sort as text; JSON is text.
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
)

from lwc.domain.ingest import CLAIMED, JobState, Outcome
from lwc.store.tables.base import COUNTED, STRICT, Id, metadata, one_of

meta = Table(
    "meta",
    metadata,
    Column("key", Text, primary_key=True, nullable=False),
    Column("value", Text, nullable=False),
    **STRICT,
)

settings = Table(
    "settings",
    metadata,
    Column("key", Text, primary_key=True, nullable=False),
    Column("value", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    **STRICT,
)

operations = Table(
    "operations",
    metadata,
    Column("id", Id, primary_key=True, nullable=False),
    Column("action", Text, nullable=False),
    Column("target", Text),
    Column("detail", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("request_id", Text),
    Column("created_at", Text, nullable=False),
    Index(None, "action", "id"),
    **COUNTED,
)

requests = Table(
    "requests",
    metadata,
    Column("request_id", Text, primary_key=True, nullable=False),
    Column("command", Text, nullable=False),
    Column("arguments_digest", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    # The restore of a checkpoint that took back what was done.
    Column("undone", Id),
    **STRICT,
)

texts = Table(
    "texts",
    metadata,
    Column("digest", Text, primary_key=True, nullable=False),
    Column("chars", Integer, nullable=False),
    Column("bytes", Integer, nullable=False),
    **STRICT,
)

text_parts = Table(
    "text_parts",
    metadata,
    Column("digest", Text, ForeignKey("texts.digest", ondelete="CASCADE"), primary_key=True),
    Column("start", Integer, primary_key=True, nullable=False),
    Column("part_digest", Text, nullable=False),
    Column("body", Text, nullable=False),
    **STRICT,
)

charter = Table(
    "charter",
    metadata,
    Column("name", Text, primary_key=True, nullable=False),
    Column("revision", Integer, primary_key=True, nullable=False),
    Column("text_digest", Text, ForeignKey("texts.digest"), nullable=False),
    Column("author", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    CheckConstraint(one_of("name", ("schema", "purpose")), name="name"),
    **STRICT,
)

# An id is given to a digest once and kept for ever, also when the source is removed.
source_ids = Table(
    "source_ids",
    metadata,
    Column("id", Id, primary_key=True, nullable=False),
    Column("digest", Text, nullable=False, unique=True),
    **COUNTED,
)

sources = Table(
    "sources",
    metadata,
    Column("id", Id, ForeignKey("source_ids.id"), primary_key=True, nullable=False),
    Column("digest", Text, ForeignKey("texts.digest"), nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    **STRICT,
)

source_paths = Table(
    "source_paths",
    metadata,
    Column("tracked_path", Text, primary_key=True, nullable=False),
    Column("revision", Integer, primary_key=True, nullable=False),
    Column("source_id", Id, ForeignKey("sources.id"), nullable=False),
    Column("observed_at", Text, nullable=False),
    CheckConstraint("revision >= 1", name="revision"),
    Index(None, "source_id"),
    **STRICT,
)

# The job of a source that is only staged stands here too; such a source is in no list of live ones.
jobs = Table(
    "jobs",
    metadata,
    Column("source_id", Id, ForeignKey("source_ids.id"), primary_key=True),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("agent", Text),
    Column("token_hash", Text),
    Column("claim_operation", Id),
    Column("lease_seconds", Integer, nullable=False),
    Column("lease_until", Text),
    Column("failure", Text),
    Column("no_derived_pages_reason", Text),
    Column("unread_reason", Text),
    Column("evidence", Text),
    Column("updated_at", Text, nullable=False),
    # The draft in which its completion is staged: until that ends the claim does not run out.
    Column("pinned", Id),
    CheckConstraint(one_of("state", tuple(JobState)), name="state"),
    CheckConstraint(
        f"({one_of('state', CLAIMED)}) = (token_hash IS NOT NULL AND lease_until IS NOT NULL"
        " AND agent IS NOT NULL)",
        name="held",
    ),
    CheckConstraint("attempts >= 0 AND attempt >= attempts", name="attempts"),
    Index(None, "state", "source_id"),
    Index(None, "lease_until"),
    **STRICT,
)

attempts = Table(
    "attempts",
    metadata,
    Column("source_id", Id, ForeignKey("jobs.source_id", ondelete="CASCADE"), primary_key=True),
    Column("attempt", Integer, primary_key=True, nullable=False),
    Column("agent", Text, nullable=False),
    Column("claimed_at", Text, nullable=False),
    Column("ended_at", Text),
    Column("outcome", Text, nullable=False),
    Column("error", Text),
    CheckConstraint(one_of("outcome", tuple(Outcome)), name="outcome"),
    **STRICT,
)

analyses = Table(
    "analyses",
    metadata,
    Column("source_id", Id, ForeignKey("jobs.source_id", ondelete="CASCADE"), primary_key=True),
    Column("version", Integer, primary_key=True, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("agent", Text, nullable=False),
    Column("text_digest", Text, ForeignKey("texts.digest"), nullable=False),
    Column("created_at", Text, nullable=False),
    Index(None, "text_digest"),
    **STRICT,
)

# What was handed over: disjoint, not touching ranges of code points per attempt.
deliveries = Table(
    "deliveries",
    metadata,
    Column("source_id", Id, ForeignKey("jobs.source_id", ondelete="CASCADE"), primary_key=True),
    Column("attempt", Integer, primary_key=True, nullable=False),
    Column("start", Integer, primary_key=True, nullable=False),
    Column("end", Integer, nullable=False),
    CheckConstraint('start >= 0 AND "end" >= start', name="range"),
    **STRICT,
)

pages = Table(
    "pages",
    metadata,
    Column("id", Id, primary_key=True, nullable=False),
    Column("slug", Text, nullable=False, unique=True),
    Column("key", Text, nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("body_digest", Text, ForeignKey("texts.digest"), nullable=False),
    Column("content_digest", Text, nullable=False),
    Column("structural", Integer, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("author", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Index(None, "kind", "slug"),
    Index(None, "updated_at"),
    # Whoever forgets a text asks who speaks of it.
    Index(None, "body_digest"),
    **COUNTED,
)

# Every revision whole, also of pages that are gone; `action` says what made it.
page_revisions = Table(
    "page_revisions",
    metadata,
    Column("page_id", Id, primary_key=True, nullable=False),
    Column("revision", Integer, primary_key=True, nullable=False),
    Column("slug", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("summary", Text, nullable=False),
    Column("body_digest", Text, ForeignKey("texts.digest"), nullable=False),
    Column("content_digest", Text, nullable=False),
    Column("source_ids", Text, nullable=False),
    Column("named_ids", Text, nullable=False),
    Column("provenance", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("operation_id", Id, nullable=False),
    Column("created_at", Text, nullable=False),
    Index(None, "key"),
    Index(None, "body_digest"),
    **STRICT,
)

# The name a renamed page had: reads and links follow it, and it stays taken.
aliases = Table(
    "aliases",
    metadata,
    Column("key", Text, primary_key=True, nullable=False),
    Column("slug", Text, nullable=False),
    Column("page_id", Id, ForeignKey("pages.id", ondelete="CASCADE"), nullable=False),
    Column("created_at", Text, nullable=False),
    Index(None, "page_id"),
    **STRICT,
)

page_sources = Table(
    "page_sources",
    metadata,
    Column("page_id", Id, ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True),
    Column("source_id", Id, ForeignKey("sources.id"), primary_key=True),
    # 1: cited for the page as a whole; 0: only by footnotes, and gone with the last of them.
    Column("named", Integer, nullable=False),
    # The journal's end when the citation was last written or confirmed for this source.
    Column("touched", Id, nullable=False),
    Index(None, "source_id"),
    **STRICT,
)

page_provenance = Table(
    "page_provenance",
    metadata,
    Column("page_id", Id, ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True),
    Column("provenance", Text, primary_key=True, nullable=False),
    CheckConstraint(
        one_of("provenance", ("user-provided", "agent-observed", "hypothesis")), name="provenance"
    ),
    **STRICT,
)

links = Table(
    "links",
    metadata,
    Column("page_id", Id, ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True),
    Column("key", Text, primary_key=True, nullable=False),
    Column("target", Text, nullable=False),
    Column("line", Integer, nullable=False),
    Index(None, "key"),
    **STRICT,
)

citations = Table(
    "citations",
    metadata,
    Column("page_id", Id, ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True),
    Column("ordinal", Integer, primary_key=True, nullable=False),
    Column("label", Text, nullable=False),
    Column("source_id", Id, ForeignKey("sources.id"), nullable=False),
    Column("quote", Text),
    Column("state", Text, nullable=False),
    Column("start", Integer),
    Column("end", Integer),
    Column("places", Integer, nullable=False),
    Column("score", Integer),
    Column("found", Text),
    Column("range_wrong", Integer, nullable=False),
    Column("weak", Integer, nullable=False),
    Column("line", Integer, nullable=False),
    CheckConstraint(one_of("state", ("exact", "near", "missing", "unquoted")), name="state"),
    Index(None, "source_id", "state"),
    Index(None, "state"),
    **STRICT,
)

# What lint reads of a page's text, kept when the page is written.
page_notes = Table(
    "page_notes",
    metadata,
    Column("page_id", Id, ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True),
    Column("ordinal", Integer, primary_key=True, nullable=False),
    Column("code", Text, nullable=False),
    Column("line", Integer, nullable=False),
    Column("target", Text, nullable=False),
    UniqueConstraint("page_id", "code", "line", "target"),
    Index(None, "code"),
    **STRICT,
)

# A retrieval check: the query and its paraphrases find the page among the first `top`.
checks = Table(
    "checks",
    metadata,
    Column("id", Id, primary_key=True, nullable=False),
    Column("page_id", Id, ForeignKey("pages.id", ondelete="CASCADE"), nullable=False),
    Column("query", Text, nullable=False),
    Column("paraphrases", Text, nullable=False),
    Column("top", Integer, nullable=False),
    Column("author", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    CheckConstraint('"top" >= 1', name="top"),
    Index(None, "page_id"),
    **COUNTED,
)

# How a check came out when it was last run on the live wiki.
check_results = Table(
    "check_results",
    metadata,
    Column("check_id", Id, ForeignKey("checks.id", ondelete="CASCADE"), primary_key=True),
    Column("held", Integer, nullable=False),
    Column("places", Text, nullable=False),
    Column("revision", Id, nullable=False),
    Column("agent", Text, nullable=False),
    Column("ran_at", Text, nullable=False),
    **STRICT,
)

# What changed since it was last projected as Markdown; a row goes when that very change is.
outbox = Table(
    "outbox",
    metadata,
    Column("entity", Text, primary_key=True, nullable=False),
    Column("key", Text, primary_key=True, nullable=False),
    Column("operation_id", Id, nullable=False),
    CheckConstraint(one_of("entity", ("page", "source", "charter")), name="entity"),
    **STRICT,
)

# The files of the projection: whose each is and what it held when it was written.
projected = Table(
    "projected",
    metadata,
    Column("path", Text, primary_key=True, nullable=False),
    Column("entity", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Index(None, "entity", "key"),
    **STRICT,
)
