"""Start-up: whole commands as an agent runs them, by CPU, on a wiki of 10,000 pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from measure import Figure, in_turns
from processes import BARE, LIBRARIES, lwc, run
from prose import VOCABULARY
from wikis import copied, waiting, workplace

PAGES, PAGES_QUICK = 10_000, 1_000
ROUNDS, ROUNDS_QUICK = 25, 7
BARE_NAME = "python -c pass"
LIBRARIES_NAME = 'python -c "import sqlalchemy, typer"'

# Commands that need no library, with what they may cost beside bare Python.
PLAIN = {("--version",): 1.5, ("--help",): 2.0, ("page", "--help"): None}
# Commands on the wiki, with what they may cost beside the import of their libraries.
ON_A_WIKI: dict[tuple[str, ...], float | None] = {
    ("page", "show", "concept-7"): 1.35,
    ("ingest", "next"): 1.35,
    ("search", waiting(1).title): 1.35,
    ("search", " ".join(VOCABULARY[40:43])): 1.35,
    ("page", "list"): None,
    ("page", "links", "concept-7"): None,
    ("source", "show", "7"): None,
    ("ingest", "list"): None,
    ("context",): None,
    ("log",): None,
    ("lint",): None,
}


def figures(*, quick: bool) -> Iterator[Figure]:
    pages = PAGES_QUICK if quick else PAGES
    with workplace() as folder:
        wiki = copied(pages, into=folder)
        measured = {
            BARE_NAME: _process(BARE, wiki),
            LIBRARIES_NAME: _process(LIBRARIES, wiki),
            **{_name(words): _process(lwc(*words), wiki) for words in (*PLAIN, *ON_A_WIKI)},
        }
        samples = in_turns(measured, rounds=ROUNDS_QUICK if quick else ROUNDS)
    yield _figure(LIBRARIES_NAME, samples, baseline=BARE_NAME, most=None)
    for words, most in PLAIN.items():
        yield _figure(_name(words), samples, baseline=BARE_NAME, most=most)
    for words, most in ON_A_WIKI.items():
        yield _figure(
            _name(words), samples, baseline=LIBRARIES_NAME, most=most, facts={"pages": pages}
        )


def _process(argv: tuple[str, ...], folder: Path) -> Callable[[], float]:
    return lambda: run(argv, folder=folder).cpu


def _name(words: tuple[str, ...]) -> str:
    return " ".join(("lwc", *words))


def _figure(
    name: str,
    samples: dict[str, list[float]],
    *,
    baseline: str,
    most: float | None,
    facts: dict[str, int] | None = None,
) -> Figure:
    return Figure(
        suite="startup",
        name=name,
        samples=samples[name],
        unit="ms",
        baseline=baseline,
        baseline_samples=samples[baseline],
        most=most,
        facts=facts or {},
    )
