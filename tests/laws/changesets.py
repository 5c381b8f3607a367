"""Drafts in the model: begun, renamed, thrown away and published."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from laws.gates import blocking, conflicts, staged_pages
from laws.layers import Draft, Ended, Page, Refused, World, content_of
from laws.pages import checks_in_sight, finds, highest_under
from laws.rolling import image, state
from laws.sources import check_revision, forget_job, give_back, ungated

from lwc.errors import (
    CHANGESET_COMPLETION_REFUSED,
    CHANGESET_CONFLICT,
    CHANGESET_EMPTY,
    CHANGESET_ENDED,
    CHANGESET_EXISTS,
    CHANGESET_LINT_FAILED,
    CHANGESET_NOT_FOUND,
)

# Revisions of a path: number, source, since when. Entries of a draft's journal, as they are live.
Rows = tuple[tuple[int, int, int], ...]
Ops = dict[int, tuple[int, int]]


def begin(world: World, name: str) -> Draft:
    if name in world.drafts:
        raise Refused(CHANGESET_EXISTS)
    world.begun += 1
    world.drafts[name] = Draft(name=name, live=world.live, begun=world.begun)
    return world.drafts[name]


def rename(world: World, name: str, to: str) -> None:
    draft = opened(world, name)
    if to == name:
        return
    if to in world.drafts:
        raise Refused(CHANGESET_EXISTS)
    draft.name = to
    world.drafts[to] = world.drafts.pop(name)


def discard(world: World, name: str) -> None:
    draft = opened(world, name)
    for source in list(draft.completions):
        give_back(world, draft, source)
    _end(world, draft, status="discarded")


def opened(world: World, name: str) -> Draft:
    """The open draft of a name."""
    if name in world.drafts:
        return world.drafts[name]
    known = any(ended.name == name for ended in world.ended)
    raise Refused(CHANGESET_ENDED if known else CHANGESET_NOT_FOUND)


def by_word(world: World, word: str) -> Ended | Draft:
    """A changeset by id, or by name: the draft, else the newest."""
    everyone = [*world.ended, *world.drafts.values()]
    for one in everyone:
        if one.id == word:
            return one
    if word in world.drafts:
        return world.drafts[word]
    named = [one for one in world.ended if one.name == word]
    if not named:
        raise Refused(CHANGESET_NOT_FOUND)
    return max(named, key=lambda one: one.begun)


def _end(world: World, draft: Draft, *, status: str, **facts: Any) -> None:
    del world.drafts[draft.name]
    world.ended.append(
        Ended(name=draft.name, id=draft.id, begun=draft.begun, status=status, **facts)
    )
    for kind, key in draft.staged:
        if kind == "source":
            forget_job(world, key)


def publish(world: World, name: str, *, waived: bool, if_revision: int | None = None) -> set[str]:
    """Make a draft live; answers its pages that have a check which does not find them."""
    check_revision(world.live, if_revision)
    draft = opened(world, name)
    if not draft.staged:
        raise Refused(CHANGESET_EMPTY)
    in_conflict = conflicts(world, draft)
    if in_conflict:
        raise Refused(CHANGESET_CONFLICT, in_conflict)
    if blocking(world, draft) and not waived:
        raise Refused(CHANGESET_LINT_FAILED, blocking(world, draft))
    if any(ungated(draft, source, reason) for source, reason in draft.completions.items()):
        raise Refused(CHANGESET_COMPLETION_REFUSED)
    written = {page.id: page.slug for page in staged_pages(draft)}
    failed = {
        written[check.page]
        for check in checks_in_sight(draft)
        if check.page in written and not finds(draft, check)
    }
    _make_live(world, draft)
    return failed


def _make_live(world: World, draft: Draft) -> None:
    live = world.live
    moving = {
        key: base
        for key, base in draft.staged.items()
        if base.content is not None or key in draft.values or key[0] == "completion"
    }
    before = {key: image(world, *key) for key in moving}
    ops = {entry: live.record() for entry in sorted(draft.entries)}
    live.record()
    agreed = {
        key
        for key in moving
        if content_of(key[0], draft.values.get(key)) == content_of(key[0], live.get(*key))
    }
    for key, base in moving.items():
        kind, name = key
        if kind in ("source", "path", "charter", "check") and key not in agreed:
            _apply(world, draft, kind, name, base.number)
    for key in draft.staged:
        if key[0] == "page" and key in moving and key not in (*draft.values, *agreed):
            _publish_page(world, draft, key[1], None, ops=ops)
    for key in draft.staged:
        if key[0] == "page" and key not in (*draft.values, *moving, *live.values):
            # Made and taken away: its history is kept, as that of any page that went.
            _publish_page(world, draft, key[1], None, ops=ops)
    for key in moving:
        if key[0] == "page" and key in draft.values:
            _publish_page(world, draft, key[1], draft.values[key], ops=ops)
    for check in [c for c in live.of("check").values() if live.get("page", c.page) is None]:
        live.drop("check", check.id)
    for kind, key in moving:
        if kind == "source" and (kind, key) not in draft.values:
            _forget_rows(world, key)
    for source, reason in draft.completions.items():
        live.jobs[source].ended("completed", failure=None, pinned=None, reason=reason)
    undo = {key: (before[key], state(world, *key)) for key in moving}
    _end(world, draft, status="committed", op=live.ops, undo=undo)


def _apply(world: World, draft: Draft, kind: str, key: Any, base: int) -> None:
    """Make live what is not a page. Histories count on from what live has."""
    live, value = world.live, draft.values.get((kind, key))
    if value is None:
        live.drop(kind, key)
        return
    if kind == "charter":
        was = live.get(kind, key)
        new = [(n + was[-1][0] - base, text) for n, text in value if n > base]
        value = (*was, *new)
    if kind == "path":
        value = path_after(live.get(kind, key) or (), value, base)
    if kind == "source" and draft.staged[kind, key].content is None and live.get(kind, key):
        return
    live.put(kind, key, value)


def path_after(was: Rows, will: Rows, base: int) -> Rows:
    """The history of a path: what the draft made of it, behind what live has had meanwhile."""
    kept = tuple(row for row in will if row in was)
    new = tuple(row for row in will if row not in was)
    if base and not any(row[0] == base for row in kept):
        return new
    stays = (*kept, *(row for row in was if row[0] > base))
    after = max((row[0] for row in stays), default=0)
    shift = max(0, after + 1 - new[0][0]) if new else 0
    return (*stays, *((number + shift, source, at) for number, source, at in new))


def _forget_rows(world: World, source: int) -> None:
    """No path says any more that it ever held a source."""
    for path, rows in list(world.live.of("path").items()):
        kept = tuple(row for row in rows if row[1] != source)
        world.live.put("path", path, kept)
        if not kept:
            world.live.drop("path", path)


def counted_on(draft: Draft, key: int) -> int:
    """By how much the draft's revisions of a page count on, so that none of live's comes again."""
    live = draft.live
    revs = [rev for rev in draft.revs if rev.page.id == key]
    if not revs:
        return 0
    under = (highest_under(live, rev.page.slug) for rev in revs)
    highest = max(live.number("page", key), *under)
    return max(0, highest + 1 - revs[0].page.revision)


def _publish_page(world: World, draft: Draft, key: int, page: Page | None, *, ops: Ops) -> None:
    """Every revision of the draft becomes a live one, counted on so that none comes twice."""
    live, shift = world.live, counted_on(draft, key)
    revs = [rev for rev in draft.revs if rev.page.id == key]
    was = live.get("page", key)
    if page is None:
        live.drop("page", key)
    elif revs:
        live.put("page", key, replace(page, revision=page.revision + shift))
    elif was is not None:
        live.put("page", key, replace(page, revision=was.revision))
    for rev in revs:
        counted = replace(rev.page, revision=rev.page.revision + shift)
        live.revs.append(replace(rev, page=counted, op=ops.get(rev.op[1], (0, live.ops))))
