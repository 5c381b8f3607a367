"""Going back: the wiki becomes what a checkpoint keeps, and its history goes on."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lwc import projection
from lwc.domain.checkpoint import Kind
from lwc.domain.comparison import counted, differences
from lwc.domain.reason import checked_if_given
from lwc.errors import CHECKPOINT_FOREIGN, STALE_REVISION, STORE_READONLY, LwcError
from lwc.services.checkpoints import automatic, folder_of, refuse_draft
from lwc.store import checkpoints, comparing, journal, restoring, settings, succession
from lwc.store.succession import Restore
from lwc.wiki import AlreadyDone, Call, Change, Changed, Wiki, replayable
from lwc.workspace import STORE_FOLDER

if TYPE_CHECKING:
    # Only the store speaks SQL; connections pass through here unopened.
    from sqlalchemy import Connection

# So many names of drafts, and ids of claims, are told; the checkpoint from before knows all.
TOLD_MOST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored(Changed):
    """The wiki is what the checkpoint keeps; `safety_checkpoint` is what it was before.

    `changes` counts what that added, removed and changed, by kind. `drafts` are open now;
    `drafts_gone` were open before and are not any more; `claims_ended` are jobs whose holders lost
    them. `not_taken_over` names parts of the replaced wiki's history that cannot be read any more.
    """

    checkpoint: str
    safety_checkpoint: str
    restored_revision: int
    replaced_revision: int
    changes: Mapping[str, Mapping[str, int]]
    drafts: tuple[str, ...]
    drafts_gone: tuple[str, ...]
    claims_ended: tuple[int, ...]
    not_taken_over: tuple[str, ...]


@replayable(Restored)
def restore(wiki: Wiki, call: Call, *, name: str, reason: str | None = None) -> Restored:
    """Make the wiki what a checkpoint keeps, whole or not at all; a checkpoint of now comes first.

    Who reads or writes beside it meets the wiki before or the wiki after. The journal and all
    histories go on; a claim holds on only if it did then and does now.
    """
    refuse_draft(wiki, call)
    reason = checked_if_given(reason, field="The reason")
    if wiki.database.mode != "rw":
        raise STORE_READONLY(path=STORE_FOLDER)
    found = checkpoints.find(folder_of(wiki), name)
    if checkpoints.identified(found).store_id != wiki.store_id():
        raise CHECKPOINT_FOREIGN(name=name)
    with restoring.candidate(found) as conn:
        restoring.prove(conn, name)

        def settle(candidate: Connection) -> Restored:
            return _settled(wiki, call, candidate, name=name, reason=reason)

        answer = restoring.replace(wiki.database.path, conn, settle=settle)
    wiki.database.shorten_log()
    project_anew(wiki)
    return answer


def project_anew(wiki: Wiki) -> None:
    """Write all files for readers, where they are wanted; what fails is left for later commands."""
    with suppress(LwcError, OSError):
        with wiki.database.reading() as conn:
            wanted = settings.load(conn).word("projection") != "off"
        if wanted:
            projection.materialize(wiki.database, wiki.workspace.store)


def _settled(
    wiki: Wiki, call: Call, conn: Connection, *, name: str, reason: str | None
) -> Restored:
    """While nobody can write to the live wiki: keep it, and let its history go on from here."""
    kept = wiki.kept(call)
    if kept is not None:
        raise AlreadyDone(kept.answer)
    with wiki.database.reading() as replaced:
        before = succession.look(replaced)
        if call.if_revision not in (None, before.revision):
            raise STALE_REVISION(expected=call.if_revision, found=before.revision)
        safety = automatic(wiki, Kind.PRE_RESTORE, by=call.agent, why=f"before {name} was restored")
        after, since = comparing.contents(conn), journal.revision(conn)
        missed = succession.inherit(conn, replaced, name=name)
        change = Change(wiki, conn, call, None)
        operation = change.record(
            "checkpoint_restore",
            name,
            revision=since,
            replaced=before.revision,
            safety_checkpoint=safety,
            reason=reason,
        )
        restored = Restore(operation=operation, agent=call.agent, now=change.now)
        gone_on = succession.go_on(conn, replaced, restored)
    drafts = succession.drafts(after)
    gone = {before.drafts[key] for key in before.drafts.keys() - drafts.keys()}
    return change.finish(
        Restored(
            **wiki.label(),
            revision=operation,
            checkpoint=name,
            safety_checkpoint=safety,
            restored_revision=since,
            replaced_revision=before.revision,
            changes=counted(differences(before.contents or {}, after)),
            drafts=tuple(sorted(drafts.values())[:TOLD_MOST]),
            drafts_gone=tuple(sorted(gone)[:TOLD_MOST]),
            claims_ended=gone_on.claims_ended[:TOLD_MOST],
            not_taken_over=missed + gone_on.missed,
        )
    )
