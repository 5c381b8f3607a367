"""Runs `lwc` for the demo: as real commands, or by `main(argv)` in this process, alike."""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import lwc
from lwc.__main__ import main

Run = Callable[..., Any]
# The folder that this copy of lwc is imported from.
PACKAGES = Path(lwc.__file__).parents[1]


class Refused(Exception):
    """A command was refused; carries the error object it wrote."""

    def __init__(self, argv: tuple[str, ...], error: Any) -> None:
        super().__init__(f"{shlex.join(('lwc', *argv))}: {error['message']}")
        self.error = error


def by_process(folder: Path, told: Callable[[str], None]) -> Run:
    """Each command as a process of its own, told as it is run."""
    # Of this lwc, also where it runs from a checkout and is not installed.
    environ = {**os.environ, "PYTHONPATH": str(PACKAGES)}

    def run(*argv: str, stdin: str = "") -> Any:
        told(shlex.join(("lwc", *argv)))
        done = subprocess.run(
            [sys.executable, "-m", "lwc", "--output", "json", *argv],
            cwd=folder,
            input=stdin.encode("utf-8"),
            env=environ,
            capture_output=True,
            check=False,
        )
        return _answer(argv, done.returncode, done.stdout, done.stderr)

    return run


def in_process(folder: Path) -> Run:
    """Each command by `main(argv)`, without a process."""

    def run(*argv: str, stdin: str = "") -> Any:
        out, err = io.BytesIO(), io.BytesIO()
        before, given = Path.cwd(), sys.stdin
        os.chdir(folder)
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8")), encoding="utf-8")
        try:
            with (
                io.TextIOWrapper(out, encoding="utf-8", write_through=True) as out_text,
                io.TextIOWrapper(err, encoding="utf-8", write_through=True) as err_text,
                redirect_stdout(out_text),
                redirect_stderr(err_text),
            ):
                status = main(["--output", "json", *argv])
                texts = out.getvalue(), err.getvalue()
        finally:
            sys.stdin = given
            os.chdir(before)
        return _answer(argv, int(status or 0), *texts)

    return run


def typed(folder: Path) -> str:
    """What to type for `lwc` in a folder: the name where it leads here, else where it stands."""
    beside = Path(sys.executable).with_name("lwc")
    if not beside.is_file():
        # From a checkout that is not installed.
        where = shlex.quote(str(PACKAGES))
        return f"PYTHONPATH={where} {shlex.quote(sys.executable)} -m lwc"
    named = shutil.which("lwc")
    if named is not None and Path(named).absolute() == beside.absolute():
        return "lwc"
    return shlex.quote(os.path.relpath(beside, folder))


def _answer(argv: tuple[str, ...], status: int, out: bytes, err: bytes) -> Any:
    if status == 0:
        return json.loads(out)
    try:
        error = json.loads(err)["error"]
    except (ValueError, KeyError):
        error = {"code": "unknown", "message": err.decode("utf-8", "replace")}
    raise Refused(argv, error)
