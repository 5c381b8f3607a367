"""What lint says of pages' own texts, kept so that lint need not parse any page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from lwc.domain.page_notes import Note, NoteCode
from lwc.store import cells
from lwc.store.tables import page_notes


def of_page(conn: Connection, page_id: int) -> tuple[Note, ...]:
    """The notes of a page in the order they were made."""
    rows = conn.execute(
        select(page_notes).where(page_notes.c.page_id == page_id).order_by(page_notes.c.ordinal)
    )
    return tuple(as_note(row) for row in rows)


def as_note(row: Row[Any]) -> Note:
    return Note(code=cells.member(NoteCode, row.code), line=row.line, target=row.target)


def add(conn: Connection, page_id: int, notes: Sequence[Note]) -> None:
    """Give a page that has none its notes."""
    if notes:
        conn.execute(
            insert(page_notes),
            [
                {
                    "page_id": page_id,
                    "ordinal": ordinal,
                    "code": note.code.value,
                    "line": note.line,
                    "target": note.target,
                }
                for ordinal, note in enumerate(notes)
            ],
        )
