from __future__ import annotations

import shlex
from dataclasses import replace

import pytest
from conftest import Clock
from ingesting import AGENT, STRANGER, a_source, claimed, everything

from lwc.domain.ranges import missing
from lwc.errors import CLAIM_LOST, INVALID_OFFSET, LIMIT_OUT_OF_RANGE, LwcError
from lwc.services import configuration, ingest, reading
from lwc.services.packet import PacketSize
from lwc.store import jobs, readings
from lwc.wiki import Wiki

TEXT = "".join(f"Sentence {n:03} of the source, with ä and 二. " for n in range(30))
SMALL = PacketSize(source_chars=100)


def delivered(wiki: Wiki, source_id: int) -> tuple[tuple[int, int], ...]:
    with wiki.reading() as conn:
        return readings.ranges(conn, source_id, jobs.find(conn, source_id).attempt)


def test_reading_on_hands_the_whole_source_over(wiki: Wiki) -> None:
    source_id = a_source(wiki, TEXT)
    packet = ingest.claim(wiki, AGENT, source_id, size=SMALL)
    assert packet.job is not None
    parts, following = [packet.job.source.content], packet.next
    while following and " read " in following:
        answer = reading.read(wiki, AGENT, source_id, max_chars=333)
        parts.append(answer.source.content)
        following = answer.next
    assert "".join(parts) == TEXT
    assert delivered(wiki, source_id) == ((0, len(TEXT)),)


def test_the_first_window_of_the_packet_counts_as_read(wiki: Wiki) -> None:
    source_id = a_source(wiki, TEXT)
    ingest.claim(wiki, AGENT, source_id, size=SMALL)
    assert delivered(wiki, source_id) == ((0, 100),)


def test_reading_without_an_offset_fills_the_first_gap_and_no_more(wiki: Wiki) -> None:
    source_id = a_source(wiki, TEXT)
    ingest.claim(wiki, AGENT, source_id, size=SMALL)
    reading.read(wiki, AGENT, source_id, offset_chars=200, max_chars=100)
    answer = reading.read(wiki, AGENT, source_id)
    assert answer.source.content == TEXT[100:200]
    assert answer.window.next_offset_chars == 200
    assert answer.window.has_more is True
    assert answer.remaining_chars == len(TEXT) - 300
    assert delivered(wiki, source_id) == ((0, 300),)


def test_when_all_was_read_the_window_is_empty_and_nothing_is_next(wiki: Wiki) -> None:
    held = claimed(wiki, a_source(wiki, TEXT))
    answer = reading.read(wiki, AGENT, held.id)
    assert answer.source.content == ""
    assert (answer.window.offset_chars, answer.window.returned_chars) == (len(TEXT), 0)
    assert (answer.remaining_chars, answer.next) == (0, None)


def test_the_next_command_is_exact(wiki: Wiki) -> None:
    source_id = a_source(wiki, TEXT)
    held = claimed(wiki, source_id, size=SMALL)
    by_token = reading.read(wiki, AGENT, source_id, max_chars=10, token=held.token)
    assert by_token.next == f"lwc ingest read {source_id} --token {held.token}"
    strange = replace(AGENT, agent="the 'best' agent")
    ingest.claim(wiki, strange, a_source(wiki, TEXT + "2", name="2.md"), size=SMALL)
    by_name = reading.read(wiki, strange, source_id + 1, max_chars=10)
    assert by_name.next is not None
    assert shlex.split(by_name.next)[-2:] == ["--agent", "the 'best' agent"]


def test_reading_a_part_again_counts_once(wiki: Wiki) -> None:
    source_id = a_source(wiki, TEXT)
    ingest.claim(wiki, AGENT, source_id, size=SMALL)
    before = everything(wiki)["deliveries"]
    answer = reading.read(wiki, AGENT, source_id, offset_chars=20, max_chars=30)
    assert answer.source.content == TEXT[20:50]
    assert answer.remaining_chars == len(TEXT) - 100
    assert everything(wiki)["deliveries"] == before


def test_what_was_read_belongs_to_its_attempt(wiki: Wiki, clock: Clock) -> None:
    source_id = a_source(wiki, TEXT)
    claimed(wiki, source_id)
    clock.tick(1801)
    ingest.claim(wiki, STRANGER, source_id, size=SMALL)
    assert missing(delivered(wiki, source_id), len(TEXT)) == ((100, len(TEXT)),)


def test_reading_renews_the_lease_and_moves_no_revision(wiki: Wiki, clock: Clock) -> None:
    held = claimed(wiki, a_source(wiki, TEXT))
    revision = wiki.revision()
    clock.tick(1000)
    answer = reading.read(wiki, AGENT, held.id, offset_chars=0, max_chars=1)
    assert answer.job.lease_expires_at is not None
    assert (answer.job.lease_expires_at - clock.moment).total_seconds() == 1800
    assert answer.revision == wiki.revision() == revision


def test_a_repeated_request_reads_the_same_window_again(wiki: Wiki) -> None:
    source_id = a_source(wiki, TEXT)
    ingest.claim(wiki, AGENT, source_id, size=SMALL)
    call = replace(AGENT, request_id="r1", command="ingest read")
    first = reading.read(wiki, call, source_id, max_chars=50)
    again = reading.read(wiki, call, source_id, max_chars=50)
    assert first.source.content == again.source.content == TEXT[100:150]
    assert again.replayed is True


def test_the_window_is_as_large_as_the_settings_say(wiki: Wiki) -> None:
    configuration.put(wiki, AGENT, values={"window_chars": "17"})
    held = claimed(wiki, a_source(wiki, TEXT))
    assert delivered(wiki, held.id) == ((0, 17),)
    assert reading.read(wiki, AGENT, held.id).source.content == TEXT[17:34]


def test_a_stranger_reads_nothing_in_the_holders_name(wiki: Wiki) -> None:
    held = claimed(wiki, a_source(wiki, TEXT), size=SMALL)
    before = everything(wiki)
    with pytest.raises(LwcError) as caught:
        reading.read(wiki, STRANGER, held.id)
    assert caught.value.problem is CLAIM_LOST
    assert everything(wiki) == before


@pytest.mark.parametrize("offset", [-1, len(TEXT) + 1])
def test_an_offset_beyond_the_source_is_refused(wiki: Wiki, offset: int) -> None:
    held = claimed(wiki, a_source(wiki, TEXT))
    with pytest.raises(LwcError) as caught:
        reading.read(wiki, AGENT, held.id, offset_chars=offset)
    assert caught.value.problem is INVALID_OFFSET
    assert caught.value.details["most"] == len(TEXT)


@pytest.mark.parametrize("size", [0, 1_000_001])
def test_a_window_has_bounds(wiki: Wiki, size: int) -> None:
    held = claimed(wiki, a_source(wiki, TEXT))
    with pytest.raises(LwcError) as caught:
        reading.read(wiki, AGENT, held.id, max_chars=size)
    assert caught.value.problem is LIMIT_OUT_OF_RANGE
