from __future__ import annotations

import pytest
from ingesting import a_source
from page_makers import put
from projecting import switch
from sourcing import refusal

from lwc.domain.projection_state import Reason
from lwc.errors import PROJECTION_FOLDER_REFUSED, PROJECTION_INCOMPLETE
from lwc.services import projection
from lwc.wiki import Wiki


def test_a_full_run_counts_files_and_changes_nothing_of_the_wiki(wiki: Wiki) -> None:
    switch(wiki, "off")
    a_source(wiki)
    put(wiki, "locks")
    revision = wiki.revision()
    steps: list[tuple[int, int]] = []
    made = projection.materialize(wiki, progress=lambda done, total: steps.append((done, total)))
    again = projection.materialize(wiki)
    assert (made.written, made.removed, made.unchanged, made.behind) == (8, 0, 0, 0)
    assert (again.written, again.removed, again.unchanged) == (0, 0, 7)
    assert made.revision == revision == wiki.revision()
    assert steps == [(4, 4)]


def test_a_full_run_tells_what_failed_and_what_it_did(wiki: Wiki) -> None:
    put(wiki, "locks")
    path = wiki.workspace.store / "wiki/index.md"
    path.unlink()
    path.mkdir()
    (wiki.workspace.store / "wiki/overview.md").unlink()
    error = refusal(lambda: projection.materialize(wiki), PROJECTION_INCOMPLETE)
    assert error.details["written"] == 1
    (told,) = error.details["errors"]
    assert (told.path, told.reason) == ("wiki/index.md", Reason.UNSAFE)


def test_a_store_in_which_nothing_can_be_written_is_told_without_its_path(wiki: Wiki) -> None:
    (wiki.workspace.store / "projection.lock").unlink(missing_ok=True)
    (wiki.workspace.store / "projection.lock").mkdir()
    error = refusal(lambda: projection.materialize(wiki), PROJECTION_FOLDER_REFUSED)
    assert str(wiki.workspace.root) not in str(error.body())


def test_the_status_tells_how_far_all_that_is_derived_is(wiki: Wiki) -> None:
    a_source(wiki)
    put(wiki, "locks")
    seen = projection.status(wiki)
    assert (seen.projection, seen.standing, seen.behind, seen.errors) == ("on", "current", 0, ())
    assert (seen.pages, seen.pages_projected, seen.search_pages) == (1, 1, 1)
    assert (seen.sources, seen.sources_projected, seen.search_sources) == (1, 1, 1)
    assert seen.projected_revision == seen.revision == wiki.revision()
    assert seen.log_bytes > 0
    switch(wiki, "off")
    put(wiki, "other")
    seen = projection.status(wiki)
    assert (seen.projection, seen.behind, seen.pages, seen.pages_projected) == ("off", 1, 2, 1)
    assert seen.projected_revision == seen.revision - 1


@pytest.mark.parametrize("before", [True, False])
def test_the_status_of_a_wiki_that_was_never_projected(before: bool, wiki: Wiki) -> None:
    if before:
        (wiki.workspace.store / "projection.json").unlink(missing_ok=True)
    else:
        (wiki.workspace.store / "projection.json").write_text("damaged")
    seen = projection.status(wiki)
    assert (seen.standing, seen.projected_revision) == ("unknown", None)
