"""Rolling a publication back: exactly what it touched, when nothing of it changed since."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic

from lwc import wire
from lwc.domain.changeset import Entity, Status
from lwc.errors import CHANGESET_NOT_PUBLISHED, CHANGESET_ROLLBACK_CONFLICT
from lwc.services.changeset_standing import CONFLICTS_SHOWN, conflict_view, told
from lwc.store import drafts, inverses, undoing
from lwc.store import entities as entities_of
from lwc.store.inverses import Inverse
from lwc.store.undoing import Undoing
from lwc.wiki import Call, Change, Changed, Wiki, replayable

ENTITIES_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPutBack:
    """An entity that is as it was: `removed` when it was not there before, else `restored`."""

    entity: Entity
    identifier: str
    done: str
    revision: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesetRolledBack(Changed):
    """A publication is undone; `changed` is false when it had been undone before."""

    changeset_id: str
    name: str
    status: Status
    rollback_revision: int
    changed: bool
    entities: tuple[EntityPutBack, ...]
    entities_total: int
    timings: Mapping[str, int]


@replayable(ChangesetRolledBack)
def rollback(wiki: Wiki, call: Call, *, changeset: str) -> ChangesetRolledBack:
    """Put back every entity that a publication touched, all of them or none.

    Refused when one of them was changed since, or when later work leans on what would go. Unrelated
    later work stays; ids and revisions are never given again.
    """
    began = monotonic()
    with wiki.writing(call) as change:
        conn = change.conn
        found = drafts.find(conn, changeset)
        if found.status is Status.ROLLED_BACK:
            assert found.rollback_revision is not None, "a rollback has an entry"
            done: tuple[EntityPutBack, ...] = ()
            ended = found
        elif found.status is not Status.COMMITTED:
            raise CHANGESET_NOT_PUBLISHED(name=found.name, status=found.status)
        else:
            kept = inverses.of_changeset(conn, found.id, name=found.name)
            assert found.published_revision is not None, "a publication has an entry"
            conflicts = undoing.conflicts(conn, kept, published=found.published_revision)
            if conflicts:
                shown = [conflict_view(one) for one in conflicts[:CONFLICTS_SHOWN]]
                raise CHANGESET_ROLLBACK_CONFLICT(
                    name=found.name,
                    what=[f"{one.entity} {one.identifier}" for one in shown],
                    details={
                        "conflicts": wire.plain(shown),
                        "said": [told(one) for one in shown],
                        "total": len(conflicts),
                    },
                )
            operation = change.record(
                "changeset_rollback",
                found.name,
                changeset_id=found.changeset_id,
                published_revision=found.published_revision,
            )
            names = {(one.entity, one.key): undoing.name_of(conn, one) for one in kept}
            act = Undoing(
                published=found.published_revision,
                operation=operation,
                author=change.agent,
                now=change.now,
            )
            undoing.put_back(conn, act, kept)
            done = tuple(_put_back(change, one, names[(one.entity, one.key)]) for one in kept)
            ended = drafts.end(
                conn,
                found,
                Status.ROLLED_BACK,
                agent=change.agent,
                now=change.now,
                rollback_revision=operation,
                verification=None,
            )
        assert ended.rollback_revision is not None, "a rollback has an entry"
        return change.finish(
            ChangesetRolledBack(
                **wiki.label(),
                revision=change.revision,
                changeset_id=ended.changeset_id,
                name=ended.name,
                status=ended.status,
                rollback_revision=ended.rollback_revision,
                changed=bool(done),
                entities=done[:ENTITIES_SHOWN],
                entities_total=len(done),
                timings={"duration_ms": round((monotonic() - began) * 1000)},
            )
        )


def _put_back(change: Change, one: Inverse, name: str) -> EntityPutBack:
    now = entities_of.base(change.conn, one.entity, one.key)
    return EntityPutBack(
        entity=one.entity,
        identifier=name,
        done="reopened"
        if one.entity is Entity.COMPLETION
        else "removed"
        if now.digest is None
        else "restored",
        revision=now.revision or None if now.digest is not None else None,
    )
