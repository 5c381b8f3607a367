"""Bringing a draft onto what is live now: what live left alone goes along, the rest is named."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lwc.domain.changeset import Entity
from lwc.domain.slug import collision_key
from lwc.errors import CHANGESET_RESOLVED_INVALID, LIMIT_OUT_OF_RANGE
from lwc.services import conflict_texts, holder
from lwc.services.conflict_texts import Collision, ConflictTexts
from lwc.services.pages import DIFF_CHARS_MOST
from lwc.store import drafts, pages, rebasing, standing
from lwc.store.database import Connection
from lwc.store.layers import Draft
from lwc.store.standing import Standing
from lwc.wiki import Call, Change, Changed, Wiki, replayable

# Of one text; an answer may hold several for each conflict.
TEXT_CHARS = 4_000
NAMED_SHOWN = 100
CONFLICTS_SHOWN = 20

_RESOLVED = re.compile(r"0|[1-9][0-9]{0,18}")


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityNamed:
    """A thing that a draft has staged, or had."""

    entity: Entity
    identifier: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unresolved:
    """What was given as resolved and is not: why."""

    identifier: str
    revision: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesetRebased(Changed):
    """A draft stands on what is live now, but for its conflicts.

    `rebased` are the things whose base was told anew, those that were resolved among them;
    `unstaged` those that live has come to be by itself. `conflicts` are bounded, as are the others;
    the totals count all. `next` is the command to go on with.
    """

    changeset_id: str
    name: str
    rebased: tuple[EntityNamed, ...]
    rebased_total: int
    unstaged: tuple[EntityNamed, ...]
    unstaged_total: int
    unresolved: tuple[Unresolved, ...]
    conflicts: tuple[ConflictTexts, ...]
    conflicts_total: int
    conflict_free: bool
    next: str


def parse_resolved(given: Sequence[str]) -> Mapping[str, int]:
    """`SLUG=REV` as often as it is given; the same name twice is refused."""
    found: dict[str, int] = {}
    for text in given:
        identifier, _, number = text.rpartition("=")
        if not identifier or not _RESOLVED.fullmatch(number) or identifier in found:
            raise CHANGESET_RESOLVED_INVALID(given=text)
        found[identifier] = int(number)
    return found


@replayable(ChangesetRebased)
def rebase(
    wiki: Wiki,
    call: Call,
    *,
    name: str,
    resolved: Mapping[str, int] | None = None,
    max_chars: int = TEXT_CHARS,
) -> ChangesetRebased:
    """Bring a draft onto what is live now, entity by entity; live stays as it is.

    What live has changed in another way than the draft is a conflict: it stays on its old base and
    is told with both texts. `resolved` says that the draft's page, text or path takes in what is
    live at this revision; when live is still there, that becomes its base.
    """
    if not 1 <= max_chars <= DIFF_CHARS_MOST:
        raise LIMIT_OUT_OF_RANGE(option="--max-chars", least=1, most=DIFF_CHARS_MOST)
    with wiki.writing(call) as change:
        conn = change.conn
        found = drafts.find_draft(conn, name)
        draft = drafts.draft_of(conn, found)
        settled, unresolved = _settle(conn, draft, resolved or {})
        unstaged, refreshed = _bring_up(change, draft)
        revision = found.draft_revision
        if settled or unstaged or refreshed:
            revision = drafts.next_revision(conn, draft.id)
        left = _collisions(conn, draft)
        rebased = _named([*settled, *refreshed])
        free = not left
        is_whole = free and not drafts.is_empty(conn, draft.id)
        following = "publish" if is_whole else "diff"
        return change.finish(
            ChangesetRebased(
                **wiki.label(),
                revision=change.revision,
                draft_revision=revision,
                changeset_id=found.changeset_id,
                name=found.name,
                rebased=rebased[:NAMED_SHOWN],
                rebased_total=len(rebased),
                unstaged=_named(unstaged)[:NAMED_SHOWN],
                unstaged_total=len(unstaged),
                unresolved=unresolved,
                conflicts=tuple(
                    conflict_texts.told(wiki, conn, draft, one, max_chars=max_chars)
                    for one in left[:CONFLICTS_SHOWN]
                ),
                conflicts_total=len(left),
                conflict_free=free,
                next=holder.command(wiki, "changeset", following, found.name),
            )
        )


def _settle(
    conn: Connection, draft: Draft, resolved: Mapping[str, int]
) -> tuple[list[Standing], tuple[Unresolved, ...]]:
    """Put what was resolved on its new base; answers that, and what could not be."""
    settled: list[Standing] = []
    refused = []
    for identifier, number in resolved.items():
        one = _meant(conn, _collisions(conn, draft), identifier)
        why = "nothing of this name is in conflict" if one is None else _against(one, number)
        if one is None or why is not None:
            assert why is not None, "what is in no conflict is refused"
            refused.append(Unresolved(identifier=identifier, revision=number, why=why))
            continue
        ready = _ready(conn, draft, one)
        rebasing.settle(conn, draft, ready)
        settled.append(ready)
    return settled, tuple(refused)


def _collisions(conn: Connection, draft: Draft) -> tuple[Collision, ...]:
    standings = standing.of_draft(conn, draft)
    found = standing.conflicts(conn, draft, standings)
    return conflict_texts.collisions(conn, draft, standings, found)


def _meant(conn: Connection, left: Sequence[Collision], identifier: str) -> Collision | None:
    """The conflict of a name: as it is told, or as the page is called live."""
    for one in left:
        if one.conflict.entity is not Entity.PAGE and one.conflict.identifier == identifier:
            return one
    key = collision_key(identifier)
    live = pages.at(conn, key)
    for one in left:
        if one.conflict.entity is Entity.PAGE and (
            collision_key(one.conflict.identifier) == key
            or (live is not None and live.id == one.conflict.key)
        ):
            return one
    return None


def _against(one: Collision, number: int) -> str | None:
    """Why a conflict is not resolved by naming this revision; none when it may be."""
    if one.expected is None:
        return "it is in a conflict that no revision resolves: see its advice"
    if one.expected == number:
        return one.hindrance
    if one.expected == 0:
        return f"it is not there live any more: its revision is 0, not {number}"
    return f"live is at revision {one.expected}, not {number}"


def _ready(conn: Connection, draft: Draft, one: Collision) -> Standing:
    """The entity to settle: a page whose name was taken becomes the page that took it."""
    assert one.standing is not None, "what can be resolved is staged"
    if one.taker is None:
        return one.standing
    rebasing.becomes(conn, draft, one.standing, one.taker)
    wanted = one.standing.staged.id
    return next(it for it in standing.of_draft(conn, draft) if it.staged.id == wanted)


def _bring_up(change: Change, draft: Draft) -> tuple[list[Standing], list[Standing]]:
    """Take out what live has come to be, and tell the other bases anew; answers both."""
    unstaged, refreshed = [], []
    for one in standing.of_draft(change.conn, draft):
        if one.staged.entity is Entity.COMPLETION:
            continue
        if one.needless:
            rebasing.unstage(change.conn, draft, one, now=change.now)
            unstaged.append(one)
        elif not one.moved and rebasing.refresh(change.conn, draft, one):
            refreshed.append(one)
    return unstaged, refreshed


def _named(found: Sequence[Standing]) -> tuple[EntityNamed, ...]:
    return tuple(EntityNamed(entity=one.staged.entity, identifier=one.name) for one in found)
