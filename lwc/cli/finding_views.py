"""What was found, for a person at a terminal: results of a search, and findings of lint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from lwc import wire
from lwc.cli.line_views import Indented, Prose, flat

QUOTES = {"exact": "green", "near": "green", "missing": "bold red"}
COLOURS = {"error": "bold red", "warning": "yellow", "info": "cyan"}


def found(answer: Any) -> RenderableType:
    """Each result with its passage, the words that match in bold."""
    blocks = [block for result in answer.results for block in _result(result)]
    notice = [Prose(Text(flat(answer.query.notice), "yellow"))] if answer.query.notice else []
    return Group(*notice, *blocks, _told(answer, shown=len(answer.results), what="found"))


def linted(answer: Any) -> RenderableType:
    """Each finding with its place and what to do about it."""
    blocks = [finding(issue) for issue in answer.issues]
    levels = [
        f"{count} {level}{'s' if count != 1 and level != 'info' else ''}"
        for level, count in answer.severities.items()
        if count
    ]
    whole = Text(", ".join(levels) or "Nothing is wrong.")
    return Group(*blocks, whole, _told(answer, shown=len(answer.issues), what="findings"))


def finding(issue: Any) -> RenderableType:
    """One finding: its place, what is so, what to do."""
    head = Text().append(issue.severity, COLOURS[issue.severity])
    place = issue.page or issue.target or ""
    if issue.page and issue.line is not None:
        place = f"{place}:{issue.line}"
    head.append(f"  {issue.code}", "bold")
    head.append(f"  {flat(place)}", "green")
    said = Prose(Text(wire.visible(issue.message)))
    hint = Prose(Text(wire.visible(issue.hint), "dim"))
    return Group(Prose(head, hang=2), Indented(content=Group(said, hint)))


def citation(value: Any) -> RenderableType:
    """A quote, how it stands in its source, and what stands there instead."""
    line = Text().append(f"[^{flat(value.label)}]", "bold")
    state = flat(value.state)
    line.append(f" {state}", QUOTES.get(state, "yellow"))
    source = getattr(value, "source_id", None)
    if source is not None:
        line.append(f" source {source}", "dim")
    if value.quote is not None:
        line.append(f' "{flat(value.quote)}"')
    if getattr(value, "found", None) and state != "exact":
        line.append(f'; the source has "{flat(value.found)}"')
    return Prose(line, hang=2)


def _result(result: Any) -> Iterator[RenderableType]:
    head = Text()
    head.append(wire.visible(result.identifier), "bold green")
    head.append(f"  {wire.visible(result.title)}", "bold")
    facts = [result.kind or result.type, *(result.provenance or ()), result.path or ""]
    facts += [f"{count} {state}" for state, count in result.citations.items()]
    head.append("  " + " · ".join(wire.visible(fact) for fact in facts if fact), "dim")
    yield Prose(head, hang=2)
    if result.snippet:
        yield Indented(content=Prose(_passage(result.snippet, result.marks)))


def _passage(snippet: str, marks: tuple[tuple[int, int], ...]) -> Text:
    """The snippet with its marks; what a terminal could obey is made visible piece by piece."""
    shown, done = Text(), 0
    for start, end in marks:
        shown.append(wire.visible(snippet[done:start]))
        shown.append(wire.visible(snippet[start:end]), "bold yellow")
        done = end
    shown.append(wire.visible(snippet[done:]))
    return shown


def _told(answer: Any, *, shown: int, what: str) -> Text:
    more = f"; more with --offset {answer.offset + answer.limit}" if answer.has_more else ""
    return Text(f"{shown} of {answer.total} {what}{more}", "dim")
