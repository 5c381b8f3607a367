"""`python -m lwc.demo [FOLDER] [--wiki build/demo]`: documents become cited, searchable pages."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from lwc.demo import show
from lwc.demo.commands import Refused, Run, by_process, in_process
from lwc.demo.work import Done, one_job

SUFFIXES = {".md", ".mdx"}


def main(argv: list[str] | None = None) -> int:
    """Run the demo; answers 0 when every job came to an end."""
    parser = argparse.ArgumentParser(prog="python -m lwc.demo", description=__doc__)
    parser.add_argument("documents", nargs="?", default=".", type=Path, help="folder of documents")
    parser.add_argument("--wiki", default=Path("build/demo"), type=Path, help="where to work")
    options = parser.parse_args(argv)
    if not options.documents.is_dir():
        show.say(f"{options.documents} is not a folder. Give one: make demo DOCS=path/to/documents")
        return 2
    began = time.perf_counter()
    folder = options.wiki.resolve()
    show.say(f"The wiki is made in {folder}{_made_empty(folder)}")
    try:
        return _run(options.documents.resolve(), folder, began)
    except Refused as refused:
        show.refused(refused)
        return 1


def _made_empty(folder: Path) -> str:
    """Remove what a former demo left in the folder; answers the words that tell of it."""
    former = [path for path in (folder / ".lwc", folder / "documents") if path.is_dir()]
    for path in former:
        shutil.rmtree(path)
    folder.mkdir(parents=True, exist_ok=True)
    return "; what a former demo left there is replaced" if former else ""


def _run(documents: Path, folder: Path, began: float) -> int:
    copied = _copy(documents, folder / "documents", leave=folder)
    show.say(f"{show.counted(copied, 'document')} of {documents} copied beside it")
    commands, quick = by_process(folder, show.command), in_process(folder)
    commands("init", "--no-git-exclude")
    added, skipped = _add(commands)
    total = added["created"]
    show.added(total, added["duplicates"], skipped)
    if not total:
        show.say("There is no document to ingest there.")
        return 1
    done: list[Done] = []
    with show.progress(total) as step:
        # The first by real commands, to be seen; the rest by the same `main(argv)` in one process.
        first = one_job(commands)
        while first is not None:
            done.append(first)
            step(first)
            first = one_job(quick)
    show.report(quick, done, folder, seconds=time.perf_counter() - began)
    return 0 if len(done) == total else 1


def _copy(documents: Path, target: Path, *, leave: Path) -> int:
    """Copy the Markdown files, so that the demo's wiki is self-contained."""
    count = 0
    for path in sorted(documents.rglob("*")):
        relative = path.relative_to(documents)
        hidden = any(part.startswith(".") or part == "build" for part in relative.parts)
        if path.suffix.lower() not in SUFFIXES or hidden or path.is_relative_to(leave):
            continue
        if path.is_symlink() or not path.is_file():
            continue
        (target / relative).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target / relative)
        count += 1
    target.mkdir(parents=True, exist_ok=True)
    return count


def _add(run: Run) -> tuple[Any, list[Any]]:
    """Add the folder; files that cannot be taken are told, the others are in."""
    try:
        return run("source", "add-dir", "documents"), []
    except Refused as refused:
        if refused.error["code"] != "partial_import":
            raise
        return refused.error["details"], refused.error["details"]["skipped_files"]


if __name__ == "__main__":
    sys.exit(main())
