"""The gates of completion: what must hold before a job is completed, judged from facts alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lwc.domain import ranges
from lwc.domain.ingest import Gate, JobEvent, step
from lwc.domain.ranges import Range
from lwc.errors import (
    CITATION_MISSING,
    CITATION_REQUIRED,
    DERIVED_PAGES_EXIST,
    INTEGRATION_REQUIRED,
    PAGES_NOT_TOUCHED,
    SOURCE_NOT_FULLY_READ,
    SOURCE_SUMMARY_MISSING,
    LwcError,
)

# A refusal names so many ranges, quotes or pages and counts the rest.
SHOWN_MOST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that decides whether a job may be completed.

    `state` and `claim` are the refusals of the state and of the claim, none when they hold. Pages
    are slugs; `unfound` are the quotes of this source that are not in its text.
    """

    source_id: int
    state: LwcError | None
    claim: LwcError | None
    chars: int
    delivered: tuple[Range, ...]
    unread_reason: str | None
    source_pages: tuple[str, ...]
    derived_pages: tuple[str, ...]
    no_derived_pages_reason: str | None
    touched: bool
    touch_required: bool
    unfound: tuple[Mapping[str, Any], ...]
    quoted: bool
    quote_required: bool
    read_on: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A gate and why it does not hold; none when it holds."""

    gate: Gate
    refusal: LwcError | None

    @property
    def held(self) -> bool:
        return self.refusal is None


def judge(facts: Facts) -> tuple[Judged, ...]:
    """Every gate of completion in its order."""
    gates = (Gate.STATE, *step(JobEvent.COMPLETE).gates)
    return tuple(Judged(gate=gate, refusal=RULES[gate](facts)) for gate in gates)


def leading(judged: Sequence[Judged], *, claimed: bool) -> LwcError | None:
    """The refusal to raise: of the first gate that does not hold; none when all hold.

    A claim that was lost goes before the state of a job that somebody holds: that state is the
    other holder's.
    """
    refusals = {item.gate: item.refusal for item in judged if item.refusal is not None}
    if claimed and Gate.HELD in refusals:
        return refusals[Gate.HELD]
    return next(iter(refusals.values()), None)


def _state(facts: Facts) -> LwcError | None:
    return facts.state


def _claim(facts: Facts) -> LwcError | None:
    return facts.claim


def _covered(facts: Facts) -> LwcError | None:
    gaps = ranges.missing(facts.delivered, facts.chars)
    if not gaps or facts.unread_reason is not None:
        return None
    return SOURCE_NOT_FULLY_READ(
        job=facts.source_id,
        missing_chars=ranges.size(gaps),
        details={
            "missing": [{"start": start, "end": end} for start, end in gaps[:SHOWN_MOST]],
            "missing_total": len(gaps),
            "next": facts.read_on,
        },
    )


def _cited(facts: Facts) -> LwcError | None:
    return None if facts.source_pages else SOURCE_SUMMARY_MISSING(job=facts.source_id)


def _integrated(facts: Facts) -> LwcError | None:
    if facts.derived_pages and facts.no_derived_pages_reason is not None:
        return DERIVED_PAGES_EXIST(
            job=facts.source_id,
            pages=list(facts.derived_pages[:SHOWN_MOST]),
            details={"pages_total": len(facts.derived_pages)},
        )
    if not facts.derived_pages and facts.no_derived_pages_reason is None:
        return INTEGRATION_REQUIRED(job=facts.source_id)
    return None


def _fresh(facts: Facts) -> LwcError | None:
    if facts.touched or not facts.touch_required:
        return None
    return PAGES_NOT_TOUCHED(job=facts.source_id)


def _quoted(facts: Facts) -> LwcError | None:
    if facts.unfound:
        return CITATION_MISSING(
            job=facts.source_id,
            count=len(facts.unfound),
            details={"citations": [dict(quote) for quote in facts.unfound[:SHOWN_MOST]]},
        )
    if facts.quote_required and not facts.quoted:
        return CITATION_REQUIRED(job=facts.source_id)
    return None


RULES: Mapping[Gate, Callable[[Facts], LwcError | None]] = {
    Gate.STATE: _state,
    Gate.HELD: _claim,
    Gate.COVERED: _covered,
    Gate.CITED: _cited,
    Gate.INTEGRATED: _integrated,
    Gate.FRESH: _fresh,
    Gate.QUOTED: _quoted,
}
