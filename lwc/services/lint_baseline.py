"""What a draft does to the findings of lint: which it introduces, touches, and inherits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from lwc import clock, wire
from lwc.domain.lint import Finding, Severity
from lwc.services.lint import broken_rules, severity_counts
from lwc.store import layers, lint_touched, settings
from lwc.store import lint as findings
from lwc.store.database import Connection
from lwc.store.layers import Draft
from lwc.store.lint_extent import Extent
from lwc.store.lint_touched import Reach

# An answer shows so many findings of a kind and counts them all.
SHOWN = 100

# What makes two findings the same one: rule, page and target, wherever on the page and in whatever
# words.
Identity = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Findings, errors first; the first of them shown, all of them counted by severity."""

    issues: tuple[Finding, ...]
    severities: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What a draft does to the findings of the live wiki.

    `introduced` are those that are not there without it. `touched` are errors that were there
    before, on pages whose content it wrote or about sources it adds, removes or completes.
    `inherited` counts all others of the wiki, where they were asked for. `digest` is of the errors
    that stand in the way of its publication.
    """

    introduced: Told
    touched: Told
    inherited: Mapping[str, int] | None
    digest: str

    @property
    def blocking(self) -> int:
        """How many errors stand in the way of its publication."""
        counts = Counter(self.introduced.severities) + Counter(self.touched.severities)
        return counts[Severity.ERROR.value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The findings of a draft within its reach, each in one of three parts."""

    introduced: tuple[Finding, ...]
    touched: tuple[Finding, ...]
    inherited: tuple[Finding, ...]


def gate(conn: Connection, draft: Draft) -> Baseline:
    """The errors that stand in the way of a draft; costs by what it touches, not by the wiki.

    Nothing lies over the connection, which reads or writes.
    """
    return _baseline(conn, draft, severities=(Severity.ERROR,), whole=False)


def baseline(conn: Connection, draft: Draft) -> Baseline:
    """As `gate`, with introduced findings of every severity, and the others of the wiki counted."""
    return _baseline(conn, draft, severities=tuple(Severity), whole=True)


def _baseline(
    conn: Connection, draft: Draft, *, severities: Collection[Severity], whole: bool
) -> Baseline:
    now = clock.now()
    policy = settings.load(conn).word("citations")
    reach = lint_touched.reach(conn, draft)
    extents = tuple(reach.extents(now))
    live = findings.of_extents(conn, extents, policy=policy, severities=severities)
    with layers.laid(conn, draft, reading=True):
        drafted = findings.of_extents(conn, extents, policy=policy, severities=severities)
        counts = severity_counts(broken_rules(conn, Extent(now=now), policy)) if whole else None
    found = compare(live, drafted, reach)
    blocking = [one for one in (*found.introduced, *found.touched) if _blocks(one)]
    introduced, touched = _told(found.introduced), _told(found.touched)
    return Baseline(
        introduced=introduced,
        touched=touched,
        inherited=None if counts is None else _others(counts, introduced, touched),
        digest=_digest(blocking),
    )


def compare(live: Iterable[Finding], drafted: Iterable[Finding], reach: Reach) -> Compared:
    """Tell the findings of a draft apart by those of the live wiki within the same reach.

    Of findings that are the same so many are old as there were before, first those that read the
    same too.
    """
    before: defaultdict[Identity, list[str]] = defaultdict(list)
    for one in live:
        if one.page in reach.removed:
            continue  # another page may have its name now
        before[_identity(one, reach.renamed)].append(_facts(one))
    after: defaultdict[Identity, list[Finding]] = defaultdict(list)
    for one in drafted:
        after[_identity(one)].append(one)
    introduced: list[Finding] = []
    remaining: list[Finding] = []
    for identity, alike in after.items():
        old = before[identity]
        told = set(old)
        alike.sort(key=lambda one: (_facts(one) not in told, one.line or 0))
        remaining += alike[: len(old)]
        introduced += alike[len(old) :]
    held = {str(source_id) for source_id in reach.held}

    def is_touched(one: Finding) -> bool:
        stands_there = one.target in held if one.page is None else one.page in reach.written
        return _blocks(one) and stands_there

    return Compared(
        introduced=_ordered(introduced),
        touched=_ordered(filter(is_touched, remaining)),
        inherited=_ordered(one for one in remaining if not is_touched(one)),
    )


def _identity(finding: Finding, renamed: Mapping[str, str] | None = None) -> Identity:
    """A page that the draft renames is the same page."""
    page = finding.page or ""
    return finding.code, (renamed or {}).get(page, page), finding.target or ""


def _facts(finding: Finding) -> str:
    return wire.encode(finding.details, compact=True)


def _blocks(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR


def _ordered(found: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(
        sorted(
            found,
            key=lambda one: (findings.BY_SEVERITY[one.severity], _identity(one), one.line or 0),
        )
    )


def _told(found: tuple[Finding, ...]) -> Told:
    counts = Counter(one.severity for one in found)
    return Told(issues=found[:SHOWN], severities={level.value: counts[level] for level in Severity})


def _others(counts: Mapping[str, int], *parts: Told) -> dict[str, int]:
    return {
        level: count - sum(part.severities[level] for part in parts)
        for level, count in counts.items()
    }


def _digest(blocking: Iterable[Finding]) -> str:
    """The same for the same errors, whatever lines they stand on; other quotes are other errors."""
    return wire.digest(sorted([*_identity(one), _facts(one)] for one in blocking))
