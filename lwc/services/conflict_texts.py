"""A conflict of a draft with live as who has to settle it needs it: both texts, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lwc.domain.changeset import Entity
from lwc.domain.difference import difference
from lwc.domain.sides import CharterFace, FieldChange, PageFace, changed_fields
from lwc.services import holder
from lwc.store import charter, faces, layers, rebasing, revisions, texts
from lwc.store.database import Connection
from lwc.store.layers import Draft
from lwc.store.pages import Page
from lwc.store.standing import Conflict, Standing, Why
from lwc.wiki import Wiki

# What can be settled by taking in what live has.
TEXTUAL = (Why.CHANGED, Why.CREATED, Why.REMOVED)
_DROPPED_BY = {
    Entity.PAGE: "--slug",
    Entity.SOURCE: "--source",
    Entity.PATH: "--path",
    Entity.CHECK: "--check",
    Entity.COMPLETION: "--job",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """The beginning of a text, and how long it is."""

    text: str
    total_chars: int
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictTexts:
    """What stands in the way of an entity, with both texts where it has one.

    `live_change` and `draft_change` are unified diffs from the text that the draft touched first;
    they are empty where there was none. `changes` are the fields that the draft has otherwise than
    live. `advice` says what to do.
    """

    entity: Entity
    identifier: str
    why: Why
    base_revision: int | None
    live_revision: int | None
    draft_revision: int | None
    changed_by: str | None
    changed_at: datetime | None
    advice: str
    changes: tuple[FieldChange, ...]
    live: Excerpt | None
    draft: Excerpt | None
    live_change: str
    draft_change: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Collision:
    """A conflict with the entity it is about, and what stands against it live.

    `taker` is the live page that has the name of a page which the draft made; `hindrance` says why
    the draft's image cannot stand on what is live.
    """

    conflict: Conflict
    standing: Standing | None
    taker: Page | None
    hindrance: str | None

    @property
    def expected(self) -> int | None:
        """The revision that `--resolved` has to name; none when that is no way out of it."""
        if self.conflict.why is Why.NAME_TAKEN:
            return None if self.taker is None else self.taker.revision
        if self.standing is None or self.conflict.why not in TEXTUAL:
            return None
        if self.conflict.entity not in (Entity.PAGE, Entity.CHARTER, Entity.PATH):
            return None
        return 0 if self.standing.live.digest is None else self.standing.live.revision


def collisions(
    conn: Connection,
    draft: Draft,
    standings: Sequence[Standing],
    conflicts: Sequence[Conflict],
) -> tuple[Collision, ...]:
    """Each conflict with what it is about; nothing lies over the connection."""
    by_key = {(one.staged.entity, one.key): one for one in standings}

    def of(conflict: Conflict) -> Collision:
        standing = by_key.get((conflict.entity, conflict.key))
        taken = conflict.why is Why.NAME_TAKEN and standing is not None
        taker = rebasing.taker(conn, draft, standing) if taken and standing is not None else None
        against = None
        if standing is not None and (taker is not None or conflict.why in TEXTUAL):
            against = rebasing.hindrance(conn, draft, standing, taker)
        return Collision(conflict=conflict, standing=standing, taker=taker, hindrance=against)

    return tuple(map(of, conflicts))


def told(
    wiki: Wiki, conn: Connection, draft: Draft, one: Collision, *, max_chars: int
) -> ConflictTexts:
    """A conflict with its texts, each cut at `max_chars`; nothing lies over the connection."""
    conflict = one.conflict
    key = (conflict.entity, conflict.key)
    live = _face(conn, (Entity.PAGE, one.taker.id) if one.taker is not None else key)
    with layers.laid(conn, draft, reading=True):
        drafted = _face(conn, key)
    texts_of = [_text(conn, face) for face in (live, drafted)]
    base = _base(conn, one)
    changes = [face for face in (live, drafted) if isinstance(face, PageFace)]
    return ConflictTexts(
        entity=conflict.entity,
        identifier=conflict.identifier,
        why=conflict.why,
        base_revision=conflict.base_revision,
        live_revision=conflict.live_revision,
        draft_revision=conflict.draft_revision,
        changed_by=conflict.changed_by,
        changed_at=conflict.changed_at,
        advice=_advice(wiki, draft, one),
        changes=changed_fields(*changes) if len(changes) == 2 else (),
        live=_excerpt(texts_of[0], max_chars),
        draft=_excerpt(texts_of[1], max_chars),
        live_change=_diff(base, texts_of[0], ("base", "live"), max_chars),
        draft_change=_diff(base, texts_of[1], ("base", "draft"), max_chars),
    )


def _face(conn: Connection, key: tuple[Entity, int | str]) -> PageFace | CharterFace | None:
    found = faces.read(conn, (key,)).get(key)
    return found if isinstance(found, PageFace | CharterFace) else None


def _text(conn: Connection, face: PageFace | CharterFace | None) -> str | None:
    return None if face is None else texts.whole(conn, face.text_digest)


def _base(conn: Connection, one: Collision) -> str | None:
    """The text that the draft touched first; none where there was none."""
    if one.standing is None or one.standing.staged.base_digest is None:
        return None
    staged = one.standing.staged
    number = staged.base_revision or 0
    if staged.entity is Entity.CHARTER:
        found = charter.at(conn, staged.key, number)
        return None if found is None else found.text
    if staged.number is None or staged.entity is not Entity.PAGE:
        return None
    then = revisions.at(conn, staged.number, number, slug=one.conflict.identifier)
    return texts.whole(conn, then.body_digest)


def _excerpt(text: str | None, most: int) -> Excerpt | None:
    if text is None:
        return None
    return Excerpt(text=text[:most], total_chars=len(text), has_more=len(text) > most)


def _diff(base: str | None, text: str | None, names: tuple[str, str], most: int) -> str:
    if base is None or text is None:
        return ""
    return difference(base, text, names=names, most_chars=most).text


def _advice(wiki: Wiki, draft: Draft, one: Collision) -> str:
    """What to do about a conflict, with the commands."""
    entity, called = one.conflict.entity, one.conflict.identifier

    def typed(*words: str) -> str:
        return f"`{holder.command(wiki, *words)}`"

    def resolving(revision: int) -> str:
        given = f"{called}={revision}"
        return typed("changeset", "rebase", draft.name, "--resolved", given)

    option = (f"--{called}",) if entity is Entity.CHARTER else (_DROPPED_BY[entity], called)
    drop = typed("changeset", "drop", draft.name, *option)
    match one.conflict.why:
        case Why.SOURCE_REMOVED if entity is Entity.SOURCE:
            add = typed("source", "add", "FILE", "--changeset", draft.name)
            return f"Take its file in again with {add}, or write the pages that cite it without it."
        case Why.NAME_TAKEN if one.expected is None or one.hindrance is not None:
            rename = typed("page", "rename", called, "NEW-SLUG", "--changeset", draft.name)
            return f"Give it another name with {rename}, or take it out with {drop}."
        case _ if one.expected is None or one.hindrance is not None:
            why = (
                ""
                if one.hindrance is None
                else f"It cannot stand on what is live: {one.hindrance}. "
            )
            return f"{why}Leave it as live with {drop}."
        case Why.REMOVED:
            return f"Have the draft make it anew with {resolving(one.expected)}, or {drop}."
        case _ if entity is Entity.PATH:
            return (
                f"Have the draft's file be the newest at this path with {resolving(one.expected)}, "
                f"or leave it as live with {drop}."
            )
        case _:
            return (
                f"Take what live changed into the draft (--changeset {draft.name}), then "
                f"{resolving(one.expected)}; or leave it as live with {drop}."
            )
