"""The one checker of a wiki: what does not hold, what helps, and making derived data anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lwc import filesystem
from lwc.domain.doctor import Area, Diagnosis, Flaw
from lwc.domain.invariants import BY_CODE, ordered, sound
from lwc.domain.lint import Severity
from lwc.domain.listing import check_part
from lwc.errors import STALE_REVISION, UNKNOWN_SEVERITY
from lwc.services import projection_health, store_files
from lwc.store import journal
from lwc.store.invariants import examiners, mends
from lwc.wiki import Answer, Call, Changed, Wiki, replayable


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """Derived data that was made anew."""

    code: str
    entity: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined(Answer):
    """What does not hold in a wiki, the worst first, and what was looked at.

    `sound` says that no finding is an error. `counts` (by code) and `severities` are of all that
    was found; `total` counts what the filter lets through. `repaired` is what was made anew before
    the wiki was examined (again); `checked` names the parts that were looked at, the rows of each
    table, and what the database is read with.
    """

    revision: int
    sound: bool
    findings: tuple[Diagnosis, ...]
    counts: Mapping[str, int]
    severities: Mapping[str, int]
    repaired: tuple[Mended, ...]
    repaired_total: int
    checked: Mapping[str, Any]
    limit: int
    offset: int
    total: int
    has_more: bool
    replayed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired(Changed):
    """What was made anew in one transaction."""

    repaired: tuple[Mended, ...]
    repaired_total: int


# An answer names so much of what was repaired and counts it all.
REPAIRED_SHOWN = 200


def examine(
    wiki: Wiki,
    call: Call | None = None,
    *,
    areas: Collection[Area] = tuple(Area),
    severity: str | None = None,
    limit: int = 100,
    offset: int = 0,
) -> Examined:
    """Whether all that must hold in a wiki does.

    Findings are an answer, not a refusal, as long as the database can be opened.
    """
    check_part(limit=limit, offset=offset)
    wanted = None if severity is None else _severity(severity)
    with wiki.database.reading() as conn:
        revision = journal.revision(conn)
        if call is not None and call.if_revision not in (None, revision):
            raise STALE_REVISION(expected=call.if_revision, found=revision)
        found = examiners.flaws(conn, areas)
        rows = examiners.rows(conn)
    if Area.FILES in areas:
        found += _beside(wiki)
    found = ordered(found)
    chosen = [flaw for flaw in found if wanted is None or BY_CODE[flaw.code].severity is wanted]
    shown = chosen[offset : offset + limit]
    levels = Counter(BY_CODE[flaw.code].severity for flaw in found)
    return Examined(
        **wiki.label(),
        revision=revision,
        sound=sound(found),
        findings=tuple(BY_CODE[flaw.code].diagnosis(flaw) for flaw in shown),
        counts=dict(sorted(Counter(flaw.code for flaw in found).items())),
        severities={level.value: levels[level] for level in Severity},
        repaired=(),
        repaired_total=0,
        checked={
            "areas": sorted(areas),
            "rows": rows,
            "sqlite": examiners.library(),
            "opened": wiki.database.mode,
            "filesystem": filesystem.kind_of(wiki.workspace.root),
        },
        limit=limit,
        offset=offset,
        total=len(chosen),
        has_more=offset + len(shown) < len(chosen),
    )


def repair(
    wiki: Wiki,
    call: Call,
    *,
    severity: str | None = None,
    limit: int = 100,
    offset: int = 0,
) -> Examined:
    """Make derived data anew where it is wrong, and examine the wiki again.

    Links, citations and notes of pages, the search index, the Markdown files, rights and leftovers
    of files: nothing that anybody gave. What was done to the database is one entry of the journal;
    where there was nothing to do there is none.
    """
    check_part(limit=limit, offset=offset)
    with wiki.database.reading() as conn:
        found = examiners.flaws(conn)
    found += _beside(wiki)
    done = _mend(wiki, call, [flaw for flaw in found if BY_CODE[flaw.code].derived])
    projected = [_told(flaw) for flaw in found if flaw.code == "projection_differs"]
    # Of a damaged wiki the files may hold what the database does not any more.
    if projected and not (sound(found) and projection_health.mend(wiki)):
        projected = []
    left = examine(wiki, severity=severity, limit=limit, offset=offset)
    return replace(
        left,
        repaired=(*done.repaired, *projected)[:REPAIRED_SHOWN],
        repaired_total=done.repaired_total + len(projected),
        replayed=done.replayed,
    )


def _beside(wiki: Wiki) -> Iterator[Flaw]:
    """What is wrong beside the database."""
    yield from store_files.flaws(wiki.workspace)
    yield from projection_health.flaws(wiki)


def _severity(word: str) -> Severity:
    if word not in tuple(Severity):
        raise UNKNOWN_SEVERITY(severity=word)
    return Severity(word)


@replayable(Repaired)
def _mend(wiki: Wiki, call: Call, found: Sequence[Flaw]) -> Repaired:
    with wiki.writing(call) as change:
        mended = mends.mend(change.conn, found)
        mended += [
            flaw
            for flaw in found
            if BY_CODE[flaw.code].area is Area.FILES and store_files.mend(wiki.workspace, flaw)
        ]
        if mended:
            change.record("doctor_repair", counts=dict(Counter(flaw.code for flaw in mended)))
        told = tuple(map(_told, mended))
        return change.finish(
            Repaired(
                **wiki.label(),
                revision=change.revision,
                repaired=told[:REPAIRED_SHOWN],
                repaired_total=len(told),
            )
        )


def _told(flaw: Flaw) -> Mended:
    return Mended(code=flaw.code, entity=flaw.entity, key=flaw.key)
