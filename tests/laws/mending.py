"""Mending drafts in the model: brought onto what is live now, and rid of single things."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from laws.changesets import counted_on, opened, path_after
from laws.gates import clashes, staged_pages
from laws.layers import Base, Draft, Key, Page, Refused, World, content_of
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


def rebase(world: World, name: str, resolved: tuple[str, int] | None) -> tuple[Draft, bool]:
    """Bring a draft onto what is live: what is resolved first, then what live left alone.

    Answers whether what was given as resolved is.
    """
    draft = opened(world, name)
    settled = resolved is not None and _settle(world, draft, *resolved)
    changed = settled
    for key, base in list(draft.staged.items()):
        if key[0] == "completion":
            continue
        now = content_of(key[0], world.live.get(*key))
        will = content_of(key[0], draft.values.get(key))
        new_source = key[0] == "source" and base.content is None
        if now == base.content:
            changed |= _refresh(world, draft, key)
        elif now == will or (base.content is None and will is None) or new_source:
            _unstage(world, draft, key)
            changed = True
    draft.revision += changed
    return draft, settled or resolved is None


def resolvable(world: World, draft: Draft) -> list[tuple[str, int]]:
    """Names in conflict, each with the revision that resolves it."""
    found = []
    for (kind, called, why), key in clashes(world, draft):
        number = _expected(world, draft, kind, why, key)
        if number is not None:
            found.append((called, number))
    return found


def _expected(world: World, draft: Draft, kind: str, why: str, key: Key) -> int | None:
    if why == "name_taken":
        taker = _taker(world, draft, key)
        return None if taker is None else taker.revision
    if kind not in ("page", "charter", "path") or why not in ("changed", "created", "removed"):
        return None
    return 0 if world.live.get(*key) is None else world.live.number(*key)


def _taker(world: World, draft: Draft, key: Key) -> Page | None:
    """The live page that has the name of one that the draft made."""
    page, taken = draft.values[key], draft.staged[key].content is None
    found = next((it for it in world.live.of("page").values() if it.slug == page.slug), None)
    if not taken or found is None or found.id == page.id or world.live.get(*key) is not None:
        return None
    return None if ("page", found.id) in draft.staged else found


def _settle(world: World, draft: Draft, called: str, number: int) -> bool:
    """Have a thing stand on what is live now, when that is what the caller has seen."""
    found = _in_conflict(world, draft, called)
    if found is None or _expected(world, draft, *found) != number:
        return False
    kind, why, key = found
    taker = _taker(world, draft, key) if why == "name_taken" else None
    if _is_hindered(world, draft, taker.id if taker is not None else key[1], key):
        return False
    if taker is not None:
        key = _becomes(draft, key, taker)
    live = world.live.get(*key)
    if kind == "page" and live is not None:
        if any(rev.page.id == key[1] for rev in draft.revs):
            _take_names(world, draft, key, live)
        else:
            draft.values[key] = live
    _count_on(world, draft, key)
    draft.staged[key] = Base(
        content=content_of(kind, live),
        number=world.live.number(*key),
        since=world.live.since(*key),
    )
    return True


def _in_conflict(world: World, draft: Draft, called: str) -> tuple[str, str, Key] | None:
    """The first conflict of a name: as it is told, or as the page is called live."""
    named = at(world.live, called)
    for (kind, told, why), key in clashes(world, draft):
        if kind != "page" and told == called:
            return kind, why, key
    for (kind, told, why), key in clashes(world, draft):
        if kind == "page" and (told == called or (named is not None and named.id == key[1])):
            return kind, why, key
    return None


def _is_hindered(world: World, draft: Draft, page_id: Any, key: Key) -> bool:
    """Whether the draft's image cannot stand on what is live now."""
    live = world.live.get(key[0], page_id)
    if key[0] != "page":
        return live is None
    if live is None:
        return not any(rev.page.id == page_id for rev in draft.revs)
    others = [page for page in staged_pages(draft) if page.id not in (page_id, key[1])]
    return any(other.names & live.names for other in others)


def _becomes(draft: Draft, key: Key, taker: Page) -> Key:
    """A page that was made in the draft is the live one of its name."""
    new = ("page", taker.id)
    draft.staged = {new if each == key else each: base for each, base in draft.staged.items()}
    draft.values = {new if each == key else each: value for each, value in draft.values.items()}
    draft.values[new] = replace(draft.values[new], id=taker.id)
    draft.revs = [
        replace(rev, page=replace(rev.page, id=taker.id)) if rev.page.id == key[1] else rev
        for rev in draft.revs
    ]
    for each, value in draft.values.items():
        if each[0] == "check" and value.page == key[1]:
            draft.values[each] = replace(value, page=taker.id)
    return new


def _take_names(world: World, draft: Draft, key: Key, live: Page) -> None:
    """Names that readers have seen live lead to the page; one that it was not given is live's."""
    page = draft.values.get(key)
    if page is None:
        return
    base = draft.staged[key]
    given = page.slug not in (live.slug, base.content[0] if base.content else None)
    slug = page.slug if given else live.slug
    names = (page.aliases | live.names) - {slug}
    draft.values[key] = replace(page, slug=slug, aliases=names)
    draft.revs = [
        replace(rev, page=replace(rev.page, slug=slug))
        if (rev.page.id, rev.page.revision) == (page.id, page.revision)
        else rev
        for rev in draft.revs
    ]


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
