"""The command line with the toy commands of `toys.py`, run in this process."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import toys

from lwc.cli import app


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    status: int
    out: str
    err: str

    @property
    def answer(self) -> Any:
        assert self.status == 0, self.err
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        assert self.out == ""
        return json.loads(self.err.splitlines()[-1])["error"]


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    def run(*argv: str, stdin: str = "") -> Run:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capsys.readouterr()
        status = app.run(argv, table=toys.TABLE)
        said = capsys.readouterr()
        return Run(status=status, out=said.out, err=said.err)

    return run
