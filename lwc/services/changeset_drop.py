"""Taking one thing out of a draft: it is as live again, and the rest stays staged."""

from __future__ import annotations

from dataclasses import dataclass

from lwc.domain.changeset import Entity
from lwc.domain.slug import collision_key, parse_slug
from lwc.errors import CHANGESET_DROP_ONE, CHANGESET_ENTITY_NEEDED, CHANGESET_ENTITY_NOT_STAGED
from lwc.store import drafts, dropping, layers, pages, revisions, staging
from lwc.store.database import Connection
from lwc.store.layers import Draft
from lwc.store.staging import Staged
from lwc.wiki import Call, Changed, Wiki, replayable


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One thing that a draft may have staged, as commands call it."""

    entity: Entity
    identifier: str

    def __str__(self) -> str:
        match self.entity:
            case Entity.CHARTER:
                return f"the {self.identifier}"
            case Entity.COMPLETION:
                return f"the completion of job {self.identifier}"
            case _:
                return f"the {self.entity} {self.identifier}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityDropped:
    """A thing that is as live again."""

    entity: Entity
    identifier: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesetDropped(Changed):
    """One thing is out of a draft: `dropped` names it, then what went with it.

    `dropped_operations` counts the entries of the draft's journal that will not be replayed;
    `remaining` the things that are still staged.
    """

    changeset_id: str
    name: str
    dropped: tuple[EntityDropped, ...]
    dropped_operations: int
    remaining: int


def target(
    *,
    slug: str | None = None,
    source: int | None = None,
    job: int | None = None,
    schema: bool = False,
    purpose: bool = False,
    path: str | None = None,
    check: int | None = None,
) -> Target:
    """The one thing that is named; refused when it is none or several."""
    named = [
        (Entity.PAGE, slug),
        (Entity.SOURCE, source),
        (Entity.COMPLETION, job),
        (Entity.CHARTER, "schema" if schema else None),
        (Entity.CHARTER, "purpose" if purpose else None),
        (Entity.PATH, path),
        (Entity.CHECK, check),
    ]
    given = [
        Target(entity=entity, identifier=str(word)) for entity, word in named if word is not None
    ]
    if len(given) != 1:
        raise CHANGESET_DROP_ONE(count=len(given))
    return given[0]


@replayable(ChangesetDropped)
def drop(wiki: Wiki, call: Call, *, name: str, target: Target) -> ChangesetDropped:
    """Take one thing out of a draft, unless something else in the draft needs it.

    What was done to it alone is not replayed when the draft is published. A completion that is
    taken out gives its job back: it is pending again.
    """
    with wiki.writing(call) as change:
        conn = change.conn
        found = drafts.find_draft(conn, name)
        draft = drafts.draft_of(conn, found)
        one = _staged(conn, draft, target)
        if one is None:
            raise CHANGESET_ENTITY_NOT_STAGED(name=found.name, what=str(target))
        needs = dropping.needs(conn, draft, one)
        if needs:
            raise CHANGESET_ENTITY_NEEDED(name=found.name, what=str(target), needs=needs)
        before = sum(drafts.action_counts(conn, draft.id).values())
        gone = dropping.drop(conn, draft, one, now=change.now)
        after = sum(drafts.action_counts(conn, draft.id).values())
        revision = drafts.next_revision(conn, draft.id)
        return change.finish(
            ChangesetDropped(
                **wiki.label(),
                revision=change.revision,
                draft_revision=revision,
                changeset_id=found.changeset_id,
                name=found.name,
                dropped=(
                    EntityDropped(entity=target.entity, identifier=target.identifier),
                    *(EntityDropped(entity=each.entity, identifier=each.key) for each in gone[1:]),
                ),
                dropped_operations=before - after,
                remaining=len(staging.of_draft(conn, draft.id)),
            )
        )


def _staged(conn: Connection, draft: Draft, target: Target) -> Staged | None:
    """The staged entity that is meant; a page by the name it has in the draft, live, or had."""
    if target.entity is not Entity.PAGE:
        return staging.find(conn, draft.id, target.entity, target.identifier)
    key = collision_key(parse_slug(target.identifier))
    with layers.laid(conn, draft, reading=True):
        meant = [_page_at(conn, key), _page_once_at(conn, key)]
    for page_id in (meant[0], _page_at(conn, key), meant[1]):
        one = None if page_id is None else staging.find(conn, draft.id, Entity.PAGE, page_id)
        if one is not None:
            return one
    return None


def _page_at(conn: Connection, key: str) -> int | None:
    page = pages.at(conn, key)
    return None if page is None else page.id


def _page_once_at(conn: Connection, key: str) -> int | None:
    """The page that bore a name last, also when it is gone."""
    last = revisions.newest_under(conn, key)
    return None if last is None else last.page_id
