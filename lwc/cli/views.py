"""Answers for a person at a terminal: one generic view, and a row for each thing with its own."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields as fields_of
from dataclasses import is_dataclass
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.text import Text

from lwc import wire
from lwc.cli import (
    changeset_diff_views,
    changeset_rebase_views,
    changeset_views,
    check_views,
    checkpoint_views,
    doctor_views,
    finding_views,
    ingest_views,
    page_views,
    wiki_views,
)
from lwc.cli.line_views import Indented, Listing, Prose, fields, flat, heading, moment, words

View = Callable[[Any], RenderableType]

# Told by the footer or by where the command was called, or of use to programs only.
QUIET = frozenset({"scope", "database", "graph", "limit", "offset", "has_more", "max_chars"})
# Commands, to be copied as one line.
WHOLE = frozenset({"next"})
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
    with console.capture() as captured:
        console.print(_shown(answer), crop=False)
    return "".join(f"{line.rstrip()}\n" for line in captured.get().split("\n")[:-1])


def generic(answer: Any) -> RenderableType:
    """Scalars as lines, lists of objects as tables, long texts as blocks."""
    if _is_object(answer):
        return Group(*_blocks(_named(answer)))
    if isinstance(answer, list | tuple):
        return _listed(answer)
    return Prose(words(answer))


def queried(answer: Any) -> RenderableType:
    """The rows of a query, all columns of them, as they are called in it."""
    rows = [{column: _cell("", row[column]) for column in answer.columns} for row in answer.rows]
    more = [Text("There is more: --limit N, or OFFSET in the query", "dim")]
    return Group(Listing(rows, answer.columns), *(more if answer.has_more else ()))


# A class's name → how it is shown, as an answer or within one; the rest is shown by `generic`.
VIEWS: Mapping[str, View] = {
    "ChangesetBegun": changeset_views.begun,
    "ChangesetDiff": changeset_diff_views.diff,
    "ChangesetDiscarded": changeset_views.discarded,
    "ChangesetDropped": changeset_views.dropped,
    "ChangesetList": changeset_views.listed,
    "ChangesetPublished": changeset_views.published,
    "ChangesetRebased": changeset_rebase_views.rebased,
    "ChangesetRenamed": changeset_views.renamed,
    "ChangesetRolledBack": changeset_views.rolled_back,
    "ChangesetVerified": changeset_views.verified,
    "CheckOutcome": check_views.outcome,
    "CheckState": check_views.check,
    "Checked": ingest_views.checked,
    "CheckpointDiff": checkpoint_views.diff,
    "CheckpointRow": checkpoint_views.checkpoint,
    "ChecksRun": check_views.ran,
    "CitationState": finding_views.citation,
    "CitingPageView": page_views.page,
    "Completed": ingest_views.completed,
    "Diagnosis": doctor_views.diagnosis,
    "DraftShown": changeset_views.draft,
    "EndedShown": changeset_views.ended,
    "EntityChange": checkpoint_views.change,
    "Examined": doctor_views.examined,
    "Finding": finding_views.finding,
    "GateView": ingest_views.gate,
    "Initialised": wiki_views.initialised,
    "JobRow": ingest_views.job,
    "LintAnswer": finding_views.linted,
    "Operation": wiki_views.operation,
    "Packet": ingest_views.packet,
    "PacketPage": page_views.page,
    "PageDiff": page_views.diff,
    "PageHistory": page_views.history,
    "PageRef": page_views.page,
    "PageSummary": page_views.page,
    "QueryAnswer": queried,
    "Restored": checkpoint_views.restored,
    "SearchAnswer": finding_views.found,
    "SourceView": wiki_views.source,
    "StoreOverview": wiki_views.store,
}


def _shown(value: Any) -> RenderableType:
    return VIEWS.get(type(value).__name__, generic)(value)


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping) or is_dataclass(value)


def _named(value: Any) -> Mapping[str, Any]:
    """The fields of an object by name; the objects among them keep their class."""
    if isinstance(value, Mapping):
        return {str(name): item for name, item in value.items()}
    return {field.name: getattr(value, field.name) for field in fields_of(value)}


def _blocks(named: Mapping[str, Any]) -> list[RenderableType]:
    blocks: list[RenderableType] = []
    lines: dict[str, Text] = {}
    for name, value in named.items():
        if value is None or name in QUIET or (name == "replayed" and not value):
            continue
        if _is_short(value):
            lines[name] = _line(value)
            continue
        if lines:
            blocks.append(fields(lines, whole=WHOLE))
            lines = {}
        blocks += [heading(name), Indented(content=_shown(value))]
    if lines:
        blocks.append(fields(lines, whole=WHOLE))
    return [*blocks, *_footer(named)]


def _is_short(value: Any) -> bool:
    if isinstance(value, str):
        return "\n" not in value and len(value) <= CELL_MOST
    if isinstance(value, list | tuple):
        flat_ones = not any(_is_object(item) or isinstance(item, list | tuple) for item in value)
        return flat_ones and len(str(wire.plain(value))) <= 100
    return not _is_object(value) or value == {}


def _line(value: Any) -> Text:
    if isinstance(value, list | tuple):
        return words(", ".join(str(wire.plain(item)) for item in value) or None)
    shape = wire.plain(value)
    return words(None if shape in ({}, "") else shape)


def _listed(items: Sequence[Any]) -> RenderableType:
    if not items:
        return Text("none", style="dim")
    if not all(_is_object(item) for item in items):
        return Group(*(Prose(words(wire.plain(item))) for item in items))
    if all(type(item).__name__ in VIEWS for item in items):
        return Group(*(_shown(item) for item in items))
    shapes = [wire.plain(item) for item in items]
    columns = _columns(shapes)
    if any(_is_long(shape) for shape in shapes) or not columns:
        return Group(*(Group(_shown(item), Text()) for item in items))
    rows = [{column: _cell(column, shape.get(column)) for column in columns} for shape in shapes]
    numbers = (name for name in columns if all(_is_number(shape.get(name)) for shape in shapes))
    return Listing(rows, columns, frozenset(numbers))


def _is_long(shape: Mapping[str, Any]) -> bool:
    """Whether an object holds a text that no cell can show."""
    return any(isinstance(value, str) and len(value) > 2 * CELL_MOST for value in shape.values())


def _columns(items: Sequence[Mapping[str, Any]]) -> list[str]:
    names = dict.fromkeys(name for item in items for name in item if name not in QUIET)
    told = [name for name in names if any(item.get(name) not in (None, [], {}) for item in items)]
    plain = [name for name in told if not any(isinstance(item.get(name), dict) for item in items)]
    if len(plain) > COLUMNS_WITH_DIGESTS:
        plain = [name for name in plain if not _is_digest(name, items[0].get(name))]
    return plain[:COLUMNS_MOST]


def _cell(column: str, value: Any) -> Text:
    if value is None or value == []:
        return Text("–", "dim") if column == "" else Text()
    if isinstance(value, str):
        if _is_digest(column, value):
            return words(value[:DIGEST_SHOWN])
        if column.endswith("_at"):
            return words(moment(value))
        line = flat(value)
        return Text(line if len(line) <= CELL_MOST else line[: CELL_MOST - 1] + "…")
    if isinstance(value, list):
        if any(isinstance(item, dict | list) for item in value):
            return words(len(value))
        return _cell("", ", ".join(map(str, value)))
    return words(value)


def _footer(named: Mapping[str, Any]) -> list[RenderableType]:
    if not named.get("has_more"):
        return []
    offset, limit = named.get("offset"), named.get("limit")
    if isinstance(offset, int) and isinstance(limit, int):
        return [Text(f"There is more: --offset {offset + limit}", "dim")]
    return [Text("There is more", "dim")]


def _is_digest(column: str, value: Any) -> bool:
    return column.endswith(DIGESTS) and isinstance(value, str) and len(value) >= 32


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
