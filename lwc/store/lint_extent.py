"""What a rule of lint is asked about, and the statements its questions are built from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Select,
    Text,
    cast,
    func,
    literal,
    null,
    select,
)

from lwc.domain.lint import Place
from lwc.store.tables import jobs, pages, sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """All of the wiki, or these pages; `now` tells which leases ran out."""

    now: datetime
    page_ids: tuple[int, ...] | None = None


# A statement over columns `page`, `target` and `line` and the facts of its rule; or, where SQL
# cannot tell, the places themselves.
Places = Select[Any] | Sequence[Place]
Query = Callable[[Connection, Extent], Places]


def among(extent: Extent, wanted: Select[Any]) -> Select[Any]:
    if extent.page_ids is None:
        return wanted
    return wanted.where(pages.c.id.in_(extent.page_ids))


def of_pages(extent: Extent, *conditions: ColumnElement[bool]) -> Select[Any]:
    """Pages, each as a place."""
    wanted = select(pages.c.slug.label("page"), nothing("target"), nothing("line"))
    return among(extent, wanted.where(*conditions))


def of_sources(*conditions: ColumnElement[bool], extent: Extent) -> Select[Any]:
    """Sources with their jobs, each as a place; none when only some pages are asked about."""
    wanted = select(nothing("page"), as_text(sources.c.id).label("target"), nothing("line"))
    wanted = wanted.join(jobs, jobs.c.source_id == sources.c.id)
    return wanted.where(*conditions, literal(extent.page_ids is None))


def of_index(rows: FromClause, extent: Extent) -> Select[Any]:
    wanted = select(nothing("page"), rows.c.target, nothing("line"))
    return wanted.where(literal(extent.page_ids is None))


def as_text(column: ColumnElement[Any]) -> ColumnElement[str]:
    return cast(column, Text)


def nothing(name: str) -> ColumnElement[Any]:
    return null().label(name)


def blank(column: ColumnElement[Any]) -> ColumnElement[bool]:
    return func.trim(func.coalesce(column, "")) == ""
