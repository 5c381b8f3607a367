"""Writing the pages of a file in one change."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from lwc.domain.citation import QuoteState
from lwc.domain.page_image import PageImage
from lwc.domain.page_lines import PageLine, parse_page_lines
from lwc.domain.page_notes import NoteCode
from lwc.errors import INVALID_PAGES_FILE, LwcError
from lwc.services.page_change import standing, write
from lwc.services.page_composing import Desk, Proposal, Read, compose, read
from lwc.store.revisions import Deed
from lwc.wiki import Call, Change, Changed, Wiki, replayable

# An answer shows so many findings and counts them all.
FINDINGS_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class LinePut:
    """What became of one line of a file of pages."""

    line: int
    slug: str
    revision: int
    created: bool
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LineFinding:
    """A quote that does not stand in its source as written, or a page called nearly the same."""

    line: int
    slug: str
    code: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PagesPut(Changed):
    """The pages of a file were written, in its order."""

    pages: tuple[LinePut, ...]
    created: int
    changed: int
    unchanged: int
    findings: tuple[LineFinding, ...]
    findings_total: int


@replayable(PagesPut)
def put_many(wiki: Wiki, call: Call, *, text: str) -> PagesPut:
    """Write the pages of a JSON Lines file in one change: all of them, or none.

    A refusal says in its details which line it is about.
    """
    lines = parse_page_lines(text)
    given = [_read_line(line) for line in lines]
    _refuse_repeated(lines, given)
    with wiki.reading() as conn:
        desk = Desk(conn)
        images = [_composed_line(desk, line, one) for line, one in zip(lines, given, strict=True)]
    with wiki.staging(call) as change:
        written = [
            _put_line(change, line, one, image)
            for line, one, image in zip(lines, given, images, strict=True)
        ]
        findings = [
            finding
            for line, image in zip(lines, images, strict=True)
            for finding in _findings(line.line, image)
        ]
        return change.finish(
            PagesPut(
                **wiki.label(),
                revision=change.revision,
                pages=tuple(written),
                created=sum(one.created for one in written),
                changed=sum(one.changed for one in written),
                unchanged=sum(not one.changed for one in written),
                findings=tuple(findings[:FINDINGS_SHOWN]),
                findings_total=len(findings),
            )
        )


def _read_line(line: PageLine) -> Read:
    with _about(line):
        return read(
            Proposal(
                slug=line.slug,
                title=line.title,
                body=line.body,
                kind=line.kind,
                summary=line.summary,
                source_ids=line.sources,
                provenance=line.provenance,
            )
        )


def _refuse_repeated(lines: tuple[PageLine, ...], given: list[Read]) -> None:
    first: dict[str, int] = {}
    for line, one in zip(lines, given, strict=True):
        if one.key in first:
            what = f"the page {one.slug} stands on line {first[one.key]} already"
            raise INVALID_PAGES_FILE(line=line.line, what=what)
        first[one.key] = line.line


def _composed_line(desk: Desk, line: PageLine, given: Read) -> PageImage:
    with _about(line):
        return compose(desk, given)


def _put_line(change: Change, line: PageLine, given: Read, image: PageImage) -> LinePut:
    with _about(line):
        before = standing(change.conn, given, if_revision=line.if_revision)
        page, changed = write(change, image, before=before, deed=Deed.PUT)
    return LinePut(
        line=line.line,
        slug=page.slug,
        revision=page.revision,
        created=before is None,
        changed=changed,
    )


def _findings(line: int, image: PageImage) -> Iterator[LineFinding]:
    for citation in image.citations:
        if citation.state in (QuoteState.MISSING, QuoteState.NEAR):
            yield LineFinding(
                line=line,
                slug=image.slug,
                code=f"citation_{citation.state.value}",
                target=citation.label,
            )
    for note in image.notes:
        if note.code is NoteCode.POSSIBLE_DUPLICATE:
            yield LineFinding(line=line, slug=image.slug, code=note.code, target=note.target)


@contextmanager
def _about(line: PageLine) -> Iterator[None]:
    """Name the line in the details of whatever is refused."""
    try:
        yield
    except LwcError as error:
        error.details.setdefault("line", line.line)
        raise
