"""`lwc changeset publish`, `verify`, `rollback` and `discard`: how a draft ends."""

from __future__ import annotations

from typing import Annotated

import typer

from lwc.cli.options import Context, command
from lwc.services import changeset_publish, changeset_rollback, changeset_verify, changesets
from lwc.services.changeset_publish import ChangesetPublished
from lwc.services.changeset_rollback import ChangesetRolledBack
from lwc.services.changeset_verify import ChangesetVerified
from lwc.services.changesets import ChangesetDiscarded

Name = Annotated[str, typer.Argument(metavar="NAME", help="The draft's name.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="The changeset's id, or its name.")]


@command(mutates=True)
def publish(
    ctx: Context,
    name: Name,
    *,
    allow_lint_issues: Annotated[
        bool,
        typer.Option("--allow-lint-issues", help="Publish although lint finds errors in it."),
    ] = False,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="TEXT", help="Why, for --allow-lint-issues.")
    ] = None,
    findings: Annotated[
        str | None,
        typer.Option(
            "--findings",
            metavar="DIGEST",
            help="Allow just the errors that `changeset show` gives this digest.",
        ),
    ] = None,
) -> ChangesetPublished:
    """Make a draft live: all of it in one transaction, or nothing.

    It is refused, and stays as it is, when live has moved on where the draft touches it, when it
    brings or touches lint errors, when a staged completion lacks a gate, and, under the policy
    `checks=required`, when retrieval checks are missing or do not hold. Next: `changeset verify`.
    """
    waived = changeset_publish.override(
        allow_lint_issues=allow_lint_issues, reason=reason, findings=findings
    )
    return changeset_publish.publish(ctx.wiki(), ctx.call, name=name, waived=waived)


@command(mutates=True)
def verify(ctx: Context, changeset: Id) -> ChangesetVerified:
    """Check on the live wiki what was published, and record how that came out.

    All it made must be there, as published or later, and in the search index; lint may find no
    error on what it wrote but those it was published with; every retrieval check of its pages must
    hold, and under the policy `checks=required` each page must have enough. Otherwise it is refused
    (exit status 5) with what is wrong; that is recorded, too. Only then is a change delivered.
    """
    return changeset_verify.verify(ctx.wiki(), ctx.call, changeset=changeset)


@command(mutates=True)
def rollback(ctx: Context, changeset: Id) -> ChangesetRolledBack:
    """Undo a publication: what it touched is as it was before, page for page.

    Refused when something it touched was changed since. Later work on other pages stays, and the
    history keeps both. For an immediate mistaken publication; otherwise restore single pages.
    """
    return changeset_rollback.rollback(ctx.wiki(), ctx.call, changeset=changeset)


@command(mutates=True)
def discard(ctx: Context, name: Name) -> ChangesetDiscarded:
    """Throw a draft away; live stays as it is, and jobs it held are pending again."""
    return changesets.discard(ctx.wiki(), ctx.call, name=name)
