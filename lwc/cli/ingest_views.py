"""Jobs for a person at a terminal: the packet of a claim, and the gates of completion."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from lwc.cli.finding_views import finding
from lwc.cli.line_views import Indented, Prose, facts, fields, flat, moment
from lwc.cli.page_views import page
from lwc.cli.refusal_views import misquote
from lwc.cli.wiki_views import below, operation, source, text


def packet(answer: Any) -> RenderableType:
    """What is known already, then the source, and last what to do: the end is what is seen."""
    job = answer.job
    if job is None:
        return Prose(Text("Nothing to ingest."))
    window, claim = job.source_window, job.claim
    end = window.offset_chars + window.returned_chars
    return Group(
        *text("purpose", answer.purpose),
        *text("schema", answer.schema),
        *below("pages", [page(one) for one in answer.pages]),
        *below("recent operations", [operation(one) for one in answer.recent_operations]),
        *below("open findings", [finding(one) for one in answer.open_findings]),
        *text("analysis of an earlier attempt", job.analysis, chars=job.analysis_chars),
        *text("source", job.source.content),
        source(job.source),
        fields(
            {
                "characters": Text(f"{window.offset_chars}–{end} of {window.total_chars}"),
                "attempt": Text(f"{claim.attempt}, until {moment(claim.lease_expires_at)}"),
                "agent": Text(flat(claim.agent)),
                "token": Text(flat(claim.token)),
                "next": Text(flat(answer.next or "")),
            },
            whole=frozenset({"next"}),
        ),
    )


def checked(answer: Any) -> RenderableType:
    """Whether the job could be completed, and each gate."""
    ready = Text("ready", "bold green") if answer.ready else Text("not ready", "bold red")
    return Group(Prose(_job(answer).append("  ").append_text(ready)), *_judged(answer))


def completed(answer: Any) -> RenderableType:
    """The job that is done, and what that rests on."""
    return Group(Prose(_job(answer)), *_judged(answer), Text(f"revision  {answer.revision}"))


def gate(value: Any) -> RenderableType:
    """A gate on a line; when it does not hold, why, and what to do about it."""
    if value.held:
        return Prose(Text().append("held  ", "green").append(flat(value.gate)))
    head = Text().append("open  ", "bold red").append(flat(value.gate), "bold")
    head.append(f"  {flat(value.message)}")
    quotes = [Prose(Text(misquote(quote)), hang=2) for quote in value.details.get("citations", ())]
    hint = Prose(Text(flat(value.hint), "dim"))
    return Group(Prose(head, hang=6), *(Indented(content=block, by=6) for block in [*quotes, hint]))


def job(value: Any) -> RenderableType:
    """A job as an entry of a list: its state, and who holds it until when."""
    head = Text().append(str(value.source_id), "bold green")
    head.append(f"  {flat(value.title)}  ", "bold")
    head.append(flat(value.status), "cyan")
    held = ""
    if value.lease_expires_at is not None:
        held = f"{flat(value.agent)}, {flat(value.lease)} {moment(value.lease_expires_at)}"
    tried = f"tried {value.attempts} times" if value.attempts > 1 else ""
    head.append(f"  {facts(held, tried)}", "dim")
    below = [value.last_error, value.no_derived_pages_reason]
    told = [Indented(content=Prose(Text(flat(text)))) for text in below if text]
    return Group(Prose(head, hang=2), *told)


def _job(answer: Any) -> Text:
    job = answer.job
    return Text().append(f"job {job.source_id}", "bold").append(f"  {flat(job.status)}")


def _judged(answer: Any) -> list[RenderableType]:
    pages = answer.integration
    evidence = ", ".join(f"{flat(one.slug)} at {one.revision}" for one in pages.evidence)
    told = {
        "source pages": Text(str(pages.source_summary_pages)),
        "other pages": Text(str(pages.derived_pages)),
        "cited by": Text(evidence or "none"),
    }
    if pages.no_derived_pages_reason:
        told["no other page"] = Text(flat(pages.no_derived_pages_reason))
    return [fields(told), *(gate(one) for one in answer.gates)]
