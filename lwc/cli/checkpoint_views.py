"""Checkpoints for a person at a terminal: what each keeps, what differs, what a restore did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from lwc.cli.line_views import Indented, Prose, facts, fields, flat, moment

_SIGNS = {"added": ("+", "green"), "removed": ("-", "red"), "changed": ("~", "yellow")}
# The first of these that a thing has is what it is called.
_NAMES = ("slug", "name", "title", "query", "value")
_BYTES = ((1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB"))


def checkpoint(value: Any) -> RenderableType:
    """A checkpoint as an entry of a list: which state of the wiki it keeps, since when and why."""
    head = Text().append(flat(value.name), "bold green" if value.usable else "bold red")
    state = "" if value.revision is None else f"revision {value.revision}"
    told = (value.kind, state, _size(value.bytes), moment(value.made_at), flat(value.by or ""))
    head.append(f"  {facts(*told)}", "dim")
    lines = []
    if value.why:
        lines.append(Indented(content=Prose(Text(flat(value.why)))))
    if value.trouble:
        lines.append(Indented(content=Prose(Text(f"cannot be used: {flat(value.trouble)}", "red"))))
    return Group(Prose(head, hang=2), *lines)


def change(value: Any) -> RenderableType:
    """Something that differs, by its name, with what it was and what it is."""
    sign, colour = _SIGNS[value.change]
    shown = value.after or value.before or {}
    name = next((flat(shown[name]) for name in _NAMES if shown.get(name)), "")
    line = Text(f"{sign} {flat(value.entity)} {flat(value.key)}", colour).append(f"  {name}")
    return Prose(line.append(f"  {facts(*_moved(value))}", "dim"), hang=2)


def diff(answer: Any) -> RenderableType:
    """What has changed since a checkpoint, counted by kind and then one by one."""
    head = Text(f"since {flat(answer.checkpoint)}", "bold")
    head.append(f"  revision {answer.checkpoint_revision} → {answer.revision}", "dim")
    if not answer.total:
        return Group(Prose(head), Prose(Text("Nothing has changed.")))
    more = [Text(f"There is more: --offset {answer.offset + answer.limit}", "dim")]
    return Group(
        Prose(head),
        counted(answer.counts),
        *(change(one) for one in answer.changes),
        *(more if answer.has_more else ()),
    )


def restored(answer: Any) -> RenderableType:
    """What became of the wiki, and how to take that back."""
    done = Text("The wiki is what ").append(flat(answer.checkpoint), "bold green")
    lists = {
        "drafts open now": answer.drafts,
        "drafts gone": answer.drafts_gone,
        "claims ended": answer.claims_ended,
        "history lost": answer.not_taken_over,
    }
    lines = {name: Text(flat(", ".join(map(str, items)))) for name, items in lists.items() if items}
    revisions = f"{answer.restored_revision} (it was at {answer.replaced_revision}, now"
    return Group(
        Prose(done.append(f" keeps: revision {revisions} {answer.revision})"), hang=2),
        counted(answer.changes),
        fields(
            {
                **lines,
                "to undo it": Text(f"lwc checkpoint restore {flat(answer.safety_checkpoint)}"),
            },
            whole=frozenset({"to undo it"}),
        ),
    )


def counted(counts: Mapping[str, Mapping[str, int]]) -> RenderableType:
    """By kind, what was added, removed and changed."""
    return Group(
        *(
            Prose(Text(f"{flat(entity)}: ").append(facts(*_numbers(numbers))), hang=2)
            for entity, numbers in counts.items()
        )
    )


def _numbers(numbers: Mapping[str, int]) -> list[str]:
    return [f"{number} {word}" for word, number in numbers.items() if number]


def _moved(value: Any) -> list[str]:
    """The fields that are not the same before and after."""
    if value.before is None or value.after is None:
        return []
    return [
        f"{flat(name)} {flat(value.before[name])} → {flat(value.after[name])}"
        for name in value.before
        if value.before[name] != value.after[name]
    ]


def _size(number: int) -> str:
    for unit, word in _BYTES:
        if number >= unit:
            return f"{number / unit:.1f} {word}"
    return f"{number} bytes"
