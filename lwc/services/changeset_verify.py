"""Verifying a publication where readers look: on the live wiki, with what became of it since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic

from lwc import clock, wire
from lwc.domain.changeset import Entity, Status, Verification
from lwc.domain.lint import Finding, Severity
from lwc.errors import CHANGESET_NOT_PUBLISHED, CHANGESET_VERIFICATION_FAILED
from lwc.services import checks
from lwc.services.changeset_show import ChecksStanding, checks_standing
from lwc.services.checks import CheckOutcome, PageChecks
from lwc.store import drafts, inverses, lint_touched, pages, publications, settings, sources
from lwc.store import lint as findings
from lwc.store.database import Connection
from lwc.store.drafts import Changeset
from lwc.store.inverses import Inverse
from lwc.store.pages import Page
from lwc.wiki import Call, Changed, Wiki, replayable

SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """Something that was published and is not there as it was, or cannot be found."""

    entity: Entity
    identifier: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesetVerified(Changed):
    """How a publication stands on the live wiki; it is `verified` when there is no problem.

    `problems` and `warnings` are sentences. `errors` are the lint errors on what it wrote, without
    those it was published with (`waived` counts these); `failed` are the checks that do not hold.
    Of each list the first hundred are shown, and `totals` counts them whole.
    """

    changeset_id: str
    name: str
    status: Status
    published_revision: int
    verification: Verification
    verified: bool
    problems: tuple[str, ...]
    warnings: tuple[str, ...]
    absent: tuple[Absent, ...]
    errors: tuple[Finding, ...]
    waived: int
    checks: ChecksStanding
    failed: tuple[CheckOutcome, ...]
    totals: Mapping[str, int]
    timings: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What was looked at, and what is wrong with it."""

    absent: tuple[Absent, ...]
    errors: tuple[Finding, ...]
    waived: int
    checks: tuple[PageChecks, ...]
    policy: str

    @property
    def failed(self) -> tuple[CheckOutcome, ...]:
        return tuple(outcome for page in self.checks for outcome in page.failed)

    def problems(self) -> Iterator[str]:
        yield from (f"{one.entity} {one.identifier} {one.what}" for one in self.absent)
        yield from (one.message.removesuffix(".") for one in self.errors)
        for page in self.checks:
            for outcome in page.failed:
                yield f"check {outcome.id} does not find {page.page}"
        if self.policy == "required":
            yield from self._unchecked()

    def warnings(self) -> Iterator[str]:
        if self.policy != "required":
            yield from self._unchecked()

    def _unchecked(self) -> Iterator[str]:
        for page in self.checks:
            if not page.checked and not page.failed:
                yield f"no original and paraphrase are there that find {page.page}"


def verify(wiki: Wiki, call: Call, *, changeset: str) -> ChangesetVerified:
    """Check on the live wiki what was published, and record how that came out.

    Every page and source it made is there, as published or later, and in the search index; lint
    finds no error on what it wrote; retrieval checks of what it touched hold, and where the policy
    asks for them there are enough. Otherwise it is refused with `changeset_verification_failed`,
    which is recorded, too: `committed` is true.
    """
    answer = _verify(wiki, call, changeset=changeset)
    if not answer.verified:
        raise CHANGESET_VERIFICATION_FAILED(
            name=answer.name,
            changeset=answer.changeset_id,
            what=list(answer.problems),
            committed=True,
            details={
                "revision": answer.revision,
                "replayed": answer.replayed,
                "absent": wire.plain(answer.absent),
                "findings": wire.plain(answer.errors),
                "checks": wire.plain(answer.failed),
                "totals": dict(answer.totals),
            },
        )
    return answer


