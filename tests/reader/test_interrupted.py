"""A signal at any close of a descriptor ends the reading, and closes nothing twice."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lwc.reader import read_document


@pytest.mark.parametrize("number", range(1, 6))
def test_an_interrupt_while_a_descriptor_is_closed_closes_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c" / "notes.md").write_text("Some text.\n")
    closed, close = 0, os.close

    def interrupted(descriptor: int) -> None:
        nonlocal closed
        close(descriptor)  # EBADF here is a second close
        closed += 1
        if closed == number:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "close", interrupted)
    try:
        read_document("a/b/c/notes.md", root=tmp_path, base=tmp_path)
    except KeyboardInterrupt:
        assert closed >= number
    else:
        assert closed < number
