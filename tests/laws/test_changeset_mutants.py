"""The test of the machine: bugs that are planted in drafts, each of which it has to find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from laws.bench import Template
from laws.changeset_machine import Changesets

from lwc.services.changeset_standing import Assessment
from lwc.services.lint_baseline import Baseline
from lwc.store import (
    completions,
    discarding,
    draft_search,
    drafts,
    entities,
    jobs,
    journal,
    layers,
    publishing,
    rebasing,
    staged_revisions,
    staging,
    standing,
    undoing,
)
from lwc.store.dialects import sqlite_draft_search, sqlite_layers
from lwc.store.standing import Standing
from lwc.store.tables import aliases, page_sources

Plant = Callable[[pytest.MonkeyPatch], None]

# All are found in far fewer; the histories are always the same ones.
HISTORIES = 400
STEPS = 40


def nothing(*args: Any, **kwargs: Any) -> None:
    """Does nothing."""


def none_found(*args: Any, **kwargs: Any) -> tuple[()]:
    """Finds nothing."""
    return ()


def no_conflict_is_seen(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(standing, "conflicts", none_found)


def live_never_moves_on(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Standing, "moved", property(lambda one: False))


def agreement_is_a_conflict(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Standing, "needless", property(lambda one: False))


def a_name_that_was_taken_is_not_seen(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(standing, "_names_taken", none_found)


def a_base_has_no_revision(patch: pytest.MonkeyPatch) -> None:
    base = entities.base
    patch.setattr(staging.entities, "base", lambda *facts: replace(base(*facts), revision=0))


def rolling_back_ignores_later_edits(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(undoing, "_changed", none_found)


def rolling_back_ignores_what_leans_on_it(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(undoing, "_leaning", none_found)


def rolling_back_leaves_the_charter(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(undoing, "_restore_charter", nothing)


def discarding_keeps_jobs_pinned(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(completions.jobs, "unpin", nothing)


def discarding_leaves_rows(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(discarding, "clear", nothing)


def a_staged_completion_pins_no_job(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(jobs, "pin", lambda conn, job, draft: job)


def publishing_loses_aliases(patch: pytest.MonkeyPatch) -> None:
    copy = publishing._copy
    patch.setattr(
        publishing,
        "_copy",
        lambda conn, live, *facts: None if live is aliases else copy(conn, live, *facts),
    )


def publishing_forgets_the_index(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(sqlite_draft_search, "publish_page", nothing)


def publishing_gives_numbers_twice(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(staged_revisions, "shift", lambda *facts, **more: 0)


def publishing_lets_lint_errors_pass(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Baseline, "blocking", property(lambda one: 0))


def publishing_judges_no_completion_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Assessment, "unready_jobs", property(lambda one: ()))


def a_draft_forgets_what_pages_cite(patch: pytest.MonkeyPatch) -> None:
    kept = tuple(layer for layer in sqlite_layers.LAYERS if layer.table is not page_sources)
    patch.setattr(sqlite_layers, "LAYERS", kept)


def a_draft_shows_two_pages_of_a_name(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(sqlite_layers, "shadowed_pages", lambda draft: "SELECT 0 WHERE 0")


def a_draft_finds_pages_that_it_removed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(draft_search, "drop_page", nothing)


def staging_moves_the_live_revision(patch: pytest.MonkeyPatch) -> None:
    record = drafts.record

    def twice(conn: Any, draft: layers.Draft, action: str, **facts: Any) -> int:
        journal.record(conn, action, **{**facts, "request_id": None})
        return record(conn, draft, action, **facts)

    patch.setattr(drafts, "record", twice)


def rebasing_does_not_count_on(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rebasing, "_count_on", nothing)


MUTANTS: tuple[Plant, ...] = (
    no_conflict_is_seen,
    live_never_moves_on,
    agreement_is_a_conflict,
    a_name_that_was_taken_is_not_seen,
    a_base_has_no_revision,
    rolling_back_ignores_later_edits,
    rolling_back_ignores_what_leans_on_it,
    rolling_back_leaves_the_charter,
    discarding_keeps_jobs_pinned,
    discarding_leaves_rows,
    a_staged_completion_pins_no_job,
    publishing_loses_aliases,
    publishing_forgets_the_index,
    publishing_gives_numbers_twice,
    publishing_lets_lint_errors_pass,
    publishing_judges_no_completion_again,
    a_draft_forgets_what_pages_cite,
    a_draft_shows_two_pages_of_a_name,
    a_draft_finds_pages_that_it_removed,
    staging_moves_the_live_revision,
    rebasing_does_not_count_on,
)


@pytest.mark.slow
@pytest.mark.parametrize("plant", MUTANTS, ids=lambda plant: plant.__name__)
def test_the_machine_finds_a_planted_bug(
    template: Template, monkeypatch: pytest.MonkeyPatch, plant: Plant
) -> None:
    plant(monkeypatch)
    machine = type("Planted", (Changesets,), {"template": template})
    with pytest.raises(Exception):  # noqa: B017  whatever comes of the bug
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=HISTORIES,
                stateful_step_count=STEPS,
                deadline=None,
                derandomize=True,
                database=None,
                phases=(Phase.generate,),
                report_multiple_bugs=False,
                suppress_health_check=list(HealthCheck),
            ),
        )