@replayable(ChangesetVerified)
def _verify(wiki: Wiki, call: Call, *, changeset: str) -> ChangesetVerified:
    began = monotonic()
    with wiki.writing(call) as change:
        conn = change.conn
        found = drafts.find(conn, changeset)
        if found.status is not Status.COMMITTED or found.published_revision is None:
            raise CHANGESET_NOT_PUBLISHED(name=found.name, status=found.status)
        seen = _look(conn, found)
        problems, warnings = tuple(seen.problems()), tuple(seen.warnings())
        outcome = Verification.FAILED if problems else Verification.PASSED
        totals = {
            "problems": len(problems),
            "warnings": len(warnings),
            "absent": len(seen.absent),
            "errors": len(seen.errors),
            "failed": len(seen.failed),
        }
        operation = change.record(
            "changeset_verify",
            found.name,
            changeset_id=found.changeset_id,
            verification=outcome,
            problems=len(problems),
        )
        outcomes = [one for page in seen.checks for one in page.outcomes]
        checks.record(change, outcomes, revision=operation)
        report = {
            "revision": operation,
            "at": clock.stamp(change.now),
            "by": change.agent,
            "problems": problems[:SHOWN],
            "warnings": warnings[:SHOWN],
            "totals": totals,
        }
        drafts.verified(conn, found, outcome, report=report)
        return change.finish(
            ChangesetVerified(
                **wiki.label(),
                revision=change.revision,
                changeset_id=found.changeset_id,
                name=found.name,
                status=found.status,
                published_revision=found.published_revision,
                verification=outcome,
                verified=not problems,
                problems=problems[:SHOWN],
                warnings=warnings[:SHOWN],
                absent=seen.absent[:SHOWN],
                errors=seen.errors[:SHOWN],
                waived=seen.waived,
                checks=checks_standing(seen.checks, policy=seen.policy),
                failed=seen.failed[:SHOWN],
                totals=totals,
                timings={"duration_ms": round((monotonic() - began) * 1000)},
            )
        )


def _look(conn: Connection, changeset: Changeset) -> _Found:
    in_force = settings.load(conn)
    kept = inverses.of_changeset(conn, changeset.id, name=changeset.name)
    left = [one for one in kept if one.after_digest is not None]
    page_ids = [int(one.key) for one in left if one.entity is Entity.PAGE]
    assert changeset.published is not None, "what was published is told"
    count = sum(changeset.published["action_counts"].values())
    made = publications.revisions(conn, changeset, count=count, page_ids=page_ids)
    there = pages.of_ids(conn, page_ids)
    published = {page_id: revisions[-1].revision for page_id, revisions in made.items()}
    names = {
        str(one["key"]): str(one["name"])
        for one in changeset.published["entities"]
        if one["entity"] == Entity.PAGE
    }
    errors, waived = _errors(
        conn,
        changeset,
        written=[page for page in there if page.id in publications.written(kept, made)],
        held=[one for one in left if one.entity in (Entity.SOURCE, Entity.COMPLETION)],
        policy=in_force.word("citations"),
    )
    return _Found(
        absent=(
            *_absent_pages(conn, page_ids, there, published, names),
            *_absent_sources(conn, left),
        ),
        errors=errors,
        waived=waived,
        checks=checks.standing(conn, [page.id for page in there]),
        policy=in_force.word("checks"),
    )


def _absent_pages(
    conn: Connection,
    page_ids: Sequence[int],
    there: Sequence[Page],
    published: Mapping[int, int],
    names: Mapping[str, str],
) -> Iterator[Absent]:
    found = {page.id: page for page in there}
    unindexed = publications.unindexed(conn, found.keys())
    for page_id in page_ids:
        page = found.get(page_id)
        if page is None:
            yield _absent(Entity.PAGE, names.get(str(page_id), str(page_id)), "was removed since")
        elif page.revision < published.get(page_id, 0):
            what = f"is at revision {page.revision}, before the published {published[page_id]}"
            yield _absent(Entity.PAGE, page.slug, what)
        elif page_id in unindexed:
            yield _absent(Entity.PAGE, page.slug, "is not in the search index")


def _absent_sources(conn: Connection, left: Sequence[Inverse]) -> Iterator[Absent]:
    ids = [int(one.key) for one in left if one.entity is Entity.SOURCE]
    for source_id in sorted(set(ids) - sources.known(conn, ids)):
        yield _absent(Entity.SOURCE, str(source_id), "was removed since")


def _absent(entity: Entity, identifier: str, what: str) -> Absent:
    return Absent(entity=entity, identifier=identifier, what=what)


def _errors(
    conn: Connection,
    changeset: Changeset,
    *,
    written: Sequence[Page],
    held: Sequence[Inverse],
    policy: str,
) -> tuple[tuple[Finding, ...], int]:
    """The lint errors on what was written and held; and how many it was published with.

    Old errors on pages that it only touched (a link that follows a new name) are not its own.
    """
    extents = lint_touched.extents(
        clock.now(),
        page_ids=[page.id for page in written],
        source_ids=[int(one.key) for one in held],
    )
    known = publications.waived(conn, changeset)
    found: list[Finding] = []
    waived = 0
    for one in findings.of_extents(conn, extents, policy=policy, severities=(Severity.ERROR,)):
        if (one.code, one.page, one.target) in known:
            waived += 1
        else:
            found.append(one)
    found.sort(key=lambda one: (one.code, one.page or "", one.target or "", one.line or 0))
    return tuple(found), waived
