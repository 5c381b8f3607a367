"""What a command imports, by names of modules: a cold command costs what it brings in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import storefiles

import lwc
from lwc.cli.commands import COMMANDS

# Tens or hundreds of milliseconds each: only a command that needs one brings it in.
HEAVY = frozenset(
    {"alembic", "markdown_it", "mdit_py_plugins", "rapidfuzz", "snowballstemmer", "sqlite_utils"}
    | {"rich", "pydantic"}
)
# Modules of commands and what of it they may bring in; any other module may nothing.
ALLOWED: Mapping[str, frozenset[str]] = {
    "lwc.cli.workspace": frozenset({"alembic"}),
    "lwc.cli.maintenance": frozenset({"alembic"}),
    "lwc.cli.doctor": frozenset({"markdown_it", "mdit_py_plugins", "rapidfuzz"}),
    "lwc.cli.db": frozenset({"rich", "sqlite_utils"}),
    "lwc.cli.page_write": frozenset({"markdown_it", "mdit_py_plugins", "rapidfuzz"}),
}
# Commands as they run in a wiki: what they import on the way counts as well.
LINES = (
    ("page", "list"),
    ("page", "show", "nothing"),
    ("source", "list"),
    ("ingest", "list"),
    ("ingest", "next"),
    ("search", "words"),
    ("context",),
    ("log",),
    ("schema", "show"),
    ("config", "show"),
)

# One interpreter has what every command needs; each module and line is told by a fork of it.
PROBE = """
import json, os, sys
from importlib import import_module

import sqlalchemy, typer

from lwc.__main__ import main


def told(work):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        sys.stdout = sys.stderr = open(os.devnull, "w")
        work()
        with os.fdopen(writing, "w") as pipe:
            json.dump(sorted(sys.modules), pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        found = pipe.read()
    os.waitpid(child, 0)
    return json.loads(found)


modules, lines = json.load(sys.stdin)
print(json.dumps([
    {module: told(lambda: import_module(module)) for module in modules},
    {" ".join(line): told(lambda: main(line)) for line in lines},
]))
"""


@pytest.fixture(scope="module")
def imported(
    tmp_path_factory: pytest.TempPathFactory, empty_store: Path
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The modules that are there after importing each command's, and after each line."""
    project = tmp_path_factory.mktemp("project")
    with storefiles.closed_store():
        shutil.copytree(empty_store, project / ".lwc")
    ran = subprocess.run(
        [sys.executable, "-c", PROBE],
        input=json.dumps([sorted({row[1] for row in COMMANDS}), LINES]),
        cwd=project,
        env={
            **os.environ,
            "PYTHONPATH": str(Path(lwc.__file__).parents[1]),
            "HOME": str(project / "nobody"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    modules, lines = json.loads(ran.stdout)
    return modules, lines


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_a_live_command_makes_no_tables_of_drafts(
    line: tuple[str, ...], imported: tuple[dict[str, list[str]], dict[str, list[str]]]
) -> None:
    _, lines = imported
    assert "lwc.store.tables.drafts" not in lines[" ".join(line)]


def heavy(modules: list[str]) -> frozenset[str]:
    return HEAVY & set(modules)


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row[0])
def test_the_module_of_a_command_brings_in_only_what_it_needs(
    row: tuple[str, ...], imported: tuple[dict[str, list[str]], dict[str, list[str]]]
) -> None:
    modules, _ = imported
    assert heavy(modules[row[1]]) <= ALLOWED.get(row[1], frozenset())


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_a_command_that_runs_brings_in_nothing_more(
    line: tuple[str, ...], imported: tuple[dict[str, list[str]], dict[str, list[str]]]
) -> None:
    _, lines = imported
    assert heavy(lines[" ".join(line)]) == frozenset()


def test_what_may_be_brought_in_is_needed(
    imported: tuple[dict[str, list[str]], dict[str, list[str]]],
) -> None:
    modules, _ = imported
    assert {name: heavy(modules[name]) & allowed for name, allowed in ALLOWED.items()} == ALLOWED
