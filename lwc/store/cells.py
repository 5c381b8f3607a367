"""What the cells of a row stand for; a cell that stands for nothing is damage."""

from __future__ import annotations

import json
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from lwc import clock
from lwc.errors import STORE_CORRUPT, LwcError

K = TypeVar("K", bound=StrEnum)


def moment(cell: str) -> datetime:
    """The moment a stamp names."""
    try:
        return clock.parse(cell)
    except (TypeError, ValueError) as error:
        raise _damage("a time") from error


def moment_if_any(cell: str | None) -> datetime | None:
    """The same; nothing stays nothing."""
    return None if cell is None else moment(cell)


def loaded(cell: str) -> Any:
    """The value of a JSON text."""
    try:
        return json.loads(cell)
    except (TypeError, ValueError, RecursionError) as error:
        raise _damage("JSON") from error


def member(kind: type[K], cell: str) -> K:
    """The word of a fixed list."""
    try:
        return kind(cell)
    except ValueError as error:
        raise _damage(f"a {kind.__name__}") from error


def _damage(wanted: str) -> LwcError:
    return STORE_CORRUPT(what=f"a row holds something else where {wanted} should be")
