"""A rebased draft for a person at a terminal: what went along, and both texts of the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from lwc.cli.line_views import Indented, Prose, counted, facts, fields, flat, label, moment
from lwc.cli.page_views import change, diff_lines
from lwc.cli.wiki_views import below

# An answer holds more of each; a person reads the first of them.
LISTED = 20


def rebased(answer: Any) -> RenderableType:
    """What the draft brought along, and what is still to be settled."""
    head = Text().append("rebased ").append(flat(answer.name), "bold green")
    told = f"onto revision {answer.revision}"
    if answer.conflicts_total:
        head.append(f"  {counted(answer.conflicts_total, 'conflict')}", "bold red")
    return Group(
        Prose(head.append(f"  {told}", "dim"), hang=2),
        *below("brought along", _named(answer.rebased, total=answer.rebased_total)),
        *below("live has them by now", _named(answer.unstaged, total=answer.unstaged_total)),
        *below("not resolved", [_unresolved(one) for one in answer.unresolved[:LISTED]]),
        *(_conflict(one) for one in answer.conflicts),
        *_rest(answer.conflicts_total, shown=len(answer.conflicts)),
        fields({"next": Text(flat(answer.next))}, whole=frozenset({"next"})),
    )


def _named(found: Sequence[Any], *, total: int) -> list[RenderableType]:
    lines: list[RenderableType] = [
        Prose(Text().append(f"{one.entity} ").append(flat(one.identifier), "green"), hang=2)
        for one in found[:LISTED]
    ]
    return [*lines, *_rest(total, shown=len(lines))]


def _unresolved(value: Any) -> RenderableType:
    line = Text().append(f"{flat(value.identifier)}={value.revision}", "bold")
    return Prose(line.append(f"  {flat(value.why)}"), hang=2)


def _conflict(value: Any) -> RenderableType:
    """What each side made of the text that both began with, and what to do about it."""
    head = Text().append(f"{value.entity} {flat(value.identifier)}", "bold")
    head.append(f"  {label(value.why)}", "bold red")
    numbers = {"base": value.base_revision, "live": value.live_revision}
    numbers["draft"] = value.draft_revision
    told = ", ".join(f"{name} {number}" for name, number in numbers.items() if number is not None)
    by = f"{flat(value.changed_by)} {moment(value.changed_at)}" if value.changed_by else ""
    head.append(f"  {facts(told, by)}", "dim")
    blocks = [*(change(one) for one in value.changes), *_sides(value)]
    advice = Prose(Text(flat(value.advice), "dim"))
    return Group(Prose(head, hang=2), *(Indented(content=one) for one in (*blocks, advice)))


def _sides(value: Any) -> Iterator[RenderableType]:
    """Each side by its change, or by its text where there was nothing to change."""
    sides = {"live": (value.live_change, value.live), "draft": (value.draft_change, value.draft)}
    for side, (changed, text) in sides.items():
        if changed:
            yield from diff_lines(changed)
        elif text is not None:
            yield Prose(Text(f"{side} text", "bold"))
            yield Indented(content=Group(*(Prose(Text(one)) for one in _lines(text))))


def _lines(text: Any) -> Iterator[str]:
    yield from (flat(line) for line in text.text.splitlines())
    if text.has_more:
        yield f"… the first {len(text.text)} of {text.total_chars} characters"


def _rest(total: int, *, shown: int) -> list[RenderableType]:
    return [Prose(Text(f"and {total - shown} more", "dim"))] if total > shown else []
