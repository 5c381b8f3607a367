"""Parts of lists: how large one may be, and where it may begin."""

from __future__ import annotations

from lwc.errors import INVALID_OFFSET, LIMIT_OUT_OF_RANGE

MOST_AT_ONCE = 1000
LAST_OFFSET = 2**63 - 1


def check_part(*, limit: int, offset: int = 0) -> None:
    """Refuse a part of a list that cannot be."""
    if not 1 <= limit <= MOST_AT_ONCE:
        raise LIMIT_OUT_OF_RANGE(option="--limit", least=1, most=MOST_AT_ONCE)
    if not 0 <= offset <= LAST_OFFSET:
        raise INVALID_OFFSET(most=LAST_OFFSET)
