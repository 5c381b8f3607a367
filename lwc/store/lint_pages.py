"""What lint asks about pages: their names, links, footnotes and citations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, exists, func, not_, select, union_all

from lwc.domain.lint import Place
from lwc.domain.page_notes import NoteCode
from lwc.domain.slug import collision_key, confusable, skeleton
from lwc.store.lint_extent import (
    Extent,
    Places,
    Query,
    among,
    as_text,
    blank,
    equals,
    nothing,
    of_pages,
)
from lwc.store.tables import (
    aliases,
    citations,
    links,
    page_notes,
    page_provenance,
    page_sources,
    pages,
    sources,
)

MIXED = "mixes letters of alphabets that are drawn alike"


def unheard_of(conn: Connection, extent: Extent) -> set[str]:
    """Rules about notes and citations that nothing on these pages can break.

    Two small statements spare a packet, which is made by a process of its own, ten larger ones.
    """
    noted = among(extent, select(page_notes.c.code).join(pages, pages.c.id == page_notes.c.page_id))
    judged = among(
        extent,
        select(citations.c.state, citations.c.weak, citations.c.range_wrong).join(
            pages, pages.c.id == citations.c.page_id
        ),
    )
    heard = set(conn.execute(noted.distinct()).scalars())
    for row in conn.execute(judged.distinct()):
        heard.add(f"citation_{row.state}")
        heard |= {"citation_weak"} if row.weak else set()
        heard |= {"citation_range_wrong"} if row.range_wrong else set()
    return {*NoteCode, *CITATION_QUERIES} - heard


def _missing_summary(conn: Connection, extent: Extent) -> Places:
    return of_pages(extent, blank(pages.c.summary))


def _uncited_page(conn: Connection, extent: Extent) -> Places:
    return of_pages(
        extent,
        not_(exists().where(page_sources.c.page_id == pages.c.id)),
        not_(exists().where(page_provenance.c.page_id == pages.c.id)),
    )


def _orphan_page(conn: Connection, extent: Extent) -> Places:
    """Source pages are found through their source, and a table of contents is where one begins."""
    linked = exists().where(links.c.key == pages.c.key, links.c.page_id != pages.c.id)
    linked_before = exists().where(
        aliases.c.page_id == pages.c.id,
        links.c.key == aliases.c.key,
        links.c.page_id != pages.c.id,
    )
    wanted = of_pages(
        extent,
        pages.c.kind != "source",
        pages.c.structural == 0,
        not_(linked),
        not_(linked_before),
    )
    return wanted.add_columns(pages.c.title)


def _dangling_link(conn: Connection, extent: Extent) -> Places:
    named = pages.alias("named")
    wanted = (
        select(pages.c.slug.label("page"), links.c.target, links.c.line)
        .join(pages, pages.c.id == links.c.page_id)
        .where(
            not_(exists().where(named.c.key == links.c.key)),
            not_(exists().where(aliases.c.key == links.c.key)),
        )
    )
    return among(extent, wanted)


def _slug_confusable(conn: Connection, extent: Extent) -> Places:
    """Names that mix alphabets, and names that look like another page's.

    Only a name with letters beyond ASCII can be either. Of some pages each is compared with plain
    names, which an index finds; of the whole wiki also with each other.
    """
    rows = conn.execute(among(extent, select(pages.c.slug))).scalars()
    slugs = [slug for slug in rows if not slug.isascii()]
    alike = dict(_look_alikes(conn, slugs))
    mixed = (slug for slug in slugs if slug not in alike and confusable(slug))
    return (
        *(Place(page=slug, facts={"what": MIXED}) for slug in mixed),
        *(
            Place(page=slug, target=other, facts={"what": f"looks like the page {other}"})
            for slug, other in alike.items()
        ),
    )


def _look_alikes(conn: Connection, slugs: Iterable[str]) -> list[tuple[str, str]]:
    """Of these names, which are not plain ASCII, those that look like another one, and like which.

    A plain name's shape is its key.
    """
    shapes: dict[str, list[str]] = defaultdict(list)
    for slug in slugs:
        shapes[skeleton(slug)].append(slug)
    plain = {key: slug for key, slug in _slugs_by_key(conn, tuple(shapes)) if slug.isascii()}
    pairs = []
    for shape, alike in shapes.items():
        others = [plain[shape], *alike] if shape in plain else alike
        for slug in alike:
            other = next((o for o in others if collision_key(o) != collision_key(slug)), None)
            if other is not None:
                pairs.append((slug, other))
    return pairs


def _slugs_by_key(conn: Connection, keys: Sequence[str]) -> Iterator[tuple[str, str]]:
    for start in range(0, len(keys), 500):
        some = keys[start : start + 500]
        for row in conn.execute(select(pages.c.key, pages.c.slug).where(pages.c.key.in_(some))):
            yield row.key, row.slug


def _possible_duplicate(conn: Connection, extent: Extent) -> Places:
    """What was alike when a page was written; of the whole wiki also all pages of one title."""
    other = pages.alias("other")
    pair = select(pages.c.slug.label("page"), other.c.slug.label("target"), nothing("line"))
    noted = (
        pair.select_from(page_notes)
        .join(pages, pages.c.id == page_notes.c.page_id)
        .join(other, other.c.slug == page_notes.c.target)
        .where(
            equals(extent, page_notes.c.code, NoteCode.POSSIBLE_DUPLICATE),
            other.c.id != pages.c.id,
        )
    )
    if not extent.whole:
        return among(extent, noted)
    title = func.lower(pages.c.title)
    first = (
        select(func.min(pages.c.id).label("id"), title.label("title"))
        .group_by(title)
        .having(func.count() > 1)
        .subquery()
    )
    titled = (
        pair.select_from(first)
        .join(pages, title == first.c.title)
        .join(other, other.c.id == first.c.id)
        .where(pages.c.id != other.c.id)
    )
    return select(union_all(noted, titled).subquery()).distinct()


def _noted(code: NoteCode) -> Query:
    def query(conn: Connection, extent: Extent) -> Places:
        wanted = (
            select(pages.c.slug.label("page"), page_notes.c.target, page_notes.c.line)
            .join(pages, pages.c.id == page_notes.c.page_id)
            .where(equals(extent, page_notes.c.code, code))
        )
        return among(extent, wanted)

    return query


def _claim_uncited(conn: Connection, extent: Extent) -> Places:
    """Only a page that rests on sources owes its paragraphs a citation."""
    wanted = (
        select(pages.c.slug.label("page"), nothing("target"), page_notes.c.line)
        .join(pages, pages.c.id == page_notes.c.page_id)
        .where(
            equals(extent, page_notes.c.code, NoteCode.CLAIM_UNCITED),
            exists().where(page_sources.c.page_id == pages.c.id),
        )
    )
    return among(extent, wanted)


def _cited(column: ColumnElement[Any], value: str | int) -> Query:
    def query(conn: Connection, extent: Extent) -> Places:
        wanted = (
            select(
                pages.c.slug.label("page"),
                as_text(citations.c.source_id).label("target"),
                citations.c.line,
                citations.c.label,
                citations.c.quote,
                citations.c.found,
                citations.c.score,
                citations.c.start,
                citations.c.end,
                citations.c.places,
            )
            .join(pages, pages.c.id == citations.c.page_id)
            .where(equals(extent, column, value))
        )
        return among(extent, wanted)

    return query


def _citation_without_quote(conn: Connection, extent: Extent) -> Places:
    """Footnotes that quote nothing, and sources that no footnote of the page is about."""
    footnotes = (
        select(
            pages.c.slug.label("page"),
            as_text(citations.c.source_id).label("target"),
            citations.c.line,
            citations.c.label,
        )
        .join(pages, pages.c.id == citations.c.page_id)
        .where(equals(extent, citations.c.state, "unquoted"))
    )
    whole = (
        select(
            pages.c.slug.label("page"),
            as_text(page_sources.c.source_id).label("target"),
            nothing("line"),
            nothing("label"),
        )
        .join(pages, pages.c.id == page_sources.c.page_id)
        .where(
            not_(
                exists().where(
                    citations.c.page_id == page_sources.c.page_id,
                    citations.c.source_id == page_sources.c.source_id,
                )
            )
        )
    )
    return select(union_all(among(extent, footnotes), among(extent, whole)).subquery())


def _cited_source_gone(conn: Connection, extent: Extent) -> Places:
    """What a draft finds whose source was removed by one side while the other began to cite it."""
    wanted = (
        select(
            pages.c.slug.label("page"),
            as_text(page_sources.c.source_id).label("target"),
            nothing("line"),
        )
        .join(pages, pages.c.id == page_sources.c.page_id)
        .where(not_(exists().where(sources.c.id == page_sources.c.source_id)))
    )
    return among(extent, wanted)


CITATION_QUERIES: Mapping[str, Query] = {
    "citation_missing": _cited(citations.c.state, "missing"),
    "citation_range_wrong": _cited(citations.c.range_wrong, 1),
    "citation_near": _cited(citations.c.state, "near"),
    "citation_weak": _cited(citations.c.weak, 1),
}

PAGE_QUERIES: Mapping[str, Query] = {
    **CITATION_QUERIES,
    "missing_summary": _missing_summary,
    "uncited_page": _uncited_page,
    "orphan_page": _orphan_page,
    "dangling_link": _dangling_link,
    "slug_confusable": _slug_confusable,
    "possible_duplicate": _possible_duplicate,
    "claim_uncited": _claim_uncited,
    "footnote_duplicate": _noted(NoteCode.FOOTNOTE_DUPLICATE),
    "footnote_undefined": _noted(NoteCode.FOOTNOTE_UNDEFINED),
    "footnote_unreferenced": _noted(NoteCode.FOOTNOTE_UNREFERENCED),
    "citation_without_quote": _citation_without_quote,
    "cited_source_gone": _cited_source_gone,
}
