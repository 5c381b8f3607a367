"""Searching one wiki or several: pages first, and the sources that no page tells of yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import zip_longest

from lwc.domain.listing import check_part
from lwc.domain.rank import Candidate, rank
from lwc.domain.terms import QUERY_LIMIT, Query, query_terms
from lwc.errors import (
    BLANK_QUERY,
    CHANGESET_RECORD_UNSUPPORTED,
    KIND_NEEDS_PAGES,
    STALE_REVISION,
    UNKNOWN_SEARCH_TYPE,
    Typed,
)
from lwc.services.search_results import Found, SearchResult, results
from lwc.store import journal
from lwc.store import search as index
from lwc.store.database import Connection
from lwc.store.search import Hit, Matches
from lwc.wiki import Answer, Call, Changed, Wiki, replayable

TYPES = ("auto", "page", "source", "all")
# So many of the best are put in order by title and path as well; always the same, so that the parts
# of a list fit together.
RERANKED = 50
QUERY_KEPT = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRead:
    """What was looked for; `notice` says so when something was left out."""

    text: str
    terms: tuple[str, ...]
    cut: bool
    notice: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """A part of what was found, pages before sources; `totals` counts both whole.

    `replayed` says that the search had been entered in the journal before, by the same request.
    """

    results: tuple[SearchResult, ...]
    query: QueryRead
    type: str
    kinds: tuple[str, ...]
    stores: tuple[Answer, ...]
    limit: int
    offset: int
    total: int
    totals: Mapping[str, int]
    has_more: bool
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A search as every wiki is asked it."""

    terms: tuple[str, ...]
    type: str
    kinds: tuple[str, ...]


def search(
    wiki: Wiki,
    call: Call | None = None,
    *,
    query: str,
    type: str = "auto",
    kinds: Iterable[str] = (),
    limit: int = 20,
    offset: int = 0,
    record: bool = False,
) -> SearchAnswer:
    """What a wiki says to a query: plain words, any of which may occur; nothing is syntax.

    `auto` finds pages, then the sources that no matching page of kind source cites; `all` finds
    all sources. `record` enters the search in the journal, in the name of `call`; not in a draft.
    """
    return search_all(
        (wiki,),
        call,
        query=query,
        type=type,
        kinds=kinds,
        limit=limit,
        offset=offset,
        record=record,
    )


def search_all(
    wikis: Sequence[Wiki],
    call: Call | None = None,
    *,
    query: str,
    type: str = "auto",
    kinds: Iterable[str] = (),
    limit: int = 20,
    offset: int = 0,
    record: bool = False,
) -> SearchAnswer:
    """As `search`, in several wikis: the best of each, then the second of each, and so on.

    Scores of different wikis are never compared; they rest on different collections.
    """
    check_part(limit=limit, offset=offset)
    if record and any(wiki.changeset is not None for wiki in wikis):
        raise CHANGESET_RECORD_UNSUPPORTED(command=Typed("search"))
    asked, read = _asked(query, type=type, kinds=kinds)
    call = call or Call()
    with ExitStack() as open_:
        conns = [open_.enter_context(wiki.reading()) for wiki in wikis]
        if not record:
            _check_revisions(conns, call)
        window, totals = _window(conns, asked, limit=limit, offset=offset)
        shown = results(wikis, conns, window, asked.terms)
    entered = [_record(wiki, call, query=query, limit=limit) for wiki in wikis if record]
    total = sum(totals.values())
    return SearchAnswer(
        results=shown,
        query=read,
        type=asked.type,
        kinds=asked.kinds,
        stores=tuple(Answer(**wiki.label()) for wiki in wikis),
        limit=limit,
        offset=offset,
        total=total,
        totals=totals,
        has_more=offset + len(shown) < total,
        replayed=any(entry.replayed for entry in entered),
    )


def first_pages(conn: Connection, query: str, *, most: int) -> tuple[int, ...]:
    """The ids of the pages that a search of this wiki shows first, in its order.

    They stand before all sources; so the place of a page among them is its place in the results.
    """
    asked, _ = _asked(query, type="page", kinds=())
    if not asked.terms:
        return ()
    found, _ = _of_all((conn,), asked, "page", most)
    return tuple(one.id for one in found)


