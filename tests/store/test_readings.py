from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ingesting import AGENT, a_source, claimed
from sqlalchemy import delete, func, select

from lwc.domain.ranges import merge
from lwc.store import readings
from lwc.store.tables import deliveries
from lwc.wiki import Wiki

DELIVERED = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=15)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(DELIVERED)
def test_deliveries_in_any_order_are_kept_as_disjoint_ranges(
    wiki: Wiki, project: Path, parts: list[tuple[int, int]]
) -> None:
    if not (project / "notes.md").exists():
        claimed(wiki, a_source(wiki))
    with wiki.writing(AGENT) as change:
        change.conn.execute(delete(deliveries))
        for start, end in parts:
            readings.deliver(change.conn, 1, 1, start, end)
        assert readings.ranges(change.conn, 1, 1) == merge(parts)
        rows = change.conn.execute(select(func.count()).select_from(deliveries)).scalar_one()
        assert rows == len(merge(parts))


def test_what_was_delivered_belongs_to_one_job_and_attempt(wiki: Wiki) -> None:
    first, second = (a_source(wiki, f"Text {n}.", name=f"{n}.md") for n in range(2))
    with wiki.writing(AGENT) as change:
        readings.deliver(change.conn, first, 1, 0, 5)
        readings.deliver(change.conn, first, 2, 5, 9)
        readings.deliver(change.conn, second, 1, 2, 3)
        assert readings.ranges(change.conn, first, 1) == ((0, 5),)
        assert readings.ranges(change.conn, first, 2) == ((5, 9),)
        assert readings.ranges(change.conn, second, 1) == ((2, 3),)
