"""Edits of a page: old text to new text, each old text standing exactly once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lwc.domain import strict_json
from lwc.domain.strict_json import StrictJsonError
from lwc.errors import EDIT_NOT_UNIQUE, INVALID_EDITS

LARGEST_EDITS = 64 * 1024 * 1024
MOST_EDITS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One replacement; `old` is never empty, `new` may be."""

    old: str
    new: str


def parse_edits(text: str) -> tuple[Edit, ...]:
    """The edits of a JSON list of `{old, new}`: at least one, and nothing else in it."""
    try:
        return _edits(strict_json.parse(text, most_bytes=LARGEST_EDITS))
    except StrictJsonError as error:
        raise INVALID_EDITS(what=str(error), details=error.place) from error


def apply_edits(body: str, edits: Sequence[Edit], *, slug: str) -> str:
    """The body with the edits made one after the other; each is looked for in what the last left.

    All or nothing: the first whose old text does not occur exactly once refuses them all.
    """
    for index, edit in enumerate(edits):
        if (count := _occurrences(body, edit.old)) != 1:
            raise EDIT_NOT_UNIQUE(edit=index + 1, count=count, slug=slug, details={"index": index})
        body = body.replace(edit.old, edit.new)
    return body


def _edits(value: Any) -> tuple[Edit, ...]:
    if type(value) is not list:
        raise StrictJsonError("it is not a list")
    if not value:
        raise StrictJsonError("the list is empty")
    if len(value) > MOST_EDITS:
        raise StrictJsonError(f"there are more than {MOST_EDITS:,} edits")
    return tuple(_edit(written, called=f"edit {at}") for at, written in enumerate(value, start=1))


def _edit(written: Any, *, called: str) -> Edit:
    fields = strict_json.members(
        written, required={"old": (str,), "new": (str,)}, optional={}, called=called
    )
    if not fields["old"]:
        raise StrictJsonError(f"the old text of {called} is empty")
    return Edit(old=fields["old"], new=fields["new"])


def _occurrences(body: str, old: str) -> int:
    """How often the text occurs; `aa` stands twice in `aaa`, where replacing could mean either."""
    count = body.count(old)
    if count != 1:
        return count
    return 1 if body.find(old, body.find(old) + 1) < 0 else 2
