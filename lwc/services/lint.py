"""Checking a wiki: every rule counted, the findings read in parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lwc import clock
from lwc.domain.lint import RULES, Finding, Rule, Severity
from lwc.domain.lint import rule as rule_of
from lwc.domain.listing import check_part
from lwc.errors import CHANGESET_RECORD_UNSUPPORTED, STALE_REVISION, UNKNOWN_SEVERITY, Typed
from lwc.store import journal, pages, settings
from lwc.store import lint as findings
from lwc.store.database import Connection
from lwc.store.lint_extent import Extent, Places
from lwc.wiki import Answer, Call, Changed, Wiki, replayable


@dataclass(frozen=True, slots=True, kw_only=True)
class LintAnswer(Answer):
    """A part of the findings, by code, page and target.

    `counts` and `severities` are of the whole wiki, or of the one page that was asked about;
    `total` counts what the filters let through. `replayed` says that the check had been entered in
    the journal before, by the same request.
    """

    revision: int
    issues: tuple[Finding, ...]
    counts: Mapping[str, int]
    severities: Mapping[str, int]
    limit: int
    offset: int
    total: int
    has_more: bool
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that is broken, and how often."""

    rule: Rule
    severity: Severity
    places: Places
    count: int


def lint(
    wiki: Wiki,
    call: Call | None = None,
    *,
    limit: int = 100,
    offset: int = 0,
    severity: str | None = None,
    code: str | None = None,
    page: str | None = None,
    record: bool = False,
) -> LintAnswer:
    """What is wrong with the wiki or a page of it; findings are an answer, not a refusal.

    `record` enters the check in the journal, in the name of `call`; not in a draft.
    """
    check_part(limit=limit, offset=offset)
    if record and wiki.changeset is not None:
        raise CHANGESET_RECORD_UNSUPPORTED(command=Typed("lint"))
    wanted = None if severity is None else _severity(severity)
    only = None if code is None else rule_of(code)
    call = call or Call()
    with wiki.reading() as conn:
        revision = journal.revision(conn)
        if not record and call.if_revision not in (None, revision):
            raise STALE_REVISION(expected=call.if_revision, found=revision)
        policy = settings.load(conn).word("citations")
        broken = broken_rules(conn, _extent(conn, page), policy)
        chosen = [
            one
            for one in broken
            if one.severity is (wanted or one.severity) and one.rule is (only or one.rule)
        ]
        issues = _read(conn, chosen, policy, limit=limit, offset=offset)
    total = sum(one.count for one in chosen)
    replayed = False
    if record:
        entered = _record(wiki, call, issues=sum(one.count for one in broken))
        revision, replayed = entered.revision, entered.replayed
    return LintAnswer(
        **wiki.label(),
        revision=revision,
        issues=issues,
        counts={one.rule.code: one.count for one in broken},
        severities=severity_counts(broken),
        limit=limit,
        offset=offset,
        total=total,
        has_more=offset + len(issues) < total,
        replayed=replayed,
    )


def _severity(word: str) -> Severity:
    if word not in tuple(Severity):
        raise UNKNOWN_SEVERITY(severity=word)
    return Severity(word)


def _extent(conn: Connection, page: str | None) -> Extent:
    ids = None if page is None else (pages.find(conn, page).id,)
    return Extent(now=clock.now(), page_ids=ids)


def broken_rules(conn: Connection, extent: Extent, policy: str) -> list[Broken]:
    """The rules that are broken, by code."""
    broken = []
    for rule in sorted(RULES, key=lambda rule: rule.code):
        places = findings.places(conn, rule, extent)
        count = findings.count(conn, places)
        if count:
            broken.append(Broken(rule, rule.severity_under(policy), places, count))
    return broken


def severity_counts(broken: Iterable[Broken]) -> dict[str, int]:
    """How many findings there are of each severity."""
    counts = Counter[str]()
    for one in broken:
        counts[one.severity.value] += one.count
    return {level.value: counts[level.value] for level in Severity}


def _read(
    conn: Connection, chosen: list[Broken], policy: str, *, limit: int, offset: int
) -> tuple[Finding, ...]:
    """A part of the findings of these rules, one rule after the other."""
    issues: list[Finding] = []
    for one in chosen:
        if offset < one.count and len(issues) < limit:
            room = limit - len(issues)
            found = findings.window(conn, one.places, limit=room, offset=offset)
            issues += [one.rule.finding(place, citations_policy=policy) for place in found]
        offset = max(0, offset - one.count)
    return tuple(issues)


@replayable(Changed)
def _record(wiki: Wiki, call: Call, *, issues: int) -> Changed:
    with wiki.writing(call) as change:
        change.record("lint", issues=issues)
        return change.finish(Changed(**wiki.label(), revision=change.revision))
