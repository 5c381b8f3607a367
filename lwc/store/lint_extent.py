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
    false,
    func,
    null,
    select,
)

from lwc.domain.lint import Place
from lwc.store.tables import jobs, pages, sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """All of the wiki, or these pages and sources; `now` tells which leases ran out.

    The schema and the search index are asked about with the whole wiki only.
    """

    now: datetime
    page_ids: tuple[int, ...] | None = None
    source_ids: tuple[int, ...] = ()

    @property
    def whole(self) -> bool:
        return self.page_ids is None


# A statement over columns `page`, `target` and `line` and the facts of its rule; or, where SQL
# cannot tell, the places themselves.
Places = Select[Any] | Sequence[Place]
Query = Callable[[Connection, Extent], Places]


def among(extent: Extent, wanted: Select[Any]) -> Select[Any]:
    return wanted if extent.page_ids is None else wanted.where(_within(pages.c.id, extent.page_ids))


def equals(extent: Extent, column: ColumnElement[Any], value: str | int) -> ColumnElement[bool]:
    """Whether a column has a value; of some pages only, the rows are found by page.

    An engine without statistics would rather walk the index of the column, in which the rows of
    the whole wiki stand.
    """
    return (column if extent.whole else func.coalesce(column, null())) == value


def of_pages(extent: Extent, *conditions: ColumnElement[bool]) -> Select[Any]:
    """Pages, each as a place."""
    wanted = select(pages.c.slug.label("page"), nothing("target"), nothing("line"))
    return among(extent, wanted.where(*conditions))


def of_sources(*conditions: ColumnElement[bool], extent: Extent) -> Select[Any]:
    """Sources with their jobs, each as a place."""
    wanted = select(nothing("page"), as_text(sources.c.id).label("target"), nothing("line"))
    wanted = wanted.join(jobs, jobs.c.source_id == sources.c.id).where(*conditions)
    return wanted if extent.whole else wanted.where(_within(sources.c.id, extent.source_ids))


def of_index(rows: FromClause, extent: Extent) -> Places:
    return select(nothing("page"), rows.c.target, nothing("line")) if extent.whole else ()


def _within(column: ColumnElement[int], ids: Sequence[int]) -> ColumnElement[bool]:
    # An engine sees that nothing is false without looking at a row; of an empty list it does not.
    return column.in_(ids) if ids else false()


def as_text(column: ColumnElement[Any]) -> ColumnElement[str]:
    return cast(column, Text)


def nothing(name: str) -> ColumnElement[Any]:
    return null().label(name)


def blank(column: ColumnElement[Any]) -> ColumnElement[bool]:
    return func.trim(func.coalesce(column, "")) == ""
