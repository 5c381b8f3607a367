"""What keeps a draft of the model from being published: conflicts with live, and lint."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from laws.layers import Draft, Job, Key, Layer, Page, World, content_of
from laws.pages import at

# A conflict: the entity, how commands call it, and why.
Clash = tuple[str, str, str]

WRITING = {"put", "patch", "restore"}


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
    for page in staged_pages(draft):
        for name in sorted(page.names):
            taker = at(world.live, name)
            if taker and taker.id != page.id and ("page", taker.id) not in draft.staged:
                yield ("page", page.slug, "name_taken"), ("page", page.id)


def _sources_removed(world: World, draft: Draft) -> Iterator[tuple[Clash, Key]]:
    """Pages and paths of the draft that lead to a source which is gone."""
    there = set(draft.of("source"))
    for page in staged_pages(draft):
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


def staged_pages(draft: Draft) -> list[Page]:
    return [value for (kind, _), value in draft.values.items() if kind == "page"]


def _called(kind: str, key: Any, value: Any) -> str:
    return value.slug if kind == "page" and value is not None else str(key)


def blocking(world: World, draft: Draft) -> Counter[tuple[str, str, str]]:
    """The lint errors that a draft brings, and the old ones on what it has written."""
    renamed = {
        was.slug: page.slug
        for page in staged_pages(draft)
        if (was := world.live.get("page", page.id)) is not None
    }
    before = Counter(
        (code, renamed.get(page, page), target)
        for code, page, target in _errors(world.live, world.live.jobs)
    )
    after = Counter(_errors(draft, _jobs_after(world, draft)))
    written = {page.slug for page in staged_pages(draft) if _is_written(world, draft, page)}
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
