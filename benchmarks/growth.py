"""What the size of a wiki costs: the steps of an agent's day at 100, 1,000 and 10,000 pages.

The steps are whole ingest cycles, the same in every wiki and in turns; only the services are
measured, in this process, by CPU.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

from measure import Figure, cpu
from prose import VOCABULARY
from wikis import CALL, copied, ingested, opened, page_text, waiting, workplace

from lwc.services import completion, ingest, lint, overview, page_writes, pages, search, steps
from lwc.wiki import Wiki

SIZES = (100, 1_000, 10_000)
SIZES_QUICK = (100, 1_000)
ROUNDS, ROUNDS_QUICK, WARM = 40, 8, 3
# Of these the cost may not grow with the wiki.
MOST = {
    "page put, new": 1.5,
    "page put, changed": 1.5,
    "ingest next": 1.5,
    "ingest complete": 1.5,
}
# A concept that every wiki has; each cycle writes another.
CONCEPTS = 40


def figures(*, quick: bool) -> Iterator[Figure]:
    sizes = SIZES_QUICK if quick else SIZES
    with ExitStack() as open_:
        folder = open_.enter_context(workplace())
        wikis = {size: open_.enter_context(opened(copied(size, into=folder))) for size in sizes}
        samples = _samples(wikis, rounds=ROUNDS_QUICK if quick else ROUNDS)
    smallest = sizes[0]
    for step in next(iter(samples.values())):
        for size in sizes:
            yield Figure(
                suite="growth",
                name=f"{step}, {size:,} pages",
                samples=samples[size][step],
                unit="ms",
                baseline="" if size == smallest else f"the same, {smallest:,} pages",
                baseline_samples=() if size == smallest else samples[smallest][step],
                most=None if size == smallest else MOST.get(step),
                facts={"step": step, "pages": size},
            )


def _samples(wikis: dict[int, Wiki], *, rounds: int) -> dict[int, dict[str, list[float]]]:
    samples: dict[int, dict[str, list[float]]] = {size: defaultdict(list) for size in wikis}
    sizes = list(wikis)
    for turn in range(-WARM, rounds):
        first = turn % len(sizes)
        for size in sizes[first:] + sizes[:first]:
            for step, work in _cycle(wikis[size], turn + WARM + 1):
                spent = cpu(work)
                if turn >= 0:
                    samples[size][step].append(spent)
    return samples


def _cycle(wiki: Wiki, number: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    """One ingest cycle and a few looks at the wiki; what is between the yields is not measured."""
    packets = []
    yield "ingest next", lambda: packets.append(ingest.next_job(wiki, CALL))
    job = packets[0].job
    assert job is not None, "documents wait"
    source_id = job.source.id
    source = waiting(number)
    steps.analyze(wiki, CALL, source_id, text=source.sentences[0])
    cited = {source_id: source, 1: ingested(1)}
    links = [f"concept-{place}" for place in range(1, 5)]
    slug = f"new-{number}"
    new = page_text(slug, cited, links, chars=1500)
    yield (
        "page put, new",
        lambda: page_writes.put(wiki, CALL, slug=slug, title=source.title, body=new, kind="source"),
    )
    slug = f"concept-{number % CONCEPTS + 1}"
    changed = page_text(f"{slug} {number}", cited, links, chars=1500)
    before = pages.show(wiki, slug=slug).page
    yield (
        "page put, changed",
        lambda: page_writes.put(
            wiki, CALL, slug=slug, title=before.title, body=changed, kind=before.kind
        ),
    )
    waived = completion.Waivers(unread_reason="only the first window is measured")
    yield (
        "ingest complete",
        lambda: completion.complete(wiki, CALL, source_id, waivers=waived),
    )
    yield "page show", lambda: pages.show(wiki, slug=slug)
    query = " ".join(source.title.split()[:2])
    yield "search, rare words", lambda: search.search(wiki, query=query)
    common = " ".join(VOCABULARY[40:43])
    yield "search, common words", lambda: search.search(wiki, query=common)
    yield "context", lambda: overview.context([wiki])
    yield "lint", lambda: lint.lint(wiki)
