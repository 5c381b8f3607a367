from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lwc.domain.charter import DEFAULTS, LARGEST
from lwc.domain.page import kinds_of_schema
from lwc.errors import (
    BLANK,
    CHARTER_REVISION_NOT_FOUND,
    INPUT_TOO_LARGE,
    INVALID_SCHEMA,
    LwcError,
    Problem,
)
from lwc.services import charter
from lwc.store import journal
from lwc.wiki import Call, Wiki

if TYPE_CHECKING:
    from conftest import Clock

BOTH = pytest.mark.parametrize("name", ["schema", "purpose"])


@BOTH
def test_a_new_wiki_has_a_first_text(wiki: Wiki, name: str) -> None:
    shown = charter.show(wiki, name)
    assert (shown.text, shown.text_revision, shown.newest) == (DEFAULTS[name], 1, 1)
    assert shown.revision == wiki.revision()


@BOTH
def test_each_text_that_is_set_is_kept_whole(
    wiki: Wiki, call: Call, name: str, clock: Clock
) -> None:
    made = []
    for number in (2, 3):
        clock.tick(60)
        answer = charter.put(wiki, call, name=name, text=f"# Text {number}\n")
        assert (answer.changed, answer.text_revision) == (True, number)
        made.append((clock.moment, answer.revision))
    assert charter.show(wiki, name).text == "# Text 3\n"
    second = charter.show(wiki, name, revision=2)
    assert (second.text, second.text_revision, second.newest) == ("# Text 2\n", 2, 3)
    assert (second.author, second.updated_at) == ("tester", made[0][0])
    assert charter.show(wiki, name, revision=1).text == DEFAULTS[name]
    assert second.revision == made[1][1] == wiki.revision()


@BOTH
def test_the_same_text_again_changes_nothing(wiki: Wiki, call: Call, name: str) -> None:
    before = wiki.revision()
    answer = charter.put(wiki, call, name=name, text=DEFAULTS[name])
    assert (answer.changed, answer.text_revision, answer.revision) == (False, 1, before)


def test_an_earlier_text_again_is_a_new_revision(wiki: Wiki, call: Call) -> None:
    charter.put(wiki, call, name="purpose", text="Another.")
    back = charter.put(wiki, call, name="purpose", text=DEFAULTS["purpose"])
    assert (back.changed, back.text_revision) == (True, 3)


@BOTH
def test_what_was_done_is_in_the_journal(wiki: Wiki, call: Call, name: str) -> None:
    charter.put(wiki, call, name=name, text="# Other\n")
    with wiki.reading() as conn:
        (last,) = journal.recent(conn, limit=1)
    assert (last.action, last.target, last.agent) == (f"{name}_set", name, "tester")
    assert last.detail == {"text_revision": 2}


@pytest.mark.parametrize("revision", [0, 2, -1, 2**63], ids=["none", "next", "below", "huge"])
def test_a_revision_that_is_not_there_is_told_with_the_newest(wiki: Wiki, revision: int) -> None:
    with pytest.raises(LwcError) as caught:
        charter.show(wiki, "schema", revision=revision)
    assert caught.value.problem is CHARTER_REVISION_NOT_FOUND
    assert caught.value.details == {"name": "schema", "revision": revision, "newest": 1}


@pytest.mark.parametrize(
    "name, text, problem",
    [
        ("schema", "", BLANK),
        ("purpose", " \n\t\u3000", BLANK),
        ("purpose", "x" * (LARGEST + 1), INPUT_TOO_LARGE),
        ("purpose", "維" * (LARGEST // 3 + 1), INPUT_TOO_LARGE),
        ("schema", "---\nkinds: [unclosed\n---\n", INVALID_SCHEMA),
    ],
    ids=["empty", "blank", "large", "large in bytes", "front matter"],
)
def test_a_text_that_cannot_be_one_is_refused(
    wiki: Wiki, call: Call, name: str, text: str, problem: Problem
) -> None:
    before = wiki.revision()
    with pytest.raises(LwcError) as caught:
        charter.put(wiki, call, name=name, text=text)
    assert caught.value.problem is problem
    assert wiki.revision() == before
    assert charter.show(wiki, name).text_revision == 1


def test_the_largest_text_is_taken(wiki: Wiki, call: Call) -> None:
    assert charter.put(wiki, call, name="purpose", text="x" * LARGEST).changed


def test_the_first_schema_adds_no_kinds() -> None:
    assert kinds_of_schema(DEFAULTS["schema"]) == ()
