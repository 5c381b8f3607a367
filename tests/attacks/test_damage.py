"""A wiki whose rows hold what lwc never wrote: told as damage, never met as a surprise."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest
from typed_commands import LINES
from worlds import World

DAMAGES = (
    "UPDATE jobs SET lease_until = 'x' WHERE lease_until IS NOT NULL",
    "UPDATE jobs SET updated_at = '2026-11m30T20:33:43.191Z'",
    "UPDATE attempts SET claimed_at = 'x'",
    "UPDATE operations SET detail = '{'",
    "UPDATE operations SET created_at = 'x'",
    "UPDATE pages SET created_at = 'yesterday'",
    "UPDATE pages SET updated_at = ''",
    "UPDATE page_revisions SET source_ids = 'no'",
    "UPDATE page_revisions SET created_at = 'x'",
    "UPDATE sources SET created_at = 'x'",
    "UPDATE charter SET created_at = 'x'",
    "UPDATE text_parts SET body = 'other'",
    "DELETE FROM text_parts",
)
# A restored checkpoint would heal the damage.
READING = tuple(
    line
    for line in LINES
    if line.argv[-1] != "--check" and not line.before and "restore" not in line.argv
)


def altered(world: World, statement: str) -> None:
    def act(path: Path) -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA foreign_keys = 0")
        connection.execute("PRAGMA ignore_check_constraints = 1")
        connection.execute(statement)
        connection.close()

    world.damage(act)


@pytest.mark.parametrize("statement", DAMAGES)
def test_a_cell_that_stands_for_nothing_is_damage(statement: str, world: World) -> None:
    altered(world, statement)
    refused = set()
    for line in READING:
        done = world.lwc(*line.argv, stdin=line.stdin)
        if done.status:
            refused.add(done.error["reason"])
    assert "store_corrupt" in refused
    assert "internal_error" not in refused


@pytest.mark.parametrize("seed", range(6))
def test_flipped_bits_are_never_an_internal_error(seed: int, world: World) -> None:
    chance = random.Random(seed)

    def flip(path: Path) -> None:
        content = bytearray(path.read_bytes())
        for _ in range(chance.choice((1, 1, 4, 40))):
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        path.write_bytes(content)

    world.damage(flip)
    for line in chance.sample(READING, 20):
        done = world.lwc(*line.argv, stdin=line.stdin)
        assert done.status == 0 or done.error["reason"] != "internal_error", done.err


def test_a_schema_that_is_no_text_is_damage(world: World) -> None:
    def act(path: Path) -> None:
        content = path.read_bytes()
        at = content.index(b"CREATE TABLE")
        path.write_bytes(content[:at] + b"CREATE TABL\xcc" + content[at + 12 :])

    world.damage(act)
    for argv in (("page", "list"), ("maintenance", "check"), ("db", "SELECT 1")):
        assert world.lwc(*argv).error["reason"] == "store_corrupt"


def test_the_check_tells_of_a_table_that_cannot_be_read(world: World) -> None:
    def act(path: Path) -> None:
        connection = sqlite3.connect(path)
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'page_notes'"
        ).fetchone()
        connection.close()
        content = bytearray(path.read_bytes())
        content[(root - 1) * size : root * size] = bytes(size)
        path.write_bytes(content)

    world.damage(act)
    done = world.do("maintenance", "check")
    assert "database_damaged" in {finding["code"] for finding in done["findings"]}


def test_an_answer_that_was_kept_and_cannot_be_read_is_told_as_done(world: World) -> None:
    words = ("schema", "set", "-", "--request-id", "r1")
    world.do(*words, stdin="# A schema\n")
    altered(world, "UPDATE requests SET answer = '{\"revision\": []}' WHERE request_id = 'r1'")
    error = world.lwc(*words, stdin="# A schema\n").error
    assert (error["reason"], error["committed"]) == ("store_corrupt", True)
