"""What keeps a draft from being published: live moved on where the draft touches it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from colliding import CONFLICTS, PEACE
from drafting import AGENT, DRAFT, Act, a_draft, lasting, live, publish
from ingesting import STRANGER, refused
from page_makers import cited, put

from lwc.errors import CHANGESET_CONFLICT, CHANGESET_EMPTY
from lwc.services import changeset_publish
from lwc.wiki import Wiki


@pytest.mark.parametrize(("act", "meanwhile", "told"), CONFLICTS.values(), ids=CONFLICTS)
def test_a_draft_is_not_published_over_what_live_changed(
    furnished: Wiki, act: Act, meanwhile: Act, told: list[tuple[str, str, str]]
) -> None:
    with a_draft(furnished) as draft:
        act(draft)
        meanwhile(furnished)
        before, drafted = live(furnished), lasting(draft)
        error = refused(CHANGESET_CONFLICT, lambda: publish(furnished))
        assert _told(error.details) == told
        assert live(furnished) == before
        assert lasting(draft) == drafted


def _told(details: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    return [(one["entity"], one["identifier"], one["why"]) for one in details["conflicts"]]


@pytest.mark.parametrize(("act", "meanwhile"), PEACE.values(), ids=PEACE)
def test_what_hinders_nothing_is_no_conflict(furnished: Wiki, act: Act, meanwhile: Act) -> None:
    with a_draft(furnished) as draft:
        act(draft)
        meanwhile(furnished)
        published = publish(furnished)
    assert published.post_revision == furnished.revision()
    for name, rows in lasting(furnished).items():
        assert _histories_end_at_the_rows(furnished), name
        assert rows is not None


def _histories_end_at_the_rows(wiki: Wiki) -> bool:
    """Every page is at its newest revision."""
    with wiki.reading() as conn:
        behind = conn.exec_driver_sql(
            "SELECT slug FROM pages WHERE revision <> (SELECT max(revision) FROM page_revisions"
            " WHERE page_id = pages.id)"
        ).fetchall()
    return behind == []


def test_a_conflict_tells_the_revisions_and_who_changed_live_and_when(furnished: Wiki) -> None:
    with a_draft(furnished) as draft:
        put(draft, "spare", "Of the draft.\n")
    written = put(furnished, "spare", "Of the stranger.\n", call=STRANGER)
    error = refused(CHANGESET_CONFLICT, lambda: publish(furnished))
    assert error.details["entity_type"] == "page"
    assert error.details["identifier"] == "spare"
    (told,) = error.details["conflicts"]
    assert (told["base_revision"], told["live_revision"], told["draft_revision"]) == (2, 3, 3)
    assert told["changed_by"] == STRANGER.agent
    assert told["changed_at"].startswith(written.page.updated_at.strftime("%Y-%m-%dT%H:%M:%S"))


def test_revisions_of_the_draft_count_on_from_those_that_live_has_had(furnished: Wiki) -> None:
    act, meanwhile = PEACE["there-and-back"]
    with a_draft(furnished) as draft:
        act(draft)
    meanwhile(furnished)
    publish(furnished)
    with furnished.reading() as conn:
        numbers = conn.exec_driver_sql(
            "SELECT revision, body FROM page_revisions JOIN text_parts ON digest = body_digest"
            " WHERE key = 'spare' ORDER BY revision"
        ).fetchall()
    assert [number for number, _ in numbers] == [1, 2, 3, 4, 5]
    assert numbers[-1][1] == "Of the draft.\n"


def test_a_draft_without_anything_staged_is_not_published(furnished: Wiki) -> None:
    a_draft(furnished).close()
    refused(CHANGESET_EMPTY, lambda: publish(furnished))


def test_publishing_twice_is_published_once(furnished: Wiki) -> None:
    from dataclasses import replace

    with a_draft(furnished) as draft:
        put(draft, "store", f"{cited(1)}\nMore; see [[alone]].\n")
    call = replace(AGENT, request_id="once", command="changeset publish")
    first = changeset_publish.publish(furnished, call, name=DRAFT)
    again = changeset_publish.publish(furnished, call, name=DRAFT)
    assert again.replayed
    assert again.revision == first.revision == furnished.revision()
