"""Writing a page: put, patch, restore and confirm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lwc.domain.citation import CitationState
from lwc.domain.edits import Edit, apply_edits, parse_edits
from lwc.domain.graph import GraphState
from lwc.domain.lint import Finding, Place, citation_codes, rule
from lwc.domain.page import DEFAULT_KIND
from lwc.domain.page_image import PageImage
from lwc.domain.page_notes import NoteCode
from lwc.domain.slug import parse_slug
from lwc.errors import NOT_CITED_BY_PAGE
from lwc.services.page_change import standing, write
from lwc.services.page_composing import Desk, Proposal, compose, read
from lwc.services.page_named import check_revision, named_page
from lwc.services.pages import Subject, subject_of
from lwc.store import (
    citations,
    page_images,
    page_notes,
    pages,
    revisions,
    settings,
    sources,
    texts,
)
from lwc.store.database import Connection
from lwc.store.pages import Page, PageSummary
from lwc.store.revisions import Deed
from lwc.wiki import Call, Change, Changed, Wiki, replayable

# What a finding about a quote says of it.
_OF_A_QUOTE = ("label", "quote", "found", "score", "start", "end", "places")


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePut(Changed):
    """A page was written; `changed` is false when it was the same already.

    `citations` tells of each quote whether it is in its source; `findings` are what lint will say
    of this page's quotes and footnotes, and of a page that is called nearly the same.
    """

    page: PageSummary
    created: bool
    changed: bool
    citations: tuple[CitationState, ...]
    findings: tuple[Finding, ...]
    graph: GraphState = field(default_factory=GraphState)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageConfirmed(Changed):
    """Somebody looked at a page again for a source it cites, and stands by it."""

    page: PageSummary
    source_id: int


@replayable(PagePut)
def put(
    wiki: Wiki,
    call: Call,
    *,
    slug: str,
    title: str,
    body: str,
    kind: str = DEFAULT_KIND,
    summary: str = "",
    source_ids: tuple[int, ...] = (),
    provenance: tuple[str, ...] = (),
    if_revision: int | None = None,
) -> PagePut:
    """Write a page whole: what is not said again is gone. The same page again changes nothing.

    With `if_revision` only when the page is still at that revision; 0 says that there is none.
    """
    proposal = Proposal(
        slug=slug,
        title=title,
        body=body,
        kind=kind,
        summary=summary,
        source_ids=source_ids,
        provenance=provenance,
    )
    given = read(proposal)
    with wiki.reading() as conn:
        image = compose(Desk(conn), given)
    with wiki.staging(call) as change:
        before = standing(change.conn, given, if_revision=if_revision)
        page, changed = write(change, image, before=before, deed=Deed.PUT)
        created = before is None
        return change.finish(_put_answer(change, page, created=created, changed=changed))


@replayable(PagePut)
def patch(
    wiki: Wiki, call: Call, *, slug: str, edits: str, if_revision: int | None = None
) -> PagePut:
    """Replace passages of a page's text; each old text must stand in it exactly once.

    `edits` is a JSON list of {old, new}. All else stays, but sources that were cited only in
    footnotes go with the last of these.
    """
    slug = parse_slug(slug)
    wanted = parse_edits(edits)
    with wiki.reading() as conn:
        seen = named_page(conn, slug)
        check_revision(seen, slug=slug, expected=if_revision)
        image = _patched(conn, seen, wanted)
    with wiki.staging(call) as change:
        before = named_page(change.conn, slug)
        check_revision(before, slug=slug, expected=if_revision)
        if before.revision != seen.revision:
            image = _patched(change.conn, before, wanted)
        page, changed = write(change, image, before=before, deed=Deed.PATCH)
        return change.finish(_put_answer(change, page, created=False, changed=changed))


@replayable(PagePut)
def restore(
    wiki: Wiki, call: Call, *, slug: str, revision: int, if_revision: int | None = None
) -> PagePut:
    """Make an earlier revision the newest, under the name the page has now.

    A page that was removed comes back. Refused when a source it cited is gone.
    """
    slug = parse_slug(slug)
    with wiki.reading() as conn:
        subject = _restorable(conn, slug)
        check_revision(subject.page, slug=slug, expected=if_revision, conn=conn)
        image = _restored(conn, subject, revision)
    with wiki.staging(call) as change:
        now = _restorable(change.conn, slug)
        check_revision(now.page, slug=slug, expected=if_revision, conn=change.conn)
        if now != subject:
            image = _restored(change.conn, now, revision)
        page, changed = write(change, image, before=now.page, deed=Deed.RESTORE)
        created = now.page is None
        return change.finish(_put_answer(change, page, created=created, changed=changed))


@replayable(PageConfirmed)
def confirm(
    wiki: Wiki, call: Call, *, slug: str, source_id: int, if_revision: int | None = None
) -> PageConfirmed:
    """Say that a page was read again against a source it cites and still holds.

    The page stays as it is; the job of the source counts it as touched.
    """
    slug = parse_slug(slug)
    with wiki.staging(call) as change:
        page = named_page(change.conn, slug)
        check_revision(page, slug=slug, expected=if_revision)
        sources.find(change.conn, source_id)
        if source_id not in pages.sources_of(change.conn, (page.id,))[page.id]:
            raise NOT_CITED_BY_PAGE(slug=page.slug, source=source_id)
        operation = change.record(
            "page_confirm", page.slug, source_id=source_id, page_revision=page.revision
        )
        page_images.touch(change.conn, page.id, source_id, operation_id=operation)
        (summary,) = pages.summaries(change.conn, (page.id,))
        return change.finish(
            PageConfirmed(**wiki.label(), revision=operation, page=summary, source_id=source_id)
        )


def _put_answer(change: Change, page: Page, *, created: bool, changed: bool) -> PagePut:
    (summary,) = pages.summaries(change.conn, (page.id,))
    cited = citations.of_page(change.conn, page.id)
    return PagePut(
        **change.wiki.label(),
        revision=change.revision,
        page=summary,
        created=created,
        changed=changed,
        citations=cited,
        findings=tuple(_findings(change.conn, page, cited)),
    )


def _findings(conn: Connection, page: Page, cited: tuple[CitationState, ...]) -> Iterator[Finding]:
    """What lint says of a page's own text, without asking for what it says of the whole wiki."""
    policy = settings.load(conn).word("citations")
    for citation in cited:
        names = _OF_A_QUOTE if citation.quote is not None else ("label",)
        facts = {name: getattr(citation, name) for name in names}
        place = Place(
            page=page.slug, target=str(citation.source_id), line=citation.line, facts=facts
        )
        for code in citation_codes(citation):
            yield rule(code).finding(place, citations_policy=policy)
    for note in page_notes.of_page(conn, page.id):
        if note.code is not NoteCode.CLAIM_UNCITED:
            place = Place(page=page.slug, target=note.target, line=note.line)
            yield rule(note.code).finding(place, citations_policy=policy)


def _patched(conn: Connection, page: Page, edits: tuple[Edit, ...]) -> PageImage:
    proposal = Proposal(
        slug=page.slug,
        title=page.title,
        body=apply_edits(pages.body(conn, page), edits, slug=page.slug),
        kind=page.kind,
        summary=page.summary,
        source_ids=pages.named_sources_of(conn, page.id),
        provenance=pages.given_provenance_of(conn, (page.id,))[page.id],
    )
    return compose(Desk(conn), read(proposal))


def _restorable(conn: Connection, slug: str) -> Subject:
    subject = subject_of(conn, slug)
    if subject.page is not None:
        named_page(conn, slug)
    return subject


def _restored(conn: Connection, subject: Subject, number: int) -> PageImage:
    then = revisions.at(conn, subject.page_id, number, slug=subject.slug)
    proposal = Proposal(
        slug=subject.slug,
        title=then.title,
        body=texts.whole(conn, then.body_digest),
        kind=then.kind,
        summary=then.summary,
        source_ids=then.named_ids,
        provenance=then.provenance,
    )
    return compose(Desk(conn), read(proposal))
