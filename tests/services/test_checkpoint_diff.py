from __future__ import annotations

import pytest
from drafting import a_draft, a_file
from ingesting import AGENT, analyzed
from page_makers import put
from sourcing import refusal

from lwc.errors import CHECKPOINT_NOT_FOUND, LIMIT_OUT_OF_RANGE
from lwc.services import (
    charter,
    checkpoint_diff,
    checkpoints,
    checks,
    configuration,
    page_moves,
    source_writes,
)
from lwc.services.checkpoint_diff import CheckpointDiff
from lwc.wiki import Wiki


@pytest.fixture
def changed(furnished: Wiki) -> Wiki:
    """A wiki in which something of every kind has changed since the checkpoint `then`."""
    checkpoints.create(furnished, AGENT, name="then")
    put(furnished, "spare", "Written a third time.\n")
    put(furnished, "newcomer", "New.\n")
    page_moves.rename(furnished, AGENT, slug="alone", to="lonely")
    page_moves.remove(furnished, AGENT, slug="present")
    a_file(furnished, "new.md", "A new document.")
    source_writes.remove(furnished, AGENT, source_id=3)
    charter.put(furnished, AGENT, name="purpose", text="# Another\n")
    analyzed(furnished, 1)
    checks.remove(furnished, AGENT, 1)
    configuration.put(furnished, AGENT, values={"policy": "strict"})
    a_draft(furnished).close()
    return furnished


def diff(wiki: Wiki, **options: int) -> CheckpointDiff:
    return checkpoint_diff.diff(wiki, name="then", **options)  # type: ignore[arg-type]


def test_it_lists_what_has_changed_since(changed: Wiki) -> None:
    found = diff(changed)
    told = {(one.entity, one.key, one.change) for one in found.changes}
    names = {
        (one.entity, one.change, (one.after or one.before or {}).get("slug"))
        for one in found.changes
        if one.entity == "page"
    }
    assert names == {
        ("page", "changed", "spare"),
        ("page", "added", "newcomer"),
        ("page", "changed", "lonely"),
        ("page", "removed", "present"),
        # Its link was written anew.
        ("page", "changed", "store"),
    }
    assert told >= {
        *(("source", "4", "added"), ("source", "3", "removed"), ("charter", "purpose", "changed")),
        *(("job", "1", "added"), ("check", "1", "removed"), ("setting", "policy", "added")),
    }
    assert found.counts["page"] == {"added": 1, "removed": 1, "changed": 3}
    assert found.counts["changeset"] == {"added": 1, "removed": 0, "changed": 0}
    assert found.total == sum(sum(numbers.values()) for numbers in found.counts.values())
    assert found.revision > found.checkpoint_revision


def test_each_change_shows_both_sides(changed: Wiki) -> None:
    by_slug = {(one.after or one.before or {}).get("slug"): one for one in diff(changed).changes}
    spare = by_slug["spare"]
    assert spare.before == {"slug": "spare", "title": "spare", "revision": 2}
    assert spare.after == {"slug": "spare", "title": "spare", "revision": 3}
    renamed = by_slug["lonely"]
    assert renamed.before is not None
    assert renamed.before["slug"] == "alone"


def test_it_is_bounded_and_goes_on(changed: Wiki) -> None:
    whole = diff(changed).changes
    first, rest = diff(changed, limit=3), diff(changed, limit=1000, offset=3)
    assert first.has_more
    assert not rest.has_more
    assert (*first.changes, *rest.changes) == whole
    for limit in (0, 1001):
        refusal(lambda limit=limit: diff(changed, limit=limit), LIMIT_OUT_OF_RANGE)


def test_counted_only_it_lists_nothing(changed: Wiki) -> None:
    counted = diff(changed, stat=True)
    assert (counted.changes, counted.has_more) == ((), False)
    assert counted.counts == diff(changed).counts


def test_nothing_has_changed_in_a_wiki_as_it_was(furnished: Wiki) -> None:
    checkpoints.create(furnished, AGENT, name="then")
    assert (diff(furnished).total, diff(furnished).counts) == (0, {})


def test_there_is_nothing_to_compare_with(wiki: Wiki) -> None:
    refusal(lambda: diff(wiki), CHECKPOINT_NOT_FOUND)
