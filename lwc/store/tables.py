"""All tables, as SQLAlchemy Core; the schema itself is made by the migrations.

Texts are content-addressed and cut into parts, so that a window of a long source reads (and proves
by digest) only what it shows. Times are stamps, which sort as text; JSON is text.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

from lwc.domain.ingest import CLAIMED, JobState, Outcome

# The revision in migrations/versions that this code is written for.
SCHEMA = "0001"
APPLICATION_ID = 0x6C776331  # "lwc1"

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

metadata = MetaData(naming_convention=NAMING)

Id = BigInteger().with_variant(Integer, "sqlite")
STRICT: dict[str, Any] = {"sqlite_strict": True}
COUNTED: dict[str, Any] = {"sqlite_strict": True, "sqlite_autoincrement": True}


def one_of(column: str, values: tuple[str, ...]) -> str:
    """The text of a CHECK that a column holds one of the given words."""
    return f"{column} IN ({', '.join(repr(str(value)) for value in values)})"


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

jobs = Table(
    "jobs",
    metadata,
    Column("source_id", Id, ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True),
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
