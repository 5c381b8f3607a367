"""Two agents that read the same page and write it at one moment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from processes import race

import lwc
from lwc.errors import PAGE_REVISION_CONFLICT, LwcError
from lwc.services import page_writes, pages
from lwc.wiki import Call, Wiki, open_wiki

RACES = 200


def test_of_two_writers_with_one_revision_exactly_one_wins(project: Path) -> None:
    """200 races of two processes; each round begins when both have seen the same revision."""
    turn, other_turn = os.pipe(), os.pipe()

    def write(writer: int) -> list[str]:
        mine, theirs = (turn, other_turn) if writer else (other_turn, turn)
        outcomes = []
        with open_wiki(project) as wiki:
            for number in range(RACES):
                os.write(theirs[1], b".")
                os.read(mine[0], 1)
                outcomes.append(_attempt(wiki, writer, number))
        return outcomes

    both = race(2, write)
    for rounds in zip(*both, strict=True):
        assert sorted(rounds) == ["conflict", "won"]
    with open_wiki(project) as wiki:
        entries = pages.history(wiki, slug="page", limit=1000).revisions
    winners = [f"writer-{rounds.index('won')}" for rounds in zip(*both, strict=True)]
    assert [entry.author for entry in reversed(entries)] == winners


def _attempt(wiki: Wiki, writer: int, seen: int) -> str:
    try:
        page_writes.put(
            wiki,
            Call(agent=f"writer-{writer}"),
            slug="page",
            title="Page",
            body=f"Writer {writer}, round {seen}.\n",
            if_revision=seen,
        )
    except LwcError as error:
        return "conflict" if error.problem is PAGE_REVISION_CONFLICT else str(error)
    return "won"


def test_of_two_commands_at_once_exactly_one_wins(project: Path) -> None:
    line = ["page", "put", "page", "--title", "T", "--file", "-", "--if-revision", "0", "--agent"]
    commands = [
        subprocess.Popen(
            [sys.executable, "-m", "lwc", *line, name],
            cwd=project,
            env={**os.environ, "PYTHONPATH": str(Path(lwc.__file__).parents[1])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for name in ("ann", "ben")
    ]
    for command, name in zip(commands, ("ann", "ben"), strict=True):
        assert command.stdin is not None
        command.stdin.write(f"Written by {name}.\n".encode())
    told = [command.communicate() for command in commands]
    statuses = [command.returncode for command in commands]
    assert sorted(statuses) == [0, 4]
    loser = statuses.index(4)
    error = json.loads(told[loser][1])["error"]
    assert error["code"] == "page_revision_conflict"
    assert (error["details"]["expected"], error["details"]["current"]) == (0, 1)
    with open_wiki(project) as wiki:
        winner = ("ann", "ben")[1 - loser]
        assert pages.show(wiki, slug="page").page.body == f"Written by {winner}.\n"
