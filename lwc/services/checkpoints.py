"""Checkpoints: kept, looked at and removed; nothing of it is a change of the wiki itself."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from lwc import clock, wire
from lwc.domain.checkpoint import (
    AUTOMATIC,
    Kind,
    Making,
    automatic_name,
    is_name,
    parse_name,
    spare,
)
from lwc.domain.listing import check_part
from lwc.domain.reason import checked_if_given
from lwc.errors import (
    CHANGESET_COMMAND_UNSUPPORTED,
    CHECKPOINT_EXISTS,
    LIMIT_OUT_OF_RANGE,
    STALE_REVISION,
    LwcError,
    Typed,
)
from lwc.store import checkpoints as store
from lwc.store import comparing, restoring, settings
from lwc.store.checkpoints import Checkpoint
from lwc.wiki import NOT_CONTENT, Answer, Call, Change, Changed, Wiki, replayable
from lwc.workspace import CHECKPOINTS

KEEP_MOST = 1000
# So many checkpoints from before publications are kept; older ones go when another is made.
KEPT_BEFORE_PUBLISH = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointRow:
    """A checkpoint: why there is one, and which state of the wiki it keeps.

    `revision` and `schema` are read from its file; one that is not `usable` says why in `trouble`.
    """

    name: str
    kind: Kind
    revision: int | None
    schema: int | None
    bytes: int
    made_at: datetime
    by: str | None
    why: str | None
    usable: bool
    trouble: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointMade(Changed):
    """A checkpoint was made; `revision` is that of the wiki it keeps."""

    checkpoint: str
    path: str
    kind: Kind
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointList(Answer):
    """Checkpoints, newest first; `bytes_total` is what all of them take."""

    checkpoints: tuple[CheckpointRow, ...]
    bytes_total: int
    limit: int
    offset: int
    total: int
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointShown(Answer):
    """A checkpoint that was read whole: it is the wiki's own, and sound as far as SQLite can see.

    `holds` counts what is in it; `sha256` was kept when it was made.
    """

    checkpoint: CheckpointRow
    path: str
    store_id: str
    own: bool
    sha256: str | None
    holds: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointsRemoved(Changed):
    """What is gone, and how many checkpoints there are still."""

    removed: tuple[str, ...]
    bytes_freed: int
    left: int


def folder_of(wiki: Wiki) -> Path:
    """Where the checkpoints of a wiki stand."""
    return wiki.workspace.store / CHECKPOINTS


@replayable(CheckpointMade)
def create(wiki: Wiki, call: Call, *, name: str, reason: str | None = None) -> CheckpointMade:
    """Keep the whole wiki as it is at this moment; nobody waits for it and no journal tells of it.

    With `if_revision` only a wiki at that revision is kept.
    """
    refuse_draft(wiki, call)
    name = parse_name(name)
    reason = checked_if_given(reason, field="The reason")
    folder = folder_of(wiki)
    request = _request(call)
    if os.path.lexists(folder / f"{name}.db"):
        return _made_before(wiki, call, name, request)
    making = Making(
        kind=Kind.MANUAL, made_at=clock.now(), by=call.agent, why=reason, request=request
    )
    if call.if_revision is not None and (found := wiki.revision()) != call.if_revision:
        raise STALE_REVISION(expected=call.if_revision, found=found)
    made = store.make(wiki.database.path, folder, name, making=making)
    revision = store.identified(made).revision
    if call.if_revision not in (None, revision):
        store.drop(folder, name)
        raise STALE_REVISION(expected=call.if_revision, found=revision)
    return _remembered(wiki, call, _answer(wiki, made, revision))


def automatic(wiki: Wiki, kind: Kind, *, by: str, why: str, keep: int | None = None) -> str:
    """Keep the wiki before something deep is done to it; answers the checkpoint's name.

    `keep` bounds how many of this kind there are afterwards.
    """
    folder, now = folder_of(wiki), clock.now()
    name = automatic_name(kind, now=now, mark=os.urandom(3).hex())
    making = Making(kind=kind, made_at=now, by=by, why=why)
    store.make(wiki.database.path, folder, name, making=making)
    if keep is not None:
        for old in spare(_makings(_usable(folder)), keep=keep, kinds=(kind,)):
            store.drop(folder, old)
    return name


def before_publish(change: Change, *, name: str) -> str | None:
    """Keep the wiki before a draft is published, where the wiki's settings ask for that.

    Within the publication's transaction nothing of it is seen yet.
    """
    if settings.load(change.conn).word("checkpoint_before_publish") != "on":
        return None
    return automatic(
        change.wiki,
        Kind.PRE_PUBLISH,
        by=change.agent,
        why=f"before the changeset {name} was published",
        keep=KEPT_BEFORE_PUBLISH,
    )


def list_(wiki: Wiki, *, limit: int = 100, offset: int = 0) -> CheckpointList:
    """The checkpoints of a wiki, newest first, also those that cannot be used."""
    check_part(limit=limit, offset=offset)
    found = store.listed(folder_of(wiki))
    shown = found[offset : offset + limit]
    return CheckpointList(
        **wiki.label(),
        checkpoints=tuple(map(_row, shown)),
        bytes_total=sum(one.bytes for one in found),
        limit=limit,
        offset=offset,
        total=len(found),
        has_more=offset + len(shown) < len(found),
    )


def show(wiki: Wiki, *, name: str) -> CheckpointShown:
    """A checkpoint, after every byte of it was read; refused when it cannot be used."""
    found = store.find(folder_of(wiki), name)
    identity = store.proven(found)
    with restoring.opened(found) as conn:
        holds = comparing.counts(conn)
    return CheckpointShown(
        **wiki.label(),
        checkpoint=_row(found),
        path=str(found.path),
        store_id=identity.store_id,
        own=identity.store_id == wiki.store_id(),
        sha256=found.making.sha256,
        holds=holds,
    )


@replayable(CheckpointsRemoved)
def delete(wiki: Wiki, call: Call, *, name: str) -> CheckpointsRemoved:
    """Remove a checkpoint; it cannot be brought back."""
    return _remove(wiki, call, [name])


@replayable(CheckpointsRemoved)
def prune(wiki: Wiki, call: Call, *, keep: int, kind: Kind | None = None) -> CheckpointsRemoved:
    """Keep the newest of each kind of automatic checkpoint, or of one kind, and remove the others.

    Those made by hand go only when their kind is named. What cannot be used counts as none and
    stays.
    """
    if not 0 <= keep <= KEEP_MOST:
        raise LIMIT_OUT_OF_RANGE(option="--keep", least=0, most=KEEP_MOST)
    kinds = AUTOMATIC if kind is None else (kind,)
    usable = _usable(folder_of(wiki))
    return _remove(wiki, call, spare(_makings(usable), keep=keep, kinds=kinds))


def refuse_draft(wiki: Wiki, call: Call) -> None:
    """A checkpoint is of the whole wiki, its drafts among it."""
    if wiki.changeset is not None:
        raise CHANGESET_COMMAND_UNSUPPORTED(command=Typed(call.command), why=NOT_CONTENT)


def _remove(wiki: Wiki, call: Call, names: Sequence[str]) -> CheckpointsRemoved:
    folder = folder_of(wiki)
    with wiki.writing(call) as change:
        sizes = {one.name: one.bytes for one in store.listed(folder)}
        for name in names:
            store.drop(folder, name)
        return change.finish(
            CheckpointsRemoved(
                **wiki.label(),
                revision=change.revision,
                removed=tuple(names),
                bytes_freed=sum(sizes.get(name, 0) for name in names),
                left=len(store.listed(folder)),
            )
        )


def _request(call: Call) -> str | None:
    if call.request_id is None:
        return None
    return wire.digest({"request_id": call.request_id, "arguments": call.arguments_digest})


def _made_before(wiki: Wiki, call: Call, name: str, request: str | None) -> CheckpointMade:
    """The answer of a request that made its checkpoint and was stopped before it could say so."""
    if request is None or not is_name(name):
        raise CHECKPOINT_EXISTS(name=name)
    try:
        found = store.find(folder_of(wiki), name)
        revision = store.identified(found).revision
    except LwcError as error:
        raise CHECKPOINT_EXISTS(name=name) from error
    if found.making.request != request:
        raise CHECKPOINT_EXISTS(name=name)
    _remembered(wiki, call, _answer(wiki, found, revision))
    return replace(_answer(wiki, found, revision), replayed=True)


def _remembered(wiki: Wiki, call: Call, answer: CheckpointMade) -> CheckpointMade:
    if call.request_id is None:
        return answer
    with wiki.writing(replace(call, if_revision=None)) as change:
        return change.finish(answer)


def _answer(wiki: Wiki, made: Checkpoint, revision: int) -> CheckpointMade:
    return CheckpointMade(
        **wiki.label(),
        revision=revision,
        checkpoint=made.name,
        path=str(made.path),
        kind=made.making.kind,
        bytes=made.bytes,
        sha256=made.making.sha256 or "",
    )


def _row(checkpoint: Checkpoint) -> CheckpointRow:
    facts: dict[str, Any] = {"revision": None, "schema": None, "usable": False, "trouble": None}
    try:
        identity = store.identified(checkpoint)
        facts |= {"revision": identity.revision, "schema": identity.schema, "usable": True}
    except LwcError as error:
        facts["trouble"] = str(error.details.get("what", error.message))
    return CheckpointRow(
        name=checkpoint.name,
        kind=checkpoint.making.kind,
        bytes=checkpoint.bytes,
        made_at=checkpoint.making.made_at,
        by=checkpoint.making.by,
        why=checkpoint.making.why,
        **facts,
    )


def _usable(folder: Path) -> list[Checkpoint]:
    return [one for one in store.listed(folder) if _row(one).usable]


def _makings(found: Sequence[Checkpoint]) -> list[tuple[str, Making]]:
    return [(one.name, one.making) for one in found]
