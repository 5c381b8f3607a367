from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

SQL = "SELECT name, revision FROM charter ORDER BY name"
ROWS = [{"name": "purpose", "revision": 1}, {"name": "schema", "revision": 1}]
CSV = "name,revision\npurpose,1\nschema,1\n"

Lwc = Callable[..., Any]


def test_rows_are_objects_in_json(lwc: Lwc) -> None:
    for form in ((), ("--format", "json"), ("--output", "json")):
        found = lwc("db", SQL, *form).ok()
        assert (found["rows"], found["columns"]) == (ROWS, ["name", "revision"])


def test_rows_are_lines_in_csv_whatever_they_hold(lwc: Lwc) -> None:
    assert lwc("db", SQL, "--format", "csv").out == CSV
    awkward = "SELECT 'a,b' AS \"x,y\", 'say \"so\"' AS z, NULL AS n"
    assert lwc("db", awkward, "--format", "csv").out == '"x,y",z,n\n"a,b","say ""so""",\n'


@pytest.mark.parametrize("form", [("--format", "table"), ("--output", "text")], ids=" ".join)
def test_rows_are_a_table_for_people(lwc: Lwc, form: tuple[str, ...]) -> None:
    head, _, *rows = lwc("db", SQL, *form).out.splitlines()
    assert head.split() == ["name", "revision"]
    assert [row.split() for row in rows] == [["purpose", "1"], ["schema", "1"]]


def test_a_table_says_that_there_is_more(lwc: Lwc) -> None:
    assert "There is more" in lwc("db", SQL, "--limit", "1", "--output", "text").out


def test_nothing_to_see_is_an_answer(lwc: Lwc) -> None:
    found = lwc("db", "SELECT slug FROM pages").ok()
    assert (found["rows"], found["returned"], found["has_more"]) == ([], 0, False)
    assert lwc("db", "SELECT slug FROM pages", "--format", "csv").out == "slug\n"


def test_a_sound_wiki_is_told_in_one_word(lwc: Lwc) -> None:
    assert lwc("maintenance", "check").ok()["sound"] is True
    assert "The wiki is sound." in lwc("maintenance", "check", "--output", "text").out
