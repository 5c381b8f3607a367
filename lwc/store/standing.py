"""How what a draft has staged stands to live: which entities moved on since they were touched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Connection, select

from lwc import clock
from lwc.domain.changeset import Entity
from lwc.domain.ingest import JobState
from lwc.store import entities, jobs, layers, staged_paths, staging
from lwc.store.entities import Base
from lwc.store.layers import Draft
from lwc.store.sources import known
from lwc.store.staging import Staged
from lwc.store.tables import aliases, page_sources, pages, source_paths, sources
from lwc.store.tables.drafts import (
    draft_aliases,
    draft_checks,
    draft_page_sources,
    draft_pages,
)


class Why(StrEnum):
    """What happened live to an entity that a draft has touched."""

    CHANGED = "changed"
    CREATED = "created"
    REMOVED = "removed"
    NAME_TAKEN = "name_taken"
    SOURCE_REMOVED = "source_removed"
    SOURCE_IN_USE = "source_in_use"
    PAGE_REMOVED = "page_removed"
    JOB_MOVED = "job_moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A staged entity: what it was when it was touched, what it is live, what the draft makes it.

    `name` is how commands call it: a page's slug, a source's id, a path, `schema` or `purpose`.
    """

    staged: Staged
    name: str
    live: Base
    drafted: Base

    @property
    def key(self) -> int | str:
        return self.staged.key if self.staged.number is None else self.staged.number

    @property
    def moved(self) -> bool:
        """Whether live has another content than when the draft touched it."""
        return self.live.digest != self.staged.base_digest

    @property
    def agreed(self) -> bool:
        """Whether live has come to be what the draft makes of it."""
        return self.live.digest == self.drafted.digest

    @property
    def void(self) -> bool:
        """Whether it neither was there nor will be: made and taken away in the draft."""
        return self.staged.base_digest is None and self.drafted.digest is None

    @property
    def needless(self) -> bool:
        """Whether live has moved on, and nothing is left to do.

        A text that became a source live is the same source, whatever it is called.
        """
        new = self.staged.base_digest is None and self.drafted.digest is not None
        is_source = self.staged.entity is Entity.SOURCE and new
        return self.moved and (self.agreed or self.void or is_source)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Why an entity cannot be published as it is staged.

    `key` is the staged entity's; `identifier` how commands call what stands in the way.
    """

    entity: Entity
    identifier: str
    key: int | str
    why: Why
    base_revision: int | None
    live_revision: int | None
    draft_revision: int | None
    changed_by: str | None
    changed_at: datetime | None


def of_draft(conn: Connection, draft: Draft) -> tuple[Standing, ...]:
    """How every staged entity stands; the connection is live."""
    found = staging.of_draft(conn, draft.id)
    live = [entities.base(conn, one.entity, _key(one)) for one in found]
    named = _names(conn, found)
    with layers.laid(conn, draft, reading=True):
        drafted = [entities.base(conn, one.entity, _key(one)) for one in found]
        named |= _names(conn, found)
    return tuple(
        Standing(staged=one, name=named.get(one.id, one.key), live=was, drafted=will)
        for one, was, will in zip(found, live, drafted, strict=True)
    )


def conflicts(
    conn: Connection, draft: Draft, standings: Sequence[Standing]
) -> tuple[Conflict, ...]:
    """What keeps the draft from being published; the connection is live."""
    return (
        *_moved(conn, draft, standings),
        *_names_taken(conn, draft, standings),
        *_sources_removed(conn, draft),
        *_of_paths(conn, draft, standings),
        *_sources_in_use(conn, draft, standings),
        *_checks_alone(conn, draft, standings),
    )


def _moved(conn: Connection, draft: Draft, standings: Sequence[Standing]) -> Iterator[Conflict]:
    for one in standings:
        if one.staged.entity is Entity.COMPLETION:
            if not _is_held(conn, draft, one):
                yield _conflict(one, Why.JOB_MOVED)
        elif one.moved and not one.needless:
            yield _conflict(one, _why(one))


def _is_held(conn: Connection, draft: Draft, one: Standing) -> bool:
    """Whether the job is still in the attempt whose completion is staged, and pinned for it."""
    job = jobs.look(conn, int(one.key))
    return (
        job is not None
        and job.pinned == draft.id
        and job.state is JobState.GENERATING
        and job.attempt == one.staged.base_revision
    )


def _why(one: Standing) -> Why:
    if one.live.digest is None:
        return Why.REMOVED
    return Why.CREATED if one.staged.base_digest is None else Why.CHANGED


def _conflict(one: Standing, why: Why) -> Conflict:
    return Conflict(
        entity=one.staged.entity,
        identifier=one.name,
        key=one.key,
        why=why,
        base_revision=one.staged.base_revision,
        live_revision=one.live.revision,
        draft_revision=one.drafted.revision,
        changed_by=one.live.author,
        changed_at=one.live.at,
    )


def _names_taken(
    conn: Connection, draft: Draft, standings: Sequence[Standing]
) -> Iterator[Conflict]:
    """Names that the draft gives to a page, and that another page took live."""
    by_page = {one.key: one for one in standings if one.staged.entity is Entity.PAGE}
    wanted = _draft_keys(conn, draft)
    if not wanted:
        return
    freed = set(by_page)
    for key, taker in _live_keys(conn, list(wanted)).items():
        page_id = wanted[key]
        if taker.page_id == page_id or taker.page_id in freed:
            continue
        one = by_page[page_id]
        yield Conflict(
            entity=Entity.PAGE,
            identifier=one.name,
            key=one.key,
            why=Why.NAME_TAKEN,
            base_revision=one.staged.base_revision,
            live_revision=taker.revision,
            draft_revision=one.drafted.revision,
            changed_by=taker.author,
            changed_at=entities.base(conn, Entity.PAGE, taker.page_id).at,
        )


@dataclass(frozen=True, slots=True)
class _Taker:
    page_id: int
    revision: int
    author: str


def _draft_keys(conn: Connection, draft: Draft) -> dict[str, int]:
    """The collision keys that pages of the draft bear, now or as an earlier name."""
    bearing = (
        select(draft_pages.c.key, draft_pages.c.id).where(draft_pages.c.changeset == draft.id),
        select(draft_aliases.c.key, draft_aliases.c.page_id).where(
            draft_aliases.c.changeset == draft.id
        ),
    )
    return {key: page_id for wanted in bearing for key, page_id in conn.execute(wanted)}


def _live_keys(conn: Connection, keys: Sequence[str]) -> dict[str, _Taker]:
    found: dict[str, _Taker] = {}
    for start in range(0, len(keys), 500):
        some = keys[start : start + 500]
        named = select(pages.c.key, pages.c.id, pages.c.revision, pages.c.author).where(
            pages.c.key.in_(some)
        )
        renamed = (
            select(aliases.c.key, pages.c.id, pages.c.revision, pages.c.author)
            .join(pages, pages.c.id == aliases.c.page_id)
            .where(aliases.c.key.in_(some))
        )
        for wanted in (renamed, named):
            for key, page_id, revision, author in conn.execute(wanted):
                found[key] = _Taker(page_id, revision, author)
    return found


def _sources_removed(conn: Connection, draft: Draft) -> Iterator[Conflict]:
    """Sources that pages of the draft cite, and that are gone live."""
    with layers.laid(conn, draft, reading=True):
        cited = select(draft_page_sources.c.source_id, draft_page_sources.c.page_id).where(
            draft_page_sources.c.changeset == draft.id,
            ~select(sources.c.id).where(sources.c.id == draft_page_sources.c.source_id).exists(),
        )
        rows = conn.execute(cited.order_by(draft_page_sources.c.source_id)).all()
    for source_id, page_id in rows:
        yield Conflict(
            entity=Entity.SOURCE,
            identifier=str(source_id),
            key=page_id,
            why=Why.SOURCE_REMOVED,
            base_revision=None,
            live_revision=None,
            draft_revision=None,
            changed_by=None,
            changed_at=None,
        )


def _of_paths(conn: Connection, draft: Draft, standings: Sequence[Standing]) -> Iterator[Conflict]:
    """Paths that the draft leads to sources which are gone live."""
    paths = [one for one in standings if one.staged.entity is Entity.PATH]
    led = {
        one.key: {row["source_id"] for row in staged_paths.added(conn, draft.id, one.staged)}
        for one in paths
    }
    with layers.laid(conn, draft, reading=True):
        lost = [one for one in paths if led[one.key] - known(conn, led[one.key])]
    yield from (_conflict(one, Why.SOURCE_REMOVED) for one in lost)


def _sources_in_use(
    conn: Connection, draft: Draft, standings: Sequence[Standing]
) -> Iterator[Conflict]:
    """Sources that the draft removes, and that live was given a use for since."""
    going = [
        one
        for one in standings
        if one.staged.entity is Entity.SOURCE
        and one.drafted.digest is None
        and one.live.digest is not None
    ]
    if not going:
        return
    with layers.laid(conn, draft, reading=True):
        used = [(one, by) for one in going if (by := _use(conn, int(one.key))) is not None]
    for one, by in used:
        conflict = _conflict(one, Why.SOURCE_IN_USE)
        yield replace(conflict, changed_by=by.author, changed_at=by.at)


def _use(conn: Connection, source_id: int) -> Base | None:
    """Who cites a source, holds its job or leads a path to it, when anybody does."""
    cites = select(page_sources.c.page_id).where(page_sources.c.source_id == source_id)
    page_id = conn.execute(cites.order_by(page_sources.c.page_id).limit(1)).scalar_one_or_none()
    if page_id is not None:
        return entities.base(conn, Entity.PAGE, page_id)
    job = jobs.look(conn, source_id)
    if job is not None and job.claimed and not job.expired(clock.now()):
        return Base(author=job.agent, at=job.updated_at)
    holds = select(source_paths.c.tracked_path).where(source_paths.c.source_id == source_id)
    path = conn.execute(holds.limit(1)).scalar_one_or_none()
    return None if path is None else entities.base(conn, Entity.PATH, path)


def _checks_alone(
    conn: Connection, draft: Draft, standings: Sequence[Standing]
) -> Iterator[Conflict]:
    """Checks of the draft whose page is gone live."""
    adding = {
        one.key: one
        for one in standings
        if one.staged.entity is Entity.CHECK and one.drafted.digest is not None
    }
    if not adding:
        return
    with layers.laid(conn, draft, reading=True):
        page = select(pages.c.id).where(pages.c.id == draft_checks.c.page_id)
        alone = select(draft_checks.c.id).where(
            draft_checks.c.changeset == draft.id, ~page.exists()
        )
        ids = conn.execute(alone.order_by(draft_checks.c.id)).scalars().all()
    yield from (_conflict(adding[check_id], Why.PAGE_REMOVED) for check_id in ids)


def _key(one: Staged) -> int | str:
    return one.key if one.number is None else one.number


def _names(conn: Connection, found: Sequence[Staged]) -> dict[int, str]:
    """The slugs of staged pages, as this connection sees them."""
    by_id = {
        one.number: one.id for one in found if one.entity is Entity.PAGE and one.number is not None
    }
    named: dict[int, str] = {}
    numbers = list(by_id)
    for start in range(0, len(numbers), 500):
        some = numbers[start : start + 500]
        for page_id, slug in conn.execute(
            select(pages.c.id, pages.c.slug).where(pages.c.id.in_(some))
        ):
            named[by_id[page_id]] = slug
    return named
