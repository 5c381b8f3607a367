from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lwc.domain.moment import parse_moment
from lwc.errors import INVALID_TIME, LwcError


@pytest.mark.parametrize(
    "text, moment",
    [
        pytest.param("2026-11-30", datetime(2026, 11, 30, tzinfo=UTC), id="a day"),
        pytest.param("2026-11-30T18:00:00Z", datetime(2026, 11, 30, 18, tzinfo=UTC), id="a stamp"),
        pytest.param(
            "2026-11-30T18:00:00.123Z",
            datetime(2026, 11, 30, 18, microsecond=123000, tzinfo=UTC),
            id="our own stamps",
        ),
        pytest.param("2026-11-30 18:00", datetime(2026, 11, 30, 18, tzinfo=UTC), id="no zone"),
        pytest.param("2026-11-30T18:00+02:00", datetime(2026, 11, 30, 16, tzinfo=UTC), id="a zone"),
    ],
)
def test_a_moment_is_read_in_utc(text: str, moment: datetime) -> None:
    assert parse_moment(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-13-01",
        "2026-11-30\n",
        "20261130",
        "٢٠٢٦-11-30",
        "0001-01-01T00:00+05:00",
    ],
    ids=["blank", "a word", "no month", "newline", "run together", "other digits", "before time"],
)
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(LwcError) as caught:
        parse_moment(text)
    assert caught.value.problem is INVALID_TIME
