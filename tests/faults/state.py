"""What a wiki holds, as one digest, and whether it holds together; for the fault harnesses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sqlalchemy import select

import lwc.store.tables.drafts  # noqa: F401 (part of the metadata)
from lwc import wire
from lwc.domain.lint import Severity
from lwc.services import doctor
from lwc.store import tables
from lwc.wiki import open_wiki

# Columns that hold the moment, or chance; everything else must come out the same.
VOLATILE = {
    "created_at",
    "updated_at",
    "claimed_at",
    "ended_at",
    "observed_at",
    "ran_at",
    "lease_until",
    "token_hash",
    "request_id",
}
# An answer holds a moment; that it is there is told by the operation. What is projected follows
# the commit, and may be stopped by itself.
LEFT_OUT = {"meta", "requests", "outbox", "projected"}


def digest(project: Path) -> str:
    """Equal for two wikis that hold the same, but for times and tokens."""
    return wire.digest(content(project))


def content(project: Path) -> dict[str, list[Any]]:
    """Every row of every table, but for times and tokens."""
    with open_wiki(project) as wiki, wiki.reading() as conn:
        return {
            table.name: [
                [steady(value) for key, value in row._mapping.items() if key not in VOLATILE]
                for row in conn.execute(select(table).order_by(*table.primary_key.columns))
            ]
            for table in tables.metadata.sorted_tables
            if table.name not in LEFT_OUT
        }


def steady(value: Any) -> Any:
    """A cell without the moment and the chance that stand in the name of a checkpoint."""
    if not isinstance(value, str):
        return value
    return re.sub("(pre-[a-z]+)-[0-9T]+-[0-9a-f]+", r"\1", value)


def unsound(project: Path) -> list[str]:
    """What does not hold together; empty when all is well."""
    with open_wiki(project) as wiki:
        found = doctor.examine(wiki, limit=1000).findings
    leftovers = [
        path.name for path in (project / ".lwc").iterdir() if path.name.endswith("-journal")
    ]
    told = [f"{one.code}: {one.message}" for one in found if one.severity is not Severity.INFO]
    return told + leftovers
