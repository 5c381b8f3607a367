from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwc.domain.rank import Candidate, Ranked, rank
from lwc.domain.terms import query_terms


def a_candidate(
    identifier: str = "a",
    *,
    title: str = "",
    path: str = "",
    bm25: float = -1.0,
    type: str = "page",
) -> Candidate:
    return Candidate(identifier=identifier, title=title, path=path, bm25=bm25, type=type)


def order(ranked: list[Ranked]) -> list[str]:
    return [one.candidate.identifier for one in ranked]


def test_the_better_bm25_comes_first() -> None:
    found = [a_candidate("a", bm25=-1.0), a_candidate("b", bm25=-5.0), a_candidate("c", bm25=-2.0)]
    assert order(rank(found, ("x",))) == ["b", "c", "a"]


def test_a_title_that_is_the_query_outweighs_a_little_bm25() -> None:
    found = [
        a_candidate("long", title="Everything about caches and stores", bm25=-5.0),
        a_candidate("exact", title="Caches", path="caches", bm25=-4.5),
    ]
    assert order(rank(found, query_terms("cache").terms)) == ["exact", "long"]


@pytest.mark.parametrize(
    ("query", "title"), [("toc", "protocol and stock"), ("index", "indexing"), ("log", "catalog")]
)
def test_a_part_of_a_word_is_no_match(query: str, title: str) -> None:
    (one,) = rank([a_candidate(title=title, path=title)], (query,))
    assert dict(one.parts)["title"] == dict(one.parts)["path"] == 0 or query == "index"


def test_equal_candidates_stand_by_identifier() -> None:
    found = [a_candidate(identifier) for identifier in "cab"]
    assert order(rank(found, ())) == ["a", "b", "c"]


def test_pages_may_stand_before_sources() -> None:
    found = [a_candidate("1", type="source", bm25=-9.0), a_candidate("p", bm25=-1.0)]
    assert order(rank(found, ("x",))) == ["1", "p"]
    assert order(rank(found, ("x",), pages_first=True)) == ["p", "1"]


def test_nothing_found_is_nothing_ranked() -> None:
    assert rank([], ("x",)) == []


def test_an_index_that_tells_no_score_leaves_the_other_parts() -> None:
    (one,) = rank([a_candidate(title="Cache", bm25=0.0)], ("cach",))
    assert dict(one.parts) == {"bm25": 0.0, "title": 0.3, "path": 0.0}


CANDIDATES = st.lists(
    st.builds(
        a_candidate,
        st.text(alphabet="abc", min_size=1, max_size=3),
        title=st.text(alphabet="ab 缓存", max_size=8),
        path=st.text(alphabet="ab-", max_size=8),
        bm25=st.floats(min_value=-100, max_value=0),
        type=st.sampled_from(["page", "source"]),
    ),
    max_size=8,
    unique_by=lambda one: (one.type, one.identifier),
)


@given(CANDIDATES, st.booleans())
def test_the_parts_add_up_and_the_order_is_theirs(
    found: list[Candidate], pages_first: bool
) -> None:
    terms = query_terms("ab 缓存").terms
    ranked = rank(found, terms, pages_first=pages_first)
    assert ranked == rank(found[::-1], terms, pages_first=pages_first)
    for one in ranked:
        assert one.score == sum(value for _, value in one.parts) == -one.rank
        assert 0 <= one.score <= 1.45
    if not pages_first:
        assert [one.rank for one in ranked] == sorted(one.rank for one in ranked)
