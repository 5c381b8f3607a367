from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lwc.cli import app, menu
from lwc.cli.commands import COMMANDS, GROUPS

if TYPE_CHECKING:
    from lwc.cli.commands import Row


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row[0])
def test_each_row_is_a_command_with_a_manual(row: Row) -> None:
    manual = app.manual(row)
    assert manual.startswith(f"Usage: lwc {row[0]} ")
    assert (app.load(row).function.__doc__ or "").strip()
    assert "  -h, --help" in manual


def test_names_are_unique() -> None:
    names = [row[0] for row in COMMANDS]
    assert len(set(names)) == len(names)


def test_each_group_says_what_it_is_about() -> None:
    assert {row[0].partition(" ")[0] for row in COMMANDS if " " in row[0]} == set(GROUPS)


def test_the_front_page_names_every_command_on_lines_that_fit() -> None:
    lines = menu.front().splitlines()
    assert all(any(line.startswith(f"  {row[0]} ") for line in lines) for row in COMMANDS)
    assert max(map(len, lines)) <= 100
