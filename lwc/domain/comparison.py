"""Two states of a wiki compared: what one of them adds to the other, lacks, and has otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An entity: what it is compared by, and what is shown of it."""

    state: tuple[Any, ...]
    shown: Mapping[str, Any]


# By kind of entity and by key.
Contents = Mapping[str, Mapping[str, Held]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityChange:
    """An entity that was added, removed or changed: what is shown of it before and after."""

    entity: str
    key: str
    change: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


def differences(before: Contents, after: Contents) -> tuple[EntityChange, ...]:
    """What makes `after` of `before`, kind by kind, in the order of what is there."""
    found = []
    for entity in dict.fromkeys((*before, *after)):
        old, new = before.get(entity, {}), after.get(entity, {})
        for key in dict.fromkeys((*old, *new)):
            was, now = old.get(key), new.get(key)
            if was is not None and now is not None and was.state == now.state:
                continue
            found.append(
                EntityChange(
                    entity=entity,
                    key=key,
                    change="added" if was is None else "removed" if now is None else "changed",
                    before=None if was is None else was.shown,
                    after=None if now is None else now.shown,
                )
            )
    return tuple(found)


def counted(changes: Sequence[EntityChange]) -> dict[str, dict[str, int]]:
    """By kind of entity, how many were added, removed and changed; only kinds that have any."""
    numbers = Counter((one.entity, one.change) for one in changes)
    return {
        entity: {change: numbers[entity, change] for change in ("added", "removed", "changed")}
        for entity in dict.fromkeys(one.entity for one in changes)
    }
