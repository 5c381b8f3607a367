"""The one place that asks what time it is, so that a test can answer instead."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def now() -> datetime:
    """The current moment, aware and in UTC, cut to whole milliseconds (what the store keeps)."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def stamp(moment: datetime) -> str:
    """`2026-11-30T18:25:47.123Z`: UTC, milliseconds, sorts as text in time order."""
    moment = moment.astimezone(UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def parse(text: str) -> datetime:
    """The moment a `stamp` names."""
    return datetime.fromisoformat(text)


def later(moment: datetime, seconds: int) -> datetime:
    return moment + timedelta(seconds=seconds)
