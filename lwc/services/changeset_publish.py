"""Publishing a draft: one transaction, everything or nothing, with what undoes it kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from lwc import wire
from lwc.domain.changeset import Entity, Status, Verification
from lwc.domain.lint import Finding
from lwc.domain.reason import checked_if_given
from lwc.errors import (
    CHANGESET_FINDINGS_CHANGED,
    CHANGESET_LINT_FAILED,
    CHANGESET_LINT_OVERRIDE_INVALID,
    LwcError,
)
from lwc.services import checkpoints, completion
from lwc.services.changeset_standing import Assessment, assess, slugs
from lwc.store import discarding, drafts, inverses, journal, publishing
from lwc.store import entities as entities_of
from lwc.store.drafts import Changeset
from lwc.store.publishing import Publication
from lwc.store.standing import Standing
from lwc.wiki import Call, Change, Changed, Wiki, replayable

ENTITIES_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPublished:
    """What became of one entity: created, changed, removed, kept (touched only) or none."""

    entity: Entity
    identifier: str
    done: str
    revision: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LintOverride:
    """Lint errors that may be published: why, and which when their digest is given.

    Without the digest those that the refusal lists; errors beyond that are waived only with it.
    """

    reason: str
    findings: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesetPublished(Changed):
    """A draft is live. It is delivered when `lwc changeset verify` has found it to hold.

    `entities` are bounded, `entities_total` counts them. `unchecked` and `failed_checks` name pages
    whose retrieval checks do not suffice or do not hold; the policy let them pass.
    """

    changeset_id: str
    name: str
    status: Status
    base_revision: int
    post_revision: int
    staged_operation_count: int
    entities: tuple[EntityPublished, ...]
    entities_total: int
    completed_jobs: tuple[int, ...]
    lint_issues: int
    overridden: tuple[Finding, ...]
    failed_checks: tuple[str, ...]
    unchecked: tuple[str, ...]
    verification: Verification
    checkpoint: str | None
    timings: Mapping[str, int]


def override(
    *, allow_lint_issues: bool, reason: str | None, findings: str | None
) -> LintOverride | None:
    """What of the gate was waived; a waiver and its reason come together."""
    if not allow_lint_issues and reason is None and findings is None:
        return None
    if not allow_lint_issues or reason is None or not reason.strip():
        raise CHANGESET_LINT_OVERRIDE_INVALID()
    reason = checked_if_given(reason, field="The reason")
    assert reason is not None, "it was given"
    return LintOverride(reason=reason, findings=findings)


@replayable(ChangesetPublished)
def publish(
    wiki: Wiki, call: Call, *, name: str, waived: LintOverride | None = None
) -> ChangesetPublished:
    """Make a draft live, all of it in one transaction, or refuse and leave it as it is.

    Refused when live has moved on where the draft touches it, when the draft brings or touches lint
    errors (unless `waived`), when a staged completion lacks a gate, and, where the policy asks for
    them, when retrieval checks are missing or do not hold.
    """
    began = monotonic()
    with wiki.writing(call) as change:
        locked = monotonic()
        found = drafts.find_draft(change.conn, name)
        judged = assess(wiki, change.conn, found, whole=False)
        _refuse(judged, waived)
        judging = monotonic()
        kept = checkpoints.before_publish(change, name=found.name)
        published = _make_live(change, judged, waived)
        ended = monotonic()
        timings = {
            "waiting_ms": _ms(began, locked),
            "gates_ms": _ms(locked, judging),
            "publish_ms": _ms(judging, ended),
            "duration_ms": _ms(began, ended),
        }
        return change.finish(replace(published, timings=timings, checkpoint=kept))


def _refuse(judged: Assessment, waived: LintOverride | None) -> None:
    for refusal in judged.refusals():
        if not _is_waived(refusal, judged, waived):
            raise refusal


def _is_waived(refusal: LwcError, judged: Assessment, waived: LintOverride | None) -> bool:
    if waived is None or refusal.problem is not CHANGESET_LINT_FAILED:
        return False
    if waived.findings is not None and waived.findings != judged.lint.digest:
        raise CHANGESET_FINDINGS_CHANGED(name=judged.changeset.name, details=refusal.details)
    # Errors that no answer lists are waived by their digest only.
    return waived.findings is not None or len(judged.blocking) == judged.lint.blocking


def _make_live(
    change: Change, judged: Assessment, waived: LintOverride | None
) -> ChangesetPublished:
    conn, changeset = change.conn, judged.changeset
    moving = [one for one in judged.standings if not one.void]
    before = {one.staged.id: inverses.image(conn, one.staged.entity, one.key) for one in moving}
    counts = drafts.action_counts(conn, changeset.id)
    replayed = _replay(change, changeset)
    overridden = judged.blocking if waived is not None else ()
    operation = change.record(
        "changeset_commit",
        changeset.name,
        changeset_id=changeset.changeset_id,
        base_revision=changeset.base_revision,
        staged_operation_count=len(replayed),
        lint_issues=judged.lint.blocking,
        lint_override_reason=None if waived is None else waived.reason,
        lint_findings=[
            {"code": one.code, "page": one.page, "target": one.target} for one in overridden
        ],
    )
    publication = Publication(
        changeset=changeset.id, operation=operation, operations=replayed, now=change.now
    )
    publishing.apply(conn, publication, judged.standings)
    for job in judged.completions:
        completion.take_step(conn, job, now=change.now)
    for one in moving:
        image = before[one.staged.id]
        inverses.keep(conn, changeset.id, one.staged.entity, one.key, before=image)
    entities = tuple(_published(change, one) for one in moving)
    discarding.clear(conn, changeset.id)
    ended = drafts.end(
        conn,
        changeset,
        Status.COMMITTED,
        agent=change.agent,
        now=change.now,
        published_revision=operation,
        verification=Verification.PENDING,
        published=wire.encode(_kept(moving, counts), compact=True),
    )
    return ChangesetPublished(
        **change.wiki.label(),
        revision=operation,
        changeset_id=ended.changeset_id,
        name=ended.name,
        status=ended.status,
        base_revision=ended.base_revision,
        post_revision=operation,
        staged_operation_count=len(replayed),
        entities=entities[:ENTITIES_SHOWN],
        entities_total=len(entities),
        completed_jobs=tuple(one.job.source_id for one in judged.completions),
        lint_issues=judged.lint.blocking,
        overridden=overridden,
        failed_checks=slugs(judged.failed_checks),
        unchecked=slugs(judged.unchecked),
        verification=Verification.PENDING,
        checkpoint=None,
        timings={},
    )


def _replay(change: Change, changeset: Changeset) -> dict[int, int]:
    """Enter in the live journal what the draft's says; leads from its entries to the live ones."""
    return {
        operation.id: journal.record(
            change.conn,
            operation.action,
            target=operation.target,
            detail={**operation.detail, "changeset": changeset.name},
            agent=operation.agent,
            request_id=None,
            now=change.now,
        )
        for operation in reversed(drafts.operations_of(change.conn, changeset.id))
    }


def _published(change: Change, one: Standing) -> EntityPublished:
    now = entities_of.base(change.conn, one.staged.entity, one.key)
    return EntityPublished(
        entity=one.staged.entity,
        identifier=one.name,
        done=_done(one),
        revision=now.revision or None if now.digest is not None else None,
    )


def _done(one: Standing) -> str:
    if one.staged.entity is Entity.COMPLETION:
        return "completed"
    if one.agreed:
        return "kept"
    if one.drafted.digest is None:
        return "removed"
    return "created" if one.live.digest is None else "changed"


def _kept(moving: Sequence[Standing], counts: Mapping[str, int]) -> Mapping[str, Any]:
    """What `changeset show` tells of it afterwards."""
    return {
        "action_counts": counts,
        "entities": [
            {"entity": one.staged.entity, "key": one.key, "name": one.name, "done": _done(one)}
            for one in moving
        ],
    }


def _ms(start: float, end: float) -> int:
    return round((end - start) * 1000)
