"""What a wiki or a draft shows, by its rows and through the services, and what is foreseen."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from typing import Any

from laws.layers import Draft, Layer, World
from laws.pages import checks_in_sight, live_of
from sqlalchemy import Connection, select

from lwc import wire
from lwc.services import charter as charter_service
from lwc.services import checks as check_service
from lwc.services import jobs as job_service
from lwc.services import pages as page_service
from lwc.services import search
from lwc.services import sources as source_service
from lwc.store import drafts
from lwc.store.tables import (
    aliases,
    charter,
    checks,
    citations,
    jobs,
    links,
    metadata,
    page_revisions,
    page_sources,
    pages,
    source_paths,
    sources,
)
from lwc.store.tables.drafts import changesets
from lwc.wiki import Wiki

digest = cache(wire.text_digest)

# What every draft keeps rows in; all of them are empty of a draft that ended.
DRAFT_TABLES = tuple(
    table
    for table in metadata.sorted_tables
    if table.name == "staged" or table.name.startswith("draft_")
)


def rows(wiki: Wiki) -> dict[str, Any]:
    """All that a wiki, or a draft of it, holds."""
    with wiki.reading() as conn:
        return {
            "pages": _pages(conn),
            "revisions": _revisions(conn),
            "sources": {row.id: (row.title, row.digest) for row in conn.execute(select(sources))},
            "paths": _histories(conn, source_paths, "tracked_path", "source_id"),
            "charter": _histories(conn, charter, "name", "text_digest"),
            "checks": {
                row.id: (row.page_id, row.query, tuple(json.loads(row.paraphrases)))
                for row in conn.execute(select(checks).join(pages, pages.c.id == checks.c.page_id))
            },
            "jobs": {
                row.source_id: (row.state, row.attempts, row.attempt, row.agent, row.failure)
                for row in conn.execute(
                    select(jobs).join(sources, sources.c.id == jobs.c.source_id)
                )
            },
        }


def _pages(conn: Connection) -> dict[int, Any]:
    hanging: dict[str, dict[int, set[Any]]] = defaultdict(lambda: defaultdict(set))
    for row in conn.execute(select(page_sources)):
        hanging["cited"][row.page_id].add((row.source_id, bool(row.named)))
    for row in conn.execute(select(links.c.page_id, links.c.key)):
        hanging["links"][row.page_id].add(row.key)
    for row in conn.execute(select(aliases.c.page_id, aliases.c.slug)):
        hanging["aliases"][row.page_id].add(row.slug)
    for row in conn.execute(select(citations)):
        hanging["quotes"][row.page_id].add((row.source_id, row.quote, row.state))
    found = {
        row.id: (row.slug, row.title, row.kind, row.body_digest, row.revision)
        for row in conn.execute(select(pages))
    }
    lost = {name: set(of) - set(found) for name, of in hanging.items()}
    assert not any(lost.values()), f"rows of pages that are not there: {lost}"
    return {
        key: (value, *(hanging[name][key] for name in ("cited", "links", "aliases", "quotes")))
        for key, value in found.items()
    }


def _revisions(conn: Connection) -> dict[tuple[int, int], Any]:
    return {
        (row.page_id, row.revision): (
            row.action,
            row.slug,
            row.title,
            row.kind,
            row.body_digest,
            row.operation_id,
        )
        for row in conn.execute(select(page_revisions))
    }


def _histories(conn: Connection, table: Any, key: str, value: str) -> dict[str, Any]:
    found: dict[str, list[tuple[int, Any]]] = defaultdict(list)
    for row in conn.execute(select(table).order_by(table.c.revision)):
        found[row._mapping[key]].append((row.revision, row._mapping[value]))
    return dict(found)


def foreseen(layer: Layer) -> dict[str, Any]:
    """The same, as the model has it."""
    live = live_of(layer)
    return {
        "pages": {key: _foreseen_page(layer, page) for key, page in layer.of("page").items()},
        "revisions": {
            (rev.page.id, rev.page.revision): (
                rev.deed,
                rev.page.slug,
                rev.page.title,
                rev.page.kind,
                digest(rev.page.body),
                rev.op[1] + (live.ops if rev.op[0] else 0),
            )
            for rev in layer.history()
        },
        "sources": {
            key: (source.title, digest(live.texts[key]))
            for key, source in layer.of("source").items()
        },
        "paths": {
            key: [(number, source) for number, source, _ in value]
            for key, value in layer.of("path").items()
        },
        "charter": {
            name: [(number, digest(text)) for number, text in value]
            for name, value in layer.of("charter").items()
        },
        "checks": {
            check.id: (check.page, check.queries[0], check.queries[1:])
            for check in checks_in_sight(layer)
        },
        "jobs": {key: _foreseen_job(layer, key) for key in layer.of("source")},
    }


def _foreseen_page(layer: Layer, page: Any) -> Any:
    texts = live_of(layer).texts
    return (
        (page.slug, page.title, page.kind, digest(page.body), page.revision),
        {(source, source in page.named) for source in page.cited},
        set(page.links),
        set(page.aliases),
        {
            (source, quote, "exact" if quote in texts[source] else "missing")
            for source, quote in page.quotes
        },
    )


def _foreseen_job(layer: Layer, source: int) -> Any:
    job = layer.job(source)
    assert job is not None, "a source has a job"
    if isinstance(layer, Draft) and source in layer.completions:
        return "completed", job.attempts, job.attempt, None, None
    return job.state, job.attempts, job.attempt, job.agent, job.failure


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What is looked for: a page, a word that pages may hold, and one that sources may hold."""

    slug: str
    page_word: str
    source_word: str


