"""The law of drafts: what two agents do with them is what a plain model of dicts does."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from laws.bench import Template
from laws.changeset_machine import Changesets

STEPS = 40


@pytest.mark.parametrize(
    "histories", [50, pytest.param(2_000, marks=pytest.mark.slow)], ids="{} histories".format
)
def test_drafts_behave_as_a_plain_model_does(template: Template, histories: int) -> None:
    machine = type("ChangesetsHere", (Changesets,), {"template": template})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=histories,
            stateful_step_count=STEPS,
            deadline=None,
            print_blob=True,
            # Forty steps can be read as they are; making them fewer takes many minutes.
            phases=(Phase.reuse, Phase.generate),
            suppress_health_check=list(HealthCheck),
        ),
    )
