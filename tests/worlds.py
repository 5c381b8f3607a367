"""A furnished wiki for the contract tests: sources, pages and jobs in every hand, copied for each.

`mutations.prepare` says what is in it: sources 1 to 3; job 1 analysed and job 2 claimed by `anna`,
job 3 pending; pages `store-source`, `writers` and `readers`, which link to each other, and `alone`.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mutations
import pytest
from processes import apart
from state import digest
from storefiles import closed_store

HELD = ("--agent", "anna")
PUT = ("--title", "T", "--file", "-")


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A project with a furnished wiki, and the ways to type commands in it."""

    project: Path
    lwc: Callable[..., Any]
    process: Callable[..., Any]
    clock: Any
    patch: pytest.MonkeyPatch

    def write(self, name: str, content: str | bytes) -> Path:
        """A file of the project."""
        path = self.project / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def do(self, *argv: str, stdin: str | bytes = "") -> Any:
        """The answer of a command that must succeed."""
        return self.lwc(*argv, stdin=stdin).ok()

    def digest(self) -> str:
        """What the wiki holds; equal as long as nothing was changed."""
        return digest(self.project)

    def damage(self, act: Callable[[Path], object]) -> None:
        """Do something to the closed database that only others would do."""
        with closed_store():
            act(self.project / ".lwc" / "wiki.db")


def put(slug: str, *more: str) -> tuple[str, ...]:
    """The words that write a page whose body is on standard input."""
    return ("page", "put", slug, *PUT, *more)


def furnish(project: Path) -> None:
    """Make the wiki of a project as `mutations.prepare` describes it, in a process of its own."""

    def work() -> None:
        os.chdir(project)
        os.environ["HOME"] = str(project / "nobody")
        run("init", "--no-git-exclude")
        mutations.prepare(project, run)

    apart(work)


def run(*argv: str, stdin: str = "") -> Any:
    """The answer of a command line run in this process."""
    from lwc.__main__ import main

    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    with redirect_stdout(out):
        status = main(list(argv))
    assert status == 0, argv
    out.seek(0)
    return json.loads(out.read())
