"""Drafts in the model: begun, published, discarded and rolled back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from laws.layers import Draft, Ended, Job, Key, Layer, Page, Refused, Rev, World, content_of
from laws.pages import at, gone, highest_under
from laws.sources import forget_job, give_back, ungated

from lwc.errors import (
    CHANGESET_COMPLETION_REFUSED,
    CHANGESET_CONFLICT,
    CHANGESET_EMPTY,
    CHANGESET_ENDED,
    CHANGESET_EXISTS,
    CHANGESET_LINT_FAILED,
    CHANGESET_NOT_FOUND,
    CHANGESET_NOT_PUBLISHED,
    CHANGESET_ROLLBACK_CONFLICT,
)

# A conflict: the entity, how commands call it, and why.
Clash = tuple[str, str, str]


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


def _end(world: World, draft: Draft, *, status: str, **facts: Any) -> None:
    del world.drafts[draft.name]
    world.ended.append(
        Ended(name=draft.name, id=draft.id, begun=draft.begun, status=status, **facts)
    )
    for kind, key in draft.staged:
        if kind == "source":
            forget_job(world, key)


def publish(world: World, name: str, *, waived: bool) -> None:
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
    _make_live(world, draft)


def conflicts(world: World, draft: Draft) -> Counter[Clash]:
    """What was changed live in another way than in the draft, or taken from under it."""
    return Counter(clash for clash, _ in clashes(world, draft))


def clashes(world: World, draft: Draft) -> list[tuple[Clash, Key]]:
    """The conflicts, each with the thing in the draft that it is about."""
    return [
        *_moved(world, draft),
        *_names_taken(world, draft),
        *_sources_removed(world, draft),
        *_sources_in_use(world, draft),
        *_checks_alone(draft),
    ]


def _moved(world: World, draft: Draft) -> Iterator[tuple[Clash, Key]]:
    for (kind, key), base in draft.staged.items():
        if kind == "completion":
            job = world.live.jobs.get(key)
            mine = job is not None and (job.pinned, job.attempt) == (draft.id, base.number)
            if not mine:
                yield (kind, str(key), "job_moved"), (kind, key)
            continue
        was, will = world.live.get(kind, key), draft.values.get((kind, key))
        now = content_of(kind, was)
        if now in (base.content, content_of(kind, will)):
            continue
        if base.content is None and (will is None or kind == "source"):
            continue
        why = "changed" if base.content is not None else "created"
        clash = (kind, _called(kind, key, will or was), "removed" if now is None else why)
        yield clash, (kind, key)


def _names_taken(world: World, draft: Draft) -> Iterator[tuple[Clash, Key]]:
    for page in _staged_pages(draft):
        for name in sorted(page.names):
            taker = at(world.live, name)
            if taker and taker.id != page.id and ("page", taker.id) not in draft.staged:
                yield ("page", page.slug, "name_taken"), ("page", page.id)


def _sources_removed(world: World, draft: Draft) -> Iterator[tuple[Clash, Key]]:
    """Pages and paths of the draft that lead to a source which is gone."""
    there = set(draft.of("source"))
    for page in _staged_pages(draft):
        for source in sorted(page.cited - there):
            yield ("source", str(source), "source_removed"), ("page", page.id)
    for (kind, key), rows in draft.values.items():
        if kind == "path":
            old = world.live.get(kind, key) or ()
            if any(row[1] not in there for row in rows if row not in old):
                yield (kind, key, "source_removed"), (kind, key)


def _sources_in_use(world: World, draft: Draft) -> Iterator[tuple[Clash, Key]]:
    """Sources that the draft removes, and that have a use by now."""
    for kind, key in draft.staged:
        live = world.live.get("source", key) is not None
        if kind != "source" or (kind, key) in draft.values or not live:
            continue
        job = world.live.jobs[key]
        cited = any(key in page.cited for page in draft.of("page").values())
        held = any(key == row[1] for rows in draft.of("path").values() for row in rows)
        if cited or held or (job.claimed and not job.expired(world.now)):
            yield ("source", str(key), "source_in_use"), (kind, key)


def _checks_alone(draft: Draft) -> Iterator[tuple[Clash, Key]]:
    for (kind, key), check in draft.values.items():
        if kind == "check" and draft.get("page", check.page) is None:
            yield (kind, str(key), "page_removed"), (kind, key)


def _staged_pages(draft: Draft) -> list[Page]:
    return [value for (kind, _), value in draft.values.items() if kind == "page"]


def _called(kind: str, key: Any, value: Any) -> str:
    return value.slug if kind == "page" and value is not None else str(key)


def blocking(world: World, draft: Draft) -> Counter[tuple[str, str, str]]:
    """The lint errors that a draft brings, and the old ones on what it has written."""
    renamed = {
        was.slug: page.slug
        for page in _staged_pages(draft)
        if (was := world.live.get("page", page.id)) is not None
    }
    before = Counter(
        (code, renamed.get(page, page), target)
        for code, page, target in _errors(world.live, world.live.jobs)
    )
    after = Counter(_errors(draft, _jobs_after(world, draft)))
    written = {page.slug for page in _staged_pages(draft) if _is_written(world, draft, page)}
    held = {str(key) for kind, key in draft.staged if kind in ("source", "completion")}
    found = after - before
    for error, count in (after & before).items():
        if error[1] in written or (not error[1] and error[2] in held):
            found[error] += count
    return found


def _is_written(world: World, draft: Draft, page: Page) -> bool:
    was = world.live.get("page", page.id)
    deeds = {rev.deed for rev in draft.revs if rev.page.id == page.id}
    return was is not None and was.written != page.written and bool(deeds & WRITING)


WRITING = {"put", "patch", "restore"}


def _errors(layer: Layer, jobs: dict[int, Job]) -> Iterator[tuple[str, str, str]]:
    pages = list(layer.of("page").values())
    names = {name for page in pages for name in page.names}
    sources = layer.of("source")
    texts = layer.texts if not isinstance(layer, Draft) else layer.live.texts
    for page in pages:
        for link in page.links - names:
            yield "dangling_link", page.slug, link
        for source, quote in page.quotes:
            if quote not in texts[source]:
                yield "citation_missing", page.slug, str(source)
        for source in page.cited - set(sources):
            yield "cited_source_gone", page.slug, str(source)
    for source in sources:
        if jobs[source].state == "completed":
            kinds = {page.kind == "source" for page in pages if source in page.cited}
            if not (True in kinds and (False in kinds or jobs[source].reason is not None)):
                yield "completed_source_uncited", "", str(source)


def _jobs_after(world: World, draft: Draft) -> dict[int, Job]:
    """Jobs as the draft will leave them."""
    done = {
        source: replace(world.live.jobs[source], state="completed", reason=reason)
        for source, reason in draft.completions.items()
        if source in world.live.jobs
    }
    return world.live.jobs | done


def _make_live(world: World, draft: Draft) -> None:
    live = world.live
    moving = {
        key: base
        for key, base in draft.staged.items()
        if base.content is not None or key in draft.values or key[0] == "completion"
    }
    before = {key: _image(world, *key) for key in moving}
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
    undo = {key: (before[key], _state(world, *key)) for key in moving}
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


Rows = tuple[tuple[int, int, int], ...]


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


Ops = dict[int, tuple[int, int]]


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


def _image(world: World, kind: str, key: Any) -> Any:
    """What a rollback puts back: none when it was not there."""
    live = world.live
    value = live.get(kind, key)
    if kind == "page" and value is not None:
        return value, [check for check in live.of("check").values() if check.page == key]
    if kind == "source" and value is not None:
        return value, live.copy_of_job(key)
    return value


def _state(world: World, kind: str, key: Any) -> Any:
    """What must not have changed when a publication is rolled back."""
    if kind == "completion":
        job = world.live.jobs.get(key)
        return None if job is None else (job.state, job.attempt)
    return content_of(kind, world.live.get(kind, key))


def rollback(world: World, found: Ended | Draft) -> None:
    if isinstance(found, Draft) or found.status == "discarded":
        raise Refused(CHANGESET_NOT_PUBLISHED)
    if found.status == "rolled_back":
        return
    changed = Counter((*_changed(world, found), *_leaning(world, found)))
    if changed:
        raise Refused(CHANGESET_ROLLBACK_CONFLICT, changed)
    op = world.live.record()
    _put_back(world, found, op)
    found.status, found.undo = "rolled_back", {}


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


def _changed(world: World, found: Ended) -> Iterator[Clash]:
    for (kind, key), (before, after) in found.undo.items():
        now = _state(world, kind, key)
        job = world.live.jobs.get(key) if kind == "completion" else None
        if now == after or (job is not None and job.state == "pending"):
            continue
        yield kind, _undone(world, kind, key, before), "removed" if now is None else "changed"


def _undone(world: World, kind: str, key: Any, before: Any) -> str:
    """How commands call an entity that is rolled back: a page by the slug it has, or had."""
    if kind != "page":
        return str(key)
    page = world.live.get("page", key) or (before[0] if before else None)
    return page.slug if page is not None else str(key)


def _leaning(world: World, found: Ended) -> Iterator[Clash]:
    """Later work that leans on what would go, or stands where something would come back."""
    live = world.live
    touched = {key for kind, key in found.undo if kind == "page"}
    others = [page for page in live.of("page").values() if page.id not in touched]
    for (kind, key), (before, _) in found.undo.items():
        if kind == "page" and before is None and (page := live.get("page", key)):
            last = {rev.page.id: rev.op[1] for rev in live.revs}
            for other in others:
                if other.links & page.names and last[other.id] > found.op:
                    yield kind, other.slug, "changed"
        elif kind == "source" and before is None:
            job = live.jobs.get(key)
            if job is not None and job.claimed:
                yield kind, str(key), "job_moved"
            for path, rows in live.of("path").items():
                if ("path", path) not in found.undo and any(row[1] == key for row in rows):
                    yield kind, path, "changed"
            for other in others:
                if key in other.cited:
                    yield kind, other.slug, "changed"
        elif kind == "page" and before is not None:
            back = {k for (what, k), (was, _) in found.undo.items() if what == "source" and was}
            for source in before[0].cited - back - set(live.of("source")):
                yield kind, str(source), "source_removed"
            for name in before[0].names:
                taker = at(live, name)
                if taker is not None and taker.id != key and taker.id not in touched:
                    yield kind, taker.slug, "name_taken"


def _put_back(world: World, found: Ended, op: tuple[int, int]) -> None:
    live = world.live
    undo = dict(sorted(found.undo.items(), key=lambda item: str(item[0][1])))
    of = {
        kind: {key: before for (what, key), (before, _) in undo.items() if what == kind}
        for kind in ("source", "path", "charter", "page", "check", "completion")
    }
    for key, before in of["source"].items():
        if before is not None:
            live.put("source", key, before[0])
            live.jobs.setdefault(key, before[1])
    for key, before in of["path"].items():
        live.drop("path", key)
        there = tuple(row for row in before or () if live.get("source", row[1]))
        if there:
            live.put("path", key, there)
    for key, before in of["charter"].items():
        now = live.get("charter", key)
        live.put("charter", key, (*now, (now[-1][0] + 1, before[-1][1])))
    for key, before in of["page"].items():
        if before is None and (page := live.get("page", key)) is not None:
            gone(live, page, op=op)
    for before in of["page"].values():
        if before is not None:
            _restore_page(world, before, op)
    for key, before in of["check"].items():
        live.drop("check", key)
        if before is not None and live.get("page", before.page) is not None:
            live.put("check", key, before)
    for key in of["completion"]:
        if live.jobs[key].state == "completed":
            live.jobs[key].ended("pending", reason=None)
    for key, before in of["source"].items():
        if before is None and live.get("source", key) is not None:
            live.drop("source", key)
            forget_job(world, key)


def _restore_page(world: World, before: Any, op: tuple[int, int]) -> None:
    live, (page, checks) = world.live, before
    if live.get("page", page.id) is None:
        for check in checks:
            live.put("check", check.id, check)
    highest = max(live.number("page", page.id), highest_under(live, page.slug))
    back = replace(page, revision=highest + 1)
    live.put("page", page.id, back)
    live.revs.append(Rev(page=back, deed="rollback", op=op))


def check_told(foreseen: Counter[Clash], details: Any) -> None:
    """A refusal tells every conflict, or every lint error, and no other."""
    if "conflicts" in details:
        told = Counter(
            (one["entity"], one["identifier"], one["why"]) for one in details["conflicts"]
        )
    else:
        told = Counter(
            (one["code"], one["page"] or "", one["target"]) for one in details["findings"]
        )
    assert told == foreseen, (told, foreseen)
