"""Changesets for a person at a terminal: in a list, what one holds and lacks, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from lwc.cli.finding_views import finding
from lwc.cli.ingest_views import gate
from lwc.cli.line_views import Indented, Prose, counted, facts, fields, flat, label, moment
from lwc.cli.wiki_views import below, operation

# An answer holds more of each; a person reads the first of them.
LISTED = 20

STATES = {"draft": "yellow", "committed": "green", "discarded": "dim", "rolled_back": "dim"}
VERIFICATIONS = {"pending": "yellow", "passed": "green", "failed": "bold red"}


def begun(answer: Any) -> RenderableType:
    """How to work in a draft that was begun."""
    name = flat(answer.name)
    told = f"Give --changeset {name} to the commands that work on it."
    return Group(
        _head("began", answer, f"on revision {answer.base_revision}"),
        Prose(Text(told)),
        _next("lwc changeset show", name),
    )


def renamed(answer: Any) -> RenderableType:
    return _head("renamed", answer, f"from {flat(answer.renamed_from)}")


def discarded(answer: Any) -> RenderableType:
    """What went with a draft."""
    told = counted(answer.staged_operation_count, "operation")
    jobs = ", ".join(map(str, answer.released_jobs))
    head = _head("discarded", answer, f"with {told}")
    return Group(head, *_lines({"jobs pending again": jobs}))


def dropped(answer: Any) -> RenderableType:
    """What is out of a draft, and how much is still in it."""
    told = f"{counted(answer.dropped_operations, 'operation')} of it"
    lines = [
        Indented(
            content=Prose(Text().append(f"{one.entity} ").append(flat(one.identifier), "green"))
        )
        for one in answer.dropped
    ]
    left = Text(f"{counted(answer.remaining, 'thing')} still staged", "dim")
    return Group(_head("dropped from", answer, told), *lines, Prose(left))


def listed(answer: Any) -> RenderableType:
    """Each changeset, and how to see more of one."""
    blocks = [entry(one) for one in answer.changesets]
    more = f"; more with --offset {answer.offset + answer.limit}" if answer.has_more else ""
    told = Text(f"{len(blocks)} of {answer.total} changesets{more}", "dim")
    return Group(*blocks, Prose(told))


def entry(value: Any) -> RenderableType:
    """A changeset as an entry of a list."""
    head = _name(value)
    head.append(f"  {_when(value)}", "dim")
    told = facts(
        counted(value.staged_operation_count, "operation"),
        ", ".join(counted(count, str(entity)) for entity, count in value.entities.items()),
    )
    return Group(
        Prose(head, hang=2),
        Indented(content=Prose(Text(told))),
        *_id(value, of=("committed", "rolled_back")),
    )


def draft(answer: Any) -> RenderableType:
    """What a draft holds, what stands in its way, and what to type next."""
    head = _name(answer)
    head.append("  ready" if answer.ready else "  not ready", _colour(answer.ready))
    head.append(f"  {_when(answer)}", "dim")
    conflicts = [_conflict(one) for one in answer.conflicts[:LISTED]]
    command = "publish" if answer.ready else "rebase" if answer.conflict else "diff"
    return Group(
        Prose(head, hang=2),
        *_staged(answer),
        *below("conflicts", [*conflicts, *_rest(answer.conflicts_total, shown=len(conflicts))]),
        *below("lint", list(_lint(answer.lint, name=answer.name))),
        *below("checks", list(_checks(answer.checks))),
        *below("completions", [_completion(one) for one in answer.completions[:LISTED]]),
        *_operations(answer),
        *below("missing", [_lack(one) for one in answer.missing]),
        _next(f"lwc changeset {command}", answer.name),
    )


def ended(answer: Any) -> RenderableType:
    """What became of a changeset, and what it did."""
    head = _name(answer)
    head.append(f"  {_when(answer)}", "dim")
    report = answer.verified
    told = {} if report is None else {"verified": _report(report)}
    return Group(
        Prose(head, hang=2),
        *_id(answer),
        *_staged(answer),
        *_lines(told),
        *(_sentences("problems", report["problems"]) if report else ()),
        *(_sentences("warnings", report["warnings"]) if report else ()),
        *below("published", _entities(answer.published, total=answer.published_total)),
        *_operations(answer),
        *_to_verify(answer),
    )


def published(answer: Any) -> RenderableType:
    """What is live now, what was let pass, and that it is still to be verified."""
    unsure = {
        "checks fail on": ", ".join(map(flat, answer.failed_checks[:LISTED])),
        "not checked": ", ".join(map(flat, answer.unchecked[:LISTED])),
        "jobs completed": ", ".join(map(str, answer.completed_jobs)),
        "checkpoint": "" if answer.checkpoint is None else flat(answer.checkpoint),
    }
    return Group(
        _head("published", answer, f"as revision {answer.post_revision}"),
        *_id(answer),
        Indented(content=Group(*_entities(answer.entities, total=answer.entities_total))),
        *below("published all the same", [finding(one) for one in answer.overridden[:LISTED]]),
        *_lines(unsure),
        *_to_verify(answer),
    )


def verified(answer: Any) -> RenderableType:
    """That it holds, and what is worth a look."""
    totals = answer.checks.totals
    told = facts(
        counted(totals["pages"], "page"),
        f"{totals['held']} of {totals['checks']} checks hold",
        counted(answer.waived, "known lint error") if answer.waived else "",
    )
    return Group(
        _head("verified", answer, f"published as revision {answer.published_revision}"),
        Prose(Text(told)),
        *_sentences("warnings", answer.warnings),
    )


def rolled_back(answer: Any) -> RenderableType:
    """What is as it was before."""
    told = f"at revision {answer.rollback_revision}"
    before = "" if answer.changed else "; it had been already"
    return Group(
        _head("rolled back", answer, f"{told}{before}"),
        Indented(content=Group(*_entities(answer.entities, total=answer.entities_total))),
    )


def _head(done: str, answer: Any, told: str) -> RenderableType:
    head = Text().append(f"{done} ").append(flat(answer.name), "bold green")
    return Prose(head.append(f"  {told}", "dim"), hang=2)


def _name(value: Any) -> Text:
    head = Text().append(flat(value.name), "bold green")
    head.append(f"  {label(value.status)}", STATES[value.status])
    if value.verification is not None:
        head.append(f"  verification {value.verification}", VERIFICATIONS[value.verification])
    return head


def _when(value: Any) -> str:
    """Who did what when, from its beginning to its end."""
    begun = f"begun by {flat(value.author)} {moment(value.created_at)}"
    on = f"on revision {value.base_revision}"
    if value.ended_at is None:
        return facts(begun, on)
    at = f" as revision {value.published_revision}" if value.published_revision else ""
    ended = f"ended by {flat(value.ended_by)} {moment(value.ended_at)}{at}"
    return facts(begun, on, ended)


def _id(value: Any, *, of: Sequence[str] | None = None) -> list[RenderableType]:
    """The id that leads to it when its name has another bearer."""
    if of is not None and value.status not in of:
        return []
    return [Indented(content=Prose(Text(flat(value.changeset_id), "dim")))]


def _staged(answer: Any) -> list[RenderableType]:
    by_action = [f"{count} {label(action)}" for action, count in answer.action_counts.items()]
    by_kind = [counted(count, str(kind)) for kind, count in answer.entities.items()]
    return _lines({"did": ", ".join(by_action), "touched": ", ".join(by_kind) or "nothing"})


def _conflict(value: Any) -> RenderableType:
    head = Text().append(f"{value.entity} {flat(value.identifier)}", "bold")
    head.append(f"  {label(value.why)}", "bold red")
    numbers = {"base": value.base_revision, "live": value.live_revision}
    numbers["draft"] = value.draft_revision
    told = ", ".join(f"{name} {number}" for name, number in numbers.items() if number is not None)
    by = f"{flat(value.changed_by)} {moment(value.changed_at)}" if value.changed_by else ""
    return Prose(head.append(f"  {facts(told, by)}", "dim"), hang=2)


def _lint(value: Any, *, name: str) -> Iterator[RenderableType]:
    """The errors in the way; how many other findings there are, and where to see them."""
    if value.blocking:
        yield Prose(Text(f"{counted(value.blocking, 'error')} in the way", "bold red"))
        yield Prose(Text(f"digest {value.digest}", "dim"))
    errors = [
        one for one in (*value.introduced.issues, *value.touched.issues) if one.severity == "error"
    ]
    yield from (finding(one) for one in errors[:LISTED])
    yield from _rest(value.blocking, shown=min(len(errors), LISTED))
    others = {
        "introduced": value.introduced.severities,
        "inherited": value.inherited,
    }
    for what, severities in others.items():
        told = ", ".join(f"{count} {level}" for level, count in severities.items() if count)
        yield Prose(Text(f"{what}: {told or 'none'}", "dim"))
    if any(severities.values() for severities in others.values()):
        yield Prose(Text(f"see `lwc lint --changeset {flat(name)}`", "dim"))


def _checks(value: Any) -> Iterator[RenderableType]:
    """How many pages are checked, and which lack a check or fail one."""
    totals = value.totals
    if not totals["pages"]:
        return
    told = facts(
        f"{totals['checked']} of {totals['pages']} pages checked",
        f"{totals['held']} of {totals['checks']} checks hold",
        f"policy {flat(value.policy)}",
    )
    yield Prose(Text(told))
    lacking = [page for page in value.pages if page.failed or not page.checked]
    for page in lacking[:LISTED]:
        line = Text().append(flat(page.page), "green")
        failed = ", ".join(map(str, page.failed))
        line.append(f"  check {failed} fails" if failed else "  not checked", "yellow")
        yield Prose(line, hang=2)
    yield from _rest(len(lacking), shown=min(len(lacking), LISTED))


def _completion(value: Any) -> RenderableType:
    head = Text().append(f"job {value.job}", "bold")
    head.append("  ready" if value.ready else "  not ready", _colour(value.ready))
    return Group(Prose(head), *(Indented(content=gate(one)) for one in value.missing))


def _operations(answer: Any) -> list[RenderableType]:
    entries: list[RenderableType] = [operation(one) for one in answer.operations]
    if answer.has_more:
        told = (
            f"{len(entries)} of {answer.total}; more with --offset {answer.offset + answer.limit}"
        )
        entries.append(Prose(Text(told, "dim")))
    return below("operations", entries)


def _lack(value: Any) -> RenderableType:
    head = Text().append(flat(value.reason), "bold red").append(f"  {flat(value.message)}")
    return Group(Prose(head, hang=2), Indented(content=Prose(Text(flat(value.hint), "dim"))))


def _entities(found: Sequence[Any], *, total: int) -> list[RenderableType]:
    """What became of each entity, a line for each."""
    lines: list[RenderableType] = []
    for one in found[:LISTED]:
        line = Text().append(f"{one.done}  ", "cyan").append(f"{one.entity} ")
        line.append(flat(one.identifier), "green")
        number = getattr(one, "revision", None)
        line.append("" if number is None else f"  revision {number}", "dim")
        lines.append(Prose(line, hang=2))
    return [*lines, *_rest(total, shown=len(lines))]


def _sentences(name: str, told: Sequence[str]) -> list[RenderableType]:
    lines: list[RenderableType] = [Prose(Text(flat(one)), hang=2) for one in told[:LISTED]]
    return below(name, [*lines, *_rest(len(told), shown=len(lines))])


def _report(report: Mapping[str, Any]) -> str:
    return f"by {flat(report['by'])} {moment(report['at'])}, revision {report['revision']}"


def _to_verify(answer: Any) -> list[RenderableType]:
    if answer.status != "committed" or answer.verification == "passed":
        return []
    told = {"verification": Text(str(answer.verification), VERIFICATIONS[answer.verification])}
    return [fields(told), _next("lwc changeset verify", answer.changeset_id)]


def _lines(told: Mapping[str, str]) -> list[RenderableType]:
    """A line for each that says something."""
    shown = {name: Text(value) for name, value in told.items() if value}
    return [fields(shown)] if shown else []


def _rest(total: int, *, shown: int) -> list[RenderableType]:
    return [Prose(Text(f"and {total - shown} more", "dim"))] if total > shown else []


def _next(command: str, word: str) -> RenderableType:
    return fields({"next": Text(f"{command} {flat(word)}")}, whole=frozenset({"next"}))


def _colour(good: bool) -> str:
    return "bold green" if good else "bold red"
