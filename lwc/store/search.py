"""The search index: texts analysed into terms, kept beside their rows, and found again.

Analysing (`analyse_page`, `analyse_source`) is pure and may take a while; of a source, which may be
large, it belongs before the transaction. What a draft has staged is
indexed and found by `draft_search`, which only a draft imports.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import log
from operator import itemgetter

from sqlalchemy import ColumnElement, Connection, func, select

from lwc.domain.terms import index_terms, match_expression, parts_terms
from lwc.store import layers, texts
from lwc.store.dialects import sqlite_search as engine
from lwc.store.tables import citations, pages, sources

# Of each term so many of the newest pages are looked at, whatever the size of the wiki.
NEWEST_LOOKED_AT = 64
RELATED_TERMS_MOST = 32
# FTS5 gathers the words of a row in memory, some hundred bytes each, before it writes them.
PIECE_CHARS = 500_000
# A piece may end this much earlier, at the end of a word.
CUT_CHARS = 1_000
REASONS_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTerms:
    """A page as the index keeps it."""

    title: str
    path: str
    summary: str
    body: str
    parts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePiece:
    """A row of the index: a source, or so much of a long one as is indexed at once."""

    title: str
    path: str
    body: str
    parts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """What matches: a lower score is a better one.

    `offset` stands before the part of the text that matches best, as near as the index can tell.
    """

    id: int
    score: float
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """A window of the rows that match, and how many there are in all."""

    total: int
    hits: tuple[Hit, ...]


def analyse_page(*, title: str, slug: str, summary: str, body: str) -> PageTerms:
    """The terms of a page; the same for the same page, which is how it is taken out again."""
    return PageTerms(
        title=index_terms(title),
        path=index_terms(slug),
        summary=index_terms(summary),
        body=index_terms(body),
        parts=" ".join(filter(None, map(parts_terms, (title, summary, body)))),
    )


def analyse_source(*, title: str, path: str, text: str) -> Iterator[SourcePiece]:
    """The terms of a source, piece by piece. Its name counts as title, its folder as path.

    A title that is the path itself says no more than the name does.
    """
    folder, _, name = path.rpartition("/")
    heading = name if title == path or title.endswith(f"/{name}") else f"{title} {name}"
    for piece in _cut(text):
        yield SourcePiece(
            title=index_terms(heading),
            path=index_terms(folder),
            body=index_terms(piece),
            parts=" ".join(filter(None, map(parts_terms, (heading, piece)))),
        )


def _cut(text: str) -> Iterator[str]:
    """The text in pieces, cut between words where there are any near."""
    start = 0
    while len(text) - start > PIECE_CHARS:
        end = start + PIECE_CHARS
        near = end - CUT_CHARS
        end = max(text.rfind(" ", near, end), text.rfind("\n", near, end)) + 1 or end
        yield text[start:end]
        start = end
    yield text[start:]


def index_page(conn: Connection, page_id: int, terms: PageTerms) -> None:
    """Make a page findable, in a draft in this draft alone."""
    draft = layers.of(conn)
    if draft is None:
        engine.insert_page(conn, page_id, asdict(terms))
    else:
        from lwc.store import draft_search

        draft_search.put_page(conn, draft, page_id, asdict(terms))


def drop_page(conn: Connection, page_id: int, terms: PageTerms) -> None:
    """Take a page out again; the terms are those it was indexed with."""
    draft = layers.of(conn)
    if draft is None:
        engine.delete_page(conn, page_id, asdict(terms))
    else:
        from lwc.store import draft_search

        draft_search.drop_page(conn, draft, page_id)


def index_source(conn: Connection, source_id: int, pieces: Iterable[SourcePiece]) -> None:
    """Make a source findable, in a draft in this draft alone."""
    draft = layers.of(conn)
    if draft is not None:
        from lwc.store import draft_search

        draft_search.put_source(conn, draft, source_id, map(asdict, pieces))
        return
    for number, piece in enumerate(pieces):
        engine.insert_source(conn, source_id, asdict(piece), number=number)


def drop_source(conn: Connection, source_id: int, pieces: Iterable[SourcePiece]) -> None:
    """Take a source out again; the pieces are those it was indexed with."""
    draft = layers.of(conn)
    if draft is not None:
        from lwc.store import draft_search

        draft_search.drop_source(conn, draft, source_id)
        return
    for number, piece in enumerate(pieces):
        engine.delete_source(conn, source_id, asdict(piece), number=number)


def rebuild(conn: Connection) -> tuple[int, int]:
    """Make the whole index anew from pages and sources; answers how many of each it holds."""
    engine.clear(conn)
    every_page = conn.execute(select(pages)).all()
    for row in every_page:
        body = texts.whole(conn, row.body_digest)
        terms = analyse_page(title=row.title, slug=row.slug, summary=row.summary, body=body)
        index_page(conn, row.id, terms)
    every_source = conn.execute(select(sources)).all()
    for row in every_source:
        text = texts.whole(conn, row.digest)
        index_source(conn, row.id, analyse_source(title=row.title, path=row.path, text=text))
    return len(every_page), len(every_source)


def match_pages(
    conn: Connection,
    terms: Sequence[str],
    *,
    kinds: Sequence[str] = (),
    limit: int,
    offset: int = 0,
) -> Matches:
    """Pages that hold any of the terms, the best first; of these kinds when some are given."""
    draft = layers.of(conn)
    if draft is not None:
        from lwc.store import draft_search

        return _matches(
            *draft_search.match_pages(conn, draft, terms, kinds=kinds, limit=limit, offset=offset)
        )
    expression = match_expression(terms)
    total = engine.count_pages(conn, expression, kinds=kinds)
    if offset >= total or limit == 0:
        return Matches(total=total, hits=())
    return _matches(
        total, engine.pages(conn, expression, kinds=kinds, limit=min(limit, total), offset=offset)
    )


def match_sources(
    conn: Connection,
    terms: Sequence[str],
    *,
    untold_only: bool = False,
    limit: int,
    offset: int = 0,
) -> Matches:
    """Sources that hold any of the terms, the best first.

    `untold_only` leaves out those that a page of kind source cites which matches as well.
    """
    draft = layers.of(conn)
    if draft is not None:
        from lwc.store import draft_search

        return _matches(
            *draft_search.match_sources(
                conn, draft, terms, untold_only=untold_only, limit=limit, offset=offset
            )
        )
    expression = match_expression(terms)
    total = engine.count_sources(conn, expression, untold_only=untold_only)
    if offset >= total or limit == 0:
        return Matches(total=total, hits=())
    return _matches(
        total,
        engine.sources(
            conn, expression, untold_only=untold_only, limit=min(limit, total), offset=offset
        ),
    )


def related_pages(
    conn: Connection, terms: Sequence[str], *, limit: int
) -> tuple[tuple[int, str], ...]:
    """The pages most related to these terms, the best first, each with why.

    The terms count by how rare they are. The cost does not grow with the wiki: of a term that very
    many pages hold only the newest pages are looked at, and how many hold it is estimated from how
    close together those stand.
    """
    asked = tuple(dict.fromkeys(terms))[:RELATED_TERMS_MOST]
    # Not max(): where a draft is laid over, that would look at every page.
    newest = conn.execute(select(pages.c.id).order_by(pages.c.id.desc()).limit(1)).scalar() or 0
    if not asked or not newest:
        return ()
    expressions = [match_expression((term,)) for term in asked]
    holders = _newest_holders(conn, expressions)
    held = [
        (log(1 + newest / _holders(ids, newest=newest)), term, frozenset(ids))
        for term, ids in zip(asked, holders, strict=True)
        if ids
    ]
    scores: dict[int, float] = defaultdict(float)
    for weight, _, ids in held:
        for page_id in ids:
            scores[page_id] += weight
    # Of equals the newest.
    best = sorted(scores.items(), key=itemgetter(1, 0), reverse=True)[:limit]
    rarest = sorted(held, key=itemgetter(0), reverse=True)
    return tuple(
        (page_id, _why([term for _, term, ids in rarest if page_id in ids])) for page_id, _ in best
    )


def _newest_holders(conn: Connection, expressions: Sequence[str]) -> list[tuple[int, ...]]:
    draft = layers.of(conn)
    if draft is None:
        return engine.newest_holders(conn, expressions, most=NEWEST_LOOKED_AT)
    from lwc.store import draft_search

    return draft_search.newest_holders(conn, draft, expressions, most=NEWEST_LOOKED_AT)


def _holders(ids: Sequence[int], *, newest: int) -> float:
    """How many pages hold a term, from the newest of them."""
    if len(ids) < NEWEST_LOOKED_AT:
        return len(ids)
    return len(ids) * newest / (newest - ids[-1] + 1)


def _why(shared: Sequence[str]) -> str:
    more = len(shared) - REASONS_SHOWN
    return f"shares {', '.join(shared[:REASONS_SHOWN])}" + (f" and {more} more" if more > 0 else "")


def _matches(total: int, rows: Sequence[tuple[int, int, float]]) -> Matches:
    return Matches(
        total=total,
        hits=tuple(
            Hit(id=id_, score=score, offset=number * (PIECE_CHARS - CUT_CHARS))
            for id_, number, score in rows
        ),
    )


def page_names(conn: Connection, page_ids: Sequence[int]) -> dict[int, tuple[str, str, str]]:
    """Title and slug of pages, and the digests of their bodies."""
    rows = conn.execute(
        select(pages.c.id, pages.c.title, pages.c.slug, pages.c.body_digest).where(
            pages.c.id.in_(page_ids)
        )
    )
    return {row.id: (row.title, row.slug, row.body_digest) for row in rows}


def source_names(conn: Connection, source_ids: Sequence[int]) -> dict[int, tuple[str, str, str]]:
    """Title and path of sources, and the digests of their texts."""
    rows = conn.execute(
        select(sources.c.id, sources.c.title, sources.c.path, sources.c.digest).where(
            sources.c.id.in_(source_ids)
        )
    )
    return {row.id: (row.title, row.path, row.digest) for row in rows}


def quotes_of_pages(conn: Connection, page_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """How many footnote citations each page has, by the state of their quotes."""
    return _quotes(conn, citations.c.page_id, page_ids)


def quotes_of_sources(conn: Connection, source_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """How many footnote citations each source has, by the state of their quotes."""
    return _quotes(conn, citations.c.source_id, source_ids)


def _quotes(
    conn: Connection, column: ColumnElement[int], ids: Sequence[int]
) -> dict[int, dict[str, int]]:
    rows = conn.execute(
        select(column, citations.c.state, func.count())
        .where(column.in_(ids))
        .group_by(column, citations.c.state)
        .order_by(citations.c.state)
    )
    found: dict[int, dict[str, int]] = {id_: {} for id_ in ids}
    for id_, state, number in rows:
        found[id_][state] = number
    return found
