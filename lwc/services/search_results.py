"""What is shown of each thing a search found: who it is, what it rests on, and where it matches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lwc.domain.page import shown_provenance
from lwc.domain.snippet import Snippet, best_window
from lwc.store import pages, search, texts
from lwc.store.database import Connection
from lwc.wiki import Wiki

# A match is looked for in the first part of a text, and only when there is none, further on.
LOOKED_AT_FIRST = texts.PART_CHARS
LOOKED_AT_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class Found:
    """A page or source of one of the wikis that matches; a lower rank is a better one."""

    store: int
    type: str
    id: int
    rank: float
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """A page or a source; kind, summary and provenance are a page's.

    `marks` are ranges of `snippet` that match; the snippet is plain text and begins at the code
    point `snippet_offset` of the body or content. `source_ids` are cited by a page; `citations`
    counts footnotes by the state of their quotes: a page's own, or those that quote a source.
    """

    scope: str
    type: str
    identifier: str
    title: str
    kind: str | None
    summary: str | None
    provenance: tuple[str, ...] | None
    path: str | None
    source_ids: tuple[int, ...]
    citations: Mapping[str, int]
    snippet: str
    snippet_offset: int
    marks: tuple[tuple[int, int], ...]
    rank: float


def results(
    wikis: Sequence[Wiki],
    conns: Sequence[Connection],
    window: Sequence[Found],
    terms: Sequence[str],
) -> tuple[SearchResult, ...]:
    """The results of a window, in its order; only these texts are read."""
    groups: dict[tuple[int, str], list[Found]] = defaultdict(list)
    for one in window:
        groups[one.store, one.type].append(one)
    made: dict[Found, SearchResult] = {}
    for (store, type_), found in groups.items():
        scope = wikis[store].workspace.scope.value
        show = _pages if type_ == "page" else _sources
        made |= show(conns[store], scope, found, terms)
    return tuple(made[one] for one in window if one in made)


def _pages(
    conn: Connection, scope: str, found: Sequence[Found], terms: Sequence[str]
) -> dict[Found, SearchResult]:
    ids = [one.id for one in found]
    there = {page.id: page for page in pages.of_ids(conn, ids)}
    given = pages.given_provenance_of(conn, ids)
    cited = pages.sources_of(conn, ids)
    quotes = search.quotes_of_pages(conn, ids)
    openings = texts.openings(conn, {page.body_digest for page in there.values()})
    made = {}
    for one in found:
        page = there.get(one.id)
        if page is None:
            continue
        opening = openings[page.body_digest]
        snippet, begin = _snippet(conn, page.body_digest, terms, opening=opening)
        made[one] = SearchResult(
            scope=scope,
            type="page",
            identifier=page.slug,
            title=page.title,
            kind=page.kind,
            summary=page.summary,
            provenance=shown_provenance(cites=bool(cited[page.id]), explicit=given[page.id]),
            path=None,
            source_ids=cited[page.id],
            citations=quotes[page.id],
            snippet=snippet.text,
            snippet_offset=begin,
            marks=snippet.marks,
            rank=one.rank,
        )
    return made


def _sources(
    conn: Connection, scope: str, found: Sequence[Found], terms: Sequence[str]
) -> dict[Found, SearchResult]:
    ids = [one.id for one in found]
    there = search.source_names(conn, ids)
    quotes = search.quotes_of_sources(conn, ids)
    begun = {there[one.id][2] for one in found if one.id in there and not one.offset}
    openings = texts.openings(conn, begun)
    made = {}
    for one in found:
        if one.id not in there:
            continue
        title, path, digest = there[one.id]
        opening = openings[digest] if not one.offset else None
        snippet, begin = _snippet(conn, digest, terms, opening=opening, offset=one.offset)
        made[one] = SearchResult(
            scope=scope,
            type="source",
            identifier=str(one.id),
            title=title,
            kind=None,
            summary=None,
            provenance=None,
            path=path,
            source_ids=(),
            citations=quotes[one.id],
            snippet=snippet.text,
            snippet_offset=begin,
            marks=snippet.marks,
            rank=one.rank,
        )
    return made


def _snippet(
    conn: Connection,
    digest: str,
    terms: Sequence[str],
    *,
    opening: str | None,
    offset: int = 0,
) -> tuple[Snippet, int]:
    """The best passage of a text from `offset` on, and where in the text it begins.

    `opening` is the text from there when it was read before.
    """
    if opening is None:
        opening = texts.window(conn, digest, offset=offset, size=LOOKED_AT_FIRST)
    snippet = best_window(opening, terms)
    if not snippet.marks and len(opening) == LOOKED_AT_FIRST:
        more = texts.window(conn, digest, offset=offset, size=LOOKED_AT_MOST)
        snippet = best_window(more, terms)
    return snippet, offset + snippet.start
