"""The wiki as a whole for a person at a terminal: where it is, what it holds, what was done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from lwc.cli.line_views import Indented, Prose, facts, fields, flat, heading, moment, words
from lwc.cli.page_views import page


def initialised(answer: Any) -> RenderableType:
    """Where the wiki is, and how to begin."""
    folder = flat(Path(answer.database).parent)
    made = "Made a wiki in " if answer.created else "There is a wiki already: "
    lines = {"policy": answer.policy, "revision": answer.revision}
    if answer.git_exclude.path:
        lines["git"] = f"{answer.git_exclude.status}: {answer.git_exclude.path}"
    return Group(
        Prose(Text(made).append(folder, "bold green"), hang=2),
        fields({name: Text(flat(value)) for name, value in lines.items()}),
        fields({"next": Text("lwc source add-dir DIR")}, whole=frozenset({"next"})),
    )


def store(overview: Any) -> RenderableType:
    """One wiki: its texts, its newest pages, what was done last, and how much there is."""
    head = Text().append(flat(overview.scope), "bold green")
    head.append(f"  {flat(overview.database)}", "dim")
    jobs = [f"{count} {flat(state)}" for state, count in overview.jobs.items() if count]
    counts = {
        "revision": str(overview.revision),
        "pages": str(overview.pages_total),
        "sources": str(overview.sources_total),
        "jobs": ", ".join(jobs) or "none",
    }
    done = [operation(one) for one in overview.recent_operations]
    return Group(
        Prose(head, hang=2),
        *text("purpose", overview.purpose, chars=overview.purpose_chars),
        *text("schema", overview.schema, chars=overview.schema_chars),
        *below("pages", [page(one) for one in overview.pages]),
        *([Prose(Text("There are more: `lwc page list`", "dim"))] if overview.has_more else ()),
        *below("recent operations", done),
        fields({name: Text(count) for name, count in counts.items()}),
    )


def operation(value: Any) -> RenderableType:
    """What was done, on one line."""
    line = Text().append(str(value.id), "green").append(f"  {moment(value.created_at)}  ", "dim")
    line.append(flat(value.action), "bold")
    line.append(f"  {flat(value.target)}" if value.target else "")
    return Prose(line.append(f"  {flat(value.agent)}", "dim"), hang=2)


def source(value: Any) -> RenderableType:
    """A source as an entry of a list."""
    head = Text().append(str(value.id), "bold green").append(f"  {flat(value.title)}", "bold")
    where = flat(value.path) if value.path != value.title else ""
    head.append(f"  {facts(where, f'{value.chars} characters', moment(value.created_at))}", "dim")
    return Prose(head, hang=2)


def text(name: str, content: str | None, *, chars: int | None = None) -> list[RenderableType]:
    """A text below its name; `chars` tells how long it is, should this be its beginning."""
    if not content:
        return []
    cut = chars is not None and chars > len(content)
    more = [Text(f"… the first {len(content)} of {chars} characters", "dim")] if cut else []
    return [heading(name), Indented(content=Group(Prose(words(content.rstrip("\n"))), *more))]


def below(name: str, entries: list[RenderableType]) -> list[RenderableType]:
    """Entries below their name; nothing when there are none."""
    return [heading(name), Indented(content=Group(*entries))] if entries else []
