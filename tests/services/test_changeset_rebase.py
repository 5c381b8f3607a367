"""Bringing a draft onto what is live now: what goes along, what is named, and how it is settled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from colliding import CONFLICTS, PEACE
from drafting import (
    ACTS,
    AGENT,
    DRAFT,
    Act,
    a_draft,
    a_file,
    lasting,
    live,
    publish,
    reads,
    rows,
    staged_rows,
    unused_texts,
)
from ingesting import STRANGER, refused
from page_makers import put

from lwc.errors import CHANGESET_CONFLICT, CHANGESET_RESOLVED_INVALID
from lwc.services import (
    changeset_drop,
    changeset_rebase,
    charter,
    checks,
    page_moves,
    page_writes,
    pages,
    source_writes,
)
from lwc.services.changeset_rebase import ChangesetRebased, parse_resolved
from lwc.wiki import Wiki


@pytest.fixture
def draft(furnished: Wiki) -> Iterator[Wiki]:
    with a_draft(furnished) as opened:
        yield opened


def rebase(wiki: Wiki, *resolved: str, **options: Any) -> ChangesetRebased:
    return changeset_rebase.rebase(
        wiki, AGENT, name=DRAFT, resolved=parse_resolved(resolved), **options
    )


def body(wiki: Wiki, slug: str) -> str:
    return pages.show(wiki, slug=slug).page.body


def revisions(wiki: Wiki, slug: str) -> list[tuple[int, str]]:
    """The revisions of a page, oldest first, with who made them."""
    found = pages.history(wiki, slug=slug).revisions
    return [(one.revision, one.author) for one in reversed(found)]


@pytest.mark.parametrize(("act", "meanwhile"), PEACE.values(), ids=PEACE)
def test_what_hinders_nothing_is_brought_along_and_published_as_without_that(
    furnished: Wiki, twin: Wiki, act: Act, meanwhile: Act
) -> None:
    for wiki in (furnished, twin):
        with a_draft(wiki) as draft:
            act(draft)
            put(draft, "fresh", "Of the draft.\n", call=AGENT)
        meanwhile(wiki)
    before = live(furnished)
    rebased = rebase(furnished)
    assert (rebased.conflicts, rebased.conflict_free) == ((), True)
    assert live(furnished) == before
    again = rebase(furnished)
    assert (again.rebased, again.unstaged) == ((), ())
    assert again.draft_revision == rebased.draft_revision
    with a_draft(furnished, "empty") as empty:
        assert reads(empty)["lint"] == reads(furnished)["lint"]
    publish(furnished)
    publish(twin)
    assert _content(furnished) == _content(twin)
    assert staged_rows(furnished) == {}
    assert unused_texts(furnished) == set()


def _content(wiki: Wiki) -> Mapping[str, Any]:
    """What readers see; a revision that says the same as live does is not made."""
    found = dict(lasting(wiki))
    del found["page_revisions"], found["charter"]
    return {
        name: [
            {key: value for key, value in row.items() if key not in ("revision", "author")}
            for row in each
        ]
        for name, each in found.items()
    }


@pytest.mark.parametrize(("act", "meanwhile", "told"), CONFLICTS.values(), ids=CONFLICTS)
def test_what_live_changed_otherwise_stays_on_its_old_base_and_is_told(
    furnished: Wiki,
    draft: Wiki,
    act: Act,
    meanwhile: Act,
    told: list[tuple[str, str, str]],
) -> None:
    act(draft)
    put(draft, "quiet", "Nothing is against it.\n", call=AGENT)
    meanwhile(furnished)
    before, drafted = live(furnished), lasting(draft)
    rebased = rebase(furnished)
    assert [(one.entity.value, one.identifier, one.why.value) for one in rebased.conflicts] == told
    assert not rebased.conflict_free
    assert all(one.advice for one in rebased.conflicts)
    assert live(furnished) == before
    assert lasting(draft) == drafted
    refused(CHANGESET_CONFLICT, lambda: publish(furnished))


@pytest.mark.parametrize(("act", "meanwhile", "told"), CONFLICTS.values(), ids=CONFLICTS)
def test_dropping_what_is_in_conflict_lets_the_rest_be_published(
    furnished: Wiki,
    draft: Wiki,
    act: Act,
    meanwhile: Act,
    told: list[tuple[str, str, str]],
) -> None:
    act(draft)
    put(draft, "quiet", "Nothing is against it.\n", call=AGENT)
    meanwhile(furnished)
    before = rows(furnished)
    options = {"page": "slug", "charter": "schema"}
    for entity, identifier, why in told:
        named: dict[str, Any] = {options.get(entity, entity): identifier}
        if why == "source_removed" and entity == "source":
            named = {"slug": "fresh"}
        if entity == "charter":
            named = {"schema": True}
        target = changeset_drop.target(**named)
        changeset_drop.drop(furnished, AGENT, name=DRAFT, target=target)
    assert rebase(furnished).conflict_free
    publish(furnished)
    assert body(furnished, "quiet") == "Nothing is against it.\n"
    page_moves.remove(furnished, AGENT, slug="quiet")
    after = rows(furnished)
    assert {**after, "page_revisions": 0, "sources": 0} == {
        **before,
        "page_revisions": 0,
        "sources": 0,
    }


class TestWhatIsResolved:
    def test_stands_on_what_is_live_at_that_revision(self, furnished: Wiki, draft: Wiki) -> None:
        put(draft, "spare", "Of the draft.\n", call=AGENT)
        put(furnished, "spare", "Of the stranger.\n", call=STRANGER)
        put(draft, "spare", "Of the draft and the stranger.\n", call=AGENT)
        rebased = rebase(furnished, "spare=3")
        assert rebased.conflict_free
        assert [one.identifier for one in rebased.rebased] == ["spare"]
        assert [number for number, _ in revisions(draft, "spare")] == [1, 2, 3, 4, 5]
        publish(furnished)
        assert revisions(furnished, "spare")[2:] == [
            (3, STRANGER.agent),
            (4, AGENT.agent),
            (5, AGENT.agent),
        ]
        assert body(furnished, "spare") == "Of the draft and the stranger.\n"

    def test_is_made_anew_when_live_removed_it(self, furnished: Wiki, draft: Wiki) -> None:
        put(draft, "spare", "Of the draft.\n", call=AGENT)
        page_moves.remove(furnished, STRANGER, slug="spare")
        assert rebase(furnished, "spare=0").conflict_free
        publish(furnished)
        assert [number for number, _ in revisions(furnished, "spare")] == [1, 2, 3, 4]
        assert body(furnished, "spare") == "Of the draft.\n"

    def test_is_removed_though_live_changed_it(self, furnished: Wiki, draft: Wiki) -> None:
        page_moves.remove(draft, AGENT, slug="spare")
        put(furnished, "spare", "Of the stranger.\n", call=STRANGER)
        assert rebase(furnished, "spare=3").conflict_free
        publish(furnished)
        assert "spare" not in [page.slug for page in pages.list_(furnished).pages]
        assert [number for number, _ in revisions(furnished, "spare")] == [1, 2, 3, 4]

    def test_becomes_the_page_that_live_made_of_the_name(
        self, furnished: Wiki, draft: Wiki
    ) -> None:
        put(draft, "fresh", "Of the draft.\n", call=AGENT)
        checks.add(draft, AGENT, slug="fresh", query="draft")
        put(furnished, "fresh", "Of the stranger, see [[alone]].\n", call=STRANGER)
        checks.add(furnished, STRANGER, slug="fresh", query="stranger")
        (told,) = rebase(furnished).conflicts
        assert told.live is not None
        assert told.draft is not None
        assert (told.live.text, told.draft.text) == (
            "Of the stranger, see [[alone]].\n",
            "Of the draft.\n",
        )
        assert rebase(furnished, "fresh=1").conflict_free
        assert {one.query for one in checks.list_(draft, slug="fresh").checks} == {
            "draft",
            "stranger",
        }
        assert body(draft, "fresh") == "Of the draft.\n"
        publish(furnished)
        assert revisions(furnished, "fresh") == [(1, STRANGER.agent), (2, AGENT.agent)]
        assert body(furnished, "fresh") == "Of the draft.\n"
        assert pages.links_of(furnished, slug="fresh").outgoing == ()

    def test_stands_on_a_page_that_live_brought_back_too(
        self, furnished: Wiki, draft: Wiki
    ) -> None:
        put(draft, "gone", "Of the draft.\n", call=AGENT)
        put(furnished, "gone", "Of the stranger.\n", call=STRANGER)
        assert rebase(furnished, "gone=3").conflict_free
        publish(furnished)
        assert [number for number, _ in revisions(furnished, "gone")] == [1, 2, 3, 4]

    def test_keeps_the_name_that_live_has_given_it(self, furnished: Wiki, draft: Wiki) -> None:
        put(draft, "spare", "Of the draft.\n", call=AGENT)
        page_moves.rename(furnished, STRANGER, slug="spare", to="saved")
        assert rebase(furnished, "saved=3").conflict_free
        assert reads(draft)["search spare violet"]["total"] == 2
        publish(furnished)
        shown = pages.show(furnished, slug="spare").page
        assert (shown.slug, shown.aliases, shown.body) == ("saved", ("spare",), "Of the draft.\n")

    def test_has_the_draft_s_name_and_is_found_by_live_s_too(
        self, furnished: Wiki, draft: Wiki
    ) -> None:
        page_moves.rename(draft, AGENT, slug="spare", to="drafted")
        page_moves.rename(furnished, STRANGER, slug="spare", to="saved")
        assert rebase(furnished, "drafted=3").conflict_free
        publish(furnished)
        shown = pages.show(furnished, slug="saved").page
        assert (shown.slug, shown.aliases) == ("drafted", ("saved", "spare"))

    def test_stays_confirmed_when_it_was_only_confirmed(self, furnished: Wiki, draft: Wiki) -> None:
        page_writes.confirm(draft, AGENT, slug="store", source_id=1)
        written = put(furnished, "store", "Of the stranger.\n", call=STRANGER, source_ids=(1,))
        assert rebase(furnished, f"store={written.page.revision}").conflict_free
        publish(furnished)
        assert body(furnished, "store") == "Of the stranger.\n"
        assert revisions(furnished, "store")[-1] == (2, STRANGER.agent)

    def test_may_be_the_schema(self, furnished: Wiki, draft: Wiki) -> None:
        charter.put(draft, AGENT, name="schema", text="# Of the draft\n")
        charter.put(furnished, STRANGER, name="schema", text="# Of the stranger\n")
        (told,) = rebase(furnished).conflicts
        assert "+# Of the stranger" in told.live_change
        assert "+# Of the draft" in told.draft_change
        assert told.live_revision is not None
        assert rebase(furnished, f"schema={told.live_revision}").conflict_free
        publish(furnished)
        shown = charter.show(furnished, "schema")
        assert (shown.text, shown.newest) == ("# Of the draft\n", told.live_revision + 1)

    def test_may_be_a_path(self, furnished: Wiki, draft: Wiki) -> None:
        a_file(draft, "spare.md", "Of the draft.")
        a_file(furnished, "spare.md", "Of the stranger.")
        assert rebase(furnished, "spare.md=2").conflict_free
        publish(furnished)
        with furnished.reading() as conn:
            told = conn.exec_driver_sql(
                "SELECT revision, source_id FROM source_paths WHERE tracked_path = 'spare.md'"
            ).fetchall()
        assert [tuple(row) for row in told] == [(1, 3), (2, 5), (3, 4)]


class TestWhatIsNotResolved:
    def test_when_live_is_at_another_revision(self, furnished: Wiki, draft: Wiki) -> None:
        put(draft, "spare", "Of the draft.\n", call=AGENT)
        put(furnished, "spare", "Of the stranger.\n", call=STRANGER)
        before = lasting(draft)
        rebased = rebase(furnished, "spare=2")
        assert [(one.identifier, one.why) for one in rebased.unresolved] == [
            ("spare", "live is at revision 3, not 2")
        ]
        assert len(rebased.conflicts) == 1
        assert lasting(draft) == before

    def test_when_live_has_removed_it(self, furnished: Wiki, draft: Wiki) -> None:
        put(draft, "spare", "Of the draft.\n", call=AGENT)
        page_moves.remove(furnished, STRANGER, slug="spare")
        (told,) = rebase(furnished, "spare=3").unresolved
        assert told.why == "it is not there live any more: its revision is 0, not 3"

    def test_when_it_is_in_no_conflict(self, furnished: Wiki, draft: Wiki) -> None:
        put(draft, "spare", "Of the draft.\n", call=AGENT)
        (told,) = rebase(furnished, "spare=2").unresolved
        assert told.why == "nothing of this name is in conflict"

    def test_when_no_revision_resolves_it(self, furnished: Wiki, draft: Wiki) -> None:
        page_moves.rename(draft, AGENT, slug="spare", to="saved")
        put(furnished, "saved", "Of the stranger.\n", call=STRANGER)
        rebased = rebase(furnished, "saved=1")
        assert "no revision" in rebased.unresolved[0].why
        assert "page rename" in rebased.conflicts[0].advice

    def test_when_another_page_of_the_draft_bears_the_name_it_has_live(
        self, furnished: Wiki, draft: Wiki
    ) -> None:
        put(draft, "spare", "Of the draft.\n", call=AGENT)
        put(draft, "saved", "Of the draft, too.\n", call=AGENT)
        page_moves.rename(furnished, STRANGER, slug="spare", to="saved")
        rebased = rebase(furnished, "spare=3")
        assert "bears the name saved" in rebased.unresolved[0].why
        assert not rebased.conflict_free

    def test_when_a_name_that_the_taker_had_is_borne_in_the_draft(
        self, furnished: Wiki, draft: Wiki
    ) -> None:
        put(draft, "fresh", "Of the draft.\n", call=AGENT)
        put(draft, "stale", "Of the draft, too.\n", call=AGENT)
        put(furnished, "stale", "Of the stranger.\n", call=STRANGER)
        page_moves.rename(furnished, STRANGER, slug="stale", to="fresh")
        before = lasting(draft)
        rebased = rebase(furnished, "fresh=2")
        assert "bears the name stale" in rebased.unresolved[0].why
        assert lasting(draft) == before
        assert rebased.draft_revision == 2

    def test_when_a_page_was_only_confirmed_and_is_gone(self, furnished: Wiki, draft: Wiki) -> None:
        put(furnished, "cited", "Cites.\n", call=STRANGER, source_ids=(1,))
        page_writes.confirm(draft, AGENT, slug="cited", source_id=1)
        page_moves.remove(furnished, STRANGER, slug="cited")
        rebased = rebase(furnished, "cited=0")
        assert "only confirms it" in rebased.unresolved[0].why
        assert "only confirms it" in rebased.conflicts[0].advice

    def test_when_a_path_is_forgotten_live(self, furnished: Wiki, draft: Wiki) -> None:
        a_file(draft, "spare.md", "Of the draft.")
        source_writes.remove(furnished, STRANGER, source_id=3)
        rebased = rebase(furnished, "spare.md=0")
        assert [one.why for one in rebased.unresolved] == ["it is not there live any more"]
        assert "--path spare.md" in rebased.conflicts[0].advice

    @pytest.mark.parametrize("given", ["spare", "spare=", "=1", "spare=x", "spare=01", "spare=-1"])
    def test_when_it_is_not_a_name_and_a_revision(self, given: str) -> None:
        refused(CHANGESET_RESOLVED_INVALID, lambda: parse_resolved([given]))

    def test_when_it_is_named_twice(self) -> None:
        refused(CHANGESET_RESOLVED_INVALID, lambda: parse_resolved(["a=1", "a=2"]))


def test_a_source_that_live_took_in_too_is_unstaged_and_stays_cited(
    furnished: Wiki, draft: Wiki
) -> None:
    ACTS["source-add-and-cite"](draft)
    a_file(furnished, "other.md", (furnished.workspace.root / "new.md").read_text())
    rebased = rebase(furnished)
    assert [(one.entity.value, one.identifier) for one in rebased.unstaged] == [("source", "4")]
    publish(furnished)
    assert pages.list_(furnished, source_id=4).total == 2


def test_texts_are_bounded(furnished: Wiki, draft: Wiki) -> None:
    put(draft, "spare", "Of the draft.\n" * 100, call=AGENT)
    put(furnished, "spare", "Of the stranger.\n" * 100, call=STRANGER)
    (told,) = rebase(furnished, max_chars=20).conflicts
    assert told.live is not None
    assert (told.live.text, told.live.has_more) == ("Of the stranger.\nOf ", True)
    assert told.live.total_chars == 1700
    assert len(told.live_change) <= 20


def test_rebasing_moves_the_draft_only_when_something_changed(furnished: Wiki, draft: Wiki) -> None:
    put(draft, "spare", "Of the draft.\n", call=AGENT)
    before = furnished.revision()
    assert rebase(furnished).draft_revision == 1
    put(furnished, "spare", "Of the stranger.\n", call=STRANGER)
    assert rebase(furnished).draft_revision == 1
    assert rebase(furnished, "spare=3").draft_revision == 2
    assert furnished.revision() == before + 1


def test_a_removed_source_is_dropped_or_taken_in_again(furnished: Wiki, draft: Wiki) -> None:
    put(draft, "fresh", "Of the draft.\n", call=AGENT, source_ids=(3,))
    source_writes.remove(furnished, STRANGER, source_id=3)
    (told,) = rebase(furnished).conflicts
    assert "source add" in told.advice
    a_file(draft, "spare.md", "Nobody cites this violet text.")
    assert rebase(furnished).conflict_free
    publish(furnished)
    assert pages.list_(furnished, source_id=3).total == 1
