"""Whether a draft can be published: its conflicts, and what each gate says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lwc import wire
from lwc.domain.changeset import Entity
from lwc.domain.ingest import Job
from lwc.domain.lint import Finding, Severity
from lwc.errors import (
    CHANGESET_CHECK_FAILED,
    CHANGESET_CHECK_MISSING,
    CHANGESET_COMPLETION_REFUSED,
    CHANGESET_CONFLICT,
    CHANGESET_EMPTY,
    CHANGESET_LINT_FAILED,
    LwcError,
)
from lwc.services import checks, completion, lint_baseline
from lwc.services.checks import PageChecks
from lwc.services.completion import Judgement, Waivers
from lwc.services.lint_baseline import Baseline
from lwc.store import completions, drafts, jobs, layers, settings, standing
from lwc.store.database import Connection
from lwc.store.drafts import Changeset
from lwc.store.layers import Draft
from lwc.store.standing import Conflict, Standing, Why
from lwc.wiki import Wiki

CONFLICTS_SHOWN = 100
CHECKS_SHOWN = 100

WHY_SAID: Mapping[Why, str] = {
    Why.CHANGED: "was changed",
    Why.CREATED: "was made by somebody else",
    Why.REMOVED: "was removed",
    Why.NAME_TAKEN: "has a name that another page took",
    Why.SOURCE_REMOVED: "is built on by the draft and was removed",
    Why.SOURCE_IN_USE: "is removed by the draft and was taken into use",
    Why.PAGE_REMOVED: "belongs to a page that was removed",
    Why.JOB_MOVED: "is not in the claim any more whose completion is staged",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictView:
    """What stands in the way: the entity, its revisions, and who made it so, when.

    The revisions are the page's (or text's, or path's) when the draft touched it, live and drafted.
    """

    entity: Entity
    identifier: str
    why: Why
    base_revision: int | None
    live_revision: int | None
    draft_revision: int | None
    changed_by: str | None
    changed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """A draft as it stands now against live; judged in one transaction."""

    changeset: Changeset
    draft: Draft
    standings: tuple[Standing, ...]
    conflicts: tuple[Conflict, ...]
    lint: Baseline
    checks: tuple[PageChecks, ...]
    checks_policy: str
    completions: tuple[Judgement, ...]

    @property
    def blocking(self) -> tuple[Finding, ...]:
        """The lint errors that stand in the way, the first of them."""
        shown = (*self.lint.introduced.issues, *self.lint.touched.issues)
        return tuple(one for one in shown if one.severity is Severity.ERROR)

    @property
    def empty(self) -> bool:
        return not self.standings

    @property
    def failed_checks(self) -> tuple[PageChecks, ...]:
        """Pages with a check that does not hold."""
        return tuple(page for page in self.checks if not all(one.held for one in page.outcomes))

    @property
    def unchecked(self) -> tuple[PageChecks, ...]:
        """Pages that no original and paraphrase together are known to find."""
        return tuple(page for page in self.checks if not page.checked)

    @property
    def unready_jobs(self) -> tuple[Judgement, ...]:
        return tuple(one for one in self.completions if one.refusal() is not None)

    def refusals(self) -> tuple[LwcError, ...]:
        """Why it cannot be published, in the order in which it would be told."""
        name = self.changeset.name
        found: list[LwcError] = []
        if self.empty:
            found.append(CHANGESET_EMPTY(name=name))
        if self.conflicts:
            found.append(self._conflict())
        if self.lint.blocking:
            found.append(self._lint())
        if self.unready_jobs:
            found.append(self._jobs())
        if self.checks_policy == "required" and self.failed_checks:
            slugs = [page.page for page in self.failed_checks]
            found.append(
                CHANGESET_CHECK_FAILED(
                    name=name,
                    what=slugs,
                    details={"checks": wire.plain(self.failed_checks[:CHECKS_SHOWN])},
                )
            )
        elif self.checks_policy == "required" and self.unchecked:
            slugs = [page.page for page in self.unchecked]
            found.append(CHANGESET_CHECK_MISSING(name=name, what=slugs, details={"pages": slugs}))
        return tuple(found)

    def _conflict(self) -> LwcError:
        shown = [conflict_view(one) for one in self.conflicts[:CONFLICTS_SHOWN]]
        first = shown[0]
        return CHANGESET_CONFLICT(
            name=self.changeset.name,
            what=[told(one) for one in shown],
            details={
                "entity_type": first.entity.value,
                "identifier": first.identifier,
                "conflicts": wire.plain(shown),
                "total": len(self.conflicts),
            },
        )

    def _lint(self) -> LwcError:
        return CHANGESET_LINT_FAILED(
            name=self.changeset.name,
            count=self.lint.blocking,
            what=[finding.message.removesuffix(".") for finding in self.blocking],
            details={
                "findings": wire.plain(self.blocking),
                "findings_digest": self.lint.digest,
                "total": self.lint.blocking,
            },
        )

    def _jobs(self) -> LwcError:
        refused: dict[str, Any] = {}
        for one in self.unready_jobs:
            error = one.refusal()
            assert error is not None, "it is refused"
            refused[str(one.job.source_id)] = error.body()
        return CHANGESET_COMPLETION_REFUSED(
            name=self.changeset.name, what=list(refused), details={"jobs": refused}
        )


def assess(wiki: Wiki, conn: Connection, changeset: Changeset, *, whole: bool) -> Assessment:
    """Judge a draft; the connection is live, reading or writing.

    `whole` tells of all findings of lint; otherwise only of those that stand in the way, at a cost
    that does not grow with the wiki.
    """
    draft = drafts.draft_of(conn, changeset)
    standings = standing.of_draft(conn, draft)
    pages = tuple(
        int(one.key)
        for one in standings
        if one.staged.entity is Entity.PAGE and one.drafted.digest is not None
    )
    waiting = [
        (one, jobs.look(conn, one.source_id)) for one in completions.of_draft(conn, draft.id)
    ]
    conflicts = standing.conflicts(conn, draft, standings)
    lint = (lint_baseline.baseline if whole else lint_baseline.gate)(conn, draft)
    # What a gate tells to type next is typed in the draft.
    within = Wiki(wiki.workspace, wiki.database, changeset=changeset.name)
    with layers.laid(conn, draft, reading=True):
        judged = tuple(
            completion.judge(
                within,
                conn,
                job,
                waivers=Waivers(
                    no_derived_pages_reason=one.no_derived_pages_reason,
                    unread_reason=one.unread_reason,
                ),
            )
            for one, job in waiting
            if job is not None and _is_mine(job, draft)
        )
        found = checks.standing(conn, pages)
    return Assessment(
        changeset=changeset,
        draft=draft,
        standings=standings,
        conflicts=conflicts,
        lint=lint,
        checks=found,
        checks_policy=settings.load(conn).word("checks"),
        completions=judged,
    )


def _is_mine(job: Job, draft: Draft) -> bool:
    return job.pinned == draft.id and job.claimed


def conflict_view(one: Conflict) -> ConflictView:
    return ConflictView(
        entity=one.entity,
        identifier=one.identifier,
        why=one.why,
        base_revision=one.base_revision,
        live_revision=one.live_revision,
        draft_revision=one.draft_revision,
        changed_by=one.changed_by,
        changed_at=one.changed_at,
    )


def told(one: ConflictView) -> str:
    """A conflict in words."""
    return f"{one.entity} {one.identifier} {WHY_SAID[one.why]}"


def slugs(found: Sequence[PageChecks]) -> tuple[str, ...]:
    return tuple(page.page for page in found)
