"""Mending drafts in the model: brought onto what is live now, and rid of single things."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from laws.changesets import conflicts, counted_on, opened, path_after
from laws.layers import Draft, Key, Refused, World, content_of
from laws.pages import at
from laws.sources import forget_job, give_back

from lwc.errors import CHANGESET_ENTITY_NEEDED, CHANGESET_ENTITY_NOT_STAGED


def drop(world: World, name: str, kind: str, called: Any) -> Draft:
    """Take one thing out of a draft, with what cannot stay without it."""
    draft = opened(world, name)
    key = _meant(draft, kind, called)
    if key is None:
        raise Refused(CHANGESET_ENTITY_NOT_STAGED)
    if any(_needs(world, draft, *key)):
        raise Refused(CHANGESET_ENTITY_NEEDED)
    going = [key, *_along(world, draft, *key)]
    if kind == "source" and world.live.get(*key) is None:
        _lead_away(draft, key[1])
    for each in going:
        _unstage(world, draft, each)
    draft.revision += 1
    return draft


def _meant(draft: Draft, kind: str, called: Any) -> Key | None:
    """The staged thing: a page by the name it has in the draft, has live, or had last."""
    if kind != "page":
        return (kind, called) if (kind, called) in draft.staged else None
    history = (rev for rev in draft.history() if rev.page.slug == called)
    last = max(history, key=lambda rev: rev.order, default=None)
    for page in (at(draft, called), at(draft.live, called), last and last.page):
        if page is not None and ("page", page.id) in draft.staged:
            return "page", page.id
    return None


def _needs(world: World, draft: Draft, kind: str, key: Any) -> Iterator[bool]:
    """Whether something in the draft would not stand without it."""
    live = world.live
    there = set(draft.of("source"))
    mine = live.get(kind, key)
    pages = [page for (what, _), page in draft.values.items() if what == "page"]
    if kind == "page":
        names = mine.names if mine is not None else frozenset()
        yield any(page.id != key and page.names & names for page in pages)
        if mine is not None:
            yield bool(mine.cited - there)
        else:
            yield any(what == "check" and c.page == key for (what, _), c in draft.values.items())
    if kind == "source" and mine is None:
        yield any(key in page.cited for page in pages)
        yield key in draft.completions
    if kind == "path":
        yield any(row[1] not in there for row in mine or ())
    if kind == "check" and mine is not None:
        yield live.get("page", mine.page) is not None and draft.get("page", mine.page) is None


def _along(world: World, draft: Draft, kind: str, key: Any) -> Iterator[Key]:
    """What goes with it: paths that led only to a source; checks that went with a page."""
    live = world.live
    for what, other in draft.staged:
        if kind == "source" and what == "path":
            was = live.get(what, other) or ()
            added = [row for row in draft.values.get((what, other), ()) if row not in was]
            held = any(row[1] == key for row in was)
            if all(row[1] == key for row in added) and (added or held):
                yield what, other
        if kind == "page" and what == "check" and (kind, key) not in draft.values:
            check = live.get(what, other)
            itself = other in draft.entries.values()
            if check is not None and check.page == key and not itself:
                yield what, other


def _lead_away(draft: Draft, source: int) -> None:
    """Paths that led to more than this source in the draft lose only this one."""
    for key, rows in list(draft.values.items()):
        if key[0] == "path":
            draft.values[key] = tuple(row for row in rows if row[1] != source)
            if not draft.values[key]:
                del draft.values[key]


def _unstage(world: World, draft: Draft, key: Key) -> None:
    kind, name = key
    if kind == "completion":
        give_back(world, draft, name)
    del draft.staged[key]
    draft.values.pop(key, None)
    if kind == "page":
        draft.revs = [rev for rev in draft.revs if rev.page.id != name]
    if kind == "source":
        forget_job(world, name)


def rebase(world: World, name: str, resolved: tuple[str, int] | None) -> Draft:
    """Bring a draft onto what is live: what is resolved first, then what live left alone."""
    draft = opened(world, name)
    changed = resolved is not None and _settle(world, draft, *resolved)
    for key, base in list(draft.staged.items()):
        if key[0] == "completion":
            continue
        now, will = (content_of(key[0], of.get(key)) for of in (world.live.values, draft.values))
        new = base.content is None and will is not None
        if now == base.content:
            changed |= _refresh(world, draft, key)
        elif now == will or (base.content is None and will is None) or (new and key[0] == "source"):
            _unstage(world, draft, key)
            changed = True
    draft.revision += changed
    return draft


def _refresh(world: World, draft: Draft, key: Key) -> bool:
    """Tell a base anew; whether live has had other revisions since."""
    base = draft.staged[key]
    if base.since == world.live.since(*key):
        return False
    _count_on(world, draft, key)
    draft.staged[key] = replace(base, number=world.live.number(*key), since=world.live.since(*key))
    return True


def _count_on(world: World, draft: Draft, key: Key) -> None:
    live, base, (kind, name) = world.live, draft.staged[key], key
    value = draft.values.get(key)
    if kind == "page":
        by = counted_on(draft, name)
        written = any(rev.page.id == name for rev in draft.revs)
        draft.revs = [
            replace(rev, page=replace(rev.page, revision=rev.page.revision + by))
            if rev.page.id == name
            else rev
            for rev in draft.revs
        ]
        if value is not None:
            number = value.revision + by if written else live.number(*key)
            draft.values[key] = replace(value, revision=number)
    elif kind == "charter":
        now = live.get(*key)
        by = live.number(*key) - base.number
        new = [(number + by, text) for number, text in value if number > base.number]
        draft.values[key] = (*now, *new)
    elif kind == "path":
        rows = path_after(live.get(*key) or (), value or (), base.number)
        draft.values[key] = rows
        if not rows:
            del draft.values[key]


def expected(world: World, draft: Draft) -> dict[tuple[str, str], int]:
    """The revision by which each conflict can be resolved, by the kind and name of its thing."""
    found = {}
    for kind, called, why in conflicts(world, draft):
        if kind not in ("page", "charter", "path"):
            continue
        key = _in_conflict(world, draft, kind, called, why)
        if key is not None and why in ("changed", "created", "removed"):
            there = world.live.get(*key) is not None
            found[kind, called] = world.live.number(*key) if there else 0
        elif key is not None and why == "name_taken":
            taker = _taker(world, draft, key)
            if taker is not None:
                found[kind, called] = taker.revision
    return found
