from __future__ import annotations

import pytest
from conftest import Clock
from ingesting import AGENT, a_page, a_source, quoting

from lwc.services import ingest, steps
from lwc.services.packet import ANALYSIS_CHARS, FINDINGS_MOST, RECENT_OPERATIONS, PacketSize
from lwc.wiki import Wiki

LOCKS = "# Locks\n\nA write-ahead log lets readers go on while one writer holds the lock.\n"


def test_a_packet_holds_all_an_agent_needs(wiki: Wiki) -> None:
    source_id = a_source(wiki, LOCKS, name="locks.md")
    packet = ingest.claim(wiki, AGENT, source_id)
    assert packet.job is not None
    assert packet.job.source.content == LOCKS
    assert packet.job.source.title == "locks.md"
    assert packet.job.source_window.total_chars == len(LOCKS)
    assert packet.job.source_window.has_more is False
    assert (packet.job.status, packet.job.attempts, packet.job.analysis) == ("analyzing", 1, None)
    assert packet.schema is not None
    assert packet.schema.startswith("# Schema")
    assert packet.purpose is not None
    assert packet.purpose.startswith("# Purpose")
    assert packet.revision == wiki.revision()


def test_the_window_of_a_packet_is_bounded(wiki: Wiki) -> None:
    text = "二" * 100_000
    packet = ingest.claim(wiki, AGENT, a_source(wiki, text))
    assert packet.job is not None
    assert len(packet.job.source.content) == 40_000
    window = packet.job.source_window
    assert (window.returned_chars, window.next_offset_chars) == (40_000, 40_000)
    assert (window.total_chars, window.has_more) == (100_000, True)


@pytest.mark.parametrize(
    "chars, words",
    [
        pytest.param(10, "lwc ingest read 1 --token {}", id="more to read"),
        pytest.param(1000, "lwc ingest analyze 1 --file - --token {}", id="all was handed over"),
    ],
)
def test_a_packet_says_what_to_run_next(wiki: Wiki, chars: int, words: str) -> None:
    source_id = a_source(wiki, LOCKS)
    packet = ingest.claim(wiki, AGENT, source_id, size=PacketSize(source_chars=chars))
    assert packet.job is not None
    assert packet.next == words.format(packet.job.claim.token)


def test_related_pages_come_first_then_the_newest_each_with_why(wiki: Wiki, clock: Clock) -> None:
    for slug, body in [
        ("locking", "Readers go on while one writer holds the lock.\n"),
        ("bread", "Flour, water, salt.\n"),
        ("cheese", "Milk.\n"),
    ]:
        clock.tick(1)
        a_page(wiki, slug, body=body)
    packet = ingest.claim(wiki, AGENT, a_source(wiki, LOCKS))
    assert [page.slug for page in packet.pages] == ["locking", "cheese", "bread"]
    assert packet.pages[0].why.startswith("shares ")
    assert packet.pages[1].why == packet.pages[2].why == "written recently"
    assert packet.pages_total == 3


def test_the_pages_of_a_packet_are_bounded_and_counted(wiki: Wiki) -> None:
    for number in range(5):
        a_page(wiki, f"page-{number}")
    packet = ingest.claim(wiki, AGENT, a_source(wiki, LOCKS), size=PacketSize(pages=2))
    assert len(packet.pages) == 2
    assert packet.pages_total == 5


def test_a_packet_tells_the_newest_operations_first(wiki: Wiki) -> None:
    for number in range(RECENT_OPERATIONS):
        a_page(wiki, f"page-{number}")
    packet = ingest.claim(wiki, AGENT, a_source(wiki))
    ids = [operation.id for operation in packet.recent_operations]
    assert packet.recent_operations[0].action == "ingest_claim"
    assert ids == sorted(ids, reverse=True)
    assert len(ids) == RECENT_OPERATIONS


def test_a_packet_tells_what_is_wrong_with_its_pages(wiki: Wiki) -> None:
    source_id = a_source(wiki, LOCKS)
    body = quoting(source_id, "Two writers hold the lock.")
    a_page(wiki, "locks", body=body, sources=(source_id,))
    packet = ingest.claim(wiki, AGENT, source_id)
    found = {(finding.code, finding.page) for finding in packet.open_findings}
    assert ("citation_missing", "locks") in found
    assert len(packet.open_findings) <= FINDINGS_MOST


def test_an_empty_queue_still_tells_what_the_wiki_is_for(wiki: Wiki) -> None:
    a_page(wiki, "locks")
    packet = ingest.next_job(wiki, AGENT)
    assert packet.job is None
    assert packet.schema
    assert [page.slug for page in packet.pages] == ["locks"]


def test_an_earlier_analysis_is_shown_up_to_a_bound(wiki: Wiki) -> None:
    source_id = a_source(wiki)
    ingest.claim(wiki, AGENT, source_id)
    steps.analyze(wiki, AGENT, source_id, text="a" * (ANALYSIS_CHARS + 1))
    steps.release(wiki, AGENT, source_id)
    packet = ingest.claim(wiki, AGENT, source_id)
    assert packet.job is not None
    assert packet.job.analysis == "a" * ANALYSIS_CHARS
    assert packet.job.analysis_chars == ANALYSIS_CHARS + 1
