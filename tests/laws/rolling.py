"""Rolling back in the model: what a publication replaced is put back, or nothing is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from laws.gates import Clash
from laws.layers import Draft, Ended, Refused, Rev, World, content_of
from laws.pages import at, gone, highest_under
from laws.sources import forget_job

from lwc.errors import CHANGESET_NOT_PUBLISHED, CHANGESET_ROLLBACK_CONFLICT


def image(world: World, kind: str, key: Any) -> Any:
    """What a rollback puts back: none when it was not there."""
    live = world.live
    value = live.get(kind, key)
    if kind == "page" and value is not None:
        return value, [check for check in live.of("check").values() if check.page == key]
    if kind == "source" and value is not None:
        return value, live.copy_of_job(key)
    return value


def state(world: World, kind: str, key: Any) -> Any:
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


def _changed(world: World, found: Ended) -> Iterator[Clash]:
    for (kind, key), (before, after) in found.undo.items():
        now = state(world, kind, key)
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
    returning = {key for (kind, key), (was, _) in found.undo.items() if kind == "source" and was}
    there = returning | set(live.of("source"))
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
        elif kind == "path" and before is not None:
            if before[-1][1] not in there:
                yield kind, key, "source_removed"
        elif kind == "page" and before is not None:
            for source in before[0].cited - there:
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
