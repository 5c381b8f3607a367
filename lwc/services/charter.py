"""The schema and the purpose: shown, and replaced whole with their history kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from lwc.domain.charter import LARGEST
from lwc.domain.keepable import kept_bytes
from lwc.domain.page import kinds_of_schema
from lwc.errors import BLANK, CHARTER_REVISION_NOT_FOUND, INPUT_TOO_LARGE
from lwc.store import charter, journal
from lwc.wiki import Answer, Call, Changed, Wiki, replayable


@dataclass(frozen=True, slots=True, kw_only=True)
class CharterShown(Answer):
    """A text with its revision; `revision` is the wiki's, for `--if-revision`."""

    name: str
    text: str
    text_revision: int
    newest: int
    author: str
    updated_at: datetime
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CharterSet(Changed):
    """A text was replaced; `changed` is false when it was the same already."""

    name: str
    text_revision: int
    changed: bool


def show(wiki: Wiki, name: str, *, revision: int | None = None) -> CharterShown:
    """The text in force, or an earlier revision of it."""
    with wiki.reading() as conn:
        newest = charter.newest_revision(conn, name)
        wanted = newest if revision is None else revision
        found = charter.at(conn, name, wanted) if 0 < wanted <= newest else None
        if found is None:
            raise CHARTER_REVISION_NOT_FOUND(name=name, revision=wanted, newest=newest)
        return CharterShown(
            **wiki.label(),
            name=name,
            text=found.text,
            text_revision=found.revision,
            newest=newest,
            author=found.author,
            updated_at=found.created_at,
            revision=journal.revision(conn),
        )


@replayable(CharterSet)
def put(wiki: Wiki, call: Call, *, name: str, text: str) -> CharterSet:
    """Replace the schema or the purpose; the same text again changes nothing."""
    if not text.strip():
        raise BLANK(field=f"The {name}")
    if kept_bytes(text, field=f"The {name}") > LARGEST:
        raise INPUT_TOO_LARGE(what=f"The {name}", most=LARGEST)
    if name == "schema":
        kinds_of_schema(text)
    with wiki.staging(call) as change:
        found = charter.newest(change.conn, name)
        changed = found is None or found.text != text
        if changed:
            made = charter.put(change.conn, name, text, author=change.agent, now=change.now)
            change.record(f"{name}_set", name, text_revision=made)
        else:
            assert found is not None
            made = found.revision
        return change.finish(
            CharterSet(
                **wiki.label(),
                revision=change.revision,
                name=name,
                text_revision=made,
                changed=changed,
            )
        )
