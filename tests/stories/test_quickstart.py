"""The quickstart, run as it stands: every command in one shell, every line of output it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

QUICKSTART = Path(__file__).parents[2] / "docs" / "quickstart.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
BETWEEN = "\x1e"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder in which `lwc` is a command."""
    command = tmp_path / "bin" / "lwc"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m lwc "$@"\n')
    command.chmod(0o755)
    return tmp_path


def test_every_command_of_the_quickstart_does_what_it_shows(folder: Path) -> None:
    steps = blocks()
    script = f"\nprintf '{BETWEEN}'\n".join(typed for typed, _ in steps)
    done = subprocess.run(
        ["sh", "-eu", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = done.stdout.split(BETWEEN)
    assert len(told) == len(steps) >= 10
    for (typed, shown), out in zip(steps, told, strict=True):
        printed = {line.rstrip(" ,") for line in out.splitlines()}
        missing = [line for line in shown.splitlines() if line.rstrip(" ,") not in printed]
        assert missing == [], f"after\n{typed}it printed\n{out}"


def blocks() -> list[tuple[str, str]]:
    """What is typed, with the lines that are shown after it."""
    found: list[tuple[str, str]] = []
    for language, text in BLOCK.findall(QUICKSTART.read_text("utf-8")):
        if language == "bash":
            found.append((text, ""))
        else:
            found[-1] = (found[-1][0], text)
    return found
