"""Claims: one, four and sixteen processes empty one queue together, and no job is taken twice."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

import bare
from measure import Figure, in_turns
from processes import PYTHON, surroundings
from wikis import CALL, empty, opened, workplace

from lwc.services import source_folders

PROCESSES, PROCESSES_QUICK = (1, 4, 16), (1, 4)
JOBS, JOBS_QUICK = 640, 160
ROUNDS, ROUNDS_QUICK = 5, 2


def figures(*, quick: bool) -> Iterator[Figure]:
    jobs = JOBS_QUICK if quick else JOBS
    with workplace() as folder:
        queues = {"wiki": _wiki(folder / "wiki", jobs), "bare": _bare(folder / "bare", jobs)}
        copies = (folder / f"copy-{number}" for number in count())
        for processes in PROCESSES_QUICK if quick else PROCESSES:
            measured = {
                way: partial(_emptied, way, queue, copies, processes=processes, jobs=jobs)
                for way, queue in queues.items()
            }
            samples = in_turns(measured, rounds=ROUNDS_QUICK if quick else ROUNDS, warm=0)
            yield Figure(
                suite="claims",
                name=f"a claim, {processes} process{'es' if processes > 1 else ''}",
                samples=samples["wiki"],
                unit="ms",
                baseline="UPDATE … RETURNING by bare sqlite3",
                baseline_samples=samples["bare"],
                facts={
                    "processes": processes,
                    "jobs": jobs,
                    "claims_per_second": 1e3 / median(samples["wiki"]),
                },
            )


def _wiki(folder: Path, jobs: int) -> Path:
    empty(folder)
    documents = folder / "documents"
    documents.mkdir()
    for number in range(jobs):
        (documents / f"{number:05}.md").write_text(f"Document {number}.\n", encoding="utf-8")
    with opened(folder) as wiki:
        source_folders.add_dir(wiki, CALL, path="documents", base=folder)
    shutil.rmtree(documents)
    return folder


def _bare(folder: Path, jobs: int) -> Path:
    folder.mkdir()
    bare.with_jobs(folder / "jobs.db", jobs)
    return folder


def _emptied(way: str, full: Path, copies: Iterator[Path], *, processes: int, jobs: int) -> float:
    """How long a claim took, from the first to the last over their number, in milliseconds."""
    answers = _raced(way, shutil.copytree(full, next(copies)), processes=processes)
    taken = [job for answer in answers for job in answer["taken"]]
    if sorted(taken) != list(range(1, jobs + 1)):
        raise SystemExit(f"{len(taken)} claims of {jobs} jobs, {len(set(taken))} distinct")
    begin = min(answer["begin"] for answer in answers)
    end = max(answer["end"] for answer in answers)
    return float(end - begin) / jobs * 1e3


def _raced(way: str, queue: Path, *, processes: int) -> list[dict[str, Any]]:
    """What each of so many processes took from one queue; they are let go when all are there."""
    argv = [PYTHON, str(Path(__file__).with_name("claimer.py")), way, str(queue)]
    claimers = [
        subprocess.Popen(
            argv,
            env=surroundings(queue),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(processes)
    ]
    for claimer in claimers:
        assert claimer.stdout is not None
        assert claimer.stdout.readline() == "ready\n"
    for claimer in claimers:
        assert claimer.stdin is not None
        claimer.stdin.write("go\n")
        claimer.stdin.flush()
    return [json.loads(claimer.communicate()[0]) for claimer in claimers]
