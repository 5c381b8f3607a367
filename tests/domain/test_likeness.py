from __future__ import annotations

import pytest

from lwc.domain.likeness import MOST_ALIKE, alike


@pytest.mark.parametrize(
    "slug, title, other",
    [
        pytest.param("cache-invalidation", "x", ("cache-invalidations", "y"), id="slug"),
        pytest.param(
            "a", "Cache invalidation", ("b", "cache Invalidation"), id="title, case aside"
        ),
        pytest.param("a", "Serialisation format", ("b", "Serialization format"), id="spelling"),
    ],
)
def test_names_that_differ_a_little_are_alike(
    slug: str, title: str, other: tuple[str, str]
) -> None:
    assert alike(slug, title, [other]) == (other[0],)


@pytest.mark.parametrize(
    "slug, title, other",
    [
        pytest.param("locks", "Locks", ("clocks-and-time", "Time"), id="other words"),
        pytest.param("release-1.12-notes", "x", ("release-1.13-notes", "y"), id="another number"),
    ],
)
def test_names_of_other_things_are_not_alike(slug: str, title: str, other: tuple[str, str]) -> None:
    assert alike(slug, title, [other]) == ()


def test_the_most_alike_come_first_and_only_so_many() -> None:
    others = [("cache-invalidations", "y"), ("cache-invalidation", "y")]
    assert alike("cache-invalidation", "x", others) == ("cache-invalidation", "cache-invalidations")
    many = [(f"cache-invalidation{'s' * n}", "y") for n in range(1, 3)] * MOST_ALIKE
    assert len(alike("cache-invalidation", "x", many)) <= MOST_ALIKE
