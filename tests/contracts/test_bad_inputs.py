"""Bad inputs, by the ids of the list they were collected in: how each is refused, or taken.

A refusal is one JSON object on standard error with the code scripts branch on and the finer
reason; standard output stays empty, and the wiki holds what it held. Those that take many
processes, other rights or another file system are in `stories/`, `store/test_database.py` and
`services/test_workspaces.py`.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bad_inputs import BAD, SECRET, Bad
from processes import race
from worlds import HELD, World, put

ERROR_FIELDS = {"code", "reason", "message", "hint", "retryable", "committed", "details"}


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_a_bad_input_is_refused_in_its_own_words_and_changes_nothing(
    bad: Bad, world: World
) -> None:
    if bad.make is not None:
        bad.make(world)
    before = world.digest()
    refused = (world.process if bad.as_process else world.lwc)(*bad.argv, stdin=bad.stdin)
    error = refused.error  # reading it proves that standard output stayed empty
    assert (error["code"], error["reason"]) == (bad.code, bad.reason or bad.code)
    assert refused.status == bad.status
    assert set(error) == ERROR_FIELDS
    assert (error["retryable"], error["committed"]) == (False, False)
    assert error["message"]
    assert error["hint"]
    assert bad.told.items() <= error["details"].items()
    assert refused.err.count("\n") == 1
    assert SECRET not in refused.err
    assert world.digest() == before


class TestTaken:
    def test_b032_a_file_listed_twice_is_one_source(self, world: World) -> None:
        entries = [{"path": "late.md"}, {"path": "./late.md"}]
        world.write("m.json", json.dumps({"sources": entries}))
        for created in (1, 0):
            added = world.do("source", "add-manifest", "m.json")
            assert (added["created"], added["duplicates"]) == (created, 2 - created)
            assert [entry["source"]["id"] for entry in added["sources"]] == [4, 4]

    def test_b041_hostile_characters_are_kept_and_never_printed_raw(self, world: World) -> None:
        body = "Title \x1b]0;owned\x07 then \x9b31m and \u202eright to left.\n"
        world.do(*put("fresh"), stdin=body)
        for form in ("json", "text"):
            shown = world.lwc("page", "show", "fresh", "--output", form)
            assert shown.status == 0
            assert not set("\x1b\x07\x9b\u202e") & set(shown.out)
        assert world.do("page", "show", "fresh")["page"]["body"] == body

    def test_b049_composed_and_decomposed_letters_are_one_page(self, world: World) -> None:
        first = world.do(*put("caf\u00e9"), stdin="One.\n")
        second = world.do(*put("cafe\u0301"), stdin="Two.\n")
        assert (first["created"], second["created"]) == (True, False)
        assert first["page"]["slug"] == second["page"]["slug"] == "caf\u00e9"

    def test_b056_a_link_to_no_page_is_a_finding_with_its_place(self, world: World) -> None:
        world.do(*put("fresh"), stdin="One.\n\nSee [[missing-page]].\n")
        (found,) = world.do("lint", "--page", "fresh", "--code", "dangling_link")["issues"]
        assert (found["page"], found["target"], found["line"]) == ("fresh", "missing-page", 3)

    @pytest.mark.parametrize(
        "body",
        [
            "[[../secret]] and [[javascript:alert(1)]]",
            "```\n[[readers]]\n```",
            "`[[readers]]`",
            "<!-- [[readers]] -->",
            "\\[[readers]]",
            "[[" * 100_000,
        ],
        ids=["B058", "B061 fence", "B061 code", "B061 comment", "B061 escaped", "B059"],
    )
    def test_what_is_no_link_is_text(self, world: World, body: str) -> None:
        world.do(*put("fresh"), stdin=f"{body}\n")
        links = world.do("page", "links", "fresh")
        assert (links["outgoing"], links["missing"]) == ([], [])

    def test_b073_a_refused_completion_leaves_the_job_where_it_is(self, world: World) -> None:
        world.do("ingest", "claim", "3", *HELD)
        world.do("ingest", "analyze", "3", *HELD, "--file", "-", stdin="Analysis.")
        assert world.lwc("ingest", "complete", "3", *HELD).status == 5
        assert world.do("ingest", "show", "3")["job"]["status"] == "generating"

    def test_b076_the_same_request_again_is_the_same_success(self, world: World) -> None:
        first = world.do("ingest", "complete", "1", *HELD, "--request-id", "r1")
        again = world.do("ingest", "complete", "1", *HELD, "--request-id", "r1")
        assert again == {**first, "replayed": True}

    def test_b082_one_of_sixteen_gets_the_only_job(self, world: World) -> None:
        def take(number: int) -> list[Any]:
            answered = world.lwc("ingest", "next", "--agent", f"agent-{number}")
            answer = answered.json
            return [
                answered.status,
                answer["job"] and answer["job"]["source"]["id"],
                answer["reason"],
            ]

        taken = race(16, take)
        assert taken.count([0, 3, None]) == 1
        assert taken.count([0, None, "queue_empty"]) == 15

    @pytest.mark.parametrize("words", ["*", '""', "-", "?!"])
    def test_b085_text_without_words_finds_nothing(self, world: World, words: str) -> None:
        found = world.do("search", "--", words)
        assert (found["results"], found["total"]) == ([], 0)

    @pytest.mark.parametrize(
        "words",
        [
            *('"writer', "writer)", "(writer", "writer AND", "NEAR(writer", "writer*", "^writer"),
            *(
                "title:writer",
                "- title : writer",
                "{slug title}: writer",
                "writer NOT",
                "a\0writer",
            ),
        ],
        ids=lambda words: words.encode("unicode_escape").decode(),
    )
    def test_b086_b087_what_would_be_syntax_is_words(self, world: World, words: str) -> None:
        found = world.do("search", "--", words)
        assert "writers" in [result["identifier"] for result in found["results"]]


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(size: Callable[[int], int]) -> Callable[[Path], object]:
    return lambda path: os.truncate(path, size(path.stat().st_size))


def foreign(path: Path) -> None:
    path.unlink()
    conn = sqlite3.connect(path)
    conn.execute("CREATE TABLE recipes (name TEXT)")
    conn.close()


def newer(path: Path) -> None:
    conn = sqlite3.connect(path)
    conn.execute("PRAGMA user_version = 999")
    conn.close()


def linked(path: Path) -> None:
    path.rename(path.parent.parent / "elsewhere.db")
    path.symlink_to("../elsewhere.db")


def linked_folder(path: Path) -> None:
    path.parent.rename(path.parent.parent / "elsewhere")
    path.parent.symlink_to("elsewhere")


class TestDatabase:
    @pytest.mark.parametrize(
        "harm, code, reason",
        [
            pytest.param(empty, "store_not_lwc", "store_not_lwc", id="B104"),
            pytest.param(cut(lambda size: 1), "store_not_lwc", "store_not_lwc", id="B105 1 byte"),
            pytest.param(cut(lambda size: 99), "corrupt_store", "store_corrupt", id="B105 short"),
            pytest.param(
                cut(lambda size: size // 2), "corrupt_store", "store_corrupt", id="B105 half"
            ),
            pytest.param(foreign, "store_not_lwc", "store_not_lwc", id="B107"),
            pytest.param(newer, "unsupported_store_version", "store_newer", id="B108"),
            pytest.param(linked, "project_root_escape", "symlink_refused", id="B115 link"),
            pytest.param(
                linked_folder, "project_root_escape", "symlink_refused", id="B115 linked folder"
            ),
            pytest.param(
                lambda path: path.parent.parent.joinpath("second.db").hardlink_to(path),
                *("multiple_links", "multiple_links"),
                id="B115 second name",
            ),
        ],
    )
    @pytest.mark.parametrize("argv", [("page", "list"), put("fresh")], ids=["reading", "writing"])
    def test_what_is_no_wiki_of_ours_is_refused_and_left_alone(
        self,
        world: World,
        harm: Callable[[Path], object],
        code: str,
        reason: str,
        argv: tuple[str, ...],
    ) -> None:
        world.damage(harm)
        held: list[bytes] = []
        world.damage(lambda path: held.append(path.read_bytes()))
        refused = world.lwc(*argv, stdin="Text.\n")
        assert (refused.error["code"], refused.error["reason"]) == (code, reason)
        assert refused.status == 4
        world.damage(lambda path: held.append(path.read_bytes()))
        assert held[0] == held[1]

    def test_b112_a_flipped_bit_is_found_by_its_digest(self, world: World) -> None:
        def flip(path: Path) -> None:
            content = bytearray(path.read_bytes())
            content[content.rindex(b"power cut")] ^= 1
            path.write_bytes(content)

        world.damage(flip)
        for words in (("doctor", "--severity", "error"), ("maintenance", "check")):
            checked = world.do(*words)
            assert [found["code"] for found in checked["findings"]] == ["content_hash_mismatch"]
            assert checked["sound"] is False
