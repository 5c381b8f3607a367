"""One whole ingest: claim with the first window, analyse, write two pages, complete.

In process by the services, and as an agent does it by commands.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import bare
from measure import Figure, cpu, in_turns
from processes import LIBRARIES, lwc, run
from wikis import CALL, copied, opened, page_text, waiting, workplace

from lwc.services import completion, ingest, page_writes, steps
from lwc.wiki import Wiki

PAGES = 1_000
ROUNDS, ROUNDS_QUICK = 15, 4
STEPS = 5


def figures(*, quick: bool) -> Iterator[Figure]:
    rounds = ROUNDS_QUICK if quick else ROUNDS
    libraries = f'{STEPS} x python -c "import sqlalchemy, typer"'
    transactions = f"{STEPS} transactions of bare sqlite3"
    with ExitStack() as open_:
        folder = open_.enter_context(workplace())
        place = copied(PAGES, into=folder)
        numbers = count(1)
        wiki = open_.enter_context(opened(place))
        connection = bare.connected(folder / "bare.db")
        open_.callback(connection.close)
        in_process = in_turns(
            {
                "cycle": lambda: _in_process(wiki, next(numbers)),
                "bare": lambda: cpu(lambda: bare.committed(connection, STEPS)),
            },
            rounds=rounds,
        )
        by_command = in_turns(
            {
                "cycle": lambda: _by_commands(place, _work(next(numbers))),
                "libraries": lambda: sum(run(LIBRARIES, folder=place).cpu for _ in range(STEPS)),
            },
            rounds=rounds,
        )
    yield _figure("in process", in_process["cycle"], transactions, in_process["bare"])
    name = f"by {STEPS} commands"
    yield _figure(name, by_command["cycle"], libraries, by_command["libraries"])


def _figure(way: str, samples: list[float], baseline: str, baseline_samples: list[float]) -> Figure:
    return Figure(
        suite="cycle",
        name=f"one ingest {way}, {PAGES:,} pages",
        samples=samples,
        unit="ms",
        baseline=baseline,
        baseline_samples=baseline_samples,
        facts={"pages": PAGES, "steps": STEPS},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What an agent hands in for one source; all of it is made before anything is measured."""

    source_id: int
    title: str
    analysis: str
    summary: str
    concept: str


def _work(number: int) -> Work:
    """For the next document that waits, which is also the next source id."""
    source, source_id = waiting(number), PAGES // 2 + number
    cited = {source_id: source}
    links = [f"concept-{place}" for place in range(1, 5)]
    return Work(
        source_id=source_id,
        title=source.title,
        analysis="\n".join(source.sentences[:5]),
        summary=page_text(f"summary {number}", cited, links, chars=700),
        concept=page_text(f"knowledge {number}", cited, links, chars=1500),
    )


def _in_process(wiki: Wiki, number: int) -> float:
    work = _work(number)
    return cpu(lambda: _by_services(wiki, work))


def _by_services(wiki: Wiki, work: Work) -> None:
    job = ingest.next_job(wiki, CALL).job
    assert job is not None, "documents wait"
    assert job.source.id == work.source_id, "it is the document that the work is about"
    steps.analyze(wiki, CALL, work.source_id, text=work.analysis)
    for kind, body in (("source", work.summary), ("concept", work.concept)):
        slug = f"{kind}-of-{work.source_id}"
        page_writes.put(wiki, CALL, slug=slug, title=work.title, body=body, kind=kind)
    completion.complete(wiki, CALL, work.source_id)


def _by_commands(folder: Path, work: Work) -> float:
    number = str(work.source_id)
    spent = run(lwc("ingest", "next"), folder=folder).cpu
    analyze = lwc("ingest", "analyze", number, "--file", "-")
    spent += run(analyze, folder=folder, stdin=work.analysis).cpu
    for kind, body in (("source", work.summary), ("concept", work.concept)):
        slug = f"{kind}-of-{number}"
        put = lwc("page", "put", slug, "--title", work.title, "--kind", kind, "--file", "-")
        spent += run(put, folder=folder, stdin=body).cpu
    return spent + run(lwc("ingest", "complete", number), folder=folder).cpu
