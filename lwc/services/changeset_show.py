"""Looking at changesets: all of them in a list, and one with what it holds, lacks or has done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from lwc.domain.changeset import Entity, Status, Verification
from lwc.domain.listing import check_part
from lwc.errors import LwcError
from lwc.services import changeset_standing as standing
from lwc.services.changeset_standing import Assessment, ConflictView
from lwc.services.changesets import view
from lwc.services.checks import PageChecks
from lwc.services.completion import GateView, Judgement
from lwc.services.lint_baseline import Baseline, Told
from lwc.store import drafts, journal, publications, staged_counts
from lwc.store.database import Connection
from lwc.store.drafts import Changeset
from lwc.store.journal import Operation
from lwc.wiki import Answer, Wiki

ENTITIES_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesetEntry:
    """A changeset as a list shows it: what is staged in it, or what it published."""

    changeset_id: str
    name: str
    status: Status
    author: str
    base_revision: int
    draft_revision: int
    published_revision: int | None
    rollback_revision: int | None
    verification: Verification | None
    created_at: datetime
    ended_at: datetime | None
    ended_by: str | None
    staged_operation_count: int
    action_counts: Mapping[str, int]
    entities: Mapping[Entity, int]
    empty: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesetList(Answer):
    """Changesets: drafts first, then those that ended, newest first."""

    changesets: tuple[ChangesetEntry, ...]
    total: int
    limit: int
    offset: int
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesetShown(Answer):
    """What is true of every changeset; `revision` is the live wiki's.

    Operations are the newest first, those of a draft numbered from 1, published ones as the journal
    numbers them; `total` counts them all. Of a draft that was discarded nothing is kept.
    """

    changeset_id: str
    name: str
    status: Status
    author: str
    base_revision: int
    draft_revision: int
    published_revision: int | None
    rollback_revision: int | None
    verification: Verification | None
    created_at: datetime
    ended_at: datetime | None
    ended_by: str | None
    revision: int
    staged_operation_count: int
    action_counts: Mapping[str, int]
    entities: Mapping[Entity, int]
    empty: bool
    conflict: bool
    operations: tuple[Operation, ...]
    total: int
    limit: int
    offset: int
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LintStanding:
    """What a draft does to the findings of lint; `blocking` errors stand in the way.

    `digest` is theirs: `publish --allow-lint-issues --findings` takes it.
    """

    introduced: Told
    touched: Told
    inherited: Mapping[str, int]
    blocking: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageStanding:
    """How a page stands in its checks: how many there are, how many hold, and which fail.

    It is `checked` when an original and a paraphrase in other words find it.
    """

    page: str
    checked: bool
    checks: int
    held: int
    failed: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecksStanding:
    """How the pages that a changeset touches stand in their checks, those that lack first.

    `policy` required lets none of them lack any.
    """

    policy: str
    totals: Mapping[str, int]
    pages: tuple[PageStanding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionStanding:
    """A job whose completion is staged; `missing` are the gates that do not hold now."""

    job: int
    ready: bool
    missing: tuple[GateView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lack:
    """Why a draft cannot be published, as publishing would refuse it."""

    code: str
    reason: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftShown(ChangesetShown):
    """A draft as it stands against live; it is `ready` when nothing is `missing`."""

    conflicts: tuple[ConflictView, ...]
    conflicts_total: int
    lint: LintStanding
    checks: ChecksStanding
    completions: tuple[CompletionStanding, ...]
    ready: bool
    missing: tuple[Lack, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityDone:
    """What publishing did to an entity, by the name it had then."""

    entity: Entity
    identifier: str
    done: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedShown(ChangesetShown):
    """A changeset that ended: what it published, and how that was verified; none when not."""

    published: tuple[EntityDone, ...]
    published_total: int
    verified: Mapping[str, Any] | None


def list_(
    wiki: Wiki, *, status: Status | None = None, limit: int = 100, offset: int = 0
) -> ChangesetList:
    """All changesets, or those of a status, without judging any."""
    check_part(limit=limit, offset=offset)
    with wiki.database.reading() as conn:
        total = drafts.count(conn, status=status)
        found = drafts.listed(conn, status=status, limit=limit, offset=offset)
        open_ones = [one.id for one in found if one.status is Status.DRAFT]
        actions = staged_counts.actions(conn, open_ones)
        entities = staged_counts.entities(conn, open_ones)
    entries = tuple(
        ChangesetEntry(**_facts(one), **_counts(one, actions=actions, entities=entities))
        for one in found
    )
    return ChangesetList(
        **wiki.label(),
        changesets=entries,
        total=total,
        limit=limit,
        offset=offset,
        has_more=offset + len(found) < total,
    )


def show(
    wiki: Wiki, changeset: str, *, limit: int = 20, offset: int = 0
) -> DraftShown | EndedShown:
    """A changeset by its name or id: a draft with all that publishing would refuse it for.

    Limit and offset choose which operations are shown. The whole wiki is linted for a draft.
    """
    check_part(limit=limit, offset=offset)
    with wiki.database.reading() as conn:
        found = drafts.find(conn, changeset)
        if found.status is Status.DRAFT:
            return _draft(wiki, conn, found, limit=limit, offset=offset)
        return _ended(wiki, conn, found, limit=limit, offset=offset)


def _draft(
    wiki: Wiki, conn: Connection, found: Changeset, *, limit: int, offset: int
) -> DraftShown:
    judged = standing.assess(wiki, conn, found, whole=True)
    operations = drafts.operations_of(conn, found.id, limit=limit, offset=offset)
    counts = _counts(
        found,
        actions=staged_counts.actions(conn, (found.id,)),
        entities=staged_counts.entities(conn, (found.id,)),
    )
    missing = tuple(lack(error) for error in judged.refusals())
    shown = judged.conflicts[: standing.CONFLICTS_SHOWN]
    return DraftShown(
        **wiki.label(),
        **_facts(found),
        revision=journal.revision(conn),
        **counts,
        conflict=bool(judged.conflicts),
        **_part(operations, total=counts["staged_operation_count"], limit=limit, offset=offset),
        conflicts=tuple(standing.conflict_view(one) for one in shown),
        conflicts_total=len(judged.conflicts),
        lint=_lint(judged.lint),
        checks=checks_standing(judged.checks, policy=judged.checks_policy),
        completions=_completions(judged),
        ready=not missing,
        missing=missing,
    )


def _ended(
    wiki: Wiki, conn: Connection, found: Changeset, *, limit: int, offset: int
) -> EndedShown:
    counts = _counts(found, actions={}, entities={})
    total = counts["staged_operation_count"]
    operations = publications.operations(conn, found, count=total, limit=limit, offset=offset)
    done = _published(found)
    return EndedShown(
        **wiki.label(),
        **_facts(found),
        revision=journal.revision(conn),
        **counts,
        conflict=False,
        **_part(operations, total=total, limit=limit, offset=offset),
        published=done[:ENTITIES_SHOWN],
        published_total=len(done),
        verified=found.verified,
    )


def checks_standing(pages: Sequence[PageChecks], *, policy: str) -> ChecksStanding:
    """Pages and their checks in numbers; the pages that lack some come first."""
    found = [
        PageStanding(
            page=page.page,
            checked=page.checked,
            checks=len(page.outcomes),
            held=sum(outcome.held for outcome in page.outcomes),
            failed=tuple(outcome.id for outcome in page.failed),
        )
        for page in pages
    ]
    found.sort(key=lambda page: (not page.failed, page.checked, page.page))
    return ChecksStanding(
        policy=policy,
        totals={
            "pages": len(found),
            "checked": sum(page.checked for page in found),
            "unchecked": sum(not page.checked for page in found),
            "checks": sum(page.checks for page in found),
            "held": sum(page.held for page in found),
            "failed": sum(len(page.failed) for page in found),
        },
        pages=tuple(found[: standing.CHECKS_SHOWN]),
    )


def lack(error: LwcError) -> Lack:
    """A refusal without its details, which stand elsewhere in the answer."""
    return Lack(
        code=error.problem.code,
        reason=error.problem.name,
        message=error.message,
        hint=error.hint,
    )


def _lint(found: Baseline) -> LintStanding:
    assert found.inherited is not None, "the whole wiki was asked about"
    return LintStanding(
        introduced=found.introduced,
        touched=found.touched,
        inherited=found.inherited,
        blocking=found.blocking,
        digest=found.digest,
    )


def _completions(judged: Assessment) -> tuple[CompletionStanding, ...]:
    return tuple(_completion(one) for one in judged.completions)


def _completion(judged: Judgement) -> CompletionStanding:
    missing = tuple(gate for gate in judged.views() if not gate.held)
    return CompletionStanding(job=judged.job.source_id, ready=not missing, missing=missing)


def _facts(found: Changeset) -> dict[str, Any]:
    """The fields of `ChangesetView`, to be spread into an answer."""
    shown = view(found)
    return {field.name: getattr(shown, field.name) for field in fields(shown)}


def _counts(
    found: Changeset,
    *,
    actions: Mapping[int, Mapping[str, int]],
    entities: Mapping[int, Mapping[str, int]],
) -> dict[str, Any]:
    """How much is staged in a draft, or was published of one."""
    if found.published is not None:
        by_action: Mapping[str, int] = found.published["action_counts"]
        by_kind: Mapping[str, int] = Counter(one["entity"] for one in found.published["entities"])
    else:
        by_action, by_kind = actions.get(found.id, {}), entities.get(found.id, {})
    return {
        "staged_operation_count": sum(by_action.values()),
        "action_counts": dict(sorted(by_action.items())),
        "entities": {entity: by_kind[entity] for entity in Entity if entity in by_kind},
        "empty": not by_kind,
    }


def _part(
    operations: tuple[Operation, ...], *, total: int, limit: int, offset: int
) -> dict[str, Any]:
    return {
        "operations": operations,
        "total": total,
        "limit": limit,
        "offset": offset,
        "has_more": offset + len(operations) < total,
    }


def _published(found: Changeset) -> tuple[EntityDone, ...]:
    told: Iterable[Mapping[str, Any]] = (
        () if found.published is None else found.published["entities"]
    )
    return tuple(
        EntityDone(entity=Entity(one["entity"]), identifier=str(one["name"]), done=one["done"])
        for one in told
    )
