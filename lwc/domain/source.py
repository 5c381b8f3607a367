"""A source: an immutable snapshot of a document, known by the digest of its text."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime

from lwc.domain.letters import shows_nothing
from lwc.errors import BLANK, TOO_LONG, UNSAFE_CHARACTERS

LONGEST_TITLE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One snapshot. `origin` is the path as it was typed, `path` the one that is tracked.

    Both are of the first adding: the same text found again elsewhere is the same source.
    """

    id: int
    digest: str
    title: str
    origin: str
    path: str
    chars: int
    bytes: int
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PathHead:
    """Which source a tracked path holds now, and in which revision of the path."""

    tracked_path: str
    revision: int
    source_id: int


def head_after(head: PathHead | None, *, tracked: str, source_id: int) -> PathHead:
    """The head of a path that is found to hold another source than `head` says."""
    return PathHead(
        tracked_path=tracked,
        revision=1 if head is None else head.revision + 1,
        source_id=source_id,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A bounded part of a text, in code points."""

    offset_chars: int
    returned_chars: int
    total_chars: int
    next_offset_chars: int | None
    has_more: bool


def window(*, offset: int, returned: int, total: int) -> Window:
    """The window of `returned` code points from `offset` in a text of `total`."""
    end = offset + returned
    return Window(
        offset_chars=offset,
        returned_chars=returned,
        total_chars=total,
        next_offset_chars=end if end < total else None,
        has_more=end < total,
    )


def checked_title(title: str) -> str:
    """A title as it is kept: on one line, without blanks around it; or a refusal."""
    title = title.strip()
    if shows_nothing(title):
        raise BLANK(field="The title")
    if len(title) > LONGEST_TITLE:
        raise TOO_LONG(field="The title", most=LONGEST_TITLE)
    for letter in title:
        if unicodedata.category(letter) in ("Cc", "Cs"):
            raise UNSAFE_CHARACTERS(field="The title", character=f"U+{ord(letter):04X}")
    return title
