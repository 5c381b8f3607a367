"""What a changeset changes, for a person at a terminal: the texts, and what comes and goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from lwc.cli.line_views import Indented, Prose, counted, facts, flat, label
from lwc.cli.page_views import change, diff_lines

DONE = {"created": "green", "changed": "yellow", "removed": "red", "kept": "dim"}


def diff(answer: Any) -> RenderableType:
    """Text by text, then sources, paths, checks and jobs; in the order in which they are told."""
    blocks = [
        *(_text("page", one, one.slug) for one in answer.pages),
        *(_text("", one, one.name) for one in answer.charter),
        *map(_source, answer.sources),
        *map(_path, answer.paths),
        *map(_check, answer.checks),
        *map(_job, answer.jobs),
    ]
    texts = (*answer.pages, *answer.charter)
    added, removed = sum(one.added for one in texts), sum(one.removed for one in texts)
    told = [
        counted(count, what.removesuffix("s")) for what, count in answer.totals.items() if count
    ]
    more = f"more with --offset {answer.offset + answer.limit}" if answer.has_more else ""
    foot = facts(", ".join(told) or "nothing is touched", f"+{added} -{removed} lines", more)
    head = Text().append(flat(answer.name), "bold green").append(f"  {label(answer.status)}")
    return Group(Prose(head), *blocks, Prose(Text(foot, "dim")))


def _text(what: str, value: Any, name: str) -> RenderableType:
    line = _line(what, name, value.done)
    numbers = f"revision {value.from_revision} → {value.to_revision}"
    line.append(f"  {facts(numbers, f'+{value.added} -{value.removed}')}", "dim")
    if value.live_moved:
        line.append("  live has changed since", "bold red")
    return Group(Prose(line, hang=2), *(Indented(content=block) for block in _content(value)))


def _content(value: Any) -> Iterator[RenderableType]:
    for one in getattr(value, "changes", None) or ():
        yield change(one)
    if value.diff:
        yield from diff_lines(value.diff)
    if value.has_more:
        yield Text(f"There is more: --max-chars {value.total_chars}", "dim")


def _source(value: Any) -> RenderableType:
    line = _line("source", str(value.id), value.done)
    chars = "" if value.chars is None else f"{value.chars} characters"
    line.append(f"  {facts(flat(value.title or ''), flat(value.path or ''), chars)}", "dim")
    return Prose(line, hang=2)


def _path(value: Any) -> RenderableType:
    line = _line("path", value.path, value.done)
    held = [f"source {one}" for one in (value.from_source, value.to_source) if one is not None]
    return Prose(line.append(f"  {' → '.join(held)}", "dim"), hang=2)


def _check(value: Any) -> RenderableType:
    line = _line("check", str(value.id), value.done)
    if value.page is not None:
        line.append(f"  {flat(value.page)}  top {value.top}", "dim")
    asked = [one for one in (value.query, *value.paraphrases) if one is not None]
    queries = (Prose(Text(f'"{flat(one)}"'), hang=2) for one in asked)
    return Group(Prose(line, hang=2), *(Indented(content=one) for one in queries))


def _job(value: Any) -> RenderableType:
    line = Text().append("completed", "green").append(f"  job {value.job}", "bold")
    line.append(f"  {flat(value.title or '')}", "dim")
    reasons = (value.no_derived_pages_reason, value.unread_reason)
    told = (Prose(Text(flat(reason)), hang=2) for reason in reasons if reason)
    return Group(Prose(line, hang=2), *(Indented(content=one) for one in told))


def _line(what: str, name: str, done: str) -> Text:
    line = Text().append(str(done), DONE[done]).append(f"  {what} " if what else "  ")
    return line.append(flat(name), "bold")
