"""What every command answers: which wiki it was, the shape of it, and the same when asked again."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from typed_commands import CHANGING, LINES, Line
from worlds import World

from lwc.cli import app
from lwc.cli.commands import COMMANDS

SHAPES = Path(__file__).with_name("shapes.json")
# `UPDATE_SHAPES=1 python -m pytest tests/contracts -k shape` writes what is answered now.
UPDATE = bool(os.environ.get("UPDATE_SHAPES"))
# These put several wikis, or none, into one answer.
UNLABELLED = {"search", "context"}
# A script for a shell; its text is tested where it is run.
NOT_JSON = {"completion"}
# They are repeated by themselves: what is there is not made again.
MADE_ONCE = {"init", "import"}
# The token of a claim is never kept, so a repeated claim answers a new one.
SECRETS = {"token", "lease_expires_at", "next", "why"}

Shape = dict[str, str]


def answer(world: World, line: Line, *more: str) -> Any:
    return world.do(*line.argv, *more, stdin=line.stdin)


def arrange(world: World, line: Line) -> None:
    for before in line.before:
        world.do(*before)


def test_every_command_is_typed_here() -> None:
    assert {line.command for line in LINES} | NOT_JSON == {row[0] for row in COMMANDS}


def test_every_changing_command_is_repeated_here() -> None:
    changing = {row[0] for row in COMMANDS if app.load(row).mutates}
    assert {line.command for line in CHANGING} | MADE_ONCE == changing


@pytest.mark.parametrize("line", LINES, ids=str)
def test_an_answer_has_the_shape_it_had(line: Line, world: World) -> None:
    arrange(world, line)
    told = answer(world, line)
    if line.command not in UNLABELLED:
        scope = "global" if "global" in line.argv else "project"
        folder = Path(os.environ["HOME"]) if scope == "global" else world.project
        assert told["scope"] == scope
        assert told["database"] == str(folder / ".lwc" / "wiki.db")
    shape = shape_of(told)
    kept: dict[str, Shape] = json.loads(SHAPES.read_text("utf-8")) if SHAPES.exists() else {}
    name = " && ".join([*map(" ".join, line.before), str(line)])
    if UPDATE:
        kept[name] = shape
        SHAPES.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", "utf-8")
    assert kept.get(name) == shape, "see UPDATE_SHAPES above"


def shape_of(value: Any) -> Shape:
    """The types of all that stands at each place of an answer: `pages[].summary` → `str`."""
    found: dict[str, set[str]] = defaultdict(set)

    def look(place: str, value: Any) -> None:
        if isinstance(value, dict):
            found[place].add("object")
            for key, item in value.items():
                look(f"{place}.{key}".lstrip("."), item)
        elif isinstance(value, list):
            found[place].add("list")
            for item in value:
                look(f"{place}[]", item)
        else:
            found[place].add("null" if value is None else type(value).__name__)

    look("", value)
    found.pop("")
    return {place: "|".join(sorted(types)) for place, types in sorted(found.items())}


@pytest.mark.parametrize("line", CHANGING, ids=str)
def test_a_repeated_request_answers_the_same_and_does_nothing(line: Line, world: World) -> None:
    arrange(world, line)
    first = answer(world, line, "--request-id", "r1")
    after = world.digest()
    again = answer(world, line, "--request-id", "r1")
    assert first.pop("replayed") is False
    assert again.pop("replayed") is True
    assert without(again, SECRETS) == without(first, SECRETS)
    assert world.digest() == after


def without(value: Any, names: set[str]) -> Any:
    """The value without these fields, wherever they are."""
    if isinstance(value, dict):
        return {key: without(item, names) for key, item in value.items() if key not in names}
    if isinstance(value, list):
        return [without(item, names) for item in value]
    return value


@pytest.mark.parametrize("line", CHANGING, ids=str)
def test_a_request_id_stands_for_one_command_only(line: Line, world: World) -> None:
    arrange(world, line)
    world.do(
        "page", "put", "taken", "--title", "T", "--file", "-", "--request-id", "r1", stdin="T."
    )
    before = world.digest()
    refused = world.lwc(*line.argv, "--request-id", "r1", stdin=line.stdin)
    assert refused.error["code"] == "request_id_reused"
    assert world.digest() == before


@pytest.mark.parametrize("line", CHANGING, ids=str)
def test_a_change_against_another_revision_is_refused(line: Line, world: World) -> None:
    arrange(world, line)
    before = world.digest()
    bound = "--if-wiki-revision" if line.argv[0] == "page" else "--if-revision"
    refused = world.lwc(*line.argv, bound, "1", stdin=line.stdin)
    assert (refused.error["code"], refused.status) == ("stale_revision", 4)
    assert world.digest() == before
