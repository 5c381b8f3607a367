"""The life of a draft: what is staged is seen in it alone, and then becomes live as it was seen."""

from __future__ import annotations

import pytest
from drafting import (
    ACTS,
    AGENT,
    DRAFT,
    Act,
    a_draft,
    found,
    lasting,
    live,
    publish,
    reads,
    shown,
    staged_rows,
    unused_texts,
)

from lwc.services import changeset_rollback, changesets
from lwc.wiki import Wiki


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
class TestWhatIsStaged:
    def test_is_not_seen_live_and_leaves_nothing_when_discarded(
        self, furnished: Wiki, act: Act
    ) -> None:
        before = live(furnished)
        with a_draft(furnished) as draft:
            act(draft)
        assert live(furnished) == before
        changesets.discard(furnished, AGENT, name=DRAFT)
        assert staged_rows(furnished) == {}
        assert unused_texts(furnished) == set()
        assert live(furnished) == before

    def test_reads_as_if_done_live_in_the_draft_and_once_published(
        self, furnished: Wiki, twin: Wiki, act: Act
    ) -> None:
        act(twin)
        with a_draft(furnished) as draft:
            act(draft)
            assert lasting(draft) == lasting(twin)
            assert reads(draft) == reads(twin)
        if staged_rows(furnished):
            publish(furnished)
        assert lasting(furnished) == lasting(twin)
        assert reads(furnished) == reads(twin)
        assert staged_rows(furnished) == {}
        assert unused_texts(furnished) == set()

    def test_is_undone_by_a_rollback(self, furnished: Wiki, act: Act) -> None:
        before, told = shown(furnished), found(furnished)
        with a_draft(furnished) as draft:
            act(draft)
        if not staged_rows(furnished):
            return
        done = publish(furnished)
        changeset_rollback.rollback(furnished, AGENT, changeset=done.changeset_id)
        assert shown(furnished) == before
        assert found(furnished) == told
