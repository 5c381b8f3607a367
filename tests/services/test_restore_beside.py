"""Readers and writers beside restores: each sees one wiki whole, and no revision comes twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ingesting import AGENT
from page_makers import put
from processes import race

from lwc.errors import LwcError
from lwc.services import checkpoints, doctor, page_files, restore
from lwc.store import journal, pages
from lwc.wiki import Wiki, open_wiki

RESTORES = 8


def both(turn: str) -> str:
    lines = [{"slug": side, "title": "T", "body": f"{turn}\n"} for side in ("left", "right")]
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_each_sees_one_wiki_and_no_revision_comes_twice(wiki: Wiki, project: Path) -> None:
    page_files.put_many(wiki, AGENT, text=both("then"))
    checkpoints.create(wiki, AGENT, name="then")
    wiki.close()
    done = project / "done"

    def write() -> list[Any]:
        answers = []
        with open_wiki(project) as one:
            while not done.exists() or len(answers) < 3:
                put_ = page_files.put_many(one, AGENT, text=both(f"turn {len(answers)}"))
                answers.append([put_.revision, put_.pages[0].revision])
        return answers

    def read() -> list[Any]:
        seen, last, looks = set(), 0, 0
        with open_wiki(project) as one:
            while not done.exists() or looks < 3:
                with one.reading() as conn:
                    revision = journal.revision(conn)
                    left, right = (pages.find(conn, side) for side in ("left", "right"))
                    texts = {pages.body(conn, page) for page in (left, right)}
                assert len(texts) == 1, texts
                assert revision >= last, (revision, last)
                last, looks = revision, looks + 1
                seen |= texts
        return [looks, len(seen)]

    def go_back() -> list[Any]:
        revisions = []
        try:
            with open_wiki(project) as one:
                for _ in range(RESTORES):
                    revisions.append(restore.restore(one, AGENT, name="then").revision)
        finally:
            done.touch()
        return revisions

    written, (looks, _), restored = race(3, lambda number: (write, read, go_back)[number]())
    assert looks >= 3
    given = [revision for revision, _ in written]
    assert len({*given, *restored}) == len(given) + RESTORES
    assert given == sorted(given)
    page_revisions = [revision for _, revision in written]
    assert page_revisions == sorted(set(page_revisions))
    with open_wiki(project) as again:
        assert doctor.examine(again).findings == ()
        with again.reading() as conn:
            told = journal.recent(conn, limit=1000, action="checkpoint_restore")
        assert [one.id for one in reversed(told)] == restored


def test_two_restores_at_once_are_one_after_the_other(wiki: Wiki, project: Path) -> None:
    put(wiki, "a", "First.\n")
    checkpoints.create(wiki, AGENT, name="first")
    put(wiki, "a", "Second.\n")
    checkpoints.create(wiki, AGENT, name="second")
    wiki.close()

    def arrive(number: int) -> list[Any]:
        with open_wiki(project) as one:
            try:
                answer = restore.restore(one, AGENT, name=("first", "second")[number % 2])
            except LwcError as error:
                return [error.problem.code]
            return [answer.checkpoint, answer.revision]

    answers = race(4, arrive)
    assert sorted(revision for _, revision in answers) == [4, 5, 6, 7]
    last = max(answers, key=lambda answer: answer[1])[0]
    with open_wiki(project) as again:
        assert doctor.examine(again).findings == ()
        with again.reading() as conn:
            body = pages.body(conn, pages.find(conn, "a"))
        assert body == {"first": "First.\n", "second": "Second.\n"}[last]
        kept = [one for one in checkpoints.list_(again).checkpoints if one.kind == "pre-restore"]
        assert sorted(one.revision or 0 for one in kept) == [3, 4, 5, 6]
