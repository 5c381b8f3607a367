"""Answers for a person at a terminal: one generic view, and a row for each answer with its own."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lwc import wire
from lwc.cli.finding_views import found, linted

View = Callable[[Any], RenderableType]

# Told by the footer or by where the command was called, or of use to programs only.
QUIET = frozenset({"scope", "database", "graph", "limit", "offset", "has_more"})
DIGESTS = ("_hash", "_digest", "_id", "sha256", "digest")
DIGEST_SHOWN = 12
COLUMNS_MOST = 8
COLUMNS_WITH_DIGESTS = 5
CELL_MOST = 120


def render(answer: Any, *, terminal: bool) -> str:
    """The answer as text, as wide as the terminal; colours only for one that shows them."""
    console = Console(
        file=io.StringIO(),
        # Without colours there is nothing bold either: some readers take no escape at all.
        force_terminal=terminal and not os.environ.get("NO_COLOR"),
        width=shutil.get_terminal_size((100, 24)).columns,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    view = VIEWS.get(type(answer).__name__, generic)
    with console.capture() as captured:
        console.print(view(answer))
    return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def generic(answer: Any) -> RenderableType:
    """Scalars as lines, lists of objects as tables, long texts as blocks."""
    shape = wire.plain(answer)
    if isinstance(shape, dict):
        return Group(*_blocks(shape))
    if isinstance(shape, list):
        return _listed(shape)
    return words(shape)


def queried(answer: Any) -> RenderableType:
    """The rows of a query, all columns of them, as they are called in it."""
    shown = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for column in answer.columns:
        shown.add_column(words(column), overflow="fold")
    for row in answer.rows:
        shown.add_row(*(_cell("", row[column]) for column in answer.columns))
    more = [Text("There is more: --limit N, or OFFSET in the query", "dim")]
    return Group(shown, *(more if answer.has_more else ()))


# An answer's class name → how it is shown; what has no row is shown by `generic`.
VIEWS: Mapping[str, View] = {
    "QueryAnswer": queried,
    "SearchAnswer": found,
    "LintAnswer": linted,
}


def words(value: Any) -> Text:
    """One value as text that no terminal obeys."""
    if value is None:
        return Text("–", style="dim")
    if isinstance(value, bool):
        return Text("yes" if value else "no", style="green" if value else "yellow")
    if isinstance(value, dict | list):
        return Text(wire.encode(value, compact=True))
    return Text(wire.visible(str(value)))


def table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> Table:
    """Rows as a table with these columns."""
    shown = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for column in columns:
        numeric = all(_is_number(row.get(column)) for row in rows)
        shown.add_column(
            column.replace("_", " "),
            justify="right" if numeric else "left",
            no_wrap=column in ("id", "slug", "state", "status", "kind"),
            overflow="fold",
        )
    for row in rows:
        shown.add_row(*(_cell(column, row.get(column)) for column in columns))
    return shown


def _blocks(shape: Mapping[str, Any]) -> list[RenderableType]:
    blocks: list[RenderableType] = []
    lines: dict[str, Any] = {}
    for name, value in shape.items():
        if name in QUIET or (name == "replayed" and not value):
            continue
        if _is_short(value):
            lines[name] = value
            continue
        if lines:
            blocks.append(_lines(lines))
            lines = {}
        blocks += [Text(name.replace("_", " "), style="bold"), Padding(_block(value), (0, 0, 0, 2))]
    if lines:
        blocks.append(_lines(lines))
    return [*blocks, *_footer(shape)]


def _is_short(value: Any) -> bool:
    if isinstance(value, str):
        return "\n" not in value and len(value) <= CELL_MOST
    if isinstance(value, list):
        return all(not isinstance(item, dict | list) for item in value) and len(str(value)) <= 100
    return not isinstance(value, dict) or not value


def _lines(pairs: Mapping[str, Any]) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="cyan", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in pairs.items():
        shown = ", ".join(map(str, value)) or "–" if isinstance(value, list) else value
        grid.add_row(name.replace("_", " "), words(shown or None if shown in ({}, "") else shown))
    return grid


def _block(value: Any) -> RenderableType:
    if isinstance(value, dict):
        return Group(*_blocks(value))
    if isinstance(value, list):
        return _listed(value)
    return words(value)


def _listed(items: Sequence[Any]) -> RenderableType:
    if not items:
        return Text("none", style="dim")
    if not all(isinstance(item, dict) for item in items):
        return Group(*(words(item) for item in items))
    columns = _columns(items)
    if any(_is_long(item) for item in items) or not columns:
        return Group(*(Padding(Group(*_blocks(item)), (0, 0, 1, 0)) for item in items))
    return table(items, columns)


def _is_long(item: Mapping[str, Any]) -> bool:
    """Whether an object holds a text that no cell can show."""
    return any(isinstance(value, str) and len(value) > 2 * CELL_MOST for value in item.values())


def _columns(items: Sequence[Mapping[str, Any]]) -> list[str]:
    names = dict.fromkeys(name for item in items for name in item if name not in QUIET)
    told = [name for name in names if any(item.get(name) not in (None, [], {}) for item in items)]
    flat = [name for name in told if not any(isinstance(item.get(name), dict) for item in items)]
    if len(flat) > COLUMNS_WITH_DIGESTS:
        flat = [name for name in flat if not _is_digest(name, items[0].get(name))]
    return flat[:COLUMNS_MOST]


def _cell(column: str, value: Any) -> Text:
    if isinstance(value, str):
        if _is_digest(column, value):
            return words(value[:DIGEST_SHOWN])
        if column.endswith("_at"):
            return words(value[:16].replace("T", " "))
        line = " ".join(value.split())
        return words(line if len(line) <= CELL_MOST else line[: CELL_MOST - 1] + "…")
    if isinstance(value, list) and value:
        if any(isinstance(item, dict | list) for item in value):
            return words(len(value))
        return _cell("", ", ".join(map(str, value)))
    return words(value or None if isinstance(value, list) else value)


def _footer(shape: Mapping[str, Any]) -> list[RenderableType]:
    if not shape.get("has_more"):
        return []
    offset, limit = shape.get("offset"), shape.get("limit")
    if isinstance(offset, int) and isinstance(limit, int):
        return [Text(f"There is more: --offset {offset + limit}", "dim")]
    return [Text("There is more", "dim")]


def _is_digest(column: str, value: Any) -> bool:
    return column.endswith(DIGESTS) and isinstance(value, str) and len(value) >= 32


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
