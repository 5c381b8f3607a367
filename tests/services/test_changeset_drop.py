"""Taking one thing out of a draft: it is as live again, and what is left is a whole draft."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
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
    staged_rows,
    unused_texts,
)
from ingesting import analyzed, refused, the_job
from page_makers import put
from sourcing import operations

from lwc.domain.ingest import JobState
from lwc.errors import (
    CHANGESET_DROP_ONE,
    CHANGESET_ENTITY_NEEDED,
    CHANGESET_ENTITY_NOT_STAGED,
)
from lwc.services import (
    changeset_drop,
    checks,
    completion,
    page_moves,
    pages,
    source_writes,
)
from lwc.services.changeset_drop import ChangesetDropped
from lwc.services.completion import Waivers
from lwc.wiki import Wiki

NOTHING = Waivers(no_derived_pages_reason="Nothing to say.", unread_reason="It is short.")

# What is staged, one thing of it that is dropped, and what of it is left.
DROPS: Mapping[str, tuple[Act, dict[str, Any], Act]] = {
    "page-put": (
        lambda wiki: [_write(wiki, "alone"), _write(wiki, "fresh")],
        {"slug": "alone"},
        lambda wiki: _write(wiki, "fresh"),
    ),
    "page-new": (
        lambda wiki: [_write(wiki, "fresh"), _write(wiki, "alone")],
        {"slug": "Fresh"},
        lambda wiki: _write(wiki, "alone"),
    ),
    "page-removed": (
        lambda wiki: [page_moves.remove(wiki, AGENT, slug="spare"), _write(wiki, "alone")],
        {"slug": "spare"},
        lambda wiki: _write(wiki, "alone"),
    ),
    "page-removed-with-its-checks": (
        lambda wiki: [ACTS["page-remove-checked"](wiki), _write(wiki, "alone")],
        {"slug": "store"},
        lambda wiki: [
            put(wiki, "readers", "Readers do not wait.\n", call=AGENT),
            _write(wiki, "alone"),
        ],
    ),
    "page-made-and-removed": (
        lambda wiki: [ACTS["page-put-and-remove"](wiki), _write(wiki, "alone")],
        {"slug": "fleeting"},
        lambda wiki: _write(wiki, "alone"),
    ),
    "page-renamed-by-its-old-name": (
        lambda wiki: [
            page_moves.rename(wiki, AGENT, slug="spare", to="saved"),
            _write(wiki, "alone"),
        ],
        {"slug": "spare"},
        lambda wiki: _write(wiki, "alone"),
    ),
    "page-confirmed": (
        lambda wiki: [ACTS["page-confirm"](wiki), _write(wiki, "alone")],
        {"slug": "store"},
        lambda wiki: _write(wiki, "alone"),
    ),
    "source-new": (
        lambda wiki: [a_file(wiki, "new.md", "A newcomer."), _write(wiki, "alone")],
        {"source": 4},
        lambda wiki: _write(wiki, "alone"),
    ),
    "source-new-at-a-known-path": (
        lambda wiki: [a_file(wiki, "spare.md", "A newcomer."), _write(wiki, "alone")],
        {"source": 4},
        lambda wiki: _write(wiki, "alone"),
    ),
    "source-removed": (
        lambda wiki: [source_writes.remove(wiki, AGENT, source_id=3), _write(wiki, "alone")],
        {"source": 3},
        lambda wiki: _write(wiki, "alone"),
    ),
    "path": (
        lambda wiki: [
            a_file(wiki, "copy.md", "Nobody cites this violet text."),
            _write(wiki, "alone"),
        ],
        {"path": "copy.md"},
        lambda wiki: _write(wiki, "alone"),
    ),
    "schema": (
        lambda wiki: [ACTS["schema-set"](wiki), ACTS["purpose-set"](wiki)],
        {"schema": True},
        ACTS["purpose-set"],
    ),
    "purpose": (
        lambda wiki: [ACTS["schema-set"](wiki), ACTS["purpose-set"](wiki)],
        {"purpose": True},
        ACTS["schema-set"],
    ),
    "check-new": (
        lambda wiki: [
            checks.add(wiki, AGENT, slug="alone", query="who waits"),
            _write(wiki, "alone"),
        ],
        {"check": 2},
        lambda wiki: _write(wiki, "alone"),
    ),
    "check-removed": (
        lambda wiki: [checks.remove(wiki, AGENT, 1), _write(wiki, "alone")],
        {"check": 1},
        lambda wiki: _write(wiki, "alone"),
    ),
    "completion": (
        lambda wiki: ACTS["ingest-complete"](wiki),
        {"job": 2},
        lambda wiki: put(wiki, "late", "Late.\n", call=AGENT, kind="source", source_ids=(2,)),
    ),
}


def _write(wiki: Wiki, slug: str) -> object:
    return put(wiki, slug, "A quiet text.\n", call=AGENT)


def drop(wiki: Wiki, **named: Any) -> ChangesetDropped:
    return changeset_drop.drop(wiki, AGENT, name=DRAFT, target=changeset_drop.target(**named))


@pytest.mark.parametrize(("act", "named", "rest"), DROPS.values(), ids=DROPS)
def test_what_is_dropped_is_as_if_it_had_never_been_staged(
    furnished: Wiki, twin: Wiki, act: Act, named: dict[str, Any], rest: Act
) -> None:
    before, told = live(furnished), len(operations(furnished))
    with a_draft(furnished) as draft, a_draft(twin) as other:
        act(draft)
        drop(furnished, **named)
        assert live(furnished) == before
        rest(other)
        assert _without_ids(lasting(draft)) == _without_ids(lasting(other))
        assert reads(draft)["lint"] == reads(other)["lint"]
    assert unused_texts(furnished) == set()
    publish(furnished)
    publish(twin)
    assert _without_ids(lasting(furnished)) == _without_ids(lasting(twin))
    assert staged_rows(furnished) == {}
    assert _acts(furnished)[told:] == _acts(twin)[told:]


def _without_ids(rows: Mapping[str, list[dict[str, Any]]]) -> Mapping[str, Any]:
    """An id that was given once is not given again, so that later ones differ."""
    return {
        name: [
            {key: value for key, value in row.items() if key not in ("id", "page_id")}
            for row in found
        ]
        for name, found in rows.items()
    }


def _acts(wiki: Wiki) -> list[tuple[str, str | None]]:
    return [(action, target) for action, target, _ in operations(wiki)]


@pytest.fixture
def draft(furnished: Wiki) -> Iterator[Wiki]:
    with a_draft(furnished) as opened:
        yield opened


class TestItIsRefused:
    @pytest.mark.parametrize(
        "named",
        [
            {"slug": "alone"},
            {"slug": "nowhere"},
            {"source": 1},
            {"source": 99},
            {"job": 1},
            {"schema": True},
            {"path": "notes.md"},
            {"check": 1},
        ],
        ids=str,
    )
    def test_when_nothing_of_it_is_staged(
        self, furnished: Wiki, draft: Wiki, named: dict[str, Any]
    ) -> None:
        _write(draft, "fresh")
        refused(CHANGESET_ENTITY_NOT_STAGED, lambda: drop(furnished, **named))

    @pytest.mark.parametrize(
        "named", [{}, {"slug": "a", "source": 1}, {"schema": True, "purpose": True}], ids=str
    )
    def test_unless_one_thing_is_named(self, named: dict[str, Any]) -> None:
        refused(CHANGESET_DROP_ONE, lambda: changeset_drop.target(**named))

    @pytest.mark.parametrize(
        ("act", "named", "needs"),
        [
            (
                lambda wiki: ACTS["source-add-and-cite"](wiki),
                {"source": 4},
                ["the page newcomer cites it", "the page store cites it"],
            ),
            (
                lambda wiki: [
                    page_moves.remove(wiki, AGENT, slug="present"),
                    page_moves.rename(wiki, AGENT, slug="alone", to="present"),
                ],
                {"slug": "former"},
                ["the page present has a name that this page has live"],
            ),
            (
                lambda wiki: [
                    page_moves.remove(wiki, AGENT, slug="present"),
                    _write(wiki, "fresh"),
                    page_moves.rename(wiki, AGENT, slug="fresh", to="present"),
                    page_moves.rename(wiki, AGENT, slug="present", to="stale"),
                ],
                {"slug": "former"},
                ["the page stale has a name that this page has live"],
            ),
            (
                lambda wiki: ACTS["check-new-page"](wiki),
                {"slug": "newcomer"},
                ["the check 2 belongs to it"],
            ),
            (
                lambda wiki: ACTS["page-remove-checked"](wiki),
                {"check": 1},
                ["it belongs to the page store, which the draft removes"],
            ),
            (
                lambda wiki: source_writes.remove(wiki, AGENT, source_id=3),
                {"path": "spare.md"},
                ["it leads live to the source 3, which the draft removes"],
            ),
            (
                lambda wiki: [
                    put(wiki, "store", "Nothing cited; see [[alone]].\n", call=AGENT),
                    source_writes.remove(wiki, AGENT, source_id=1),
                ],
                {"slug": "store"},
                ["it cites live the source 1, which the draft removes"],
            ),
        ],
        ids=[
            "source-cited",
            "page-whose-name-is-taken",
            "page-whose-name-is-an-alias",
            "page-with-a-check",
            "check-of-a-removed-page",
            "path-of-a-removed-source",
            "page-citing-a-removed-source",
        ],
    )
    def test_when_something_in_the_draft_needs_it(
        self,
        furnished: Wiki,
        draft: Wiki,
        act: Act,
        named: dict[str, Any],
        needs: list[str],
    ) -> None:
        act(draft)
        before, rows = staged_rows(furnished), lasting(draft)
        error = refused(CHANGESET_ENTITY_NEEDED, lambda: drop(furnished, **named))
        assert list(error.details["needs"]) == needs
        assert (staged_rows(furnished), lasting(draft)) == (before, rows)

    def test_when_its_completion_is_staged(self, furnished: Wiki, draft: Wiki) -> None:
        a_file(draft, "new.md", "A newcomer.")
        analyzed(draft, 4)
        put(draft, "new", "New.\n", call=AGENT, kind="source", source_ids=(4,))
        completion.complete(draft, AGENT, 4, waivers=NOTHING)
        error = refused(CHANGESET_ENTITY_NEEDED, lambda: drop(furnished, source=4))
        assert list(error.details["needs"]) == [
            "the page new cites it",
            "the completion of its job 4 is staged",
        ]
        drop(furnished, job=4)
        drop(furnished, slug="new")
        dropped = drop(furnished, source=4)
        assert [one.identifier for one in dropped.dropped] == ["4", "new.md"]
        assert dropped.remaining == 0
        assert staged_rows(furnished).keys() <= {"draft_operations"}


def test_a_dropped_completion_gives_its_job_back(furnished: Wiki, draft: Wiki) -> None:
    ACTS["ingest-complete"](draft)
    drop(furnished, job=2)
    job = the_job(furnished, 2)
    assert (job.state, job.pinned) == (JobState.PENDING, None)


def test_a_name_means_the_page_that_bears_it_in_the_draft(furnished: Wiki, draft: Wiki) -> None:
    page_moves.remove(draft, AGENT, slug="spare")
    page_moves.rename(draft, AGENT, slug="alone", to="spare")
    drop(furnished, slug="spare")
    assert [page.slug for page in pages.list_(draft).pages].count("alone") == 1
    assert "spare" not in [page.slug for page in pages.list_(draft).pages]
    drop(furnished, slug="spare")
    assert "spare" in [page.slug for page in pages.list_(draft).pages]
    refused(CHANGESET_ENTITY_NOT_STAGED, lambda: drop(furnished, slug="spare"))


def test_a_path_loses_only_the_source_that_is_dropped(furnished: Wiki, draft: Wiki) -> None:
    a_file(draft, "spare.md", "A first newcomer.")
    a_file(draft, "spare.md", "A second newcomer.")
    drop(furnished, source=5)
    publish(furnished)
    with furnished.reading() as conn:
        told = conn.exec_driver_sql(
            "SELECT revision, source_id FROM source_paths WHERE tracked_path = 'spare.md'"
        ).fetchall()
    assert [tuple(row) for row in told] == [(1, 3), (2, 4)]


def test_what_did_more_than_that_stays_in_the_journal(furnished: Wiki, draft: Wiki) -> None:
    ACTS["page-rename"](draft)
    dropped = drop(furnished, slug="storage")
    assert dropped.dropped_operations == 0
    publish(furnished)
    assert [action for action, *_ in operations(furnished)][-2:] == [
        "page_rename",
        "changeset_commit",
    ]


def test_dropping_moves_the_draft_and_not_the_wiki(furnished: Wiki, draft: Wiki) -> None:
    _write(draft, "alone")
    _write(draft, "fresh")
    before = furnished.revision()
    dropped = drop(furnished, slug="alone")
    assert (dropped.revision, dropped.draft_revision) == (before, 3)
    assert dropped.dropped_operations == 1
    assert dropped.remaining == 1


def test_a_thing_that_was_dropped_can_be_staged_again(furnished: Wiki, draft: Wiki) -> None:
    _write(draft, "alone")
    drop(furnished, slug="alone")
    put(furnished, "alone", "Of the live wiki.\n")
    written = put(draft, "alone", "Of the draft.\n", call=AGENT)
    assert written.page.revision == 3
    publish(furnished)
    assert pages.show(furnished, slug="alone").page.body == "Of the draft.\n"