def answers(wiki: Wiki, layer: Layer, asked: Asked) -> None:
    """What the services answer is what the model foresees, by brute force."""
    live = live_of(layer)
    there = {page.slug: page for page in layer.of("page").values()}
    listed = page_service.list_(wiki).pages
    assert {page.slug: page.revision for page in listed} == {
        slug: page.revision for slug, page in there.items()
    }
    if (page := there.get(asked.slug)) is not None:
        slug = page.slug
        shown = page_service.show(wiki, slug=slug)
        assert (shown.page.body, set(shown.page.aliases)) == (page.body, set(page.aliases))
        assert set(shown.page.source_ids) == page.cited
        told = page_service.links_of(wiki, slug=slug)
        ends = {link: other for link in page.links if (other := _led(there.values(), link))}
        assert set(told.missing) == page.links - set(ends)
        assert set(told.outgoing) == {*ends.values(), *told.missing}
        backlinks = {other.slug for other in there.values() if other.links & page.names}
        assert set(told.backlinks) == backlinks
        history = page_service.history(wiki, slug=slug).revisions
        kept = [rev.page.revision for rev in layer.history() if rev.page.id == page.id]
        assert [each.revision for each in history] == sorted(kept, reverse=True)
    told_sources = source_service.listed(wiki).sources
    assert [source.id for source in told_sources] == sorted(layer.of("source"))
    for name, value in layer.of("charter").items():
        text = charter_service.show(wiki, name)
        assert (text.text_revision, text.text) == value[-1]
    told_jobs = {job.source_id: job.status for job in job_service.listed(wiki).jobs}
    assert told_jobs == {key: _foreseen_job(layer, key)[0] for key in layer.of("source")}
    told_checks = {check.id for check in check_service.list_(wiki).checks}
    assert told_checks == {check.id for check in checks_in_sight(layer)}
    found = search.search(wiki, query=asked.page_word, type="page").results
    holding = {slug for slug, page in there.items() if asked.page_word in page.words}
    assert {each.identifier for each in found} == holding, asked
    found = search.search(wiki, query=asked.source_word, type="source").results
    telling = {key for key in layer.of("source") if asked.source_word in live.texts[key].lower()}
    assert {int(each.identifier) for each in found} == telling, asked


def _led(there: Any, link: str) -> str | None:
    return next((page.slug for page in there if link in page.names), None)


def leaves_nothing(wiki: Wiki, world: World) -> None:
    """A draft that ended has left no row, and pins no job."""
    with wiki.reading() as conn:
        open_ids = set(
            conn.execute(select(changesets.c.id).where(changesets.c.status == "draft")).scalars()
        )
        assert len(open_ids) == len(world.drafts)
        for table in DRAFT_TABLES:
            if "changeset" in table.c:
                owners = set(conn.execute(select(table.c.changeset).distinct()).scalars())
                assert owners <= open_ids, f"{table.name} has rows of a draft that ended"
        pins = set(conn.execute(select(jobs.c.pinned).where(jobs.c.pinned.is_not(None))).scalars())
        assert pins <= open_ids, "a draft that ended pins a job"
        known = set(conn.execute(select(jobs.c.source_id)).scalars())
        assert known == set(world.live.jobs), "jobs of sources that are nowhere"


def entries(wiki: Wiki, draft: Draft) -> set[int]:
    """The entries of a draft's journal that will stand in the live one."""
    with wiki.reading() as conn:
        found = drafts.find_draft(conn, draft.name)
        return {operation.id for operation in drafts.operations_of(conn, found.id)}


def numbers_are_given_once(revisions: dict[tuple[int, int], Any]) -> None:
    """No two revisions of one name have the same number."""
    given = [(told[1], number) for (_, number), told in revisions.items()]
    assert len(given) == len(set(given)), sorted(given)
