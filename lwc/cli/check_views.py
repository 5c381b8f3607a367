"""Retrieval checks for a person at a terminal: what each asks, and where its page was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from lwc.cli.line_views import Indented, Prose, facts, flat, moment


def check(value: Any) -> RenderableType:
    """A check as an entry of a list: its page, its queries, and how it came out last."""
    run = value.last_run
    places = [None] * (1 + len(value.paraphrases)) if run is None else run.places
    head = _head(value, held=None if run is None else run.held)
    if run is not None:
        changed = "the page was written since" if value.page_changed else ""
        at = f"{moment(run.ran_at)} at revision {run.revision}"
        head.append(f"  {facts(at, changed)}", "dim")
    asked = zip((value.query, *value.paraphrases), places, strict=False)
    queries = [_query(text, _place(place) if run else "") for text, place in asked]
    return Group(Prose(head, hang=2), *(Indented(content=line) for line in queries))


def outcome(value: Any) -> RenderableType:
    """A check that was run; where it failed, what stands in the place of its page."""
    blocks: list[RenderableType] = []
    for found in (value, *value.paraphrases):
        blocks.append(_query(found.query, _place(found.place)))
        if found.place is None:
            blocks.append(Indented(content=Prose(Text(_instead(found.results), "dim"), hang=2)))
    head = _head(value, held=value.held)
    return Group(Prose(head, hang=2), *(Indented(content=block) for block in blocks))


def ran(answer: Any) -> RenderableType:
    """Each check, and how many held."""
    blocks = [outcome(one) for one in answer.checks]
    totals = answer.totals
    if not totals["checks"]:
        return Prose(Text("There is no check to run."))
    told = Text(f"{totals['held']} of {totals['checks']} checks hold")
    told.stylize("green" if answer.held else "bold red")
    if not answer.recorded:
        told.append("; not recorded", "dim")
    more = f"; more with --offset {answer.offset + answer.limit}" if answer.has_more else ""
    return Group(*blocks, Prose(told.append(more, "dim")))


def _head(value: Any, *, held: bool | None) -> Text:
    words, colour = _STATES[held]
    head = Text().append(words, colour).append(f"  {value.id}", "bold")
    return head.append(f"  {flat(value.page)}", "green").append(f"  top {value.top}", "dim")


_STATES = {None: ("never run", "yellow"), True: ("held", "green"), False: ("failed", "bold red")}


def _query(text: str, told: str) -> RenderableType:
    line = Text(f'"{flat(text)}"')
    return Prose(line.append(f"  {told}", "dim") if told else line, hang=2)


def _place(place: int | None) -> str:
    return "not found" if place is None else f"place {place}"


def _instead(results: Sequence[Any]) -> str:
    found = ", ".join(f"{one.place} {flat(one.slug)}" for one in results)
    return f"found: {found}" if found else "nothing is found"
