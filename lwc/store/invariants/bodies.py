"""Whether pages are what their digests say, and whether what is kept of their texts is still so.

Links, citations and notes are made from a page's text when it is written. Here they are made again
and compared; `remake` writes them anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, Row, Table, delete, exists, func, not_, select, update

from lwc.domain.changeset import Status
from lwc.domain.citation import CitationMark, CitationState, citation_marks
from lwc.domain.doctor import Flaw
from lwc.domain.markdown import read_page
from lwc.domain.page import content_digest
from lwc.domain.page_notes import Note, NoteCode, notes_of
from lwc.domain.pagetext import Link, PageText
from lwc.domain.quote import SourceText, judge
from lwc.domain.slug import collision_key
from lwc.errors import LwcError
from lwc.store import cells, citations, drafts, layers, links, page_notes, sources, texts
from lwc.store.layers import Draft
from lwc.store.tables import citations as citation_rows
from lwc.store.tables import links as link_rows
from lwc.store.tables import page_notes as note_rows
from lwc.store.tables import page_provenance, page_revisions, page_sources
from lwc.store.tables import pages as page_rows
from lwc.store.tables.drafts import changesets, draft_page_revisions, draft_pages

TOGETHER = 100
# Sources kept ready for locating the quotes of many pages, in characters.
KEPT_CHARS = 16 * 1024 * 1024


class Reader:
    """Texts read for the checker; what is damaged is none, for that is told of the text itself."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn
        self._sources: dict[int, SourceText] = {}
        self._chars = 0
        self._last: tuple[str, str, PageText] | None = None

    def page(self, digest: str) -> tuple[str, PageText] | None:
        """A body and what it holds; the last one is kept, for revisions often share it."""
        if self._last is None or self._last[0] != digest:
            try:
                body = texts.whole(self.conn, digest)
            except LwcError:
                return None
            self._last = digest, body, read_page(body)
        return self._last[1:]

    def source(self, source_id: int) -> SourceText:
        """A source ready for locating quotes; the last ones are kept so."""
        if source_id not in self._sources:
            text = texts.whole(self.conn, sources.find(self.conn, source_id).digest)
            if self._chars + len(text) > KEPT_CHARS:
                self._sources.clear()
                self._chars = 0
            self._sources[source_id] = SourceText(text)
            self._chars += len(text)
        return self._sources[source_id]

    def judged(self, marks: Sequence[CitationMark]) -> tuple[CitationState, ...] | None:
        """Each quote as it stands in its source now; none where a source cannot be read."""
        try:
            return judge(tuple(marks), self.source)
        except LwcError:
            return None


def contents(conn: Connection) -> Iterator[Flaw]:
    """Pages and all their revisions, also of pages that are gone, live and in every draft."""
    reader = Reader(conn)
    yield from _pages(reader, [*_live(conn), *_gone(conn)])
    for draft in open_drafts(conn):
        staged = select(draft_pages.c.id).where(draft_pages.c.changeset == draft.id)
        with layers.laid(conn, draft, reading=True):
            yield from _pages(Reader(conn), list(conn.execute(staged).scalars()), draft=draft)


def _live(conn: Connection) -> list[int]:
    """The pages, those of one source together, so that the source is made ready once."""
    nearest = select(func.min(page_sources.c.source_id)).where(
        page_sources.c.page_id == page_rows.c.id
    )
    wanted = select(page_rows.c.id).order_by(nearest.scalar_subquery(), page_rows.c.id)
    return list(conn.execute(wanted).scalars())


def _gone(conn: Connection) -> list[int]:
    """The pages that are there no more."""
    there = exists().where(page_rows.c.id == page_revisions.c.page_id)
    return list(
        conn.execute(select(page_revisions.c.page_id).where(not_(there)).distinct()).scalars()
    )


def open_drafts(conn: Connection) -> list[Draft]:
    """The drafts that have not ended."""
    wanted = select(changesets).where(changesets.c.status == Status.DRAFT).order_by(changesets.c.id)
    found = [drafts.as_changeset(row) for row in conn.execute(wanted)]
    return [drafts.draft_of(conn, changeset) for changeset in found]


