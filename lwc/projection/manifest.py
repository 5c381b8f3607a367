"""What is known of the projection outside the database: of which wiki, up to which operation.

A database that lost its last commits is whole and says nothing; this file tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lwc import wire
from lwc.domain import strict_json
from lwc.domain.projection_state import FileError
from lwc.domain.strict_json import StrictJsonError
from lwc.projection.tree import Tree

NAME = "projection.json"
_MOST = 256 * 1024


class Standing(StrEnum):
    """How the database stands to what was projected; it went back when it knows less."""

    UNKNOWN = "unknown"
    CURRENT = "current"
    WENT_BACK = "store_went_back"
    ANOTHER_STORE = "another_store"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The wiki, its last operation when it was projected last, and what failed then.

    `went_back` stays until all was projected anew.
    """

    store_id: str
    revision: int
    went_back: bool = False
    errors: tuple[FileError, ...] = ()


def read(tree: Tree) -> Manifest | None:
    """The manifest; none where there is none that can be read."""
    try:
        content = tree.read(NAME, most=_MOST + 1)
        fields = strict_json.members(
            strict_json.parse(content or b"", most_bytes=_MOST),
            required={"store_id": (str,), "revision": (int,), "went_back": (bool,)},
            optional={"errors": (list,)},
            called="the manifest",
        )
        loaded: Manifest = wire.load(Manifest, fields)
    except (OSError, StrictJsonError, AttributeError, KeyError, TypeError, ValueError):
        return None
    return loaded


def standing(known: Manifest | None, *, store_id: str, revision: int) -> Standing:
    """How a database of this name and revision stands to the manifest."""
    if known is None:
        return Standing.UNKNOWN
    if known.store_id != store_id:
        return Standing.ANOTHER_STORE
    if known.went_back or known.revision > revision:
        return Standing.WENT_BACK
    return Standing.CURRENT


def write(tree: Tree, manifest: Manifest) -> None:
    """Keep the manifest, unless it says the same already."""
    content = (wire.encode(manifest) + "\n").encode()
    if tree.read(NAME, most=_MOST + 1) != content:
        tree.replace(NAME, content)
        tree.settle()
