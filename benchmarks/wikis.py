"""Wikis to measure on: as large as asked, alike at every size, built once and copied for each use.

Half of the pages are of kind source, each the summary of an ingested document; the other half are
concepts that cite three sources and link to one another. More documents wait to be ingested, the
same ones in every wiki.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from processes import surroundings
from prose import Document, document, length

import lwc
from lwc.domain.ingest import JobEvent, Outcome
from lwc.services import page_files, source_folders, workspaces
from lwc.store import attempts, jobs
from lwc.store.tables import SCHEMA
from lwc.wiki import Call, Wiki, open_wiki

WAITING = 400
PUT_TOGETHER = 500
CALL = Call(agent="bench")
BUILD = Path(__file__).parents[1] / "build" / "bench"


@contextmanager
def workplace() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="work-", dir=BUILD) as folder:
        yield Path(folder)


def copied(pages: int, *, into: Path) -> Path:
    """A wiki of so many pages, for one use."""
    return shutil.copytree(_built(pages), into / f"wiki-{pages}", symlinks=True)


def empty(folder: Path) -> Path:
    """A new wiki without anything."""
    folder.mkdir()
    workspaces.init(folder, environ=surroundings(folder), exclude_from_git=False)
    return folder


def opened(folder: Path) -> Wiki:
    return open_wiki(folder, environ=surroundings(folder))


def ingested(number: int) -> Document:
    """The document that source `number` is, in every wiki that has it."""
    seed = f"document {number}"
    return document(seed, chars=length(seed))


def waiting(number: int) -> Document:
    """A document that waits to be ingested, counted from 1."""
    seed = f"waiting {number}"
    return document(seed, chars=length(seed))


def page_text(seed: str, cited: dict[int, Document], links: list[str], *, chars: int) -> str:
    """The text of a page: prose, links, and two located quotes of each source."""
    said = document(seed, chars=chars)
    lines, notes = [said.text], []
    for source_id, source in cited.items():
        for number, quote in enumerate(source.sentences[:2], start=1):
            label = f"s{source_id}-{number}"
            lines += [f"{said.sentences[number]}[^{label}]", ""]
            notes.append(f'[^{label}]: source:{source_id} "{quote}"')
    lines += ["See " + ", ".join(f"[[{link}]]" for link in links) + ".", "", *notes]
    return "\n".join(lines) + "\n"


def _built(pages: int) -> Path:
    """The wiki of this size, built when it is not there or was built by other code."""
    place = BUILD / "wikis" / f"{pages}-{SCHEMA}-{_fingerprint()}"
    if not place.exists():
        print(f"Building a wiki of {pages:,} pages; it is kept in {place.parent}.", flush=True)
        for old in place.parent.glob(f"{pages}-*"):
            shutil.rmtree(old)
        place.parent.mkdir(parents=True, exist_ok=True)
        with workplace() as folder:
            _build(folder / "wiki", pages)
            (folder / "wiki").rename(place)
    return place


def _fingerprint() -> str:
    """Of what decides how the rows of a wiki look."""
    package = Path(lwc.__file__).parent
    deciding = [
        Path(__file__),
        Path(__file__).with_name("prose.py"),
        *(package / "domain").glob("*.py"),
        *(package / "migrations" / "versions").glob("*.py"),
        *(package / "store" / "tables").glob("*.py"),
        package / "store" / "search.py",
    ]
    digest = hashlib.sha256()
    for path in sorted(deciding, key=lambda path: path.name):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _build(folder: Path, pages: int) -> None:
    empty(folder)
    many = pages // 2
    documents = {number: ingested(number) for number in range(1, many + 1)}
    with opened(folder) as wiki:
        _add(wiki, "documents", documents)
        _add(wiki, "waiting", {number: waiting(number) for number in range(1, WAITING + 1)})
        written = _pages(documents)
        while lines := [json.dumps(page) for page in islice(written, PUT_TOGETHER)]:
            page_files.put_many(wiki, CALL, text="\n".join(lines))
        _complete(wiki, many)


def _add(wiki: Wiki, name: str, documents: dict[int, Document]) -> None:
    """Take documents in as files, in their order: the first is the next source id."""
    folder = wiki.workspace.root / name
    folder.mkdir()
    for number, made in documents.items():
        (folder / f"{number:06}.md").write_text(made.text, encoding="utf-8")
    source_folders.add_dir(wiki, CALL, path=name, base=wiki.workspace.root)


def _pages(documents: dict[int, Document]) -> Iterator[dict[str, object]]:
    many = len(documents)
    for number, source in documents.items():
        links = [f"concept-{number}", f"concept-{number % many + 1}"]
        cited = {number: source}
        yield _page(f"source-{number}", "source", source.title, cited, links, chars=700)
    for number in documents:
        chance = random.Random(f"concept {number} of {many}")
        others = [chance.randint(1, many) for _ in range(2)]
        # Some concepts are known everywhere; a few are still to be written.
        links = [f"concept-{int(many ** chance.random())}" for _ in range(4)]
        links += ["not-written-yet"] if chance.random() < 0.02 else []
        cited = {one: documents[one] for one in (number, *others)}
        title = document(f"concept {number}", chars=1).title
        yield _page(f"concept-{number}", "concept", title, cited, links, chars=1500)


def _page(
    slug: str, kind: str, title: str, cited: dict[int, Document], links: list[str], *, chars: int
) -> dict[str, object]:
    return {
        "slug": slug,
        "title": title,
        "kind": kind,
        "summary": document(slug, chars=1).sentences[0],
        "body": page_text(slug, cited, links, chars=chars),
    }


def _complete(wiki: Wiki, many: int) -> None:
    """Complete the jobs of the first sources in one change, without their gates."""
    with wiki.writing(CALL) as change:
        take = partial(
            jobs.claim,
            change.conn,
            agent=change.agent,
            token_hash="",
            lease_seconds=1800,
            max_attempts=3,
            now=change.now,
        )
        for source_id in range(1, many + 1):
            job = take(source_id)
            assert job is not None, "it is pending"
            operation = change.record("ingest_claim", source_id, attempt=job.attempt)
            jobs.mark_claim(change.conn, source_id, operation)
            attempts.begin(change.conn, source_id, job.attempt, agent=change.agent, now=change.now)
            job = jobs.move(change.conn, job, JobEvent.ANALYZE, now=change.now)
            jobs.move(change.conn, job, JobEvent.COMPLETE, now=change.now)
            attempts.end(change.conn, source_id, outcome=Outcome.COMPLETED, now=change.now)
            change.record("ingest_complete", source_id, source_summary_pages=1, derived_pages=3)
