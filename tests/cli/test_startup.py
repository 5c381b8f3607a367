"""What a start imports: kept by names of modules, for times are another machine's tomorrow."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

import lwc
from lwc.__main__ import main

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


def test_only_a_process_of_its_own_changes_how_garbage_is_collected() -> None:
    before = gc.get_threshold(), gc.get_freeze_count()
    assert main(["--version"]) == 0
    assert (gc.get_threshold(), gc.get_freeze_count()) == before
