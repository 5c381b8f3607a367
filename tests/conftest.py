"""Fixtures are nouns: a project, its wiki, a caller, a clock, and the command line."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import storefiles

from lwc import clock as clock_module
from lwc.wiki import Call, Wiki, open_wiki


@dataclass(frozen=True)
class Result:
    """What a command answered."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The document on stdout."""
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        """The refusal on stderr; stdout must be empty beside it."""
        assert self.out == "", self.out
        return json.loads(self.err)["error"]

    def ok(self) -> Any:
        """The answer of a command that must succeed."""
        assert self.status == 0, self.err
        return self.json


class Clock:
    """A clock that stands still until it is told to move."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.moment = clock_module.now()
        monkeypatch.setattr(clock_module, "now", lambda: self.moment)

    def tick(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


@pytest.fixture(scope="session", autouse=True)
def guard() -> None:
    storefiles.guard()


@pytest.fixture(autouse=True)
def only_sqlite_opens_the_store() -> Iterator[None]:
    """Any other open of wiki.db in this process would lose SQLite's locks, and work with them."""
    storefiles.opened()
    yield
    assert storefiles.opened() == []


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test sees the user's own home, wiki or variables."""
    for name in list(os.environ):
        if name.startswith("LWC_") and name != "LWC_TEST_POSTGRESQL":
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("NO_COLOR", "1")
    # Processes run the lwc that is tested here, whatever folder they are started in.
    monkeypatch.setenv("PYTHONPATH", str(Path(clock_module.__file__).parents[1]))


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A freshly made `.lwc`, closed, to be copied: making one imports Alembic."""
    from lwc.services import workspaces

    folder = tmp_path_factory.mktemp("template")
    workspaces.init(folder, environ={"HOME": str(folder / "nobody")}, exclude_from_git=False)
    return folder / ".lwc"


@pytest.fixture
def project(tmp_path: Path, empty_store: Path) -> Path:
    """A project folder with an empty wiki."""
    folder = tmp_path / "project"
    folder.mkdir()
    with storefiles.closed_store():
        shutil.copytree(empty_store, folder / ".lwc")
    return folder


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may reach and write; those of pytest are for one user only."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        folder.chmod(0o777)
        yield folder


@pytest.fixture
def wiki(project: Path) -> Iterator[Wiki]:
    with open_wiki(project) as opened:
        yield opened


@pytest.fixture
def call() -> Call:
    return Call(agent="tester")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def lwc(project: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs a command line in this process, in the project's folder."""
    from lwc.__main__ import main

    def run(*argv: str, stdin: str | bytes = "") -> Result:
        monkeypatch.chdir(project)
        out, err = _Stream(), _Stream()
        data = stdin.encode("utf-8") if isinstance(stdin, str) else stdin
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", out.text)
            patch.setattr(sys, "stderr", err.text)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
            status = main(list(argv))
        return Result(status=int(status or 0), out=out.value(), err=err.value())

    return run


class _Stream:
    """A text stream with a buffer below it, as the real ones have."""

    def __init__(self) -> None:
        self.bytes = io.BytesIO()
        self.text = io.TextIOWrapper(self.bytes, encoding="utf-8", write_through=True)

    def value(self) -> str:
        self.text.flush()
        return self.bytes.getvalue().decode("utf-8")


@pytest.fixture
def lwc_process(project: Path) -> Callable[..., Result]:
    """Runs a command line as a process of its own, in the project's folder."""

    def run(*argv: str, stdin: str | bytes = "", **environ: str) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "lwc", *argv],
            cwd=project,
            input=stdin.encode("utf-8") if isinstance(stdin, str) else stdin,
            capture_output=True,
            env={**os.environ, **environ},
            timeout=120,
            check=False,
        )
        return Result(
            status=done.returncode, out=done.stdout.decode("utf-8"), err=done.stderr.decode("utf-8")
        )

    return run
