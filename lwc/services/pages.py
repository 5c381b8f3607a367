"""Reading pages: one of them, lists of them, their links, their revisions and what changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from lwc.domain.citation import CitationState
from lwc.domain.difference import Difference, difference
from lwc.domain.listing import check_part
from lwc.domain.moment import parse_moment
from lwc.domain.page import shown_provenance
from lwc.domain.sides import FieldChange, changed_fields
from lwc.domain.slug import collision_key, parse_slug
from lwc.errors import LIMIT_OUT_OF_RANGE, PAGE_NOT_FOUND
from lwc.store import aliases, checks, citations, links, pages, revisions, texts
from lwc.store.checks import CheckState
from lwc.store.database import Connection
from lwc.store.pages import CitedSource, Filter, Page, PageSummary
from lwc.store.revisions import Revision
from lwc.wiki import Answer, Wiki

DIFF_CHARS = 20_000
DIFF_CHARS_MOST = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFull:
    """A page with its text, now or at one revision.

    `links` are none of a revision that is not the newest: they were not kept.
    """

    slug: str
    title: str
    kind: str
    summary: str
    source_ids: tuple[int, ...]
    provenance: tuple[str, ...]
    links: tuple[str, ...] | None
    aliases: tuple[str, ...]
    revision: int
    author: str
    created_at: datetime
    updated_at: datetime
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageShown(Answer):
    """A page, how each of its quotes stands, the sources it cites, and its retrieval checks.

    `citations` and `checks` are none of a revision that is not the newest.
    """

    page: PageFull
    citations: tuple[CitationState, ...] | None
    sources: tuple[CitedSource, ...]
    checks: tuple[CheckState, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageList(Answer):
    """Pages by slug."""

    pages: tuple[PageSummary, ...]
    total: int
    limit: int
    offset: int
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkPlace:
    """A link as written, its line, and the page it leads to; none when there is no such page."""

    target: str
    line: int
    slug: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLinks(Answer):
    """The links of a page: where it leads, who leads here, and what leads nowhere.

    Limit and offset hold for each of the lists; `totals` counts them whole.
    """

    slug: str
    outgoing: tuple[str, ...]
    backlinks: tuple[str, ...]
    missing: tuple[str, ...]
    places: tuple[LinkPlace, ...]
    totals: Mapping[str, int]
    limit: int
    offset: int
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionEntry:
    """A revision as a history lists it."""

    revision: int
    action: str
    slug: str
    title: str
    kind: str
    source_ids: tuple[int, ...]
    author: str
    operation_id: int
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHistory(Answer):
    """The revisions of a page, newest first; `removed` when the page is gone."""

    slug: str
    removed: bool
    revisions: tuple[RevisionEntry, ...]
    total: int
    limit: int
    offset: int
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDiff(Answer):
    """What changed between two revisions; revision 0 is the page before it was there.

    `diff` is a unified diff of the bodies, cut at a line when it is longer than `max_chars`.
    """

    slug: str
    from_revision: int
    to_revision: int
    changes: tuple[FieldChange, ...]
    diff: str
    added: int
    removed: int
    total_chars: int
    max_chars: int
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a name stands for in the history: a page, or one that was removed."""

    page_id: int
    slug: str
    page: Page | None


def show(wiki: Wiki, *, slug: str, revision: int | None = None) -> PageShown:
    """A page with its text and citations, as it is or as it was at one revision."""
    slug = parse_slug(slug)
    with wiki.reading() as conn:
        if revision is None:
            return _shown_now(wiki, conn, pages.find(conn, slug))
        subject = subject_of(conn, slug)
        if subject.page is not None and subject.page.revision == revision:
            return _shown_now(wiki, conn, subject.page)
        chosen = revisions.at(conn, subject.page_id, revision, slug=subject.slug)
        return _shown_then(wiki, conn, subject, chosen)


def list_(
    wiki: Wiki,
    *,
    kind: str | None = None,
    source_id: int | None = None,
    updated_since: str | None = None,
    limit: int = 100,
    offset: int = 0,
) -> PageList:
    """Pages by slug: all, those of a kind, those that cite a source, those written lately."""
    check_part(limit=limit, offset=offset)
    chosen = Filter(
        kind=None if kind is None else kind.strip().lower(),
        source_id=source_id,
        updated_since=None if updated_since is None else parse_moment(updated_since),
    )
    with wiki.reading() as conn:
        total = pages.count(conn, chosen)
        found = pages.listed(conn, chosen, limit=limit, offset=offset)
    return PageList(
        **wiki.label(),
        pages=found,
        total=total,
        limit=limit,
        offset=offset,
        has_more=offset + len(found) < total,
    )


def links_of(wiki: Wiki, *, slug: str, limit: int = 1000, offset: int = 0) -> PageLinks:
    """Where a page leads, which pages lead to it, and which of its links lead nowhere."""
    check_part(limit=limit, offset=offset)
    slug = parse_slug(slug)
    with wiki.reading() as conn:
        page = pages.find(conn, slug)
        written = links.of_page(conn, page.id)
        keys = (page.key, *aliases.keys_of_page(conn, page.id))
        backlinks = tuple(linking.slug for linking in links.leading_to(conn, keys))
    outgoing = tuple(dict.fromkeys(link.slug or link.target for link in written))
    missing = tuple(link.target for link in written if link.slug is None)
    lists = {"outgoing": outgoing, "backlinks": backlinks, "missing": missing}
    window = slice(offset, offset + limit)
    return PageLinks(
        **wiki.label(),
        slug=page.slug,
        outgoing=outgoing[window],
        backlinks=backlinks[window],
        missing=missing[window],
        places=tuple(
            LinkPlace(target=link.target, line=link.line, slug=link.slug)
            for link in written[window]
        ),
        totals={name: len(listed) for name, listed in lists.items()},
        limit=limit,
        offset=offset,
        has_more=any(offset + limit < len(listed) for listed in (*lists.values(), written)),
    )


