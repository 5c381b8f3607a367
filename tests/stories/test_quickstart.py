"""The quickstart, run as it stands: every command in one shell, every line of output it shows.

What the how-to pages type goes on where the quickstart ends, and runs, too.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import lwc

DOCS = Path(__file__).parents[2] / "docs"
QUICKSTART = DOCS / "quickstart.md"
HOWTOS = sorted(path for path in (DOCS / "howto").glob("*.md") if path.stem != "python")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
BETWEEN = "\x1e"


@dataclass(frozen=True)
class Shell:
    """A folder with a home of its own, in which `lwc` is a command."""

    folder: Path

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        environ = {name: text for name, text in os.environ.items() if not name.startswith("LWC_")}
        environ["PATH"] = f"{self.folder / 'bin'}:{environ['PATH']}"
        return subprocess.run(
            ["sh", "-eu", "-c", script],
            cwd=self.folder,
            env=environ
            | {"HOME": str(self.folder), "PYTHONPATH": str(Path(lwc.__file__).parents[1])},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    folder = tmp_path_factory.mktemp("quickstart")
    for name, words in (("lwc", " -m lwc"), ("python3", "")):
        command = folder / "bin" / name
        command.parent.mkdir(exist_ok=True)
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}"{words} "$@"\n')
        command.chmod(0o755)
    return Shell(folder)


@pytest.fixture(scope="module")
def quickstart(shell: Shell) -> subprocess.CompletedProcess[str]:
    """The quickstart, run once; it leaves its wiki in the folder `demo`."""
    steps = blocks(QUICKSTART)
    return shell.run(f"\nprintf '{BETWEEN}'\n".join(typed for typed, _ in steps))


def test_every_command_of_the_quickstart_does_what_it_shows(
    quickstart: subprocess.CompletedProcess[str],
) -> None:
    assert quickstart.returncode == 0, quickstart.stderr
    steps, told = blocks(QUICKSTART), quickstart.stdout.split(BETWEEN)
    assert len(told) == len(steps) >= 10
    for (typed, shown), out in zip(steps, told, strict=True):
        printed = {line.rstrip(" ,") for line in out.splitlines()}
        missing = [line for line in shown.splitlines() if line.rstrip(" ,") not in printed]
        assert missing == [], f"after\n{typed}it printed\n{out}"


@pytest.mark.parametrize("page", HOWTOS, ids=lambda page: page.stem)
def test_every_command_of_a_how_to_runs_after_the_quickstart(
    page: Path, shell: Shell, quickstart: subprocess.CompletedProcess[str]
) -> None:
    assert quickstart.returncode == 0, quickstart.stderr
    typed = "".join(typed for typed, _ in blocks(page))
    done = shell.run(f"cp -R demo {page.stem}\ncd {page.stem}\nexport LWC_AGENT=me\n{typed}")
    assert done.returncode == 0, done.stderr


def blocks(page: Path) -> list[tuple[str, str]]:
    """What is typed, with the lines that are shown after it."""
    found: list[tuple[str, str]] = []
    for language, text in BLOCK.findall(page.read_text("utf-8")):
        if language == "bash":
            found.append((text, ""))
        elif found:
            found[-1] = (found[-1][0], text)
    return found
