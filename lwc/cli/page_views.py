"""Pages for a person at a terminal: in a list, what became of one, and what changed in it."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from lwc import wire
from lwc.cli.finding_views import citation
from lwc.cli.line_views import Indented, Listing, Prose, day, facts, flat, label, moment

COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def page(value: Any) -> RenderableType:
    """A page as an entry of a list: its name, and what it is about below."""
    head = Text().append(flat(value.slug), "bold green")
    head.append(f"  {flat(value.title)}", "bold")
    why = getattr(value, "why", "")
    told = facts(flat(value.kind), f"revision {value.revision}", day(value.updated_at), flat(why))
    head.append(f"  {told}", "dim")
    summary = flat(getattr(value, "summary", ""))
    below = [Prose(Text(summary))] if summary else []
    quotes = [citation(quote) for quote in getattr(value, "citations", ())]
    return Group(Prose(head, hang=2), *(Indented(content=block) for block in [*below, *quotes]))


def history(answer: Any) -> RenderableType:
    """The revisions of a page, a line for each."""
    rows = [
        {
            "revision": Text(str(entry.revision)),
            "written": Text(moment(entry.created_at)),
            "action": Text(flat(entry.action)),
            "author": Text(flat(entry.author)),
            "operation": Text(str(entry.operation_id)),
            "title": Text(flat(entry.title)),
            "name": Text("" if entry.slug == answer.slug else flat(entry.slug)),
        }
        for entry in answer.revisions
    ]
    columns = [name for name in rows[0] if any(row[name] for row in rows)] if rows else []
    gone = "  removed" if answer.removed else ""
    head = Text().append(flat(answer.slug), "bold green").append(gone, "bold red")
    more = f"; more with --offset {answer.offset + answer.limit}" if answer.has_more else ""
    told = Text(f"{len(rows)} of {answer.total} revisions{more}", "dim")
    listed = [Listing(rows, columns, frozenset({"revision", "operation"}))] if rows else []
    return Group(Prose(head), *listed, Prose(told))


def diff(answer: Any) -> RenderableType:
    """What became of each field, then the lines of the text as they were and as they are."""
    head = Text().append(flat(answer.slug), "bold green")
    head.append(f"  revision {answer.from_revision} → {answer.to_revision}", "bold")
    head.append(f"  +{answer.added} -{answer.removed} lines", "dim")
    more = [Text(f"There is more: --max-chars {answer.total_chars}", "dim")]
    return Group(
        Prose(head, hang=2),
        *(change(one) for one in answer.changes),
        *diff_lines(answer.diff),
        *(more if answer.has_more else ()),
    )


def diff_lines(text: str) -> list[RenderableType]:
    """The lines of a unified diff; wrapped, one would lose the sign it begins with."""
    return [
        Prose(Text(line, COLOURS.get(line[:1], "")), whole=True)
        for line in wire.visible(text).rstrip("\n").split("\n")
        if line
    ]


def change(value: Any) -> RenderableType:
    """What became of a field of a page, on one line."""
    line = Text().append(f"{label(value.field)}  ", "cyan")
    if value.before not in (None, "", [], ()):
        line.append(f"{_value(value.before)} → ")
    return Prose(line.append(_value(value.after)), hang=2)


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    return "none" if value is None or value == "" else flat(value)
