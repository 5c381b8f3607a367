"""What was found, for a person at a terminal: results of a search, and findings of lint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from lwc import wire

COLOURS = {"error": "bold red", "warning": "yellow", "info": "cyan"}


def found(answer: Any) -> RenderableType:
    """Each result with its passage, the words that match in bold."""
    blocks = [block for result in answer.results for block in _result(result)]
    notice = [Text(answer.query.notice, "yellow")] if answer.query.notice else []
    return Group(*notice, *blocks, _told(answer, shown=len(answer.results), what="found"))


def linted(answer: Any) -> RenderableType:
    """Each finding with its place and what to do about it."""
    blocks = [block for issue in answer.issues for block in _issue(issue)]
    levels = [
        f"{count} {level}{'s' if count != 1 and level != 'info' else ''}"
        for level, count in answer.severities.items()
        if count
    ]
    whole = Text(", ".join(levels) or "Nothing is wrong.")
    return Group(*blocks, whole, _told(answer, shown=len(answer.issues), what="findings"))


def _result(result: Any) -> Iterator[RenderableType]:
    head = Text()
    head.append(wire.visible(result.identifier), "bold green")
    head.append(f"  {wire.visible(result.title)}", "bold")
    facts = [result.kind or result.type, *(result.provenance or ()), result.path or ""]
    facts += [f"{count} {state}" for state, count in result.citations.items()]
    head.append("  " + " · ".join(wire.visible(fact) for fact in facts if fact), "dim")
    yield head
    if result.snippet:
        yield Padding(_passage(result.snippet, result.marks), (0, 0, 0, 2))


def _passage(snippet: str, marks: tuple[tuple[int, int], ...]) -> Text:
    """The snippet with its marks; what a terminal could obey is made visible piece by piece."""
    shown, done = Text(), 0
    for start, end in marks:
        shown.append(wire.visible(snippet[done:start]))
        shown.append(wire.visible(snippet[start:end]), "bold yellow")
        done = end
    shown.append(wire.visible(snippet[done:]))
    return shown


def _issue(issue: Any) -> Iterator[RenderableType]:
    head = Text(issue.severity, COLOURS[issue.severity])
    place = issue.page or issue.target or ""
    if issue.page and issue.line is not None:
        place = f"{place}:{issue.line}"
    head.append(f"  {issue.code}", "bold")
    head.append(f"  {wire.visible(place)}", "green")
    yield head
    yield Padding(Text(wire.visible(issue.message)), (0, 0, 0, 2))
    yield Padding(Text(wire.visible(issue.hint), "dim"), (0, 0, 0, 2))


def _told(answer: Any, *, shown: int, what: str) -> Text:
    more = f"; more with --offset {answer.offset + answer.limit}" if answer.has_more else ""
    return Text(f"{shown} of {answer.total} {what}{more}", "dim")
