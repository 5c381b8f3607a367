"""Quotes on their way from an agent's page to a completed job: found, or in the way of it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import prose
import pytest
from conftest import Result

Lwc = Callable[..., Result]
# The source and the words of every passage that is worth quoting.
PASSAGES = [
    (number, passage)
    for number, text in enumerate(prose.SOURCES.values(), start=1)
    for passage in prose.passages(text)
]


@pytest.fixture
def kept(project: Path, lwc: Lwc) -> None:
    """Every text of `prose` as a source; the first is claimed and analysed."""
    for name, text in prose.SOURCES.items():
        (project / f"{name}.md").write_text(text)
        lwc("source", "add", f"{name}.md").ok()
    (project / "analysis.md").write_text("It tells of a lighthouse.\n")
    lwc("ingest", "claim", "1").ok()
    lwc("ingest", "analyze", "1", "--file", "analysis.md").ok()


def true_quotes() -> Iterator[tuple[int, str]]:
    for seed in range(200):
        chance = random.Random(f"true {seed}")
        source_id, passage = chance.choice(PASSAGES)
        yield source_id, prose.true_quote(passage, chance)


def altered_quotes() -> Iterator[tuple[int, str]]:
    for kind in prose.ALTERATIONS:
        chance, count = random.Random(f"altered {kind}"), 0
        while count < 50:
            source_id, passage = chance.choice(PASSAGES)
            quote = prose.altered_quote(passage, kind, chance)
            if quote is not None:
                count += 1
                yield source_id, quote


def body(quotes: Iterator[tuple[int, str]]) -> str:
    """A page with a claim for each quote; a quote of several lines is indented below its label."""
    claims, notes = [], []
    for number, (source_id, quote) in enumerate(quotes):
        claims.append(f"Claim {number} rests on it.[^q{number}]\n")
        words = quote.replace("\n", "\n    ")
        notes.append(f'[^q{number}]: source:{source_id} "{words}"')
    return "\n".join([*claims, *notes]) + "\n"


def put(lwc: Lwc, slug: str, text: str, *options: str) -> Counter[str]:
    """The page, written; how many of its quotes are in each state."""
    options = ("--title", slug.title(), "--file", "-", *options)
    answer = lwc("page", "put", slug, *options, stdin=text).ok()
    return Counter(citation["state"] for citation in answer["citations"])


def test_quotes_that_only_look_different_are_located(lwc: Lwc, kept: None) -> None:
    states = put(lwc, "claims", body(true_quotes()))
    assert states.total() == 200
    assert states["exact"] + states["near"] >= 198
    near = lwc("lint", "--code", "citation_near", "--limit", "1000").ok()["issues"]
    assert len(near) == states["near"]
    assert all(finding["details"]["found"] for finding in near)


def test_quotes_that_say_something_else_keep_the_job_open(lwc: Lwc, kept: None) -> None:
    quoted = 'Built in eleven years.[^a]\n\n[^a]: source:1 "after eleven years of work"\n'
    put(lwc, "skerry", quoted, "--kind", "source")
    assert put(lwc, "claims", body(altered_quotes())) == {"missing": 200}
    assert lwc("lint", "--code", "citation_missing").ok()["total"] == 200

    refused = lwc("ingest", "complete", "1")
    assert (refused.status, refused.error["code"]) == (5, "citation_missing")
    of_the_source = sum(source_id == 1 for source_id, _ in altered_quotes())
    assert refused.error["details"]["count"] == of_the_source > 0

    put(lwc, "claims", quoted)
    assert lwc("ingest", "complete", "1").ok()["job"]["status"] == "completed"
