from __future__ import annotations

import pytest
from sourcing import Add, claim, refusal

from lwc import wire
from lwc.domain.ingest import JobEvent
from lwc.errors import SOURCE_NOT_FOUND
from lwc.services import sources
from lwc.services.coverage import Coverage, Span, coverage
from lwc.store import jobs
from lwc.wiki import Call, Wiki


def read(wiki: Wiki, start: int, size: int) -> None:
    """The holder reads a window of source 1."""
    assert sources.show(
        wiki, 1, offset_chars=start, max_chars=size, agent="reader", token="t0ken"
    ).recorded


def spans(*ends: tuple[int, int]) -> tuple[Span, ...]:
    return tuple(Span(start=start, end=end) for start, end in ends)


def test_a_source_that_nobody_touched_is_neither_read_nor_cited(wiki: Wiki, add: Add) -> None:
    add("a.md", "x" * 100)
    found = coverage(wiki, 1)
    assert (found.total_chars, found.attempt) == (100, 0)
    assert (found.delivered.ranges, found.delivered.share) == ((), 0.0)
    assert found.undelivered == spans((0, 100))
    assert (found.cited.chars, found.pages) == (0, ())


def test_what_was_read_is_told_for_the_latest_attempt_and_for_all(wiki: Wiki, add: Add) -> None:
    add("a.md", "x" * 100)
    claim(wiki, 1)
    read(wiki, 0, 50)
    read(wiki, 80, 10)
    with wiki.writing(Call(agent="reader")) as change:
        job = jobs.find(change.conn, 1)
        jobs.move(change.conn, job, JobEvent.RELEASE, now=change.now)
    claim(wiki, 1)
    read(wiki, 40, 30)
    found = coverage(wiki, 1)
    assert found.attempt == 2
    assert (found.delivered.ranges, found.delivered.chars) == (spans((40, 70)), 30)
    assert found.undelivered == spans((0, 40), (70, 100))
    assert found.delivered_ever.ranges == spans((0, 70), (80, 90))
    assert found.delivered_ever.share == pytest.approx(0.8)


def test_only_quotes_that_were_found_cover_a_part(wiki: Wiki, cited: str) -> None:
    found = coverage(wiki, 1)
    by_words, whole = found.pages
    assert (by_words.slug, by_words.cited.ranges) == ("by-words", spans((0, 26)))
    assert (by_words.exact, by_words.near, by_words.missing, by_words.unquoted) == (1, 0, 1, 0)
    assert (whole.slug, whole.cited.ranges, whole.cited.share) == ("whole", (), 0.0)
    assert (found.cited.chars, found.cited.share) == (26, pytest.approx(26 / len(cited)))


def test_a_source_that_is_not_there_has_no_coverage(wiki: Wiki) -> None:
    refusal(lambda: coverage(wiki, 1), SOURCE_NOT_FOUND)


def test_coverage_survives_the_wire(wiki: Wiki, cited: str) -> None:
    found = coverage(wiki, 1)
    assert wire.load(Coverage, wire.plain(found)) == found