def _pages(reader: Reader, ids: list[int], *, draft: Draft | None = None) -> Iterator[Flaw]:
    named = {} if draft is None else {"changeset": draft.name}
    for start in range(0, len(ids), TOGETHER):
        some = ids[start : start + TOGETHER]
        rows = reader.conn.execute(select(page_rows).where(page_rows.c.id.in_(some)))
        found = {row.id: row for row in rows}
        kept = _kept(reader.conn, some)
        histories = _histories(reader.conn, some, draft)
        for page_id in some:
            if page_id in found:
                for code, facts in _page(reader, found[page_id], kept[page_id]):
                    key = found[page_id].slug
                    yield Flaw(code=code, entity="page", key=key, facts={**facts, **named})
            for revision in histories[page_id]:
                if not _is_kept(reader, revision):
                    yield Flaw(
                        code="content_digest_mismatch",
                        entity="page_revision" if draft is None else "draft_page_revision",
                        key=f"{revision.slug}@{revision.revision}",
                        facts=named,
                    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What is kept of a page beside its row; of the sources whether they are named."""

    cited: dict[int, bool] = field(default_factory=dict)
    given: list[str] = field(default_factory=list)
    links: dict[str, tuple[str, int]] = field(default_factory=dict)
    citations: list[CitationState] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


def _kept(conn: Connection, ids: Sequence[int]) -> dict[int, Kept]:
    found = {page_id: Kept() for page_id in ids}
    for row in _hanging(conn, page_sources, ids):
        found[row.page_id].cited[row.source_id] = bool(row.named)
    for row in _hanging(conn, page_provenance, ids):
        found[row.page_id].given.append(row.provenance)
    for row in _hanging(conn, link_rows, ids):
        found[row.page_id].links[row.key] = (row.target, row.line)
    for row in _hanging(conn, citation_rows, ids):
        found[row.page_id].citations.append(citations.as_citation(row))
    for row in _hanging(conn, note_rows, ids):
        found[row.page_id].notes.append(page_notes.as_note(row))
    return found


def _hanging(conn: Connection, table: Table, ids: Sequence[int]) -> Iterator[Row[Any]]:
    """The rows that hang on these pages, each page's in their order."""
    rows = select(table).where(table.c.page_id.in_(ids)).order_by(*table.primary_key.columns)
    return iter(conn.execute(rows))


def _page(reader: Reader, row: Row[Any], kept: Kept) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is wrong with a page, by code."""
    read = reader.page(row.body_digest)
    if read is None:
        return
    body, text = read
    named = [source_id for source_id, is_named in kept.cited.items() if is_named]
    digest = _digest(row, body, text, given=kept.given, ids=kept.cited, named=named)
    if row.content_digest != digest:
        yield "content_digest_mismatch", {}
    marks = _marks(text)
    in_text = {mark.source_id for mark in marks}
    if set(kept.cited) != in_text | set(named):
        yield "page_sources_differ", {"cited": sorted(in_text), "kept": sorted(kept.cited)}
    if kept.links != _first_of_a_name(text.links):
        yield "page_links_stale", {}
    judged = reader.judged(marks)
    if judged is not None and kept.citations != list(map(_as_kept, judged)):
        yield "page_citations_stale", {"what": _difference(kept.citations, judged)}
    notes = [*notes_of(text, marks), *_alike(kept.notes)]
    if kept.notes != notes or bool(row.structural) != text.structural:
        yield "page_notes_stale", {}


def _digest(
    row: Row[Any],
    body: str,
    text: PageText,
    *,
    given: Sequence[str],
    ids: Any,
    named: Sequence[int],
) -> str:
    try:
        return content_digest(
            title=row.title,
            kind=row.kind,
            summary=row.summary,
            body=body,
            provenance=given,
            source_ids=ids,
            named_ids=named,
            links=(link.target for link in text.links),
        )
    except (LwcError, TypeError):
        # A provenance that is none, or lists that are none: no content has such a digest.
        return ""


def _marks(text: PageText) -> tuple[CitationMark, ...]:
    try:
        return citation_marks(text)
    except LwcError:
        return ()


def _first_of_a_name(written: Sequence[Link]) -> dict[str, tuple[str, int]]:
    found: dict[str, tuple[str, int]] = {}
    for link in written:
        found.setdefault(collision_key(link.target), (link.target, link.line))
    return found


def _as_kept(judged: CitationState) -> CitationState:
    """A citation as the database gives it back."""
    return replace(judged, score=None if judged.score is None else round(judged.score))


def _difference(told: Sequence[CitationState], judged: Sequence[CitationState]) -> str:
    if [one.label for one in told] != [one.label for one in judged]:
        return "there are others"
    for before, now in zip(told, judged, strict=True):
        if before != _as_kept(now):
            if before.state is not now.state:
                return f"footnote {now.label} is {now.state}, not {before.state}"
            return f"footnote {now.label} stands elsewhere"
    return "they stand in another order"


def _alike(notes: Sequence[Note]) -> tuple[Note, ...]:
    """What was noted of other pages when this one was named; its own text does not say it."""
    return tuple(note for note in notes if note.code is NoteCode.POSSIBLE_DUPLICATE)


def _histories(
    conn: Connection, ids: Sequence[int], draft: Draft | None
) -> defaultdict[int, list[Row[Any]]]:
    """The revisions of pages, the newest first: its body is mostly the one that was just read."""
    table = page_revisions if draft is None else draft_page_revisions
    wanted = select(table).where(table.c.page_id.in_(ids)).order_by(table.c.revision.desc())
    if draft is not None:
        wanted = wanted.where(draft_page_revisions.c.changeset == draft.id)
    found: defaultdict[int, list[Row[Any]]] = defaultdict(list)
    for row in conn.execute(wanted):
        found[row.page_id].append(row)
    return found


def _is_kept(reader: Reader, row: Row[Any]) -> bool:
    """Whether a revision is what it was; its body, when that is damaged, is told elsewhere."""
    read = reader.page(row.body_digest)
    if read is None:
        return True
    try:
        given, ids, named = map(cells.loaded, (row.provenance, row.source_ids, row.named_ids))
    except LwcError:
        return False
    body, text = read
    return bool(row.content_digest == _digest(row, body, text, given=given, ids=ids, named=named))


def remake(conn: Connection, page_id: int) -> bool:
    """Make anew what is kept of a page's text; answers whether it could be read."""
    row = conn.execute(select(page_rows).where(page_rows.c.id == page_id)).one_or_none()
    reader = Reader(conn)
    read = None if row is None else reader.page(row.body_digest)
    if row is None or read is None:
        return False
    _, text = read
    marks = _marks(text)
    judged = reader.judged(marks)
    if judged is None:
        return False
    notes = (*notes_of(text, marks), *_alike(page_notes.of_page(conn, page_id)))
    for hanging in (link_rows, citation_rows, note_rows):
        conn.execute(delete(hanging).where(hanging.c.page_id == page_id))
    links.add(conn, page_id, text.links)
    citations.add(conn, page_id, judged)
    page_notes.add(conn, page_id, notes)
    conn.execute(
        update(page_rows).where(page_rows.c.id == page_id).values(structural=int(text.structural))
    )
    return True
