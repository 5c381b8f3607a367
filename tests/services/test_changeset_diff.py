"""What a changeset changes: told of the draft, and just so of what it published."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from drafting import ACTS, DRAFT, Act, a_draft, a_file, publish
from ingesting import AGENT, refused
from page_makers import TEXT, cited, put

from lwc import wire
from lwc.errors import (
    CHANGESET_ENDED,
    CHANGESET_ENTITY_NOT_STAGED,
    INVALID_SLUG,
    LIMIT_OUT_OF_RANGE,
    Problem,
)
from lwc.services import (
    changeset_diff,
    changeset_rollback,
    changesets,
    charter,
    checks,
    completion,
    page_moves,
    page_writes,
    pages,
    source_writes,
)
from lwc.services.changeset_diff import ChangesetDiff
from lwc.services.completion import Waivers
from lwc.wiki import Call, Wiki

BERTA = Call(agent="berta")


def diff(wiki: Wiki, **options: object) -> ChangesetDiff:
    return changeset_diff.diff(wiki, changeset=DRAFT, **options)  # type: ignore[arg-type]


def told(found: ChangesetDiff) -> dict[str, object]:
    """What a diff tells of the change itself, however it calls the two sides."""
    shape: dict[str, object] = wire.plain(found)
    for name in ("status",):
        del shape[name]
    pages = wire.plain(
        [replace(one, diff=_unnamed(one.diff), total_chars=0) for one in found.pages]
    )
    texts = [replace(one, diff=_unnamed(one.diff), total_chars=0) for one in found.charter]
    return {**shape, "pages": pages, "charter": wire.plain(texts)}


def _unnamed(text: str | None) -> str | None:
    return (
        None
        if text is None
        else text.replace(" live revision ", " ")
        .replace(" draft revision ", " ")
        .replace(" revision ", " ")
    )


def test_a_page_is_told_with_its_text_and_its_fields(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        put(draft, "alone", "Nobody waits.\n", call=AGENT, title="Alone no more", source_ids=(1,))
        page_moves.rename(draft, AGENT, slug="alone", to="quiet")
    page, store = diff(furnished).pages
    assert (page.slug, page.done, page.from_revision, page.to_revision) == (
        "quiet",
        "changed",
        1,
        3,
    )
    assert [(one.field, one.before, one.after) for one in page.changes or ()] == [
        ("slug", "alone", "quiet"),
        ("title", "alone", "Alone no more"),
        ("source_ids", (), (1,)),
    ]
    assert page.diff == (
        "--- alone live revision 1\n+++ quiet draft revision 3\n@@ -1 +1 @@\n"
        "-Nobody waits alone.\n+Nobody waits.\n"
    )
    assert (page.added, page.removed, page.live_moved, page.has_more) == (1, 1, False, False)
    assert (store.slug, store.changes) == ("store", ())
    assert "-See [[alone]].\n+See [[quiet]].\n" in (store.diff or "")


def test_all_kinds_of_things_are_told_in_the_order_of_their_names(furnished: Wiki) -> None:
    waivers = Waivers(no_derived_pages_reason="Nothing to say.", unread_reason="It is short.")
    with a_draft(furnished) as draft:
        put(draft, "zebra", "Late.\n", call=AGENT, kind="source", source_ids=(2,))
        put(draft, "ape", "Climbs.\n", call=AGENT)
        page_moves.remove(draft, AGENT, slug="spare")
        source_writes.remove(draft, AGENT, source_id=3)
        a_file(draft, "new.md", "A newcomer.")
        charter.put(draft, AGENT, name="purpose", text="Be quiet.\n")
        charter.put(draft, AGENT, name="schema", text="# Other\n")
        checks.add(draft, AGENT, slug="ape", query="who climbs", paraphrases=("goes up trees",))
        checks.remove(draft, AGENT, 1)
        completion.complete(draft, AGENT, 2, waivers=waivers)
    found = diff(furnished)
    assert [(one.slug, one.done) for one in found.pages] == [
        ("ape", "created"),
        ("spare", "removed"),
        ("zebra", "created"),
    ]
    assert [(one.name, one.done, one.from_revision, one.to_revision) for one in found.charter] == [
        ("purpose", "changed", 1, 2),
        ("schema", "changed", 2, 3),
    ]
    assert [(one.id, one.title, one.chars, one.done) for one in found.sources] == [
        (3, "spare.md", 30, "removed"),
        (4, "new.md", 11, "created"),
    ]
    assert [(one.path, one.from_source, one.to_source, one.done) for one in found.paths] == [
        ("new.md", None, 4, "created"),
        ("spare.md", 3, None, "removed"),
    ]
    assert [(one.id, one.page, one.query, one.done) for one in found.checks] == [
        (2, "ape", "who climbs", "created"),
        (1, "store", "one writer", "removed"),
    ]
    (job,) = found.jobs
    assert (job.job, job.title, job.no_derived_pages_reason) == (2, "late.md", "Nothing to say.")
    assert found.totals == {
        "pages": 3,
        "charter": 2,
        "sources": 2,
        "paths": 2,
        "checks": 2,
        "jobs": 1,
    }
    gone = found.pages[1]
    assert (gone.from_revision, gone.to_revision, gone.added, gone.removed) == (2, 0, 0, 1)


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_a_publication_is_told_as_its_draft_was_for_ever(furnished: Wiki, act: Act) -> None:
    with a_draft(furnished) as draft:
        act(draft)
    drafted = told(diff(furnished))
    if not any(diff(furnished).totals.values()):
        return
    publish(furnished)
    assert told(diff(furnished)) == drafted
    changeset_rollback.rollback(furnished, AGENT, changeset=DRAFT)
    touched = {page.slug for page in diff(furnished).pages}
    for page in pages.list_(furnished).pages:
        if page.slug in touched:
            put(furnished, page.slug, "Written later.\n", call=BERTA)
    charter.put(furnished, BERTA, name="schema", text="# Later\n")
    found = told(diff(furnished))
    for name in ("pages", "charter", "totals"):
        assert found[name] == drafted[name]


def test_what_live_has_changed_since_is_marked(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        put(draft, "spare", "Drafted.\n", call=AGENT)
        put(draft, "alone", "Drafted.\n", call=AGENT)
    put(furnished, "spare", "Written live.\n", call=BERTA)
    alone, spare = diff(furnished).pages
    assert (alone.live_moved, spare.live_moved) == (False, True)
    assert "-Written live.\n+Drafted.\n" in (spare.diff or "")
    put(furnished, "spare", "Drafted.\n", call=BERTA)
    kept = diff(furnished).pages[1]
    assert (kept.live_moved, kept.done, kept.diff) == (False, "kept", "")


def test_with_stat_only_lines_are_counted(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        put(draft, "spare", "One.\nTwo.\nThree.\n", call=AGENT)
        charter.put(draft, AGENT, name="schema", text="# Other\n")
    found = diff(furnished, stat=True)
    whole = diff(furnished)
    assert (found.pages[0].added, found.pages[0].removed) == (3, 1)
    assert [one.diff for one in (*found.pages, *found.charter)] == [None, None]
    assert "diff" not in wire.plain(found)["pages"][0]
    assert found.totals == whole.totals
    assert [one.added for one in found.charter] == [one.added for one in whole.charter]


def test_a_long_text_is_cut_at_a_line(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        put(draft, "spare", "A line of words.\n" * 400, call=AGENT)
    page = diff(furnished, max_chars=500).pages[0]
    assert page.diff is not None
    assert (len(page.diff) <= 500, page.diff[-1], page.has_more) == (True, "\n", True)
    assert (page.added, page.total_chars > 6_000) == (400, True)
    assert diff(furnished, max_chars=10_000).pages[0].has_more is False


def test_pages_are_chosen_by_either_name_with_their_checks(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        page_moves.rename(draft, AGENT, slug="store", to="storage")
        put(draft, "spare", "Drafted.\n", call=AGENT)
        checks.add(draft, AGENT, slug="storage", query="storage")
        checks.add(draft, AGENT, slug="spare", query="spare")
        charter.put(draft, AGENT, name="schema", text="# Other\n")
    for name in ("store", "Storage"):
        found = diff(furnished, slugs=(name,))
        assert [one.slug for one in found.pages] == ["storage"]
        assert [one.page for one in found.checks] == ["storage"]
        assert (found.charter, found.jobs, found.totals["pages"]) == ((), (), 1)
    both = diff(furnished, slugs=("spare", "store"))
    assert [one.slug for one in both.pages] == ["spare", "storage"]


def test_each_list_is_read_in_parts(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        for slug in ("a", "b", "c"):
            put(draft, slug, f"Page {slug}.\n", call=AGENT)
    first = diff(furnished, limit=2)
    assert ([one.slug for one in first.pages], first.has_more) == (["a", "b"], True)
    rest = diff(furnished, limit=2, offset=2)
    assert ([one.slug for one in rest.pages], rest.has_more) == (["c"], False)
    assert rest.totals["pages"] == 3


def test_a_name_that_passed_to_another_page_is_told_of_both(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        page_moves.remove(draft, AGENT, slug="spare")
        page_moves.rename(draft, AGENT, slug="present", to="spare")
    found = diff(furnished, slugs=("spare",)).pages
    assert sorted((one.done, one.added, one.removed) for one in found) == [
        ("changed", 0, 0),
        ("removed", 0, 1),
    ]


def test_what_a_source_was_is_told_also_when_it_is_gone(furnished: Wiki, project: Path) -> None:
    with a_draft(furnished) as draft:
        a_file(draft, "new.md", TEXT.replace("Everything", "A newcomer"))
        put(draft, "newcomer", cited(4), call=AGENT, source_ids=(4,))
        source_writes.remove(draft, AGENT, source_id=3)
    publish(furnished)
    changeset_rollback.rollback(furnished, AGENT, changeset=DRAFT)
    found = diff(furnished)
    assert [(one.id, one.title, one.done) for one in found.sources] == [
        (3, "spare.md", "removed"),
        (4, None, "created"),
    ]
    assert [(one.path, one.from_source, one.to_source) for one in found.paths] == [
        ("new.md", None, None),
        ("spare.md", 3, None),
    ]


def test_a_restored_page_is_told(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        page_writes.restore(draft, AGENT, slug="gone", revision=1)
    (page,) = diff(furnished).pages
    assert (page.slug, page.done, page.from_revision, page.added) == ("gone", "created", 0, 1)


@pytest.mark.parametrize(
    "problem, options",
    [
        pytest.param(CHANGESET_ENTITY_NOT_STAGED, {"slugs": ("alone",)}, id="not touched"),
        pytest.param(CHANGESET_ENTITY_NOT_STAGED, {"slugs": ("spare", "none")}, id="no page"),
        pytest.param(INVALID_SLUG, {"slugs": ("../x",)}, id="no slug"),
        pytest.param(LIMIT_OUT_OF_RANGE, {"max_chars": 0}, id="no characters"),
        pytest.param(LIMIT_OUT_OF_RANGE, {"limit": 1001}, id="too many"),
    ],
)
def test_what_cannot_be_told_is_refused(
    furnished: Wiki, problem: Problem, options: dict[str, object]
) -> None:
    with a_draft(furnished) as draft:
        put(draft, "spare", "Drafted.\n", call=AGENT)
    refused(problem, lambda: diff(furnished, **options))


def test_of_what_was_discarded_nothing_is_told(furnished: Wiki) -> None:
    a_draft(furnished).close()
    changesets.discard(furnished, AGENT, name=DRAFT)
    refused(CHANGESET_ENDED, lambda: diff(furnished))
