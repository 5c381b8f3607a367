"""Moments as people write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from lwc.errors import INVALID_TIME

_DAY = r"\d{4}-\d{2}-\d{2}"
_MOMENT = re.compile(
    rf"{_DAY}(?:[Tt ]\d{{2}}:\d{{2}}(?::\d{{2}}(?:\.\d{{1,6}})?)?(?:[Zz]|[+-]\d{{2}}:\d{{2}})?)?",
    re.ASCII,
)


def parse_moment(text: str) -> datetime:
    """A day (its beginning) or a time, in UTC where no zone is said."""
    if _MOMENT.fullmatch(text) is None:
        raise INVALID_TIME(value=text)
    try:
        moment = datetime.fromisoformat(text.upper())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise INVALID_TIME(value=text) from error
