"""Two processes that end drafts, or write what a draft touches, at one moment."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from processes import race
from state import unsound  # type: ignore[import-not-found]

from lwc.errors import CHANGESET_CONFLICT, CHANGESET_ENDED, PAGE_REVISION_CONFLICT, LwcError
from lwc.services import changeset_publish, changesets, page_writes, pages
from lwc.wiki import Call, open_wiki

# What a side does before the moment, and at it.
Side = tuple[Callable[[int], object], Callable[[int], object]]
WON = "won"


def put(project: Path, slug: str, text: str, *, draft: str | None = None) -> None:
    with open_wiki(project, changeset=draft) as wiki:
        page_writes.put(wiki, Call(agent="ada"), slug=slug, title=slug, body=text)


def staged(project: Path, side: int, *, slug: str = "page") -> Callable[[int], None]:
    """Begins the draft of a round and writes a page in it."""

    def stage(number: int) -> None:
        name = f"draft-{side}-{number}"
        with open_wiki(project) as wiki:
            changesets.draft(wiki, Call(agent=f"agent-{side}"), name=name)
        put(project, slug, f"Round {number} of {side}.\n", draft=name)

    return stage


def published(project: Path, side: int) -> Callable[[int], None]:
    def publish(number: int) -> None:
        with open_wiki(project) as wiki:
            changeset_publish.publish(wiki, Call(), name=f"draft-{side}-{number}")

    return publish


def discarded(project: Path, side: int) -> Callable[[int], None]:
    def discard(number: int) -> None:
        with open_wiki(project) as wiki:
            changesets.discard(wiki, Call(), name=f"draft-{side}-{number}")

    return discard


def idle(number: int) -> None:
    """Nothing is to be done before."""


def written(project: Path) -> Side:
    """Writes the page against the revision it had before the moment."""
    seen: list[int] = []

    def look(number: int) -> None:
        with open_wiki(project) as wiki:
            seen.append(pages.show(wiki, slug="page").page.revision)

    def write(number: int) -> None:
        with open_wiki(project) as wiki:
            page_writes.put(
                wiki,
                Call(agent="live"),
                slug="page",
                title="page",
                body=f"Live in round {number}.\n",
                if_revision=seen[-1],
            )

    return look, write


def sides(project: Path, name: str) -> tuple[Side, Side]:
    mine = (staged(project, 0), published(project, 0))
    return {
        "publish and put": (mine, written(project)),
        "publish and publish, one page": (mine, (staged(project, 1), published(project, 1))),
        "publish and publish, one draft": (mine, (idle, published(project, 0))),
        "publish and discard": (mine, (idle, discarded(project, 0))),
        "publish and publish, disjoint": (
            mine,
            (staged(project, 1, slug="other"), published(project, 1)),
        ),
    }[name]


# How the two sides of a round may come out.
OUTCOMES = {
    "publish and put": {(WON, PAGE_REVISION_CONFLICT.name), (CHANGESET_CONFLICT.name, WON)},
    "publish and publish, one page": {
        *((WON, CHANGESET_CONFLICT.name), (CHANGESET_CONFLICT.name, WON))
    },
    "publish and publish, one draft": {*((WON, CHANGESET_ENDED.name), (CHANGESET_ENDED.name, WON))},
    "publish and discard": {(WON, CHANGESET_ENDED.name), (CHANGESET_ENDED.name, WON)},
    "publish and publish, disjoint": {(WON, WON)},
}


@pytest.mark.parametrize(
    "rounds", [8, pytest.param(200, marks=pytest.mark.slow)], ids=["some", "many"]
)
@pytest.mark.parametrize("name", OUTCOMES)
def test_of_two_that_meet_one_wins_and_the_other_is_told_why(
    project: Path, name: str, rounds: int
) -> None:
    put(project, "page", "Before.\n")
    put(project, "other", "Before.\n")
    turn, other_turn = os.pipe(), os.pipe()

    def run(number: int) -> list[str]:
        before, act = sides(project, name)[number]
        mine, theirs = (turn, other_turn) if number else (other_turn, turn)

        def meet() -> None:
            os.write(theirs[1], b".")
            os.read(mine[0], 1)

        outcomes = []
        for one in range(rounds):
            before(one)
            meet()
            outcomes.append(attempt(act, one))
            meet()
        return outcomes

    met = list(zip(*race(2, run), strict=True))
    assert [one for one in met if one not in OUTCOMES[name]] == []
    with open_wiki(project) as wiki:
        revisions = pages.history(wiki, slug="page", limit=1000).total
    discards = name == "publish and discard"
    assert revisions == 1 + sum(one[0] == WON if discards else WON in one for one in met)
    assert unsound(project) == []


def attempt(act: Callable[[int], object], number: int) -> str:
    try:
        act(number)
    except LwcError as error:
        return error.problem.name
    return WON
