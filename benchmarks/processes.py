"""Whole processes: the CPU time and the memory a command costs, its imports and all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PYTHON = sys.executable
BARE = (PYTHON, "-c", "pass")
LIBRARIES = (PYTHON, "-c", "import sqlalchemy, typer")

# A child counts the memory of its parent as a peak of its own; so this parent is a small one.
_PEAK = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a process came to: CPU in milliseconds, its exit status, what it printed."""

    cpu: float
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def lwc(*argv: str) -> tuple[str, ...]:
    """The command line of a command, by the script that an installation makes."""
    script = Path(PYTHON).with_name("lwc")
    if script.exists():
        return (str(script), *argv)
    return (PYTHON, "-m", "lwc", *argv)


def run(argv: Sequence[str], *, folder: Path, stdin: str = "", must: bool = True) -> Ran:
    """Run a process in a folder; one that fails ends the benchmark unless it may."""
    with subprocess.Popen(
        argv,
        cwd=folder,
        env=surroundings(folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        with child.stdin as given:
            given.write(stdin)
        out, err = child.stdout.read(), child.stderr.read()
        # Popen's own wait would not tell what the child used.
        _, encoded, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(encoded)
    if must and child.returncode:
        raise SystemExit(f"{' '.join(argv)} exited with {child.returncode}: {err}")
    spent = (usage.ru_utime + usage.ru_stime) * 1e3
    return Ran(cpu=spent, status=child.returncode, out=out, err=err)


def peak_memory(argv: Sequence[str], *, folder: Path) -> tuple[int, float]:
    """The exit status of a process and the most memory it held, in MiB."""
    done = subprocess.run(
        [PYTHON, "-S", "-c", _PEAK, *argv],
        cwd=folder,
        env=surroundings(folder),
        capture_output=True,
        text=True,
        check=True,
    )
    status, peak = map(int, done.stdout.split())
    return status, peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def surroundings(folder: Path) -> dict[str, str]:
    """The environment of work in a folder: without the user's own wiki and settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LWC_")}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return {**kept, "HOME": str(folder.parent), "LWC_AGENT": "bench"}
