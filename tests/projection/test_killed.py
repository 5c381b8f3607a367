"""A run that is stopped at any of its steps: the next one finds its way, and nothing is lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ingesting import a_source
from page_makers import cited, put
from projecting import catch_up, files, made_anew, materialize, switch

from lwc.services import charter, page_moves, source_writes
from lwc.store.database import Database
from lwc.wiki import Call, Wiki

CALL = Call(agent="tester")
# What changes files, and what changes the database that knows of them.
STEPS = ("rename", "unlink", "fsync", "mkdir", "rmdir")


class Killed(BaseException):
    """The process is gone; nothing of it runs on."""


class Killer:
    """Stops a run before its nth step."""

    def __init__(self, patch: pytest.MonkeyPatch, *, at: int) -> None:
        self.left = at
        for name in STEPS:
            patch.setattr(os, name, self._stopping(getattr(os, name)))
        writing = Database.writing
        patch.setattr(Database, "writing", self._stopping(writing))

    def _stopping(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **options: Any) -> Any:
            if self.left == 0:
                raise Killed
            self.left -= 1
            return step(*args, **options)

        return run


def prepare(wiki: Wiki) -> None:
    """Files of every kind, all up, and then changes of every kind that wait."""
    source_id = a_source(wiki, "Only one writer can hold the lock at any moment.\n")
    for slug in ("moves", "goes", "stays"):
        put(wiki, slug, cited(source_id))
    spare = a_source(wiki, "Nobody cites this text at all.", name="spare.md")
    assert catch_up(wiki) is None
    switch(wiki, "off")
    put(wiki, "moves", cited(source_id), kind="entity")
    put(wiki, "stays", "Another text.")
    page_moves.rename(wiki, CALL, slug="stays", to="renamed")
    page_moves.remove(wiki, CALL, slug="goes")
    put(wiki, "stands", "New.", kind="query")
    source_writes.remove(wiki, CALL, source_id=spare)
    charter.put(wiki, CALL, name="purpose", text="# Another purpose\n")
    switch(wiki, "on")


def killed_at(wiki: Wiki, run: Callable[[Wiki], object], at: int) -> bool:
    """Whether the run was stopped before that step; with fewer steps it is done."""
    with pytest.MonkeyPatch.context() as patch:
        killer = Killer(patch, at=at)
        try:
            run(wiki)
        except Killed:
            return True
    assert killer.left >= 0
    return False


@pytest.mark.parametrize("run", [catch_up, materialize])
def test_a_run_that_is_killed_anywhere_is_made_up_for(
    run: Callable[[Wiki], object], wiki: Wiki, store: Path
) -> None:
    prepare(wiki)
    at = 0
    while killed_at(wiki, run, at):
        at += 1
        # The next command changes what was half done once more, and brings it up.
        answer = put(wiki, "stands", f"Text {at}.", kind=("query", "entity")[at % 2])
        assert answer.projection is None
        assert files(store) == made_anew(wiki) | left_by(store)
        switch(wiki, "off")
        put(wiki, "moves", f"Text {at}.", kind=("concept", "entity")[at % 2])
        put(wiki, "stands", f"Text {at} again.", kind=("synthesis", "query")[at % 2])
        charter.put(wiki, CALL, name="purpose", text=f"# Purpose {at}\n")
        switch(wiki, "on")
    assert at > 15
    materialize(wiki)
    assert not list(store.rglob(".lwc-projecting*"))
    assert files(store) == made_anew(wiki) | left_by(store)


def left_by(store: Path) -> dict[str, str]:
    """What a killed run may leave: a file it has not finished, a folder it has put nothing in."""
    return {
        path: text
        for path, text in files(store).items()
        if ".lwc-projecting" in path or path.endswith("/")
    }
