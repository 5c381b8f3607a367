"""What a person sees of the demo: progress, tables of jobs, pages, citations and search results."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from lwc import wire
from lwc.demo.commands import Refused, Run, typed
from lwc.demo.work import Done

ROWS = 12
PAGES = ("page", "list", "--limit", str(ROWS))
WIDTHS = {"source": 6, "windows": 7, "state": 9, "revision": 8, "type": 6}


def _console(*, stderr: bool = False) -> Console:
    found = Console(stderr=stderr, highlight=False)
    if not found.is_terminal:
        found.width = 120
    return found


def say(words: str) -> None:
    """A line; the terminal wraps it, so that paths and commands can be copied."""
    _console().print(Text(wire.visible(words)), soft_wrap=True)


def command(words: str) -> None:
    """A command as it is run, on one line so that it can be copied."""
    _console().print(Text(f"$ {wire.visible(words)}", style="dim"), soft_wrap=True)


def counted(number: int, noun: str) -> str:
    """`1 job`, `2 jobs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def refused(error: Refused) -> None:
    say(f"The demo stopped: {error}")


@contextmanager
def progress(total: int) -> Iterator[Callable[[Done], None]]:
    """A bar on stderr at a terminal, else a line now and then."""
    console = _console(stderr=True)
    if not console.is_terminal:
        yield _every_so_often(total, console)
        return
    columns = (
        TextColumn("ingesting"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("", total=total)

        def step(done: Done) -> None:
            bar.update(
                task, advance=1, description=wire.visible(done.title)[-40:].replace("[", "(")
            )

        yield step


def _every_so_often(total: int, console: Console) -> Callable[[Done], None]:
    seen = 0

    def step(done: Done) -> None:
        nonlocal seen
        seen += 1
        if seen in (1, total) or seen % max(1, total // 10) == 0:
            console.print(Text(f"{seen} of {total} jobs done"))

    return step


def added(created: int, duplicates: int, skipped: Sequence[Any]) -> None:
    """What became of the documents: jobs, copies of others, and what could not be taken."""
    copies = f"; copies of another document: {duplicates}" if duplicates else ""
    say(f"{counted(created, 'job')}{copies}")
    for file in skipped[:ROWS]:
        say(f"not added: {file['path']} ({file['reason']})")
    if len(skipped) > ROWS:
        say(f"not added: {len(skipped) - ROWS} more")


def report(run: Run, done: Sequence[Done], folder: Path, *, seconds: float) -> None:
    """The tables, the searches and where to look next."""
    _jobs(done)
    failed = [one for one in done if one.state == "failed"]
    for one in failed[:ROWS]:
        say(f"failed: {one.title}: {one.words}")
    if len(failed) > ROWS:
        say(f"failed: {len(failed) - ROWS} more")
    _pages(run)
    _citations(run, done)
    _searches(run, done)
    lint = run("lint", "--limit", "1")
    errors = lint["severities"].get("error", 0)
    say(f"lint: {counted(errors, 'error')} among {counted(lint['total'], 'finding')}")
    states = Counter(one.state for one in done)
    ended = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
    say(f"{counted(len(done), 'job')} in {seconds:.1f} s: {ended}.")
    say("Look around next:")
    for line in _next(folder):
        say(f"  {line}")


def _next(folder: Path) -> Iterator[str]:
    """Commands that can be typed as they stand."""
    lwc = typed(folder)
    yield f"cd {shlex.quote(str(folder))}"
    yield f"{lwc} search 'your question'"
    yield f"{lwc} page list --kind concept"
    for command in ("ingest show 1", "source coverage 1", "lint"):
        yield f"{lwc} {command}"


def _jobs(done: Sequence[Done]) -> None:
    table = _table("Jobs", "source", "document", "windows", "state", "pages")
    shown = done[:ROWS]
    for one in shown:
        _row(table, one.source_id, one.title, one.windows, one.state, ", ".join(one.pages))
    _print(table, len(shown), len(done))


def _pages(run: Run) -> None:
    title, listed = "Concept pages", run(*PAGES, "--kind", "concept")
    if not listed["total"]:
        title, listed = "Pages", run(*PAGES)
    table = _table(title, "page", "revision", "provenance", "summary")
    for page in listed["pages"]:
        _row(
            table,
            page["slug"],
            page.get("revision", ""),
            ", ".join(page["provenance"]),
            page["summary"],
        )
    _print(table, len(listed["pages"]), listed["total"])


def _citations(run: Run, done: Sequence[Done]) -> None:
    table = _table("Citations", "page", "source", "state", "quote")
    shown = 0
    for one in done:
        for slug in one.pages[:1]:
            for citation in run("page", "show", slug)["citations"][:2]:
                _row(table, slug, citation["source_id"], citation["state"], citation["quote"])
                shown += 1
        if shown >= ROWS:
            break
    _print(table, shown, shown)


def _searches(run: Run, done: Sequence[Done]) -> None:
    words = Counter(slug for one in done for slug in one.pages[1:])
    questions = [f"what is {word}" for word, _ in words.most_common(2)]
    # Without a concept the first document is asked for by its name.
    questions = questions or [one.title for one in done if one.pages][:1]
    for question in questions:
        found = run("search", "--limit", "3", "--", question)
        table = _table(f"lwc search {shlex.quote(question)}", "type", "page", "title", "snippet")
        for result in found["results"]:
            _row(table, result["type"], result["identifier"], result["title"], result["snippet"])
        _print(table, len(found["results"]), found["total"])


def _table(title: str, *columns: str) -> Table:
    table = Table(title=Text(wire.visible(title)), title_justify="left", expand=True)
    for column in columns:
        width = WIDTHS.get(column)
        table.add_column(
            column, overflow="ellipsis", no_wrap=True, width=width, ratio=None if width else 1
        )
    return table


def _row(table: Table, *cells: Any) -> None:
    table.add_row(*(Text(wire.visible(" ".join(str(cell).split()))) for cell in cells))


def _print(table: Table, shown: int, total: int) -> None:
    console = _console()
    console.print(table)
    if total > shown:
        console.print(Text(f"… and {total - shown} more", style="dim"))
