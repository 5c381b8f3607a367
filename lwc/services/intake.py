"""Documents that were read, on their way into the wiki."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO

from lwc.domain.source import PathHead, Source, head_after
from lwc.reader import Document
from lwc.store import search, sources
from lwc.store.search import SourcePiece
from lwc.wiki import Change

Progress = Callable[[int, int], None]
Kept = Callable[[], str]

# A transaction holds the lock that every other writer waits for: it is given so much and no more,
# unless its caller asked for all or nothing.
FILES_TOGETHER = 2_000
BYTES_TOGETHER = 64 * 1024 * 1024
# Characters that arrivals keep in memory; each takes up to four bytes.
ROOM = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A document that was read and waits to be taken in: answers its text and its terms."""

    title: str
    origin: str
    tracked: str
    digest: str
    bytes: int
    text: Kept
    terms: Callable[[], Iterable[SourcePiece]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What became of an arrival: its source, and the path it was read from.

    `advanced` tells whether the path holds another source than before.
    """

    source: Source
    created: bool
    head: PathHead
    advanced: bool

    @property
    def is_news(self) -> bool:
        return self.created or self.advanced


class Shelf:
    """Where arrivals wait for the transaction that takes them all, however many they are.

    Texts stay in memory while there is room for that many characters; the others go to a file
    without a name in `folder`, which is gone with the process: no document is read twice, it may be
    another by then. A text whose digest is not `known` is analysed here, outside the transaction.

    Who reads a document lets go of it when it is on the shelf: a large one is hundreds of MiB.
    """

    def __init__(self, folder: Path, *, known: set[str] | None = None, room: int = ROOM) -> None:
        self.known = set() if known is None else known
        self._folder = folder
        self._room = room
        self._file: IO[bytes] | None = None
        self._open = ExitStack()

    def __enter__(self) -> Shelf:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    def put(self, document: Document, *, origin: str, title: str | None = None) -> Arrival:
        """A document as it waits; without a title it is called by its tracked path."""
        title = title or document.tracked
        text = self._keep(document.text)
        return Arrival(
            title=title,
            origin=origin,
            tracked=document.tracked,
            digest=document.digest,
            bytes=document.bytes,
            text=text,
            terms=self._terms(document, title=title, text=text),
        )

    def _terms(
        self, document: Document, *, title: str, text: Kept
    ) -> Callable[[], Iterable[SourcePiece]]:
        if document.digest in self.known:
            # Hardly ever asked for: only when the source is removed in this very moment.
            return lambda: search.analyse_source(title=title, path=document.tracked, text=text())
        self.known.add(document.digest)
        pieces = [
            (piece.title, piece.path, self._keep(piece.body), self._keep(piece.parts))
            for piece in search.analyse_source(
                title=title, path=document.tracked, text=document.text
            )
        ]
        return lambda: (
            SourcePiece(title=heading, path=path, body=body(), parts=parts())
            for heading, path, body, parts in pieces
        )

    def _keep(self, text: str) -> Kept:
        if len(text) <= self._room:
            self._room -= len(text)
            return partial(str, text)
        if self._file is None:
            self._file = self._open.enter_context(TemporaryFile(dir=self._folder))  # noqa: SIM115
        offset = self._file.seek(0, 2)
        size = self._file.write(text.encode("utf-8"))
        return partial(_text_at, self._file, offset=offset, size=size)


def _text_at(file: IO[bytes], *, offset: int, size: int) -> str:
    file.seek(offset)
    return file.read(size).decode("utf-8")


def take_in(change: Change, arrivals: Sequence[Arrival]) -> list[Taken]:
    """Make sources of the arrivals that are new, and record what their paths hold now."""
    conn = change.conn
    there = sources.by_digest(conn, (arrival.digest for arrival in arrivals))
    heads = sources.heads(conn, (arrival.tracked for arrival in arrivals))
    new = (arrival.digest for arrival in arrivals if arrival.digest not in there)
    ids = sources.ids_of(conn, new)
    advanced: list[PathHead] = []
    taken = []
    for arrival in arrivals:
        source = there.get(arrival.digest)
        created = source is None
        if source is None:
            source = _made(change, arrival, source_id=ids[arrival.digest])
            there[arrival.digest] = source
        before = heads.get(arrival.tracked)
        if before is None or before.source_id != source.id:
            head = head_after(before, tracked=arrival.tracked, source_id=source.id)
            heads[arrival.tracked] = head
            advanced.append(head)
        head = heads[arrival.tracked]
        taken.append(Taken(source=source, created=created, head=head, advanced=head is not before))
    sources.advance(conn, advanced, change.now)
    return taken


def _made(change: Change, arrival: Arrival, *, source_id: int) -> Source:
    text = arrival.text()
    source = Source(
        id=source_id,
        digest=arrival.digest,
        title=arrival.title,
        origin=arrival.origin,
        path=arrival.tracked,
        chars=len(text),
        bytes=arrival.bytes,
        created_at=change.now,
    )
    sources.make(change.conn, source, text=text, terms=arrival.terms())
    return source
