"""What drafts cost: staging, looking, publishing and undoing 20 pages in 100 and 10,000 pages.

The same pages are touched in every wiki and in turns: half are new, half are written over. Only the
services are measured, in this process, by CPU.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from measure import Figure, cpu
from prose import document
from wikis import CALL, copied, ingested, opened, page_text, surroundings, workplace

from lwc.services import (
    changeset_publish,
    changeset_rollback,
    changeset_show,
    changesets,
    page_writes,
    pages,
    projection,
    search,
)
from lwc.wiki import open_wiki

SIZES = (100, 10_000)
ROUNDS, ROUNDS_QUICK, WARM = 9, 3, 1
TOUCHED = 20
# Of these the cost may not grow with the wiki.
MOST = {"publish": 1.5, "rollback": 1.5, "discard": 1.5, "page put in a draft": 1.5}


def figures(*, quick: bool) -> Iterator[Figure]:
    with ExitStack() as open_:
        folder = open_.enter_context(workplace())
        places = {size: _projected(copied(size, into=folder)) for size in SIZES}
        samples = _samples(places, rounds=ROUNDS_QUICK if quick else ROUNDS)
    smallest = SIZES[0]
    for step in next(iter(samples.values())):
        for size in SIZES:
            yield Figure(
                suite="drafts",
                name=f"{step}, {size:,} pages",
                samples=samples[size][step],
                unit="ms",
                baseline="" if size == smallest else f"the same, {smallest:,} pages",
                baseline_samples=() if size == smallest else samples[smallest][step],
                most=None if size == smallest else MOST.get(step),
                facts={"step": step, "pages": size, "touched": TOUCHED},
            )


def _projected(place: Path) -> Path:
    """With all its files for readers, so that a command writes only those it changes."""
    with opened(place) as wiki:
        projection.materialize(wiki)
    return place


def _samples(places: dict[int, Path], *, rounds: int) -> dict[int, dict[str, list[float]]]:
    samples: dict[int, dict[str, list[float]]] = {size: defaultdict(list) for size in places}
    sizes = list(places)
    for turn in range(-WARM, rounds):
        first = turn % len(sizes)
        for size in sizes[first:] + sizes[:first]:
            for step, work in _life(places[size], f"draft-{turn + WARM}"):
                spent = cpu(work)
                if turn >= 0:
                    samples[size][step].append(spent)
    return samples


def _life(place: Path, name: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """A draft that is published and rolled back, and one that is thrown away."""
    with opened(place) as live:
        yield from _staged(place, name)
        yield "show", lambda: changeset_show.show(live, name)
        published: list[Any] = []
        yield "publish", lambda: published.append(changeset_publish.publish(live, CALL, name=name))
        undone = published[0].changeset_id
        yield "rollback", lambda: changeset_rollback.rollback(live, CALL, changeset=undone)
        for _ in _staged(place, name):
            pass
        yield "discard", lambda: changesets.discard(live, CALL, name=name)


def _staged(place: Path, name: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    with opened(place) as live:
        changesets.draft(live, CALL, name=name)
    with open_wiki(place, environ=surroundings(place), changeset=name) as draft:
        puts = [_put(number, name) for number in range(TOUCHED)]
        for put in puts[1:]:
            page_writes.put(draft, CALL, **put)
        yield "page put in a draft", lambda: page_writes.put(draft, CALL, **puts[0])
        yield "page show in a draft", lambda: pages.show(draft, slug=puts[0]["slug"])
        query = " ".join(ingested(1).title.split()[:2])
        yield "search in a draft", lambda: search.search(draft, query=query)


def _put(number: int, name: str) -> dict[str, Any]:
    new = number % 2 == 0
    slug = f"{name}-{number}" if new else f"concept-{number}"
    links = [f"concept-{place}" for place in range(1, 5)]
    title = document(f"{name} {number}", chars=1).title
    cited = 1 if new else number
    body = page_text(f"{name} {number}", {cited: ingested(cited)}, links, chars=1500)
    return {"slug": slug, "title": title, "kind": "concept", "summary": title, "body": body}
