"""Checkpoints: what they are called, why one was made, and what is told of its making."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lwc.errors import CHECKPOINT_NAME_INVALID

_NAME = re.compile(r"\w[\w.-]*")
NAME_BYTES = 80


class Kind(StrEnum):
    """Who asked for a checkpoint: a person, or lwc before it did something that goes deep."""

    MANUAL = "manual"
    PRE_MIGRATE = "pre-migrate"
    PRE_RESTORE = "pre-restore"
    PRE_PUBLISH = "pre-publish"


AUTOMATIC = tuple(kind for kind in Kind if kind is not Kind.MANUAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """What only the making of a checkpoint knew; the rest is read from its file.

    `request` is the digest of a request id with its command line, so that a repeated `create` is
    recognised also when it was stopped before it could answer.
    """

    kind: Kind
    made_at: datetime
    by: str | None = None
    why: str | None = None
    request: str | None = None
    sha256: str | None = None


def parse_name(text: str) -> str:
    """The name of a checkpoint: one safe segment of a path, and none that lwc gives itself."""
    if not is_name(text) or kind_of(text) is not Kind.MANUAL:
        raise CHECKPOINT_NAME_INVALID(reserved=[f"{kind}-" for kind in AUTOMATIC])
    return text


def is_name(text: str) -> bool:
    """Whether a checkpoint can be called so."""
    return (
        _NAME.fullmatch(text) is not None
        and len(text.encode("utf-8", "surrogateescape")) <= NAME_BYTES
    )


def kind_of(name: str) -> Kind:
    """What a name says of the kind, where nothing else tells it."""
    for kind in AUTOMATIC:
        if name.startswith(f"{kind}-"):
            return kind
    return Kind.MANUAL


def automatic_name(kind: Kind, *, now: datetime, mark: str) -> str:
    """The name of a checkpoint that lwc makes itself; `mark` tells two of one moment apart."""
    return f"{kind}-{now:%Y%m%dT%H%M%S}{now.microsecond // 1000:03d}-{mark}"


def spare(
    made: Iterable[tuple[str, Making]], *, keep: int, kinds: Sequence[Kind] = AUTOMATIC
) -> tuple[str, ...]:
    """The names that go when of each of these kinds only the newest `keep` stay, oldest first."""
    newest = sorted(made, key=lambda one: (one[1].made_at, one[0]), reverse=True)
    going = [
        name
        for kind in kinds
        for name in [name for name, making in newest if making.kind is kind][keep:]
    ]
    age = {name: place for place, (name, _) in enumerate(newest)}
    return tuple(sorted(going, key=lambda name: -age[name]))