def history(wiki: Wiki, *, slug: str, limit: int = 100, offset: int = 0) -> PageHistory:
    """The revisions of a page, newest first, also of one that was removed."""
    check_part(limit=limit, offset=offset)
    slug = parse_slug(slug)
    with wiki.reading() as conn:
        subject = subject_of(conn, slug)
        total = revisions.count(conn, subject.page_id)
        found = revisions.of_page(conn, subject.page_id, limit=limit, offset=offset)
    return PageHistory(
        **wiki.label(),
        slug=subject.slug,
        removed=subject.page is None,
        revisions=tuple(_entry(revision) for revision in found),
        total=total,
        limit=limit,
        offset=offset,
        has_more=offset + len(found) < total,
    )


def diff(
    wiki: Wiki,
    *,
    slug: str,
    from_revision: int | None = None,
    to_revision: int | None = None,
    max_chars: int = DIFF_CHARS,
) -> PageDiff:
    """What changed between two revisions of a page: the newest and the one before, if not said."""
    if not 1 <= max_chars <= DIFF_CHARS_MOST:
        raise LIMIT_OUT_OF_RANGE(option="--max-chars", least=1, most=DIFF_CHARS_MOST)
    slug = parse_slug(slug)
    with wiki.reading() as conn:
        subject = subject_of(conn, slug)
        to = _revision(conn, subject, to_revision)
        before = _before(conn, subject, to, from_revision)
        was = "" if before is None else texts.whole(conn, before.body_digest)
        now = texts.whole(conn, to.body_digest)
    number = 0 if before is None else before.revision
    names = (f"{subject.slug} revision {number}", f"{subject.slug} revision {to.revision}")
    made: Difference = difference(was, now, names=names, most_chars=max_chars)
    return PageDiff(
        **wiki.label(),
        slug=subject.slug,
        from_revision=number,
        to_revision=to.revision,
        changes=changed_fields(before, to),
        diff=made.text,
        added=made.added,
        removed=made.removed,
        total_chars=made.total_chars,
        max_chars=max_chars,
        has_more=made.has_more,
    )


def subject_of(conn: Connection, slug: str) -> Subject:
    """The page of a name, or the last removed one that bore it; `page_not_found` otherwise."""
    key = collision_key(slug)
    page = pages.at(conn, key)
    if page is not None:
        return Subject(page_id=page.id, slug=page.slug, page=page)
    gone = revisions.removed_under(conn, key)
    if gone is None:
        raise PAGE_NOT_FOUND(slug=slug)
    return Subject(page_id=gone.page_id, slug=gone.slug, page=None)


def _shown_now(wiki: Wiki, conn: Connection, page: Page) -> PageShown:
    (summary,) = pages.summaries(conn, (page.id,))
    return PageShown(
        **wiki.label(),
        page=PageFull(
            slug=page.slug,
            title=page.title,
            kind=page.kind,
            summary=page.summary,
            source_ids=summary.source_ids,
            provenance=summary.provenance,
            links=summary.links,
            aliases=aliases.of_page(conn, page.id),
            revision=page.revision,
            author=page.author,
            created_at=page.created_at,
            updated_at=page.updated_at,
            body=pages.body(conn, page),
        ),
        citations=citations.of_page(conn, page.id),
        sources=pages.cited_sources(conn, summary.source_ids),
        checks=checks.of_page(conn, page.id),
    )


def _shown_then(wiki: Wiki, conn: Connection, subject: Subject, chosen: Revision) -> PageShown:
    return PageShown(
        **wiki.label(),
        page=PageFull(
            slug=chosen.slug,
            title=chosen.title,
            kind=chosen.kind,
            summary=chosen.summary,
            source_ids=chosen.source_ids,
            provenance=shown_provenance(cites=bool(chosen.source_ids), explicit=chosen.provenance),
            links=None,
            aliases=aliases.of_page(conn, subject.page_id),
            revision=chosen.revision,
            author=chosen.author,
            created_at=revisions.begun_at(conn, subject.page_id),
            updated_at=chosen.created_at,
            body=texts.whole(conn, chosen.body_digest),
        ),
        citations=None,
        sources=pages.cited_sources(conn, chosen.source_ids),
        checks=None,
    )


def _entry(revision: Revision) -> RevisionEntry:
    return RevisionEntry(
        revision=revision.revision,
        action=revision.deed.value,
        slug=revision.slug,
        title=revision.title,
        kind=revision.kind,
        source_ids=revision.source_ids,
        author=revision.author,
        operation_id=revision.operation_id,
        created_at=revision.created_at,
    )


def _revision(conn: Connection, subject: Subject, number: int | None) -> Revision:
    """The revision asked for; the newest when none is."""
    if number is None:
        return revisions.of_page(conn, subject.page_id, limit=1)[0]
    return revisions.at(conn, subject.page_id, number, slug=subject.slug)


def _before(
    conn: Connection, subject: Subject, to: Revision, number: int | None
) -> Revision | None:
    """The revision to compare with; none stands for the page before it was there."""
    if number is None:
        return revisions.before(conn, subject.page_id, to.revision)
    return None if number == 0 else _revision(conn, subject, number)
