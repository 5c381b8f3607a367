"""Whether the search index holds what is there, all of it and nothing else, word by word.

The words of a document are summed up as one number, the same in whatever order they are met: so
no more is in memory than a number for each document, and one text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import count, repeat
from typing import Any

from sqlalchemy import Connection, and_, select

from lwc.domain.changeset import Entity
from lwc.domain.doctor import Flaw
from lwc.errors import LwcError
from lwc.store import search, texts
from lwc.store.dialects import sqlite_draft_search, sqlite_search
from lwc.store.dialects import sqlite_index_words as engine
from lwc.store.dialects.sqlite_index_words import Index
from lwc.store.dialects.sqlite_search import SOURCE_BITS
from lwc.store.tables import pages, sources
from lwc.store.tables.drafts import changesets, draft_pages, draft_sources, staged

_LOW = (1 << SOURCE_BITS) - 1
_MASK = (1 << 64) - 1

# The terms of a row by column.
Terms = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A page or a source that an index should hold; `id` stands in the low bits of its rows.

    `rows` analyses its text, which is refused when the text is damaged.
    """

    id: int
    key: str
    rows: Callable[[], Iterator[Terms]]
    facts: Mapping[str, str] = field(default_factory=dict)


def entries(conn: Connection) -> Iterator[Flaw]:
    """The indexes of the live wiki and of its drafts, each against what it is of."""
    for index, (entity, documents) in zip(engine.INDEXES, _KINDS, strict=True):
        yield from _compared(conn, index, entity, documents(conn))


def _compared(
    conn: Connection, index: Index, entity: str, documents: Iterator[Document]
) -> Iterator[Flaw]:
    sizes, sums = engine.sizes(conn, index), _sums(conn, index)
    by_document: defaultdict[int, set[int]] = defaultdict(set)
    for row in sizes.keys() | sums.keys():
        by_document[row & _LOW].add(row)
    for document in documents:
        rows = by_document.pop(document.id, set())
        if not any(row in sizes for row in rows):
            yield _flaw("search_index_missing", entity, document.key, document.facts)
            continue
        try:
            wanted = _wanted(index, document)
        except LwcError:
            continue  # what cannot be read is told of the text itself
        if wanted != {row: (sums.get(row, 0), sizes.get(row)) for row in rows}:
            yield _flaw("search_index_differs", entity, document.key, document.facts)
    for id_ in sorted(by_document):
        yield _flaw("search_index_orphan", entity, str(id_), {})
    counted = [len(sizes), *map(sum, zip(*sizes.values(), strict=False))]
    told = list(engine.totals(conn, index))
    if (any(counted) and counted != told) or (not any(counted) and any(told)):
        yield _flaw("search_index_miscounted", "index", index.name, {})


def _flaw(code: str, entity: str, key: str, facts: Mapping[str, str]) -> Flaw:
    return Flaw(code=code, entity=entity, key=key, facts=facts)


def _sums(conn: Connection, index: Index) -> dict[int, int]:
    """By row the sum of the words that the index holds for it."""
    found: defaultdict[int, int] = defaultdict(int)
    with engine.words(conn, index) as words:
        for word, row, column, place in words:
            found[row] += hash((word, column, place))
    return {row: total & _MASK for row, total in found.items()}


def _wanted(index: Index, document: Document) -> dict[int, tuple[int, tuple[int, ...]]]:
    """By row the sum of its words, and how many there are by column."""
    found = {}
    for number, row in enumerate(document.rows()):
        total, counts = 0, []
        for column in index.columns:
            words, name = row[column].encode().split(), column.encode()
            counts.append(len(words))
            total += sum(map(hash, zip(words, repeat(name), count(), strict=False)))
        found[number << SOURCE_BITS | document.id] = total & _MASK, tuple(counts)
    return found


def _pages(conn: Connection) -> Iterator[Document]:
    rows = conn.execute(select(pages).order_by(pages.c.id)).all()
    return (Document(id=row.id, key=row.slug, rows=_page(conn, row)) for row in rows)


def _sources(conn: Connection) -> Iterator[Document]:
    rows = conn.execute(select(sources).order_by(sources.c.id)).all()
    return (Document(id=row.id, key=str(row.id), rows=_source(conn, row)) for row in rows)


def _draft_pages(conn: Connection) -> Iterator[Document]:
    for row in conn.execute(_staged(draft_pages, Entity.PAGE)).all():
        facts = {"changeset": row.draft}
        yield Document(id=row.row, key=row.slug, rows=_page(conn, row), facts=facts)


def _draft_sources(conn: Connection) -> Iterator[Document]:
    for row in conn.execute(_staged(draft_sources, Entity.SOURCE)).all():
        facts = {"changeset": row.draft}
        yield Document(id=row.row, key=str(row.id), rows=_source(conn, row), facts=facts)


def _staged(table: Any, entity: Entity) -> Any:
    """Rows of a draft with the number they have in its index, and the draft's name."""
    return (
        select(table, staged.c.id.label("row"), changesets.c.name.label("draft"))
        .join(
            staged,
            and_(
                staged.c.changeset == table.c.changeset,
                staged.c.entity == entity,
                staged.c.number == table.c.id,
            ),
        )
        .join(changesets, changesets.c.id == table.c.changeset)
        .order_by(staged.c.id)
    )


def _page(conn: Connection, row: Any) -> Callable[[], Iterator[Terms]]:
    def rows() -> Iterator[Terms]:
        body = texts.whole(conn, row.body_digest)
        yield asdict(
            search.analyse_page(title=row.title, slug=row.slug, summary=row.summary, body=body)
        )

    return rows


def _source(conn: Connection, row: Any) -> Callable[[], Iterator[Terms]]:
    def rows() -> Iterator[Terms]:
        text = texts.whole(conn, row.digest)
        yield from map(asdict, search.analyse_source(title=row.title, path=row.path, text=text))

    return rows


_KINDS: tuple[tuple[str, Callable[[Connection], Iterator[Document]]], ...] = (
    ("page", _pages),
    ("source", _sources),
    ("draft_page", _draft_pages),
    ("draft_source", _draft_sources),
)


def remake(conn: Connection) -> None:
    """Make every index anew; what cannot be read is left out, and told as missing."""
    sqlite_search.clear(conn)
    sqlite_draft_search.clear(conn)
    inserts: tuple[Callable[..., None], ...] = (
        _insert_page,
        sqlite_search.insert_source,
        _insert_draft_page,
        sqlite_draft_search.insert_source,
    )
    for (_, documents), insert in zip(_KINDS, inserts, strict=True):
        for document in documents(conn):
            _insert(conn, document, insert)


def _insert(conn: Connection, document: Document, insert: Callable[..., None]) -> None:
    try:
        for number, terms in enumerate(document.rows()):
            insert(conn, document.id, terms, number=number)
    except LwcError:
        return


def _insert_page(conn: Connection, id_: int, terms: Terms, *, number: int) -> None:
    sqlite_search.insert_page(conn, id_, terms)


def _insert_draft_page(conn: Connection, id_: int, terms: Terms, *, number: int) -> None:
    sqlite_draft_search.insert_page(conn, id_, terms)
