"""Taking in a folder of 1,000 small files, and looking at it again when nothing has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import bare
from measure import Figure, cpu, in_turns, wall
from processes import LIBRARIES, lwc, run
from prose import document
from wikis import CALL, empty, opened, workplace

from lwc.services import source_folders

FILES, FILES_QUICK = 1_000, 200
CHARS = 1_500
ROUNDS, ROUNDS_QUICK = 7, 3
READ = "read and hash the files"
STORED = "read, hash and insert them by bare sqlite3"


def figures(*, quick: bool) -> Iterator[Figure]:
    files = FILES_QUICK if quick else FILES
    rounds = ROUNDS_QUICK if quick else ROUNDS
    with workplace() as folder:
        documents = _written(folder, files)
        fresh = (folder / f"fresh-{number}" for number in count())
        full = _with_documents(folder / "full", documents)
        _added(full)
        in_process = in_turns(
            {
                READ: lambda: cpu(lambda: _read(documents)),
                STORED: lambda: _bare(next(fresh), documents),
                "add": lambda: _first(_with_documents(next(fresh), documents)),
                "again": lambda: cpu(lambda: _added(full)),
            },
            rounds=rounds,
        )
        waited = in_turns(
            {
                "add": lambda: _command(_with_documents(next(fresh), documents)),
                "again": lambda: _command(full),
                "libraries": lambda: wall(lambda: run(LIBRARIES, folder=full)),
            },
            rounds=rounds,
        )
    facts = {"files": files}
    name = f"add-dir, {files:,} new files"
    yield _figure(name, in_process["add"], "ms", STORED, in_process[STORED], facts)
    name = f"add-dir, {files:,} unchanged files"
    yield _figure(name, in_process["again"], "ms", READ, in_process[READ], facts)
    libraries = 'python -c "import sqlalchemy, typer"'
    for step, words in (("add", "new"), ("again", "unchanged")):
        name = f"lwc source add-dir, {files:,} {words} files, elapsed"
        yield _figure(name, waited[step], "s", libraries, waited["libraries"], facts)


def _figure(
    name: str,
    samples: list[float],
    unit: str,
    baseline: str,
    baseline_samples: list[float],
    facts: dict[str, int],
) -> Figure:
    return Figure(
        suite="folders",
        name=name,
        samples=samples,
        unit=unit,
        baseline=baseline,
        baseline_samples=baseline_samples,
        facts=facts,
    )


def _written(folder: Path, files: int) -> Path:
    documents = folder / "documents"
    for number in range(files):
        path = documents / f"{number % 20:02}" / f"{number:05}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document(f"small {number}", chars=CHARS).text, encoding="utf-8")
    return documents


def _with_documents(folder: Path, documents: Path) -> Path:
    """A new wiki with the documents beside it; moved in, for only their reading is measured."""
    empty(folder)
    for path in documents.rglob("*.md"):
        target = folder / "documents" / path.relative_to(documents)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return folder


def _first(folder: Path) -> float:
    return cpu(lambda: _added(folder))


def _added(folder: Path) -> None:
    with opened(folder) as wiki:
        source_folders.add_dir(wiki, CALL, path="documents", base=folder)


def _command(folder: Path) -> float:
    return wall(lambda: run(lwc("source", "add-dir", "documents"), folder=folder))


def _read(documents: Path) -> list[tuple[str, str, str]]:
    """The same in plain Python: digest, path and text of each file."""
    found = []
    for path in sorted(documents.rglob("*.md")):
        content = path.read_bytes()
        found.append((hashlib.sha256(content).hexdigest(), str(path), content.decode("utf-8")))
    return found


def _bare(folder: Path, documents: Path) -> float:
    folder.mkdir()
    return cpu(lambda: bare.stored(folder / "texts.db", _read(documents)))
