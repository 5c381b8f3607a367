from __future__ import annotations

from typing import Any

import pytest

from lwc.domain.gate import RULES, Facts, judge, leading
from lwc.domain.ingest import Gate, JobEvent, step
from lwc.errors import (
    CITATION_MISSING,
    CITATION_REQUIRED,
    CLAIM_LOST,
    DERIVED_PAGES_EXIST,
    ILLEGAL_TRANSITION,
    INTEGRATION_REQUIRED,
    PAGES_NOT_TOUCHED,
    SOURCE_NOT_FULLY_READ,
    SOURCE_SUMMARY_MISSING,
    Problem,
)

LOST = CLAIM_LOST(job=1)
BAD_STATE = ILLEGAL_TRANSITION(job=1, state="analyzing", event="complete", expected=["generating"])


def facts(**changes: Any) -> Facts:
    """Facts under which every gate holds, but for the changes."""
    base: dict[str, Any] = {
        "source_id": 1,
        "state": None,
        "claim": None,
        "chars": 100,
        "delivered": ((0, 100),),
        "unread_reason": None,
        "source_pages": ("notes",),
        "derived_pages": ("locks",),
        "no_derived_pages_reason": None,
        "touched": True,
        "touch_required": True,
        "unfound": (),
        "quoted": True,
        "quote_required": True,
        "read_on": "lwc ingest read 1",
    }
    return Facts(**{**base, **changes})


CASES = [
    pytest.param({}, None, None, id="all hold"),
    pytest.param({"state": BAD_STATE}, Gate.STATE, ILLEGAL_TRANSITION, id="another state"),
    pytest.param({"claim": LOST}, Gate.HELD, CLAIM_LOST, id="a lost claim"),
    pytest.param({"delivered": ()}, Gate.COVERED, SOURCE_NOT_FULLY_READ, id="nothing read"),
    pytest.param(
        {"delivered": ((0, 50), (51, 100))}, Gate.COVERED, SOURCE_NOT_FULLY_READ, id="one unread"
    ),
    pytest.param({"delivered": (), "unread_reason": "tables"}, None, None, id="unread, waived"),
    pytest.param({"source_pages": ()}, Gate.CITED, SOURCE_SUMMARY_MISSING, id="no source page"),
    pytest.param(
        {"derived_pages": ()}, Gate.INTEGRATED, INTEGRATION_REQUIRED, id="nothing integrated"
    ),
    pytest.param(
        {"derived_pages": (), "no_derived_pages_reason": "an index"}, None, None, id="waived"
    ),
    pytest.param(
        {"no_derived_pages_reason": "an index"},
        Gate.INTEGRATED,
        DERIVED_PAGES_EXIST,
        id="waived for nothing",
    ),
    pytest.param({"touched": False}, Gate.FRESH, PAGES_NOT_TOUCHED, id="old pages"),
    pytest.param({"touched": False, "touch_required": False}, None, None, id="old pages will do"),
    pytest.param(
        {"unfound": ({"slug": "notes"},)}, Gate.QUOTED, CITATION_MISSING, id="a quote is missing"
    ),
    pytest.param({"quoted": False}, Gate.QUOTED, CITATION_REQUIRED, id="no quote"),
    pytest.param({"quoted": False, "quote_required": False}, None, None, id="no quote is needed"),
]


@pytest.mark.parametrize("changes, gate, problem", CASES)
def test_each_gate_holds_or_says_why(
    changes: dict[str, Any], gate: Gate | None, problem: Problem | None
) -> None:
    judged = judge(facts(**changes))
    unheld = {item.gate: item.refusal for item in judged if not item.held}
    assert list(unheld) == ([] if gate is None else [gate])
    assert all(refusal.problem is problem for refusal in unheld.values() if refusal)


def test_the_gates_are_those_of_the_table_in_its_order() -> None:
    gates = tuple(item.gate for item in judge(facts()))
    assert gates == (Gate.STATE, *step(JobEvent.COMPLETE).gates) == tuple(RULES)


def test_the_first_gate_that_does_not_hold_leads() -> None:
    judged = judge(facts(delivered=(), source_pages=(), derived_pages=()))
    refusal = leading(judged, claimed=True)
    assert refusal is not None
    assert refusal.problem is SOURCE_NOT_FULLY_READ


@pytest.mark.parametrize(
    "claimed, problem",
    [
        pytest.param(True, CLAIM_LOST, id="somebody else holds it"),
        pytest.param(False, ILLEGAL_TRANSITION, id="nobody holds it"),
    ],
)
def test_a_lost_claim_leads_before_the_other_holders_state(claimed: bool, problem: Problem) -> None:
    refusal = leading(judge(facts(state=BAD_STATE, claim=LOST)), claimed=claimed)
    assert refusal is not None
    assert refusal.problem is problem


def test_a_refusal_for_unread_parts_names_them_and_the_command_that_reads_on() -> None:
    refusal = leading(judge(facts(delivered=((10, 20), (30, 100)))), claimed=True)
    assert refusal is not None
    assert refusal.details["missing"] == [{"start": 0, "end": 10}, {"start": 20, "end": 30}]
    assert refusal.details["missing_chars"] == 20
    assert refusal.details["next"] == "lwc ingest read 1"
