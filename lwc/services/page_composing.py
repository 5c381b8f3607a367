"""From what a caller gives to a page as it will be kept: read, checked, its quotes located."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from lwc.domain.citation import CitationMark, CitationState, citation_marks
from lwc.domain.keepable import kept_bytes
from lwc.domain.likeness import alike
from lwc.domain.markdown import read_page
from lwc.domain.page import (
    LARGEST_BODY,
    clean_summary,
    clean_title,
    known_kinds,
    parse_kind,
    parse_provenance,
)
from lwc.domain.page_image import PageImage
from lwc.domain.page_notes import Note, NoteCode, notes_of
from lwc.domain.pagetext import PageText
from lwc.domain.quote import SourceText, judge
from lwc.domain.slug import collision_key, parse_slug
from lwc.domain.terms import query_terms
from lwc.errors import EMPTY_BODY, INPUT_TOO_LARGE, SOURCE_NOT_FOUND
from lwc.store import charter, citations, namesakes, page_notes, pages, sources, texts
from lwc.store.database import Connection
from lwc.store.pages import Page

# Sources that are kept ready for locating the quotes of many pages, in characters.
KEPT_CHARS = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A page as a caller gives it."""

    slug: str
    title: str
    body: str
    kind: str
    summary: str = ""
    source_ids: tuple[int, ...] = ()
    provenance: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A proposal whose own parts are in order, and what its text holds; no wiki was asked yet."""

    slug: str
    key: str
    title: str
    body: str
    kind: str
    summary: str
    named_ids: tuple[int, ...]
    provenance: tuple[str, ...]
    text: PageText
    marks: tuple[CitationMark, ...]


class Desk:
    """What composing pages asks of the wiki, kept at hand for many pages."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn
        self._texts: dict[int, SourceText] = {}
        self._chars = 0

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that pages of this wiki may have."""
        schema = charter.newest(self.conn, "schema")
        return known_kinds("" if schema is None else schema.text)

    def source_text(self, source_id: int) -> SourceText:
        """The text of a source, ready for locating quotes; the last ones are kept so."""
        if source_id not in self._texts:
            text = texts.whole(self.conn, sources.find(self.conn, source_id).digest)
            if self._chars + len(text) > KEPT_CHARS:
                self._texts.clear()
                self._chars = 0
            self._texts[source_id] = SourceText(text)
            self._chars += len(text)
        return self._texts[source_id]


def read(proposal: Proposal) -> Read:
    """Check and parse what can be without a wiki; belongs before any transaction."""
    slug = parse_slug(proposal.slug)
    title, summary = clean_title(proposal.title), clean_summary(proposal.summary)
    provenance = parse_provenance(proposal.provenance)
    if not proposal.body.strip():
        raise EMPTY_BODY()
    if kept_bytes(proposal.body, field="The page body") > LARGEST_BODY:
        raise INPUT_TOO_LARGE(what="The page body", most=LARGEST_BODY)
    text = read_page(proposal.body)
    return Read(
        slug=slug,
        key=collision_key(slug),
        title=title,
        body=proposal.body,
        kind=proposal.kind,
        summary=summary,
        named_ids=tuple(sorted(set(proposal.source_ids))),
        provenance=provenance,
        text=text,
        marks=citation_marks(text),
    )


def compose(desk: Desk, given: Read) -> PageImage:
    """The image of a page: its kind and sources are known, its quotes located or found missing."""
    conn = desk.conn
    before = pages.at(conn, given.key)
    # A kind that was taken out of the schema stays with the pages that have it.
    kept = () if before is None or before.kind in desk.kinds else (before.kind,)
    kind = parse_kind(given.kind, (*desk.kinds, *kept))
    check_sources(conn, {*given.named_ids, *(mark.source_id for mark in given.marks)})
    return image(
        given.slug,
        given,
        kind=kind,
        judged=judge(given.marks, desk.source_text),
        alike=_alike(conn, given, before=before),
    )


def recompose(conn: Connection, page: Page, *, slug: str, body: str) -> PageImage:
    """The image of a page under a name and with a body in which only links were rewritten.

    Its quotes are what they were, and so is what else was said of it.
    """
    text = read_page(body)
    given = Read(
        slug=slug,
        key=collision_key(slug),
        title=page.title,
        body=body,
        kind=page.kind,
        summary=page.summary,
        named_ids=pages.named_sources_of(conn, page.id),
        provenance=pages.given_provenance_of(conn, (page.id,))[page.id],
        text=text,
        marks=citation_marks(text),
    )
    return image(
        slug,
        given,
        kind=page.kind,
        judged=citations.of_page(conn, page.id),
        alike=_noted_alike(conn, page),
    )


def image(
    slug: str,
    given: Read,
    *,
    kind: str,
    judged: tuple[CitationState, ...],
    alike: tuple[Note, ...],
) -> PageImage:
    """All of it together."""
    return PageImage(
        slug=slug,
        key=given.key,
        title=given.title,
        kind=kind,
        summary=given.summary,
        body=given.body,
        provenance=given.provenance,
        named_ids=given.named_ids,
        links=given.text.links,
        citations=judged,
        notes=(*notes_of(given.text, given.marks), *alike),
        structural=given.text.structural,
    )


def check_sources(conn: Connection, wanted: Iterable[int]) -> None:
    """Refuse sources that are not there."""
    ids = set(wanted)
    if not ids:
        return
    missing = sorted(ids - sources.known(conn, ids))
    if missing:
        raise SOURCE_NOT_FOUND(source=missing[0], details={"missing": missing})


def _alike(conn: Connection, given: Read, *, before: Page | None) -> tuple[Note, ...]:
    """Pages that are called nearly the same; looked for when the name is new or has changed."""
    if before is not None and before.title == given.title:
        return _noted_alike(conn, before)
    terms = query_terms(f"{given.title} {given.slug}").terms
    found = namesakes.near(conn, key=given.key, terms=terms)
    if before is not None:
        found.pop(before.id, None)
    return tuple(
        Note(code=NoteCode.POSSIBLE_DUPLICATE, line=1, target=slug)
        for slug in alike(given.slug, given.title, found.values())
    )


def _noted_alike(conn: Connection, page: Page) -> tuple[Note, ...]:
    return tuple(
        note
        for note in page_notes.of_page(conn, page.id)
        if note.code is NoteCode.POSSIBLE_DUPLICATE
    )
