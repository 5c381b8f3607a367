"""What all tables share: the metadata, how constraints are named, and kinds of columns."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Integer, MetaData

# The revision in migrations/versions that this code is written for.
SCHEMA = "0002"
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
