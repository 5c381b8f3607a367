"""What the projection says of itself: whether it is behind, and which files it could not write."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lwc import wire

# So many errors are told; the others are counted.
ERRORS_TOLD = 20
HEALS = "lwc maintenance materialize"


class Reason(StrEnum):
    """Why a file is not as it should be."""

    FOREIGN = "projection_file_foreign"
    UNSAFE = "projection_path_unsafe"
    DISK = "io_error"
    DAMAGED = "corrupt_store"
    WENT_BACK = "store_went_back"
    STORE = "database_error"
    # Of files that were only looked at.
    ABSENT = "projection_file_absent"
    DIFFERS = "projection_file_differs"
    STALE = "projection_file_stale"


WORDS = {
    Reason.FOREIGN: "lwc did not write the file that stands there; move it away, or have it set"
    " aside by `lwc maintenance materialize --force`",
    Reason.DAMAGED: "its text in the database is not what was kept",
    Reason.WENT_BACK: "the database knows less than was projected from it",
    Reason.ABSENT: "it is not there",
    Reason.DIFFERS: "it does not hold what the wiki says",
    Reason.STALE: "the wiki says nothing of it any more",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileError:
    """A file that is not as it should be; its path starts below the store's folder."""

    path: str
    reason: Reason
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectionState:
    """Where the Markdown files stand: `behind` counts what of the wiki is still to be projected.

    `kept` are files of ours that somebody had edited: they were written anew, the edits set aside.
    """

    state: str
    behind: int
    errors: tuple[FileError, ...]
    errors_total: int
    kept: tuple[str, ...] | None = wire.left_out()
    next: str | None = wire.left_out()


@dataclass(frozen=True, slots=True, kw_only=True)
class Materialized:
    """What a full run did, counted in files."""

    revision: int
    written: int
    removed: int
    unchanged: int
    behind: int
    kept: tuple[str, ...]
    errors: tuple[FileError, ...]
    errors_total: int


def file_error(path: str, reason: Reason, what: str = "") -> FileError:
    return FileError(path=path, reason=reason, what=what or WORDS[reason])
