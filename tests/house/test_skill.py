"""The skill that teaches a host agent: short, whole, and true to the commands there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_lines import in_blocks, parsed

from lwc import packaged
from lwc.cli.commands import COMMANDS, find
from lwc.errors import problems

SKILL = packaged.folder("skills") / "using-lwc"
MAIN = SKILL / "SKILL.md"
REFERENCES = sorted((SKILL / "references").glob("*.md"))
LINES_MOST = 120
# For operators, or about what agents are not to touch.
NOT_TAUGHT = {"completion", "config show", "config set", "config unset", "db"}
UPKEEP = "maintenance"


def text(path: Path) -> str:
    return path.read_text("utf-8")


def test_its_front_matter_names_and_describes_it() -> None:
    found = re.match(r"---\n(.*?)\n---\n", text(MAIN), re.DOTALL)
    assert found is not None
    fields = dict(line.split(": ", 1) for line in found.group(1).splitlines())
    assert set(fields) == {"name", "description"}
    assert fields["name"] == SKILL.name
    assert re.fullmatch(r"[a-z0-9-]{1,64}", fields["name"])
    assert 1 <= len(fields["description"]) <= 1024
    assert not set("<>") & set(fields["description"])


@pytest.mark.parametrize("path", [MAIN, *REFERENCES], ids=lambda path: path.name)
def test_it_is_short(path: Path) -> None:
    assert len(text(path).splitlines()) <= LINES_MOST


def test_the_router_leads_to_every_reference_and_to_nothing_else() -> None:
    linked = {SKILL / target for target in re.findall(r"\]\(([^)]+)\)", text(MAIN))}
    assert linked == set(REFERENCES)


@pytest.mark.parametrize("path", [MAIN, *REFERENCES], ids=lambda path: path.name)
def test_every_command_in_it_can_be_typed(path: Path) -> None:
    lines = list(in_blocks(text(path)))
    assert lines
    for line in lines:
        parsed(line)


@pytest.mark.parametrize("path", [MAIN, *REFERENCES], ids=lambda path: path.name)
def test_every_code_in_it_is_one_that_is_answered(path: Path) -> None:
    codes = {word for _, row in problems() for word in (row.code, row.name)}
    table = re.findall(r"^\| (`[^|]*?) \|", text(path), re.MULTILINE)
    named = {code for cell in table for code in re.findall(r"`([a-z]+(?:_[a-z]+)*)`", cell)}
    assert named - {"code", "committed"} <= codes


def test_every_command_of_an_agents_work_is_taught() -> None:
    lines = [line for path in (MAIN, *REFERENCES) for line in in_blocks(text(path))]
    sentences = " ".join(text(path) for path in (MAIN, *REFERENCES))
    taught = {name for line in lines if (name := command_of(line))}
    taught |= {row[0] for row in COMMANDS if f"`lwc {row[0]}" in sentences}
    wanted = {row[0] for row in COMMANDS} - NOT_TAUGHT
    assert {name for name in wanted - taught if not name.startswith(UPKEEP)} == set()


def command_of(line: str) -> str | None:
    words = line.split()[1:]
    return next((name for size in (2, 1) if find(name := " ".join(words[:size]))), None)
