"""What a start imports: kept by names of modules, for times are another machine's tomorrow."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import lwc
from lwc.cli.commands import COMMANDS, find

PROBE = """
import sys
before = set(sys.modules)
from lwc.__main__ import main
status = main(sys.argv[1:])
print(*sorted(set(sys.modules) - before), sep="\\n", file=sys.stderr)
"""


def imported(*argv: str) -> set[str]:
    """The modules that a command line brings in, in a fresh interpreter."""
    ran = subprocess.run(
        [sys.executable, "-c", PROBE, *argv],
        env={**os.environ, "PYTHONPATH": str(Path(lwc.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    return {line for line in ran.stderr.splitlines() if not line.startswith("{")}


@pytest.mark.parametrize(
    "argv", [["--version"], ["--help"], ["page", "--help"], []], ids=lambda argv: " ".join(argv)
)
def test_what_the_table_answers_imports_no_library(argv: list[str]) -> None:
    assert {
        name for name in imported(*argv) if name.partition(".")[0] not in ("lwc", "__future__")
    } == set()


def test_misuse_of_the_words_imports_no_parser() -> None:
    assert not {"typer", "sqlalchemy", "rich"} & imported("pgae", "show")


def test_a_command_that_needs_no_wiki_opens_no_store() -> None:
    modules = imported("completion", "bash")
    assert "typer" in modules
    assert not {"sqlalchemy", "alembic", "sqlite3", "rich", "pydantic"} & modules


def test_completing_words_imports_no_parser() -> None:
    assert not {"typer", "sqlalchemy", "rich"} & imported("__complete", "page", "sh")


def brought_by(module: str) -> set[str]:
    """All modules in an interpreter that has imported this one."""
    program = f"import sys, {module}; print(*sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(Path(lwc.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(ran.stdout.split())


@pytest.mark.parametrize("module", sorted({row[1] for row in COMMANDS}))
def test_no_command_imports_what_only_some_answers_need(module: str) -> None:
    """typer from 0.29 on brings pydantic; rich is for terminals; sqlite-utils for operators."""
    assert not {"pydantic", "rich", "sqlite_utils"} & brought_by(module)


@pytest.mark.parametrize(
    "name",
    ["page show", "page list", "search", "ingest next", "ingest read", "source show", "log"],
)
def test_what_agents_ask_most_reads_no_markdown_and_migrates_nothing(name: str) -> None:
    row = find(name)
    assert row is not None
    assert not {"alembic", "markdown_it", "rapidfuzz"} & brought_by(row[1])