def _asked(query: str, *, type: str, kinds: Iterable[str]) -> tuple[Asked, QueryRead]:
    if not query.strip():
        raise BLANK_QUERY()
    if type not in TYPES:
        raise UNKNOWN_SEARCH_TYPE(type=type)
    wanted = tuple(dict.fromkeys(kind.strip().lower() for kind in kinds))
    if wanted and type == "source":
        raise KIND_NEEDS_PAGES()
    words = query_terms(query)
    return Asked(words.terms, type, wanted), _read(query, words)


def _read(query: str, words: Query) -> QueryRead:
    notice = None
    if words.cut:
        notice = f"The query is long: only its first {QUERY_LIMIT} words were looked for."
    elif not words.terms:
        notice = "The query holds no word to look for."
    return QueryRead(text=_kept(query), terms=words.terms, cut=words.cut, notice=notice)


def _check_revisions(conns: Sequence[Connection], call: Call) -> None:
    if call.if_revision is None:
        return
    for conn in conns:
        found = journal.revision(conn)
        if found != call.if_revision:
            raise STALE_REVISION(expected=call.if_revision, found=found)


def _window(
    conns: Sequence[Connection], asked: Asked, *, limit: int, offset: int
) -> tuple[tuple[Found, ...], dict[str, int]]:
    """The part of all that is found, and how many pages and sources there are."""
    if not asked.terms:
        return (), {"page": 0, "source": 0}
    end = offset + limit
    pages, pages_total = _of_all(conns, asked, "page", end)
    sources, sources_total = _of_all(conns, asked, "source", max(0, end - pages_total))
    totals = {"page": pages_total, "source": sources_total}
    return (*pages, *sources)[offset:end], totals


def _of_all(
    conns: Sequence[Connection], asked: Asked, type: str, most: int
) -> tuple[list[Found], int]:
    """The first `most` of one type in all wikis, taken in turns, and how many there are."""
    lists: list[list[Found]] = []
    total = 0
    for store, conn in enumerate(conns):
        matches = _matches(conn, asked, type, most=most)
        total += matches.total
        lists.append([*_ranked(conn, asked, type, store, matches.hits)][:most])
    turns = [found for turn in zip_longest(*lists) for found in turn if found is not None]
    return turns[:most], total


def _matches(conn: Connection, asked: Asked, type: str, *, most: int) -> Matches:
    limit = max(most, RERANKED) if most else 0
    if type == "page":
        if asked.type == "source":
            return Matches(total=0, hits=())
        return index.match_pages(conn, asked.terms, kinds=asked.kinds, limit=limit)
    if asked.type == "page":
        return Matches(total=0, hits=())
    # A page of kind source that the filter hides cannot stand for its source.
    untold = asked.type == "auto" and (not asked.kinds or "source" in asked.kinds)
    return index.match_sources(conn, asked.terms, untold_only=untold, limit=limit)


def _ranked(
    conn: Connection, asked: Asked, type: str, store: int, hits: Sequence[Hit]
) -> Iterator[Found]:
    """The hits in their final order: the first by title and path too, the rest by BM25 alone.

    None of the rest can stand before them: what title and path add is never below nothing.
    """
    first = hits[:RERANKED]
    ids = [hit.id for hit in first]
    names = index.page_names(conn, ids) if type == "page" else index.source_names(conn, ids)
    offsets = {hit.id: hit.offset for hit in first}
    candidates = [
        Candidate(
            identifier=str(hit.id),
            title=names[hit.id][0],
            path=names[hit.id][1],
            bm25=hit.score,
            type=type,
        )
        for hit in first
        if hit.id in names
    ]
    for one in rank(candidates, asked.terms):
        id_ = int(one.candidate.identifier)
        yield Found(store, type, id_, round(one.rank, 6), offsets[id_])
    for hit in hits[RERANKED:]:
        yield Found(store, type, hit.id, -round(hit.score / hits[0].score, 6), hit.offset)


@replayable(Changed)
def _record(wiki: Wiki, call: Call, *, query: str, limit: int) -> Changed:
    with wiki.writing(call) as change:
        change.record("search", _kept(query), limit=limit)
        return change.finish(Changed(**wiki.label(), revision=change.revision))


def _kept(query: str) -> str:
    """The query as answers and the journal hold it: bounded, and text that can be encoded."""
    return query[:QUERY_KEPT].encode("utf-8", "replace").decode("utf-8")
