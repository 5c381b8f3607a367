"""Comparing both sides of a changeset."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lwc.domain.changeset import Entity
from lwc.domain.sides import (
    CharterFace,
    CheckFace,
    Done,
    PageFace,
    PathFace,
    Sides,
    SourceFace,
    changed_fields,
    compare,
)

PAGE = PageFace(
    slug="lock",
    title="The lock",
    kind="concept",
    summary="",
    source_ids=(1,),
    provenance=(),
    text_digest="a",
    revision=3,
)


@pytest.mark.parametrize(
    "before, after, done",
    [
        pytest.param(None, PAGE, Done.CREATED, id="created"),
        pytest.param(PAGE, None, Done.REMOVED, id="removed"),
        pytest.param(PAGE, replace(PAGE, text_digest="b"), Done.CHANGED, id="text"),
        pytest.param(PAGE, replace(PAGE, source_ids=()), Done.CHANGED, id="sources"),
        pytest.param(PAGE, replace(PAGE, slug="Lock"), Done.CHANGED, id="name"),
        pytest.param(PAGE, replace(PAGE, revision=5), Done.KEPT, id="only the revision"),
        pytest.param(
            CharterFace(text_digest="a", revision=1),
            CharterFace(text_digest="a", revision=2),
            Done.KEPT,
            id="the same schema again",
        ),
        pytest.param(PathFace(source_id=1), PathFace(source_id=2), Done.CHANGED, id="path"),
    ],
)
def test_what_becomes_of_a_thing(before: object, after: object, done: Done) -> None:
    assert Sides(key=1, before=before, after=after).done is done


def test_things_come_in_the_order_of_their_names_and_numbers() -> None:
    before = {
        (Entity.PAGE, 1): replace(PAGE, slug="zebra"),
        (Entity.PAGE, 2): replace(PAGE, slug="ape"),
        (Entity.SOURCE, 11): SourceFace(title="Eleven"),
        (Entity.SOURCE, 2): SourceFace(title="Two"),
        (Entity.PATH, "b.md"): PathFace(source_id=2),
    }
    after = {
        (Entity.PAGE, 1): replace(PAGE, slug="bee"),
        (Entity.PATH, "a.md"): PathFace(source_id=1),
        (Entity.CHARTER, "schema"): CharterFace(text_digest="a", revision=1),
        (Entity.CHARTER, "purpose"): CharterFace(text_digest="a", revision=1),
        (Entity.CHECK, 7): CheckFace(page="bee", query="q", top=5),
        (Entity.CHECK, 3): CheckFace(page="cat", query="q", top=5),
    }
    found = compare(before, after, moved={(Entity.PAGE, 2)})
    assert [one.shown.slug for one in found.pages] == ["ape", "bee"]
    assert [one.moved for one in found.pages] == [True, False]
    assert [one.key for one in found.sources] == [2, 11]
    assert [(one.key, one.done) for one in found.paths] == [
        ("a.md", Done.CREATED),
        ("b.md", Done.REMOVED),
    ]
    assert [one.key for one in found.charter] == ["purpose", "schema"]
    assert [one.key for one in found.checks] == [7, 3]


def test_a_page_is_found_by_either_name_and_brings_its_checks() -> None:
    found = compare(
        {(Entity.PAGE, 1): PAGE, (Entity.PAGE, 2): replace(PAGE, slug="other")},
        {
            (Entity.PAGE, 1): replace(PAGE, slug="Mutex"),
            (Entity.CHECK, 1): CheckFace(page="Mutex", query="q", top=5),
            (Entity.CHECK, 2): CheckFace(page="other", query="q", top=5),
            (Entity.CHECK, 3): CheckFace(),
            (Entity.SOURCE, 1): SourceFace(),
        },
    )
    for name in ("lock", "mutex"):
        some = found.of_pages({name})
        assert [one.key for one in some.pages] == [1]
        assert [one.key for one in some.checks] == [1]
        assert (some.sources, some.paths, some.charter) == ((), (), ())


def test_only_fields_that_say_something_are_told_of_a_page_that_comes_or_goes() -> None:
    told = {one.field: (one.before, one.after) for one in changed_fields(None, PAGE)}
    assert told == {
        "slug": (None, "lock"),
        "title": (None, "The lock"),
        "kind": (None, "concept"),
        "source_ids": (None, (1,)),
    }
    assert [one.after for one in changed_fields(PAGE, None)] == [None] * 4
    assert changed_fields(PAGE, replace(PAGE, revision=9, text_digest="c")) == ()
    (one,) = changed_fields(PAGE, replace(PAGE, source_ids=()))
    assert (one.field, one.before, one.after) == ("source_ids", (1,), ())
